-- An order is paid; the row is locked first, so that nobody pays it twice at the same time.
\set order_id random(1, :orders)
\set method choice('card', 'sepa')
begin;
\label lock_order
select total from orders where id = :order_id for update \gset
update orders set status = 'paid' where id = :order_id;
\assert :ROW_COUNT = 1 'the order is gone'
insert into payments (order_id, method, amount) values (:order_id, :'method', :total);
commit;
