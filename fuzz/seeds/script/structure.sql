\endrepeat
\repeat 3 as 9i
\if 1
\endrepeat
\if 1
\else
\elif 1
\else
\label a
\label b
\gset
\endif x
\set
\feed
\assert
\shell
\sleep 1 ms now
\repeat 1
