create table likes (id int, info text);
create index on likes using gin (info gin_trgm_ops);

-- n characters of the block of CJK ideographs
create function mk_hanzi(n int) returns text language sql strict as $$
  select string_agg(chr(19968 + (random() * 20901)::int), '') from generate_series(1, n)
$$;

create table probes (id serial primary key, info text);

-- looks a probe up, then looks for it; the pattern is put into the text of the query
create function probe(n int) returns setof likes language plpgsql strict as $$
declare s text;
begin
  select info into s from probes where id = n;
  return query execute 'select * from likes where info like ''%' || s || '%'' limit 1';
end $$;
