select 1;
\set x 1
\i file.sql
copy t from stdin;
1
