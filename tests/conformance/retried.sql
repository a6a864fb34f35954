-- the same numbers again at each try: what fails once fails always
\set fails random(1, 4)
\set id random(1, 100)
begin;
select name from item where id = :id;
select case when :fails::int = 1 then raise_with('40001') when :fails::int = 2 then raise_with('40P01') else 0 end;
commit;
