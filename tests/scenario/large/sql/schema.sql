-- The tables of the company. Each has its number, an owner in the table before it, and what its rows are about.
create table customers (
  id int primary key,
  owner int,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table addresses (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table carts (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table cart_items (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table orders (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table order_lines (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table coupons (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table reviews (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table products (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table prices (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table warehouses (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table shelves (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table levels (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table movements (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table suppliers (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table deliveries (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table accounts (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table invoices (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table invoice_lines (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table payments (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table refunds (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table ledgers (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table taxes (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table budgets (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table employees (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table shifts (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table tickets (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table comments (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table visits (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table reports (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table tasks (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
create table alerts (
  id int primary key,
  owner int not null,
  label text not null,
  status text not null,
  amount numeric(12, 2) not null,
  counted int not null,
  made_at timestamptz not null,
  changed_at timestamptz
);
