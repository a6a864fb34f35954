-- A task holds its connection from the first statement to the end of the second, the pause included. There is no
-- transaction block: each statement commits by itself. The bounds are those that the program could really draw.
\set thread_id random(1, 9)
\set a_value random(1, 99999)
\set pause random(50, 249)
select a_value from table_a where thread_id = :thread_id and a_value = :a_value;
\sleep :pause ms
update table_a set a_value = :a_value where thread_id = :thread_id and a_value = :a_value;
