-- A customer orders five to fifteen items.
\set w_id 1 + mod(:client_id, :warehouses)
\set d_id random(1, 10)
-- non-uniform: the bits of two numbers joined favour some customers and items, the same ones for everybody
\set c_id 1 + mod((random(0, :c_customer) | random(1, :customers)) + 7, :customers)
\set lines random(5, 15)
\set regret random(1, 100)
begin;
select tax as w_tax from warehouse where id = :w_id \gset
-- the number is taken under the district's lock, so that orders have no gaps; it is held to the end
\label take_number
update district set next_o_id = next_o_id + 1 where w_id = :w_id and id = :d_id
returning next_o_id - 1 as o_id, tax as d_tax \gset
select discount, last, credit from customer where w_id = :w_id and d_id = :d_id and id = :c_id \gset
insert into orders (w_id, d_id, id, c_id, lines) values (:w_id, :d_id, :o_id, :c_id, :lines);
insert into new_order (w_id, d_id, o_id) values (:w_id, :d_id, :o_id);
\repeat :lines as line
-- each line has its own shelves, the later ones farther back: all orders take their locks in one direction, and no two
-- of them can wait for each other
\set shelves :items / :lines
\set i_id (:line - 1) * :shelves + 1 + mod((random(0, :c_item) | random(1, :items)) + 3, :shelves)
\set quantity random(1, 10)
-- one line in a hundred comes from another warehouse, if there is one
\set supply_w_id case when random(1, 100) = 1 then 1 + mod(:w_id, :warehouses) else :w_id end
select price from item where id = :i_id \gset
-- below ten the shelf is filled up by 91
\label take_from_stock
update stock
set quantity = quantity - :quantity + case when quantity - :quantity < 10 then 91 else 0 end,
    ytd = ytd + :quantity, orders = orders + 1,
    remote_orders = remote_orders + case when :supply_w_id <> :w_id::int then 1 else 0 end
where w_id = :supply_w_id and i_id = :i_id;
insert into order_line (w_id, d_id, o_id, number, i_id, supply_w_id, quantity, amount)
values (:w_id, :d_id, :o_id, :line, :i_id, :supply_w_id, :quantity, :quantity::numeric * :price::numeric);
\endrepeat
-- one customer in a hundred thinks better of it
\if :regret = 1
rollback;
\else
commit;
\endif
