"""Percentiles and a time line from pgbench's logs of transactions, as people's notebooks make them.

Usage: logs.py PREFIX transactions [lag] [retries]
       logs.py PREFIX intervals SECONDS
The files are PREFIX.PID and PREFIX.PID.THREAD.
"""

import collections
import csv
import glob
import json
import re
import sys


def rows(prefix):
    """The files without the process in their names, and the rows of all of them."""
    names, found = [], []
    for path in sorted(glob.glob(prefix + ".*")):
        names.append(re.sub(r"\.\d+", ".PID", path, count=1))
        with open(path, newline="") as file:
            found.extend(csv.reader(file, delimiter=" "))
    return names, found


def percentile(values, percent):
    """The nearest rank."""
    rank = max(1, -(-len(values) * percent // 100))
    return sorted(values)[rank - 1]


def transactions(prefix, *further):
    """client, transaction, latency in us or a word, script, seconds, microseconds, then lag and retries if asked for"""
    names, found = rows(prefix)
    done = [row for row in found if row[2].isdigit()]
    latencies = [int(row[2]) for row in done]
    ends = [int(row[4]) + int(row[5]) / 1e6 for row in done]
    first = min(ends)
    tps = collections.Counter(int(end - first) for end in ends)
    per_client = collections.defaultdict(list)
    for row in found:
        per_client[int(row[0])].append(int(row[1]))
    return {
        "names": names,
        "columns": sorted({len(row) for row in found}),
        "done": len(done),
        "words": dict(collections.Counter(row[2] for row in found if not row[2].isdigit())),
        "clients": len(per_client),
        "numbered": all(numbers == list(range(numbers[0], numbers[0] + len(numbers))) for numbers in per_client.values()),
        "per_client": sorted({len(numbers) for numbers in per_client.values()}),
        "scripts": sorted({int(row[3]) for row in found}),
        "tps": sum(tps.values()),
        "mean_ms": sum(latencies) / len(latencies) / 1000,
        "percentiles": [percentile(latencies, percent) for percent in (1, 50, 95, 99, 100)],
        **{name: sum(int(row[6 + at]) for row in found) for at, name in enumerate(further)},
    }


def intervals(prefix, seconds):
    """start, transactions, sum, sum of squares, smallest and largest latency, then what is asked for"""
    names, found = rows(prefix)
    found = [[int(field) for field in row] for row in found]
    starts = sorted({row[0] for row in found})
    tps = [row[1] / int(seconds) for row in found]
    busy = [row for row in found if row[1] > 0]
    return {
        "names": names,
        "columns": sorted({len(row) for row in found}),
        "done": sum(row[1] for row in found),
        "tps": sum(tps) * int(seconds),
        "sum_ms": sum(row[2] for row in found) / 1000,
        "failed": sum(sum(row[13:15]) for row in found),
        "retried": sum(row[11] for row in found),
        "between": all(row[4] <= row[2] / row[1] <= row[5] for row in busy),
        # the mean of squares is not below the square of the mean
        "squares": all(row[3] * row[1] >= row[2] ** 2 for row in busy),
        "gapless": all(b - a == int(seconds) for a, b in zip(starts, starts[1:])),
    }


def main():
    prefix, what, *further = sys.argv[1:]
    print(json.dumps({"transactions": transactions, "intervals": intervals}[what](prefix, *further)))


if __name__ == "__main__":
    main()
