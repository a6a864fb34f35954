-- list: payments
\set owner random(1, 100)
\set page 20 * random(0, 4)
select id, label, amount from payments where owner = :owner and status <> 'void'
  order by made_at desc limit 20 offset :page;
