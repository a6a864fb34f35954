-- ten thousand rows that lie side by side
\set lo random(1, 100000 * :scale)
\set hi :lo + 10000
select abalance from pgbench_accounts where aid between :lo and :hi
