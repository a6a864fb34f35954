-- change: taxs
\set id random(1, :taxes)
\set delta random(-50, 50)
begin;
select status, amount from taxes where id = :id for update \gset old_
\if :delta > 0
update taxes set amount = amount + :delta, changed_at = now() where id = :id;
\else
update taxes set counted = counted + 1, changed_at = now() where id = :id;
\endif
\assert :ROW_COUNT = 1 'the row is gone'
commit;
