-- A short range in the order of the keys, which are texts: user10 comes before user9.
\set key 'user' || (permute(random_zipfian(1, :records, 1.001) - 1, :records) + 1)
\set length random(1, :max_scan)
select * from usertable where ycsb_key >= :key order by ycsb_key limit :length;
