\set k 8
SELECT :k::int, :k::int;