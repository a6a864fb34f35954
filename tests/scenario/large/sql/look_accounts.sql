-- look: accounts
\set id random_zipfian(1, :accounts, 1.1)
select id, label, status, amount from accounts where id = :id;
select count(*), max(made_at) from invoices where owner = :id;
