\setshell v echo 12
\set w debug(:v * 2)