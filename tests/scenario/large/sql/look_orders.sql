-- look: orders
\set id random_zipfian(1, :orders, 1.1)
select id, label, status, amount from orders where id = :id;
select count(*), max(made_at) from order_lines where owner = :id;
