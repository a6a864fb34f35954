\set a random(1, :rows
\sleeep 5
\set 9b 1
\if :rows = 1
select 'unclosed;
