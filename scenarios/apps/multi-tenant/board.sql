-- How a company's tickets stand: a sum over all that it has, which costs most where most is.
\set tenant random_zipfian(1, :tenants, 1.1)
begin read only;
select set_config('app.tenant', :tenant::text, true);
select state, priority, count(*), min(opened) from ticket group by state, priority order by state, priority;
commit;
