-- the lower number first, so that two transfers can't wait for each other
\set one random(1, 500)
\set other random(501, 1000)
begin;
update account set balance = balance - 1 where id = :one;
update account set balance = balance + 1 where id = :other;
commit;
