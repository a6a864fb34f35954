\set a 1 + 2 << 3
\set b 12 | 3 & 5
\set c ~1 + 2 | 3
\set d -9223372036854775808
\set e not true or true is null is false
\set f 1 + 2 * -3 % 4 - 5
\set g 'it''s' || :x || 1 + 2 = 'y'
\set h case when :x > 1 then 'a' when :y isnull then .5 else greatest(1, 2e3) end
\set i 1 = not 2 and 3 notnull
\set j (1 < 2) < 3
\set k 1 \
  + 2
