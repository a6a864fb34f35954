-- takes the oldest job that nobody else has, and counts it; with an empty queue it counts nothing
begin;
with pick as (select id from q_job order by id for update skip locked limit 1),
     del as (delete from q_job using pick where q_job.id = pick.id returning 1)
update q_count set got = got + (select count(*) from del) where kind = 'skip';
commit;
