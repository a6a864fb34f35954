-- add: shifts
\set id :shifts + 1 + client() * 1000000 + iteration()
\set n random(1, 4)
\set status choice('new', 'open')
begin;
\repeat :n as line
insert into shifts (id, owner, label, status, amount, counted, made_at)
  values (:id * 10 + :line, :line, 'made by ' || :client_id, :status, random() * 100, 0, now());
\endrepeat
\label last_one
select id, label from shifts order by id desc limit 1;
commit;
