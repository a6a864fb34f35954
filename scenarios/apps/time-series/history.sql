-- all meters at one moment, then the next moment: the order in which the rows would have come. The figures follow the
-- sun, as a roof's would, and are the same in every run
insert into reading (meter_id, at, watt, volt)
select m.id,
  current_date + d * interval '1 day' + n * interval '1 day' / :readings,
  greatest(0, 400 * sin(2 * pi() * n / :readings - pi() / 2)) + mod(m.id * 37 + n, 50),
  230 + mod(m.id + n, 9) - 4
from generate_series(-:days, -1) d, generate_series(0, :readings - 1) n, meter m;
