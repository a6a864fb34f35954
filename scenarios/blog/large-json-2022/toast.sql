-- the same with values that are a little longer, so that the row is too large and the value moves out of line
insert into jb_toast
select (
  select jsonb_object_agg(
    left(md5('k' || k) || md5('l' || k) || md5('m' || k), 96),
    left(md5('v' || k) || md5('w' || k) || md5('x' || k), 96) || repeat('t', 12))
  from generate_series(1, 10) k
)
from generate_series(1, :rows);
