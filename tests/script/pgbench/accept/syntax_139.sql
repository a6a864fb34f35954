\if 0
\if 1
SELECT 1;
\else
SELECT 2;
\endif
SELECT 3;
\else
SELECT 4;
\endif
