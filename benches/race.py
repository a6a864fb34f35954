#!/usr/bin/env python3
"""reprise beside pgbench 18, in turn, against one private server.

    benches/race.py [--rounds 7] [--seconds 3] [--only WORD …] [--subject COMMAND] [--beside COMMAND]

Prints, for each load, client CPU per transaction and throughput as ratios reprise/pgbench (the median of the pairs, with
the second lowest and the second highest), then instructions per transaction, memory of 1,000 idle clients, and how
precise the timer is. CPU below 1 and throughput above 1 say that reprise is ahead. `--beside` and `--subject` take any
command line that stands in for pgbench: pgbench against itself shows the noise.

Needs PostgreSQL 18 with pgbench (a folder named by REPRISE_PG18, else as .ci/run gets it), and valgrind for the
instructions. As root the server runs as the user postgres.
"""

import argparse
import contextlib
import os
import pathlib
import pwd
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

SCRIPTS = {
    "rows": r"""\set a random(1, 900000)
select * from pgbench_accounts where aid between :a and :a + 999;
""",
    "expressions": r"""\set a random(1, 100000)
\set b random_gaussian(1, 100000, 2.5)
\set c random_zipfian(1, 100000, 1.07)
\set d (:a * 31 + :b) % 1000003
\set e case when :d > :c then :d - :c else :c - :d end
\set f greatest(:a, :b, :c, :d, :e) - least(:a, :b, :c, :d, :e)
\set g hash_murmur2(:f, 5) % 1000
\set h permute(:g + 1000, 100000)
select :h;
""",
    "sleep": "\\sleep 200 us\n",
    "idle": (ROOT / "scenarios/pgbench/tpcb-like.sql").read_text() + "\\sleep 600 s\n",
}

LOADS = (
    [("select-only", m, c, ["-S"]) for m in ("simple", "prepared") for c in (1, 16, 100, 400)]
    + [("select-only -j 2", "prepared", 16, ["-S", "-j", "2"])]
    + [("tpcb-like", "prepared", 16, [])]
    + [("1000 rows", "prepared", 4, ["-f", "rows"])]
    + [("expressions", "prepared", 16, ["-f", "expressions"])]
    + [("select-only -r", "prepared", 16, ["-S", "-r"])]
)


def release_build():
    """The program, built as users build it."""
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    return os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target")) + "/release/reprise"


def find_postgres():
    for folder in (os.environ.get("REPRISE_PG18"), "/var/tmp/reprise-ci/pg18"):
        if folder and os.access(f"{folder}/bin/pgbench", os.X_OK):
            return f"{folder}/bin"
    sys.exit("no PostgreSQL 18 with pgbench: name its folder in REPRISE_PG18, or run .ci/run, which gets one")


