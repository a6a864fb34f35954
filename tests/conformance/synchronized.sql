\set id :client_id * 100 + random(1, 100)
\startpipeline
begin;
update account set balance = balance + 1 where id = :id;
\syncpipeline
\syncpipeline
update account set balance = balance - 1 where id = :id;
commit;
\syncpipeline
select balance from account where id = :id;
\endpipeline
\startpipeline
\endpipeline
