-- after the rows: an index that is built once is smaller, and sooner there
create index on orders (tenant_id, placed_at desc);
create index on orders (customer_id);
create index on line_items (order_id);
create index on payments (order_id);
create index on jobs (id) where done_at is null;
create index on customers using gin (email gin_trgm_ops);
