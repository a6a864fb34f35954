-- A customer asks what became of the last order. Reads only.
\set w_id 1 + mod(:client_id, :warehouses)
\set d_id random(1, 10)
\set c_id 1 + mod((random(0, :c_customer) | random(1, :customers)) + 7, :customers)
begin read only;
select first, last, balance from customer where w_id = :w_id and d_id = :d_id and id = :c_id;
-- \aset, not \gset: a customer may have no order
select id as o_id from orders where w_id = :w_id and d_id = :d_id and c_id = :c_id order by id desc limit 1 \aset
\if :ROW_COUNT = 1
select number, i_id, quantity, amount, delivered from order_line
where w_id = :w_id and d_id = :d_id and o_id = :o_id order by number;
\endif
commit;
