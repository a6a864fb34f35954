-- Somebody answers a ticket and changes its state.
\set tenant random_zipfian(1, :tenants, 1.1)
\set member (:tenant - 1) * 8 + random(1, 8)
begin;
select set_config('app.tenant', :tenant::text, true);
-- a company of whom the policy shows no ticket has none to answer
select id as ticket from ticket order by opened desc, id limit 1 for update skip locked \aset
\if :ROW_COUNT = 1
insert into comment (tenant_id, ticket_id, member_id, body) values (:tenant, :ticket, :member, 'Looked at it, more tomorrow.');
update ticket set state = case state when 'open' then 'waiting' else 'open' end where id = :ticket;
\assert :ROW_COUNT = 1 'the ticket is out of sight'
\endif
commit;
