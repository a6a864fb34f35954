create table tsd (id int, val float, at timestamp default now());
create index on tsd using brin (at);

-- the same table again and again, its index included
do $$ begin for i in 1..:tables loop execute format('create table tsd%s (like tsd including all)', i); end loop; end $$;

-- the table's name is put together at run time, so each call plans its insert anew
create function put_one(n int) returns void language plpgsql strict as $$
begin execute 'insert into tsd' || n || ' values (1, 0.1)'; end $$;

create function put_many(n int, k int) returns void language plpgsql strict as $$
begin execute 'insert into tsd' || n || ' select id, 0.1 from generate_series(1,' || k || ') t(id)'; end $$;
