-- A tenant looks at the newest orders. Few tenants look often.
\set tenant_id random_zipfian(1, :tenants, 1.1)
select id, total, status from orders where tenant_id = :tenant_id order by placed_at desc limit 20;
