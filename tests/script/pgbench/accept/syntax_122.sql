\set k 8
SELECT $x$:k;$x$;