create table sku (id int primary key, label text not null, price numeric(8, 2) not null, stock int not null);
create table sale (sku_id int not null references sku, city text not null, sold_at timestamptz not null default now());
