-- the same, sent as one: six statements, one round trip
\set a random(1, :wallets / 2)
\set b random(:wallets / 2 + 1, :wallets)
\set amt random(1, 100)
\startpipeline
begin;
update w_wallet set balance = balance - :amt, changed = now() where id = :a;
update w_wallet set balance = balance + :amt, changed = now() where id = :b;
insert into w_tx (amount, status) values (:amt, 'done');
insert into w_ledger (tx_id, wallet_id, amount, dir)
values (currval('w_tx_id_seq'), :a, :amt, 'out'), (currval('w_tx_id_seq'), :b, :amt, 'in');
commit;
\endpipeline
