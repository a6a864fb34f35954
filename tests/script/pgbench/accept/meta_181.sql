SELECT 3 AS a WHERE false \aset
\set c debug(:a)