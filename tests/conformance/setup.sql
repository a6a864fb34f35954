create table account (id int primary key, branch int not null, balance bigint not null default 0);
insert into account (id, branch) select n, n % 10 from generate_series(1, 1000) as n;
create table entry (account int not null, amount int not null, client int, note text);
create table item (id int primary key, name text not null, price numeric(10, 2) not null, tags jsonb);
insert into item select n, 'item ' || n, n * 1.25, jsonb_build_object('n', n, 'even', n % 2 = 0) from generate_series(1, 100) as n;
create function raise_with(state text) returns int language plpgsql as $$
begin
  raise exception 'raised with %', state using errcode = state, hint = 'no hint';
end $$;
create table pgbench_branches (bid int primary key, bbalance int, filler char(88));
create table pgbench_tellers (tid int primary key, bid int, tbalance int, filler char(84));
create table pgbench_accounts (aid int primary key, bid int, abalance int, filler char(84));
create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
insert into pgbench_branches values (1, 0);
insert into pgbench_tellers select n, 1, 0 from generate_series(1, 10) as n;
insert into pgbench_accounts select n, 1, 0 from generate_series(1, 1000) as n;
