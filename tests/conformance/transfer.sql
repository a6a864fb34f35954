-- two accounts of a client's own, so that clients don't wait for each other
\set from :client_id * 100 + random(1, 50)
\set to :client_id * 100 + random(51, 100)
\set amount random(-5000, 5000)
begin;
update account set balance = balance - :amount where id = :from;
update account set balance = balance + :amount where id = :to;
select balance from account where id = :from;
insert into entry (account, amount, client) values (:from, 0 - :amount, :client_id), (:to, :amount, :client_id);
commit;
