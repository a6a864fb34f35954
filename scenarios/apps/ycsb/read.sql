-- Popular keys far more often; the permutation spreads them over the table, so that they don't share pages.
\set key 'user' || (permute(random_zipfian(1, :records, 1.001) - 1, :records) + 1)
select * from usertable where ycsb_key = :key;
