\sleeep 1 ms
\set x 1 +
select 1;
\else
\sleep 1 week
\gset two words
