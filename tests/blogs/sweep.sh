#!/bin/bash
# Throughput and latency over a number of clients, in the ways in which people's scripts read them off a report.
# The server is the one of PGHOST and so on; one line of CSV for each number of clients.
set -euo pipefail

transactions=${TRANSACTIONS:-40}

pgbench -i -q -s 1 > init.log 2>&1 || { cat init.log >&2; exit 1; }
grep -q '^done in ' init.log

echo "clients,tps_awk,tps_perl,tps_cut,tps_sed,latency_sed,latency_awk,stddev,processed,failed,mode,scale"
for clients in 1 2 4; do
  for mode in simple prepared; do
    pgbench -n -r -c "$clients" -j 2 -t "$transactions" -M "$mode" -P 60 -b select-only > "run.$clients.$mode" 2> progress.log
    out=run.$clients.$mode
    tps_awk=$(awk '/^tps/ {print $3}' "$out")
    tps_perl=$(grep -oP 'tps = \K[0-9.]+' "$out")
    tps_cut=$(grep "tps = " "$out" | cut -d ' ' -f 3)
    tps_sed=$(sed -n 's/^tps = \([0-9.]*\) (without initial connection time)$/\1/p' "$out")
    latency_sed=$(sed -n 's/^latency average = \([0-9.]*\) ms/\1/p' "$out")
    latency_awk=$(grep 'latency average' "$out" | head -n 1 | awk '{print $4}')
    stddev=$(awk -F '= ' '/^latency stddev/ {sub(" ms", "", $2); print $2}' "$out")
    processed=$(awk -F ': ' '/actually processed/ {split($2, n, "/"); print n[1]}' "$out")
    failed=$(grep -oE 'failed transactions: [0-9]+' "$out" | awk '{print $NF}')
    echo "$clients,$tps_awk,$tps_perl,$tps_cut,$tps_sed,$latency_sed,$latency_awk,$stddev,$processed,$failed,$(
      awk -F ': ' '/^query mode/ {print $2}' "$out"),$(awk -F ': ' '/^scaling factor/ {print $2}' "$out")"
  done
done

# the best of three, as a median or a maximum of runs is taken
best=$(for _ in 1 2 3; do pgbench -n -S -t 20 2>/dev/null | grep ^tps | cut -d' ' -f3 | cut -d. -f1; done | sort -n | tail -n 1)
[[ $best -gt 0 ]]

# a time line off standard error
pgbench -n -S -T 2 -P 1 2>&1 >/dev/null | sed -n 's/^progress: \([0-9.]*\) s, \([0-9.]*\) tps, lat \([0-9.]*\) ms.*/\1 \2 \3/p' \
  | head -n 1 | awk 'NF == 3 && $2 > 0 {print "timeline fine"}'

# a failure is one for the shell, too
if pgbench -n -f nosuch.sql > /dev/null 2> error.log; then exit 1; fi
head -n 1 error.log
