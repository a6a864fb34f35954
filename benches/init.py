#!/usr/bin/env python3
"""`pgbench -i` of reprise beside that of pgbench 18, in turn, against one private server.

    benches/init.py [--rounds 7] [--scale 50] [--jobs 1 2] [--subject COMMAND] [--beside COMMAND]

Prints, for each number of sessions, the time of the rows (the step g), of the vacuum, and of the whole as ratios
reprise/pgbench: the median of the pairs, with the second lowest and the second highest. Below 1, reprise is ahead. Then,
for several sessions, how well the accounts lie in their order (`pg_stats.correlation` of aid) and whether the rows are
pgbench's. `--beside` takes any command line that stands in for pgbench: pgbench against itself shows the noise.

Needs what race.py needs, and disk for two databases of the scale (16 MB a unit).
"""

import argparse
import importlib.util
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys

SPEC = importlib.util.spec_from_file_location("race", pathlib.Path(__file__).with_name("race.py"))
race = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(race)

ROWS = """select count(*), sum(hashtextextended(a::text, 0)) from pgbench_accounts a union all
          select count(*), sum(hashtextextended(t::text, 0)) from pgbench_tellers t union all
          select count(*), sum(hashtextextended(b::text, 0)) from pgbench_branches b"""
ORDER = "select correlation from pg_stats where tablename = 'pgbench_accounts' and attname = 'aid'"


def initialize(command, extra):
    """The seconds of each step of one initialization, and of the whole."""
    done = subprocess.run([*shlex.split(command), "-i", "-q", *extra], stderr=subprocess.PIPE, text=True)
    last = re.search(r"done in ([\d.]+) s \((.*)\)\.", done.stderr)
    if done.returncode or not last:
        sys.exit(f"{command} {shlex.join(extra)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    steps = dict(re.findall(r"([a-z][a-z -]*) ([\d.]+) s", last[2]))
    return {"rows": float(steps["client-side generate"]), "vacuum": float(steps["vacuum"]), "whole": float(last[1])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scale", type=int, default=50)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--subject", metavar="COMMAND", help="default: a release build of reprise")
    parser.add_argument("--beside", metavar="COMMAND", help="default: pgbench 18")
    args = parser.parse_args()
    bin_ = race.find_postgres()
    if not args.subject:
        args.subject = f"{race.release_build()} pgbench"
    beside = args.beside or f"{bin_}/pgbench"
    psql = lambda sql: subprocess.check_output([f"{bin_}/psql", "-XAtc", sql], text=True).strip()
    with race.server(bin_):
        print(f"{os.cpu_count()} cores, scale {args.scale}, {args.rounds} rounds.\n")
        print("| sessions | step | s | pgbench | ratio (low-high) |\n|---:|---|---:|---:|---:|")
        scale = ["-s", str(args.scale)]
        for jobs in args.jobs:
            extra = [] if jobs == 1 else [f"--init-jobs={jobs}"]
            once = lambda side: initialize(side[0], [*scale, *side[1]])
            both = list(race.pairs((args.subject, extra), (beside, []), args.rounds, once))
            for step in ("rows", "vacuum", "whole"):
                x, y = (statistics.median(pair[side][step] for pair in both) for side in (0, 1))
                ratios = race.spread([x[step] / y[step] for x, y in both])
                print(f"| {jobs} | {step} | {x:.2f} | {y:.2f} | {ratios} |", flush=True)
        initialize(beside, scale)
        wanted = psql(ROWS)
        for jobs in (jobs for jobs in args.jobs if jobs > 1):
            initialize(args.subject, [*scale, f"--init-jobs={jobs}"])
            same = "the same rows" if psql(ROWS) == wanted else "OTHER ROWS"
            print(f"\n{jobs} sessions: {same}, correlation of aid {psql(ORDER)}.")


if __name__ == "__main__":
    main()
