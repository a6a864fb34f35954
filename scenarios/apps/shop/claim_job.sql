-- A worker takes the oldest job that nobody else has. \aset leaves :job_id alone where there is none.
begin;
select id as job_id from jobs where done_at is null order by id limit 1 for update skip locked \aset
\if :ROW_COUNT = 1
update jobs set done_at = now() where id = :job_id;
\endif
commit;
