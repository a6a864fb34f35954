-- the whole table, once; the test keeps it from being answered by an index
select count(*) from pgbench_accounts where abalance notnull
