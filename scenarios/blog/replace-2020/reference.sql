-- one expression for the whole, with references to what it found; the expression of the source is longer
do $$
declare
  t0 timestamptz;
  s text;
begin
  for i in 1..:scale loop
    s := '<a href="x' || i || '">b & c</a>';
    t0 := clock_timestamp();
    s := regexp_replace(s, '<([^>]*)>([^<]*)<([^>]*)>', '&lt;\1&gt;\2&lt;\3&gt;', 'g');
    insert into rep_time values ('reference', extract(epoch from clock_timestamp() - t0));
  end loop;
end $$;
