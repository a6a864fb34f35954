-- the ampersand first, or those of the others would be escaped again
do $$
declare
  t0 timestamptz;
  s text;
begin
  for i in 1..:scale loop
    s := '<a href="x' || i || '">b & c</a>';
    t0 := clock_timestamp();
    s := replace(replace(replace(s, '&', '&amp;'), '>', '&gt;'), '<', '&lt;');
    insert into rep_time values ('replace', extract(epoch from clock_timestamp() - t0));
  end loop;
end $$;
