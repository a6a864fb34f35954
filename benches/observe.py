#!/usr/bin/env python3
"""What it costs the client to observe itself: time line, progress, log of errors.

    benches/observe.py [--seconds 5] [--rate N] [--keep FILE]

Runs one load at its own speed, then under callgrind, and prints the instructions that the observing functions take,
everything that they call included, beside those of the whole client. Under callgrind a second has fifty times fewer
transactions, and each second is sampled once; so the cost of a sample, of an error and of a transaction are taken from
callgrind, and how many of each there are from the run at its own speed. A run of a hundred transactions, taken off, is
what starting and ending cost.

Needs PostgreSQL 18 as race.py does, and valgrind.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from race import find_postgres, release_build, server

SCENARIO = """reprise: 1
scripts:
  read: {{sql: "select abalance from pgbench_accounts where aid = 1"}}
  wrong: {{sql: select 1 / 0}}
load: {{clients: 16, threads: 1, mix: {{read: 99, wrong: 1}}{rate}}}
thresholds: [failed < 100%]
phases: [{{name: load, {end}}}]
"""

# functions that observe: what is called once a second, and what is called for each error
SAMPLES = [
    r"Recorder>?::take_sample",
    r"Sample>?::merge",
    r"Timeline>?::(add|merge)",
    r"run::watch::Watch as .*exec::phase::Observer>::",
    r"term::(writer|painter|view|progress|spark)::",
]
ERRORS = [r"Recorder>?::error\b", r"ErrorLog>?::(record|insert)", r"Client>?::record_error"]


def scenario(folder, name, end, rate):
    path = folder / name
    path.write_text(SCENARIO.format(end=end, rate=f", rate: {rate}/s" if rate else ""))
    return str(path)


def run(program, folder, path, before=()):
    """What a run has kept."""
    kept = folder / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    command = [*before, program, "run", path, "--out", str(kept)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    phase = json.loads((kept / "run.json").read_text())["phases"][0]
    return {
        "transactions": phase["total"]["transactions"] + phase["total"]["failed"],
        "errors": sum(error["count"] for error in phase["errors"]),
        "samples": max(1, len(phase["timeline"])),
        "seconds": phase["elapsed_us"] / 1e6,
    }


def callgrind(program, folder, path):
    out = folder / "callgrind.out"
    figures = run(program, folder, path, ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"])
    return figures, Costs(out.read_text())


class Costs:
    """Callgrind's output: what each function costs itself, and what its calls cost."""

    def __init__(self, text):
        names = {}
        self.own = collections.Counter()
        self.calls = collections.defaultdict(collections.Counter)
        function = called = None
        pending = False
        for line in text.splitlines():
            named = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
            if named:
                kind, number, name = named.groups()
                if name:
                    names[number] = name
                if kind == "fn":
                    function = names[number]
                else:
                    called = names[number]
            elif re.match(r"[+*\-\d]\S* \d+$", line):
                cost = int(line.split()[1])
                if called and pending:
                    self.calls[called][function] += cost
                    pending, called = False, None
                else:
                    self.own[function] += cost
            elif line.startswith("calls="):
                pending = True
        self.total = sum(self.own.values())

    def inclusive(self, patterns):
        """The cost of functions with such names, what they call included, each once: calls among them are left out."""
        meant = re.compile("|".join(patterns))
        costs = collections.Counter()
        for name, callers in self.calls.items():
            if meant.search(name):
                costs[name] = sum(cost for caller, cost in callers.items() if not meant.search(caller))
        return +costs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rate", type=int, help="starts a second; default: as many as go")
    parser.add_argument("--keep", metavar="FILE", help="keep callgrind's output")
    args = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing: apt install valgrind")
    bin_ = find_postgres()
    os.environ.update(CARGO_PROFILE_RELEASE_DEBUG="line-tables-only", CARGO_PROFILE_RELEASE_STRIP="none")
    program = release_build()
    with server(bin_) as folder:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([f"{bin_}/pgbench", "-i", "-q", "-s", "1"], check=True, **quiet)
        native = run(program, folder, scenario(folder, "native.yaml", f"duration: {args.seconds}s", args.rate))
        few, idle = callgrind(program, folder, scenario(folder, "few.yaml", "transactions: 100", None))
        many, busy = callgrind(program, folder, scenario(folder, "many.yaml", "transactions: 20000", None))
        if args.keep:
            shutil.copy(pathlib.Path(folder) / "callgrind.out", args.keep)
    samples, errors = busy.inclusive(SAMPLES), busy.inclusive(ERRORS)
    before = sum(idle.inclusive(SAMPLES).values()) + sum(idle.inclusive(ERRORS).values())
    observed = sum(samples.values()) + sum(errors.values())
    plain = (busy.total - observed - idle.total + before) / (many["transactions"] - few["transactions"])
    sample, error = sum(samples.values()) / many["samples"], sum(errors.values()) / max(1, many["errors"])
    parts = {
        "time line and progress": sample * native["samples"],
        "log of errors": error * native["errors"],
    }
    whole = plain * native["transactions"] + sum(parts.values())
    tps = native["transactions"] / native["seconds"]
    print(f"{native['transactions']:,} transactions in {native['seconds']:.1f} s ({tps:,.0f} a second), {native['errors']:,} errors\n")
    print("| what | instructions each | share of the client |\n|---|---:|---:|")
    print(f"| a transaction | {plain:,.0f} | {plain * native['transactions'] / whole:.2%} |")
    print(f"| a second's sample, its time line and progress | {sample:,.0f} | {parts['time line and progress'] / whole:.3%} |")
    print(f"| an error in the log | {error:,.0f} | {parts['log of errors'] / whole:.3%} |")
    print(f"\nObserving takes {sum(parts.values()) / whole:.3%} of the client's instructions. The functions:\n")
    for name, cost in (samples + errors).most_common(12):
        print(f"  {cost:>12,}  {re.sub(r'::h[0-9a-f]{16}$', '', name)[:100]}")


if __name__ == "__main__":
    main()
