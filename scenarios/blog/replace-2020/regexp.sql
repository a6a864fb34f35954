-- the same by regular expressions
do $$
declare
  t0 timestamptz;
  s text;
begin
  for i in 1..:scale loop
    s := '<a href="x' || i || '">b & c</a>';
    t0 := clock_timestamp();
    s := regexp_replace(regexp_replace(regexp_replace(s, '&', '&amp;', 'g'), '>', '&gt;', 'g'), '<', '&lt;', 'g');
    insert into rep_time values ('regexp_replace', extract(epoch from clock_timestamp() - t0));
  end loop;
end $$;
