\if 1
\endif z