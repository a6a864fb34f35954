-- change: carts
\set id random(1, :carts)
\set delta random(-50, 50)
begin;
select status, amount from carts where id = :id for update \gset old_
\if :delta > 0
update carts set amount = amount + :delta, changed_at = now() where id = :id;
\else
update carts set counted = counted + 1, changed_at = now() where id = :id;
\endif
\assert :ROW_COUNT = 1 'the row is gone'
commit;
