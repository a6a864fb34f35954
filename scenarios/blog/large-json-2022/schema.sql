create table jb_inline (v jsonb not null);
create table jb_toast (v jsonb not null);
-- jsonb orders keys by length, then by bytes: which key is stored first is known once the value is there
create table jb_key (first text, last text);
