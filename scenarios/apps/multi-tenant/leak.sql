-- What nobody may see: rows without a company set, and rows of another one.
\set tenant random(1, :tenants)
select count(*) as seen from ticket \gset
\assert :seen = 0 'tickets are visible without a company'
begin;
select set_config('app.tenant', :tenant::text, true);
select count(*) as seen from ticket where tenant_id <> :tenant \gset
\assert :seen = 0 'tickets of another company are visible'
select count(*) as seen from member \gset
\assert :seen = 8 'the members are not those of the company'
commit;
