-- a transaction that has a snapshot and does nothing: no row version that it could see may be removed
begin isolation level repeatable read;
select count(*) from q_count;
\if :held = 1
\sleep :seconds s
\else
\sleep 100 ms
\endif
commit;
