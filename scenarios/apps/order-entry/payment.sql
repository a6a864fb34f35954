-- A customer pays, at the own warehouse or at another.
\set w_id 1 + mod(:client_id, :warehouses)
\set d_id random(1, 10)
\set amount random(100, 500000) / 100.0
\set c_w_id case when random(1, 100) <= 85 then :w_id else random(1, :warehouses) end
\set c_d_id case when :c_w_id = :w_id then :d_id else random(1, 10) end
\set by_name random(1, 100) <= 60
begin;
-- one row for all terminals of a warehouse: the place where they queue
\label lock_warehouse
update warehouse set ytd = ytd + :amount where id = :w_id;
update district set ytd = ytd + :amount where w_id = :w_id and id = :d_id;
\if :by_name
\set name random(0, 999)
-- of all who have the name the one in the middle; where nobody has it, the first customer
select coalesce((
  select id from customer where w_id = :c_w_id and d_id = :c_d_id and last = last_name(:name) order by first
  offset (select count(*) / 2 from customer where w_id = :c_w_id and d_id = :c_d_id and last = last_name(:name)) limit 1
), 1) as c_id \gset
\else
\set c_id 1 + mod((random(0, :c_customer) | random(1, :customers)) + 7, :customers)
\endif
update customer set balance = balance - :amount, ytd_payment = ytd_payment + :amount, payments = payments + 1
where w_id = :c_w_id and d_id = :c_d_id and id = :c_id;
\assert :ROW_COUNT = 1 'the customer is gone'
insert into payment (w_id, d_id, c_w_id, c_d_id, c_id, amount)
values (:w_id, :d_id, :c_w_id, :c_d_id, :c_id, :amount);
commit;
