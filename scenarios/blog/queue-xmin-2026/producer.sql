\set p random(1, 1000000000)
insert into q_job (payload) values ('p_' || :p);
-- one row for all producers, and for the consumers too: it queues them, and leaves a dead version each time
update q_count set put = put + 1 where kind = 'skip';
