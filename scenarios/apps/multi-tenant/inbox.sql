-- The open tickets of a company, the most urgent first. The query itself names no company.
\set tenant random_zipfian(1, :tenants, 1.1)
begin;
select set_config('app.tenant', :tenant::text, true);
\label inbox
select id, title, priority, opened from ticket where state = 'open' order by priority, opened desc limit 20;
commit;
