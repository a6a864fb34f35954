-- the last entries of a wallet; how many is guessed
\set id random(1, :wallets)
select tx_id, amount, dir, at from w_ledger where wallet_id = :id order by at desc limit 20;
