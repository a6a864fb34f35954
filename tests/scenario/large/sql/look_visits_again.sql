-- look: visits
\set id random_zipfian(1, :visits, 1.1)
select id, label, status, amount from visits where id = :id;
select count(*), max(made_at) from reports where owner = :id;
