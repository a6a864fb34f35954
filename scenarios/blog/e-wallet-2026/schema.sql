create table w_user (id bigserial primary key, name text not null);
create table w_wallet (
  id bigserial primary key, user_id bigint not null, balance bigint not null, changed timestamptz not null default now()
);
create table w_tx (
  id bigserial primary key, idem uuid not null default gen_random_uuid(), amount bigint not null, status text not null,
  at timestamptz not null default now()
);
create table w_ledger (
  id bigserial primary key, tx_id bigint not null, wallet_id bigint not null, amount bigint not null, dir text not null,
  at timestamptz not null default now()
);
create index on w_ledger (wallet_id, at);
