create index on ticket (tenant_id, state, priority, opened desc);
create index on comment (tenant_id, ticket_id);
create index on member (tenant_id);

create role tracker_app;
grant select on tenant, member to tracker_app;
grant select, insert, update on ticket, comment to tracker_app;

-- the company is a setting of the transaction. In a sub-select it is read once a statement, not once a row; nullif is
-- there because a setting that was once local is empty afterwards, not absent
do $$
declare t text;
begin
  foreach t in array array['member', 'ticket', 'comment'] loop
    execute format('alter table %I enable row level security', t);
    execute format(
      'create policy own_rows on %I using (tenant_id = (select nullif(current_setting(''app.tenant'', true), '''')::int))', t);
  end loop;
end $$;
