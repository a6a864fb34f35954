-- A gateway brings a hundred readings of its meters in one statement: one round trip, one commit.
\set gateway random(1, :meters / 10)
insert into reading (meter_id, at, watt, volt)
select :gateway * 10 - n % 10, clock_timestamp(), 100 + 300 * random(), 226 + 8 * random()
from generate_series(0, 99) n;
\assert :ROW_COUNT = 100 'readings were lost'
