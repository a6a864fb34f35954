\set n random(1, 3)
begin;
insert into entry (account, amount) values (:n, :client_id);
select 1 / (1 - :client_id::int);
commit;
