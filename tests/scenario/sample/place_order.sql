\feed buyers
\set lines random(1, 5)
begin;
select set_config('app.tenant', :tenant_id::text, true);
insert into orders (customer_id, tenant_id, status) values (:customer_id, :tenant_id, 'open') returning id as order_id \gset
\repeat :lines
\set sku random_zipfian(1, 5000, 1.05)
insert into line_items (tenant_id, order_id, sku, qty) values (:tenant_id, :order_id, :sku, 1);
\endrepeat
insert into jobs (kind, order_id) values ('invoice', :order_id);
commit;
