--
-- PostgreSQL database dump
--

\restrict 7sFzHkDnq2

-- Dumped from database version 15.14

SET statement_timeout = 0;
SET lock_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET client_min_messages = warning;
SET row_security = off;

CREATE TABLE public.customers (
    id integer NOT NULL,
    name text NOT NULL
);

CREATE SEQUENCE public.customers_id_seq AS integer START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;

ALTER SEQUENCE public.customers_id_seq OWNED BY public.customers.id;

CREATE TABLE public.orders (
    id integer NOT NULL,
    customer_id integer,
    note text
);

ALTER TABLE ONLY public.customers ALTER COLUMN id SET DEFAULT nextval('public.customers_id_seq'::regclass);

COPY public.customers (id, name) FROM stdin;
1	Ada
2	Grace; with a semicolon
3	it's "quoted"
\.

COPY public.orders (id, customer_id, note) FROM stdin;
1	1	\N
2	1	a tab:\t.
3	2	
4	\N	\\restrict
\.

SELECT pg_catalog.setval('public.customers_id_seq', 3, true);

ALTER TABLE ONLY public.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id);

\unrestrict 7sFzHkDnq2
