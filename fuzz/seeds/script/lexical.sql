-- dropped
  /* a /* nested; */ comment */ select 'a;b', E'c\';d', $x$ ; $y$ $x$, $1, "e;""f" -- kept; :x
 , (1; 2) \; select 3\:x, :{?x}, ::y, :::z, 12:30, [1:n], :é;
create or replace procedure p() begin atomic select case when 1 then 2 end; end; begin; end;
select 1 \set x 3
select 2; ; /* own */
\ SLEEP 10us
\shell echo ::a :b c:d
\
select E'a'
  'b\';c';
select 4  
