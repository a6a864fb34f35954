\ set k 2
SELECT :k;