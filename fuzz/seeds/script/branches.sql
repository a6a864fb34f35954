\set kind random(1, 10)
\set inner random(0, 1)
\if :kind <= 3
  \if :inner = 1
select 'low, inner', :kind::int;
  \else
select 'low, outer', :kind::int;
  \endif
\elif :kind <= 6 and not (:inner = 1)
\set kind :kind * 10
select 'middle', :kind::int;
\elif false
\set never 1 / 0
\else
select 'high', :kind::int, :inner::int;
\endif
\if 2
select 'true is what is not zero';
\endif
