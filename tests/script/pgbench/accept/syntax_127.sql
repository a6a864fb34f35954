\set ñ 4
SELECT :ñ;