-- what fails once fails always; what was sent behind the failure is answered up to each sync
\set fails random(1, 3)
\set id random(1, 100)
\startpipeline
begin;
select name from item where id = :id;
\syncpipeline
select case when :fails::int = 1 then raise_with('40001') when :fails::int = 2 then raise_with('40P01') else 0 end;
select 1;
\syncpipeline
select 2;
commit;
\endpipeline
