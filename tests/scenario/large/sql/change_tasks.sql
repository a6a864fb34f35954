-- change: tasks
\set id random(1, :tasks)
\set delta random(-50, 50)
begin;
select status, amount from tasks where id = :id for update \gset old_
\if :delta > 0
update tasks set amount = amount + :delta, changed_at = now() where id = :id;
\else
update tasks set counted = counted + 1, changed_at = now() where id = :id;
\endif
\assert :ROW_COUNT = 1 'the row is gone'
commit;
