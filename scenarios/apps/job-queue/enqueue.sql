-- A web request that leaves work for later.
\set user random(1, 100000)
\set kind choice('send_mail', 'send_mail', 'make_thumbnail', 'bill_customer')
insert into job (kind, payload) values (:kind, jsonb_build_object('user_id', :user::int, 'locale', 'en'));
