SELECT 6; /* tail */
\set q 1
