-- a comment before a statement is dropped,
select 1, -- one inside is not
  2 /* nor is /* a nested */ one */;
select 'a;b', $x$c;d$x$, E'e\';f', "id" from item where id = 1; select 2 as "two;three";
select '12:30'::time, '{"a":true}'::jsonb -> 'a', array[1, 2, 3]::int[];
create or replace function pg_temp.half(n int) returns int language sql begin atomic select n / 2; end;
select
  pg_temp.half(id)
from item
where id = 10;;
select 3
\sleep 1 us
select 'no semicolon at the end'
