-- The last day of one meter by the hour. The bound does not depend on rows, so two partitions are looked at; the others
-- are left out when execution begins.
\set meter random_zipfian(1, :meters, 1.05)
select date_trunc('hour', at) as hour, avg(watt) as watt, max(volt) as volt
from reading
where meter_id = :meter and at > now() - interval '1 day'
group by hour order by hour;
