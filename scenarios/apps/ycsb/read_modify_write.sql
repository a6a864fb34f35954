-- Read a row, then write a field of it: two statements that commit by themselves, as YCSB's client sends them.
\set key 'user' || (permute(random_zipfian(1, :records, 1.001) - 1, :records) + 1)
\set value random_string(100)
select * from usertable where ycsb_key = :key;
update usertable set field0 = :value where ycsb_key = :key;
\assert :ROW_COUNT = 1 'the row is gone'
