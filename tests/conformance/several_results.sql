\set n random(1, 5)
select :n as a \; select :n + 1 as b, 2 as a \; select 3 as c where false \aset
select :a, :b;
select 1 as x \; select 2 as y, :n as x \gset last_
select :last_y, :last_x;
