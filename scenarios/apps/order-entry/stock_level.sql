-- How many items of a district's last twenty orders run low? Reads only.
\set w_id 1 + mod(:client_id, :warehouses)
\set d_id random(1, 10)
\set low random(10, 20)
select count(distinct s.i_id)
from district d
join order_line l on l.w_id = d.w_id and l.d_id = d.id and l.o_id >= d.next_o_id - 20 and l.o_id < d.next_o_id
join stock s on s.w_id = l.w_id and s.i_id = l.i_id
where d.w_id = :w_id and d.id = :d_id and s.quantity < :low;
