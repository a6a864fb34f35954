-- One field of a row, which one is drawn. A column's name can't be a parameter, so there are ten candidates.
\set key 'user' || (permute(random_zipfian(1, :records, 1.001) - 1, :records) + 1)
\set field random(0, 9)
\set value random_string(100)
update usertable set
  field0 = case :field::int when 0 then :value else field0 end,
  field1 = case :field::int when 1 then :value else field1 end,
  field2 = case :field::int when 2 then :value else field2 end,
  field3 = case :field::int when 3 then :value else field3 end,
  field4 = case :field::int when 4 then :value else field4 end,
  field5 = case :field::int when 5 then :value else field5 end,
  field6 = case :field::int when 6 then :value else field6 end,
  field7 = case :field::int when 7 then :value else field7 end,
  field8 = case :field::int when 8 then :value else field8 end,
  field9 = case :field::int when 9 then :value else field9 end
where ycsb_key = :key;
\assert :ROW_COUNT = 1 'the row is gone'
