-- a byte order mark is only refused where it is the first thing
﻿select 1;
