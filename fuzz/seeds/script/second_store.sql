select 1 \gset
\aset
\set a 1
\gset
