-- One sale: the next city of the feed, and one piece less in stock.
\feed cities
\set sku random(1, 5)
begin;
update sku set stock = stock - 1 where id = :sku;
\assert :ROW_COUNT = 1 'there is no such sku'
insert into sale (sku_id, city) values (:sku, :city);
commit;
