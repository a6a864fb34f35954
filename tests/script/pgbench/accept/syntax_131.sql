\SET k 3
SELECT :k;
