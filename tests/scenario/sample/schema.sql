create table tenants (id bigint primary key, name text not null, api_key uuid);
create table customers (id bigint primary key, tenant_id bigint references tenants, email text unique, phone text);
create table orders (
  id bigserial primary key, customer_id bigint references customers, tenant_id bigint references tenants, status text,
  total numeric, placed_at timestamptz default now(), rank bigint, meta jsonb
);
create table line_items (tenant_id bigint, order_id bigint references orders, sku int, qty int);
create table payments (order_id bigint references orders, method text, amount numeric);
create table jobs (id bigserial primary key, kind text, order_id bigint, done_at timestamptz);
create table skus (sku int primary key, name text);
