begin;
\set amount random(1, 50
select :amount;
commit;
