--
-- PostgreSQL database dump
--
\restrict abc123

SET statement_timeout = 0;
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ begin return 1; end $$;
COPY public."odd;name" (a, b) FROM stdin;
1	it's; "quoted
2	\N
\.

COPY empty FROM stdin WITH (format csv);
\.
SELECT pg_catalog.setval('s', :rows, true);
\unrestrict abc123
-- done
/* the end */
