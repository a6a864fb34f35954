\set id :client_id * 100 + random(1, 100)
\startpipeline
begin;
update account set balance = balance + 1 where id = :id;
\set id :client_id * 100 + random(1, 100)
\if :id % 2 = 0
insert into entry (account, amount) values (:id, 1);
\endif
update account set balance = balance - 1 where id = :id;
commit;
\endpipeline
select balance from account where id = :id;
