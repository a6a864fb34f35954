alter table job add primary key (id);
-- only what waits: the index stays as small as the queue, however many jobs are done
create index job_waiting on job ((case priority when 'high' then 0 when 'normal' then 1 else 2 end), run_at)
  where state = 'waiting';
create index job_taken on job (taken_at) where state = 'taken';
create index job_done on job (run_at) where state = 'done';
