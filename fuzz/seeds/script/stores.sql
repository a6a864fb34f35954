\set id random(1, 100)
select id as item, name, price, null as nothing from item where id = :id \gset
select id as item, price * 2 as price from item where id = :item::int % 100 + 1 \gset next_
select :item::int, :next_item::int, :price::numeric, :next_price::numeric;
\set sum :item + :next_item
insert into entry (account, amount, client) values (:item::int, :sum::int, :client_id::int);
select count(*) as rows, 1 as one from item where id > :id::int \aset
\if :rows > 50
select 'many', :rows::int;
\endif
