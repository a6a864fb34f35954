create table meter (id int primary key, place text not null, calibrated date not null);

-- no primary key: a reading is known by meter and time, and nothing refers to it
create table reading (
  meter_id int not null,
  at timestamptz not null,
  watt real not null,
  volt real not null
) partition by range (at);

-- a partition for each day before today, for today and for tomorrow
do $$
begin
  for n in -:days .. 1 loop
    execute format('create table reading_%s partition of reading for values from (%L) to (%L)',
      to_char(current_date + n, 'YYYYMMDD'), current_date + n, current_date + n + 1);
  end loop;
end $$;

-- makes the partition after the last one and drops the first one
create procedure next_day() language plpgsql as $$
declare
  first text;
  last date;
begin
  select min(relid::regclass::text), to_date(right(max(relid::regclass::text), 8), 'YYYYMMDD') into first, last
  from pg_partition_tree('reading') where isleaf;
  execute format('create table reading_%s partition of reading for values from (%L) to (%L)',
    to_char(last + 1, 'YYYYMMDD'), last + 1, last + 2);
  execute format('drop table %I', first);
end $$;
