-- the first orders: one of each customer, five to fifteen lines each
insert into orders (w_id, d_id, id, c_id, lines, carrier)
select w_id, d_id, id, id, 5 + id % 11, case when id <= :customers * 9 / 10 then 1 + id % 10 end
from customer;
insert into order_line (w_id, d_id, o_id, number, i_id, supply_w_id, quantity, amount, delivered)
select w_id, d_id, id, n, 1 + (id * 31 + n * 977) % :items, w_id, 5, 10 * n, case when carrier is not null then entered end
from orders, generate_series(1, lines) n;
insert into new_order select w_id, d_id, id from orders where carrier is null;
insert into payment (w_id, d_id, c_w_id, c_d_id, c_id, amount) select w_id, d_id, w_id, d_id, id, 10 from customer;
-- what the first payments come to
update warehouse set ytd = 10 * 10 * :customers;
update district set ytd = 10 * :customers;
