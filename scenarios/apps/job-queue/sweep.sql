-- Jobs whose worker has not been heard of for a minute wait again.
update job set state = 'waiting', taken_at = null
where state = 'taken' and taken_at < now() - interval '1 minute';
