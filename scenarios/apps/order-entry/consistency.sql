-- What must hold after any number of transactions, once none is under way.
select count(*) as broken from warehouse w
where ytd <> (select sum(ytd) from district d where d.w_id = w.id) \gset
\assert :broken = 0 'the payments of a warehouse are not those of its districts'

select count(*) as broken from district d
where ytd <> (select sum(amount) from payment p where p.w_id = d.w_id and p.d_id = d.id) \gset
\assert :broken = 0 'the payments of a district are not the sum of its payments'

select count(*) as broken from district d
where next_o_id - 1 <> (select max(id) from orders o where o.w_id = d.w_id and o.d_id = d.id)
   or next_o_id - 1 <> (select count(*) from orders o where o.w_id = d.w_id and o.d_id = d.id) \gset
\assert :broken = 0 'the orders of a district have a gap'

select count(*) as broken from orders o
where lines <> (select count(*) from order_line l where l.w_id = o.w_id and l.d_id = o.d_id and l.o_id = o.id) \gset
\assert :broken = 0 'an order lacks lines'

select count(*) as broken from orders o
left join new_order n on n.w_id = o.w_id and n.d_id = o.d_id and n.o_id = o.id
where (carrier is null) <> (n.o_id is not null) \gset
\assert :broken = 0 'an order is neither delivered nor waiting'

select count(*) as broken from customer c
where balance <> (
    select coalesce(sum(amount), 0) from orders o
    join order_line l on l.w_id = o.w_id and l.d_id = o.d_id and l.o_id = o.id
    where o.w_id = c.w_id and o.d_id = c.d_id and o.c_id = c.id and l.delivered is not null
      and not (o.id = c.id and o.id <= :customers * 9 / 10)
  ) - ytd_payment \gset
\assert :broken = 0 'the balance of a customer is not deliveries minus payments'
