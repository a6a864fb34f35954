SELECT 4 -- x;y
;