-- after the rows: an index that is built once is smaller, and sooner there
alter table item add primary key (id);
alter table warehouse add primary key (id);
alter table district add primary key (w_id, id), add foreign key (w_id) references warehouse;
alter table customer add primary key (w_id, d_id, id), add foreign key (w_id, d_id) references district;
alter table orders add primary key (w_id, d_id, id), add foreign key (w_id, d_id, c_id) references customer;
alter table new_order add primary key (w_id, d_id, o_id), add foreign key (w_id, d_id, o_id) references orders;
alter table order_line add primary key (w_id, d_id, o_id, number), add foreign key (w_id, d_id, o_id) references orders;
alter table stock add primary key (w_id, i_id), add foreign key (i_id) references item;
alter table payment add foreign key (c_w_id, c_d_id, c_id) references customer;
create index on customer (w_id, d_id, last, first);
create index on orders (w_id, d_id, c_id, id);
