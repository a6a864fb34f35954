\set x case when least() then 1 end
