\set id random(1, :wallets)
select balance from w_wallet where id = :id;
