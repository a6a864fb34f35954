-- A customer orders one to five things, and a job is left for the invoice.
\feed buyers
\set lines random(1, 5)
begin;
-- local to the transaction; `set local` could not take a parameter
select set_config('app.tenant', :tenant_id::text, true);
insert into orders (customer_id, tenant_id, status) values (:customer_id, :tenant_id, 'open') returning id as order_id \gset
\repeat :lines
\set sku random_zipfian(1, 500, 1.05)
insert into line_items (tenant_id, order_id, sku, qty) values (:tenant_id, :order_id, :sku, 1);
\endrepeat
update orders set total = (
  select sum(s.price * l.qty) from line_items l join skus s on s.sku = l.sku where l.order_id = :order_id
) where id = :order_id;
insert into jobs (kind, order_id) values ('invoice', :order_id);
commit;