@contextlib.contextmanager
def server(bin_):
    """A private server; the environment names it while it runs."""
    account = pwd.getpwnam("postgres") if os.geteuid() == 0 else None

    def as_server(*command):
        who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}
        with tempfile.TemporaryFile() as errors:
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=errors, cwd="/", **who)
            if done.returncode:
                errors.seek(0)
                sys.exit(errors.read().decode())

    folder = tempfile.mkdtemp(prefix="reprise-race-")
    os.chmod(folder, 0o755)
    data, port = f"{folder}/data", str(40000 + os.getpid() % 20000)
    if account:
        os.chown(folder, account.pw_uid, account.pw_gid)
    try:
        as_server(f"{bin_}/initdb", "-D", data, "-U", "postgres", "--auth=trust", "--no-sync")
        settings = ["fsync=off", "max_connections=1100", "shared_buffers=512MB", "listen_addresses="]
        options = " ".join([f"-p {port} -k {folder}"] + [f"-c {s}" for s in settings])
        as_server(f"{bin_}/pg_ctl", "-w", "-D", data, "-l", f"{folder}/log", "-o", options, "start")
        os.environ.update(PGHOST=folder, PGPORT=port, PGUSER="postgres", PGDATABASE="postgres")
        for name, text in SCRIPTS.items():
            pathlib.Path(folder, name).write_text(text)
        yield pathlib.Path(folder)
    finally:
        if os.path.exists(f"{data}/postmaster.pid"):
            as_server(f"{bin_}/pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


class Bench:
    def __init__(self, command, folder):
        self.command = shlex.split(command)
        self.folder = folder

    def arguments(self, extra):
        named = [str(self.folder / a) if a in SCRIPTS and extra[i - 1] == "-f" else a for i, a in enumerate(extra)]
        return [*self.command, "-n", "--random-seed=3", *named]

    def start(self, extra, before=()):
        command = [*before, *self.arguments(extra)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, extra, before=()):
        """Output and resource usage of one run; a run that fails ends everything."""
        process = self.start(extra, before)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{shlex.join(self.arguments(extra))}: exit code {process.returncode}\n{output[-2000:]}")
        return output, usage

    def measure(self, extra):
        output, usage = self.run(extra)
        transactions = number(r"actually processed: (\d+)", output)
        cpu = (usage.ru_utime + usage.ru_stime) / transactions * 1e6
        return {"cpu": cpu, "tps": number(r"tps = ([\d.]+)", output), "rss": usage.ru_maxrss / 1024}


def number(pattern, text):
    found = re.search(pattern, text)
    if not found or float(found[1]) == 0 and "processed" in pattern:
        sys.exit(f"no figure for `{pattern}` in:\n{text[-2000:]}")
    return float(found[1])


def spread(values):
    values = sorted(values)
    inner = values[1:-1] if len(values) > 4 else values
    return f"{statistics.median(values):.2f} ({inner[0]:.2f}-{inner[-1]:.2f})"


def pairs(subject, beside, rounds, once):
    """Each round measures both, the first one in turn."""
    for k in range(rounds):
        if k % 2:
            y = once(beside)
            x = once(subject)
        else:
            x = once(subject)
            y = once(beside)
        yield x, y


def race(subject, beside, rounds, seconds, loads):
    print("\n## Client CPU and throughput\n")
    print("| load | protocol | clients | CPU µs | pgbench | CPU ratio (low-high) | tps ratio (low-high) | RSS MB | pgbench |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    cpu, tps = [], []
    for name, protocol, clients, extra in loads:
        extra = ["-c", str(clients), "-T", str(seconds), "-M", protocol, *extra]
        both = list(pairs(subject, beside, rounds, lambda bench: bench.measure(extra)))
        median = lambda side, what: statistics.median(pair[side][what] for pair in both)
        ratios = {what: [x[what] / y[what] for x, y in both] for what in ("cpu", "tps")}
        cpu.append(statistics.median(ratios["cpu"]))
        tps.append(statistics.median(ratios["tps"]))
        print(
            f"| {name} | {protocol} | {clients} | {median(0, 'cpu'):.2f} | {median(1, 'cpu'):.2f} "
            f"| {spread(ratios['cpu'])} | {spread(ratios['tps'])} | {median(0, 'rss'):.1f} | {median(1, 'rss'):.1f} |",
            flush=True,
        )
    if cpu:
        print(f"\nMedian of the rows: CPU {statistics.median(cpu):.2f}, throughput {statistics.median(tps):.2f}.")


def instructions(subject, beside):
    print("\n## Instructions per transaction (callgrind, client only)\n")
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing: apt install valgrind")
    print("| load | protocol | reprise | pgbench | ratio |\n|---|---|---:|---:|---:|")
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    for name, protocol, extra in (
        ("select-only", "simple", ["-S"]),
        ("select-only", "prepared", ["-S"]),
        ("tpcb-like", "prepared", []),
        ("expressions", "prepared", ["-f", "expressions"]),
    ):

        def each(bench):
            # start and end cost the same in both runs, so their difference is what the transactions cost
            few, many = (
                number(r"Collected : (\d+)", bench.run(["-t", str(n), "-M", protocol, *extra], tool)[0])
                for n in (100, 1100)
            )
            return (many - few) / 1000

        x, y = each(subject), each(beside)
        print(f"| {name} | {protocol} | {x:,.0f} | {y:,.0f} | {x / y:.2f} |", flush=True)


def idle_memory(subject, beside, bin_):
    print("\n## Memory of 1,000 idle clients with a prepared tpcb-like (VmRSS)\n")
    ready = "select count(*) from pg_stat_activity where state = 'idle' and query = 'END;'"

    def each(bench):
        process = bench.start(["-c", "1000", "-j", "2", "-T", "600", "-M", "prepared", "-f", "idle"])
        try:
            while subprocess.check_output([f"{bin_}/psql", "-XAtc", ready], text=True).strip() != "1000":
                if process.poll() is not None:
                    sys.exit(f"ended early:\n{process.stdout.read()[-2000:]}")
                time.sleep(0.2)
            return number(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text()) / 1024
        finally:
            process.kill()
            process.wait()

    print(f"reprise {each(subject):.1f} MB, pgbench {each(beside):.1f} MB.", flush=True)


def timers(subject, beside, rounds, seconds):
    print("\n## Precision of the timer\n")
    print("| what | reprise | pgbench |\n|---|---:|---:|")

    def overshoot(bench):
        output, _ = bench.run(["-T", str(seconds), "-r", "-f", "sleep"])
        return number(r"([\d.]+)\s+.*\\sleep 200 us", output) * 1000 - 200

    def lag(bench):
        output, _ = bench.run(["-c", "16", "-T", str(seconds), "-S", "-M", "prepared", "-R", "5000"])
        return number(r"schedule lag: avg ([\d.]+)", output) * 1000

    for what, once in (("`\\sleep 200 us`: mean overshoot, µs", overshoot), ("`-R 5000`: mean schedule lag, µs", lag)):
        both = list(pairs(subject, beside, rounds, once))
        x, y = (statistics.median(pair[side] for pair in both) for side in (0, 1))
        print(f"| {what} | {x:.0f} | {y:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", nargs="+", metavar="WORD", default=[], help="race, instructions, memory, timers, or part of a load's name")
    parser.add_argument("--subject", metavar="COMMAND", help="default: a release build of reprise")
    parser.add_argument("--beside", metavar="COMMAND", help="default: pgbench 18")
    args = parser.parse_args()
    bin_ = find_postgres()
    if not args.subject:
        args.subject = f"{release_build()} pgbench"
    wants = lambda part: not args.only or part in args.only
    loads = [l for l in LOADS if wants("race") or any(word in l[0] for word in args.only)]
    with server(bin_) as folder:
        subprocess.run([f"{bin_}/pgbench", "-i", "-q", "-s", "10"], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        subject, beside = Bench(args.subject, folder), Bench(args.beside or f"{bin_}/pgbench", folder)
        cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
        print(f"{os.cpu_count()} cores, {cpu[1] if cpu else 'unknown'}; {args.rounds} rounds of {args.seconds} s.")
        if loads:
            race(subject, beside, args.rounds, args.seconds, loads)
        if wants("instructions"):
            instructions(subject, beside)
        if wants("memory"):
            idle_memory(subject, beside, bin_)
        if wants("timers"):
            timers(subject, beside, args.rounds, args.seconds)


if __name__ == "__main__":
    main()
