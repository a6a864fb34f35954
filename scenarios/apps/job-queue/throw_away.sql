-- The oldest of the done jobs, a thousand at a time: a short transaction that autovacuum can clean up after.
delete from job where id in (select id from job where state = 'done' order by run_at limit 1000 for update skip locked);
