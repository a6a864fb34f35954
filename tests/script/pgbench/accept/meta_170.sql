\setshell v echo 4294967297
\set w debug(:v)