#!/usr/bin/env python3
"""User and system time of `reprise check` for a scenario of 1,000 lines with 50 scripts; the bar is 50 ms.

    cargo build --release && benches/check.py [RUNS]
"""
import os
import resource
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("REPRISE", os.path.join(ROOT, "target/release/reprise"))
SCENARIO = os.path.join(ROOT, "tests/scenario/large/company.yaml")
BAR_MS = 50


def cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    times = []
    for _ in range(runs):
        before = cpu()
        subprocess.run([PROGRAM, "check", SCENARIO], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append((cpu() - before) * 1e3)
    lines = sum(1 for _ in open(SCENARIO, encoding="utf-8"))
    median = statistics.median(times)
    print(f"check of {lines} lines: median {median:.1f} ms of CPU, {min(times):.1f} to {max(times):.1f} ms in {runs} runs")
    sys.exit(median > BAR_MS)


main()
