create table item (id int, name text not null, price numeric(5,2) not null);
create table warehouse (id int, tax numeric(4,4) not null, ytd numeric(12,2) not null);
create table district (
  w_id int, id int, tax numeric(4,4) not null, ytd numeric(12,2) not null,
  next_o_id int not null                    -- the number of its next order
);
create table customer (
  w_id int, d_id int, id int, first text not null, last text not null, credit text not null,
  discount numeric(4,4) not null, balance numeric(12,2) not null default -10, ytd_payment numeric(12,2) not null default 10,
  payments int not null default 1, deliveries int not null default 0
);
create table orders (
  w_id int, d_id int, id int, c_id int not null, lines int not null, carrier int, entered timestamptz not null default now()
);
-- orders that wait for their delivery
create table new_order (w_id int, d_id int, o_id int);
create table order_line (
  w_id int, d_id int, o_id int, number int, i_id int not null, supply_w_id int not null, quantity int not null,
  amount numeric(8,2) not null, delivered timestamptz
);
create table stock (
  w_id int, i_id int, quantity int not null, ytd int not null default 0, orders int not null default 0,
  remote_orders int not null default 0
);
create table payment (
  w_id int not null, d_id int not null, c_w_id int not null, c_d_id int not null, c_id int not null,
  amount numeric(6,2) not null, at timestamptz not null default now()
);

-- the n-th of 1,000 surnames
create function last_name(n int) returns text language sql immutable strict as $$
  select (array['Har','Lin','Ber','Ros','Wal','Nor','Kel','Stan','Mor','El'])[n / 100 % 10 + 1]
      || (array['ring','den','ker','mar','sen','ley','ter','wig','bar','fel'])[n / 10 % 10 + 1]
      || (array['ton','berg','son','ford','field','man','sted','wood','ham','by'])[n % 10 + 1]
$$;
