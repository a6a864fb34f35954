-- A worker: take a job and commit at once, so that no lock is held while the work is done.
\label take_job
update job set state = 'taken', taken_at = now(), attempts = attempts + 1
where id = (
  select id from job where state = 'waiting'
  order by case priority when 'high' then 0 when 'normal' then 1 else 2 end, run_at
  limit 1 for update skip locked            -- what another worker is just taking is passed over, not waited for
)
returning id as job_id, kind as job_kind \aset
\if :ROW_COUNT = 1
\set effort random_exponential(1, 20, 3.0)
\sleep :effort ms
\label finish_job
update job set state = 'done' where id = :job_id and state = 'taken';
\assert :ROW_COUNT = 1 'somebody else finished the job'
\else
-- nothing to do: look again a little later
\sleep 20 ms
\endif
