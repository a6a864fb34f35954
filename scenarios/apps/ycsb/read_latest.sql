-- What came last is popular. The sequence is ahead of what has committed, so the newest key may not be there yet.
\set back random_zipfian(1, :records, 1.001) - 1
select * from usertable where ycsb_key = (select 'user' || (last_value - :back) from usertable_key);
