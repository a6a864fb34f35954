\set one random(1, 500)
\set other random(501, 1000)
\startpipeline
begin;
update account set balance = balance - 1 where id = :one;
update account set balance = balance + 1 where id = :other;
commit;
\endpipeline
