\set a 1 < 2 < 3
\set b (1
\set c
\set d fo
\set e tru
\set f 9223372036854775808
\set g 99999999999999999999
\set h 1e999
\set i 1;
\set j 2 ^ 3
\set k 'open
\set 9k 1
\set l case :x when 1 then 2 end
\set m random(1 2)
\if
\endif
