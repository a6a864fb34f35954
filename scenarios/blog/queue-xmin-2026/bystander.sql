\set id random(1, :bystander_rows)
select id, length(payload) from byst where id = :id;
