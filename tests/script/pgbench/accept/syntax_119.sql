\set k 8
SELECT ':k' || :k;