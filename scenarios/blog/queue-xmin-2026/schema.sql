create table q_job (id bigserial primary key, payload text not null, at timestamptz not null default now())
  with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.01);
create index on q_job (id);
create table q_count (kind text primary key, put bigint not null default 0, got bigint not null default 0);
insert into q_count (kind) values ('skip');
create table byst (id bigint primary key, payload text not null);
insert into byst select n, repeat('x', 256) from generate_series(1, :bystander_rows) n;
analyze byst;
