\set x 1 + pow(2, (3), 4) +
