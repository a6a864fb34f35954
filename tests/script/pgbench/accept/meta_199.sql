\startpipeline
SELECT 1;