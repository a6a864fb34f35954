-- what the variant before this one left, then the variant's own
drop index if exists wide_1, wide_2;
do $$
begin
  case ':variant'
    when 'composite' then create index wide_1 on wide (k1000, k100);
    when 'merged' then create index wide_1 on wide (k1000); create index wide_2 on wide (k100);
    when 'covering' then create index wide_1 on wide (k1000) include (k100);
    when 'hash' then create index wide_1 on wide using hash (k1000); create index wide_2 on wide using hash (k100);
  end case;
end $$;
