-- look: employees
\set id random_zipfian(1, :employees, 1.1)
select id, label, status, amount from employees where id = :id;
select count(*), max(made_at) from shifts where owner = :id;
