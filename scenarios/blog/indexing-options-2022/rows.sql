-- the two sub-selects do not depend on the row, so each is evaluated once and all rows have the same two texts. The source
-- did it this way, and a reproduction must not mend it
insert into wide
select n,
  (select string_agg(random()::text, '') from generate_series(1, 52)),
  (select string_agg(random()::text, '') from generate_series(1, 14)),
  random() * 1000, random() * 100, random() * 10
from generate_series(1, :rows) n;
