-- One whole day, which is one whole partition.
\set back random(1, :days - 1)
select m.place, count(*) as readings, sum(r.watt) as watt
from reading r join meter m on m.id = r.meter_id
where r.at >= current_date - :back::int and r.at < current_date - :back::int + 1
group by m.place order by watt desc;
