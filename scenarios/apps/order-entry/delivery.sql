-- A lorry takes the oldest waiting order of each district of a warehouse along.
\set w_id 1 + mod(:client_id, :warehouses)
\set carrier random(1, 10)
begin;
\repeat 10 as d_id
-- a second lorry at the same warehouse passes over what the first one is loading
delete from new_order where w_id = :w_id and d_id = :d_id and o_id = (
  select o_id from new_order where w_id = :w_id and d_id = :d_id order by o_id limit 1 for update skip locked
) returning o_id \aset
\if :ROW_COUNT = 1
update orders set carrier = :carrier where w_id = :w_id and d_id = :d_id and id = :o_id returning c_id \gset
with line as (
  update order_line set delivered = now() where w_id = :w_id and d_id = :d_id and o_id = :o_id returning amount
)
update customer set balance = balance + (select sum(amount) from line), deliveries = deliveries + 1
where w_id = :w_id and d_id = :d_id and id = :c_id;
\endif
\endrepeat
commit;
