SELECT NULL AS a \gset
\set b debug(:a)