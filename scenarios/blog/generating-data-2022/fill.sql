-- Doubles a part of one partition. The client's number names the partition, so that no two clients meet.
\set part :client_id + 1
insert into pgbench_accounts_:part select * from pgbench_accounts_:part limit :chunk;
