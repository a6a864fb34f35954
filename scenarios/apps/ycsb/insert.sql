\set value random_string(100)
insert into usertable
values ('user' || nextval('usertable_key'), :value, :value, :value, :value, :value, :value, :value, :value, :value, :value);
