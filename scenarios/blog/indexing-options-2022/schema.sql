create unlogged table wide (
  id bigint not null, t1 text not null, t2 text not null,
  k1000 bigint not null, k100 bigint not null, k10 bigint not null
);
