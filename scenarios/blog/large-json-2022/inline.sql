-- ten keys and ten values of 96 bytes that don't compress: just below what a row may have without TOAST. The value does
-- not depend on the row: it is made once, and all rows are alike
insert into jb_inline
select (
  select jsonb_object_agg(
    left(md5('k' || k) || md5('l' || k) || md5('m' || k), 96),
    left(md5('v' || k) || md5('w' || k) || md5('x' || k), 96))
  from generate_series(1, 10) k
)
from generate_series(1, :rows);
insert into jb_key
select min(k collate "C"), max(k collate "C") from (select jsonb_object_keys(v) as k from (select v from jb_inline limit 1) one) keys;
