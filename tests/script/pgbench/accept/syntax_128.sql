\set k 8
SELECT :{?k}, 1;