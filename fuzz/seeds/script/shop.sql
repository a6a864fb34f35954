-- place_order
\feed buyers
\set lines random(1, 5)
begin;
select set_config('app.tenant', :tenant_id::text, true);
insert into orders (customer_id, status) values (:customer_id, 'open') returning id as order_id \gset
\repeat :lines as i
insert into line_items (order_id, qty) values (:order_id, :i);
\endrepeat
\label lock_order
select total from orders where id = :order_id for update \gset o_
\assert :ROW_COUNT = 1 'order is gone, isn''t it'
insert into payments (method, ":col") select :'method', :"col" from t where a = ':method' -- :method
;
commit;
