#!/usr/bin/env python3
"""A `fill` of reprise beside an INSERT written by hand, in turn, against one private server.

    benches/fill.py [--rounds 5] [--rows 10000000] [--workers 1 2] [--subject COMMAND] [--unlogged]

Both make the same five columns: the row's number, a whole number, a decimal with two digits, one of three words, a
moment. By hand it is one `INSERT … SELECT random() … FROM generate_series`. Prints the time of each as the median of the
rounds, and their ratios: below 1, reprise is ahead. With several workers it also prints how much faster they are than
one. Times are of the step alone, as the report has them and as `\\timing` of psql says.

Needs what race.py needs, and disk for the table and its WAL (1.5 GB for the default).
"""

import argparse
import importlib.util
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

SPEC = importlib.util.spec_from_file_location("race", pathlib.Path(__file__).with_name("race.py"))
race = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(race)

TABLE = "create {kind}table filled (id bigint, device int, price numeric(8, 2), status text, made_at timestamp)"

BY_HAND = """insert into filled
select i, 1 + floor(random() * 1000)::int, round((random() * 100)::numeric, 2),
  (array['open', 'paid', 'void'])[1 + floor(random() * 3)::int],
  timestamp '2024-01-01' + random() * interval '366 days'
from generate_series(1, {rows}) as i"""

SCENARIO = """reprise: 1
name: filled
setup:
  - sql: {table}
  - fill: filled
    rows: {rows}
    workers: {workers}
    columns:
      id: series
      device: {{uniform: 1..1000}}
      price: {{uniform: 0..100, round: 2}}
      status: {{choice: [open, paid, void]}}
      made_at: {{uniform: 2024-01-01..2025-01-01}}
scripts: {{one: {{sql: select 1}}}}
load: {{transactions: 1}}
teardown: [{{sql: drop table filled}}]
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--unlogged", action="store_true", help="without WAL")
    parser.add_argument("--subject", metavar="COMMAND", help="default: a release build of reprise")
    args = parser.parse_args()
    bin_ = race.find_postgres()
    if not args.subject:
        args.subject = race.release_build()
    table = TABLE.format(kind="unlogged " if args.unlogged else "")

    def psql(*statements):
        commands = [part for sql in statements for part in ("-c", sql)]
        return subprocess.check_output([f"{bin_}/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", *commands], text=True).strip()

    def clear():
        psql("set client_min_messages = warning", "drop table if exists filled, reprise_setup", "checkpoint")

    def by_hand(_):
        psql(table)
        began = time.monotonic()
        psql(BY_HAND.format(rows=args.rows))
        seconds = time.monotonic() - began
        clear()
        return seconds

    with race.server(bin_), tempfile.TemporaryDirectory() as folder:

        def filled(workers):
            path = pathlib.Path(folder, "filled.yaml")
            path.write_text(SCENARIO.format(table=table, rows=args.rows, workers=workers))
            command = [*shlex.split(args.subject), "run", str(path), "--format", "json"]
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode:
                sys.exit(f"{shlex.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
            steps = json.loads(done.stdout)["steps"]
            clear()
            return next(step["elapsed_us"] for step in steps if step["name"] == "fill filled") / 1e6

        print(f"{os.cpu_count()} cores, {args.rows:,} rows of five columns, {args.rounds} rounds.\n")
        print("| workers | s | by hand | ratio (low-high) |\n|---:|---:|---:|---:|")
        times = {}
        for workers in args.workers:
            once = lambda side: by_hand(None) if side is None else filled(side)
            both = list(race.pairs(workers, None, args.rounds, once))
            x, y = (statistics.median(pair[side] for pair in both) for side in (0, 1))
            times[workers] = x
            print(f"| {workers} | {x:.2f} | {y:.2f} | {race.spread([x / y for x, y in both])} |", flush=True)
        for workers in (workers for workers in times if workers > 1 and 1 in times):
            print(f"\n{workers} workers are {times[1] / times[workers]:.2f} times as fast as one.")


if __name__ == "__main__":
    main()
