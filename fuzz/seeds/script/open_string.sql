select 1;
select 'never closed;
