#!/usr/bin/env python3
"""`scalestudy time` beside hyperfine, on the same two commands.

Each round both tools time both commands, one tool right after the other, in alternating order; they start
the commands without a shell. A round gives two ratios (second command / first), one by each tool, and so
how far the tools are apart. Over all rounds that has a mean and a 95 % interval.

Holds: the interval lies within MARGIN of 1, so that the tools agree. Fails, with exit code 1: it lies
outside. Otherwise the rounds were too noisy to tell, which is said and fails nothing.
"""

import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 10
TRIALS = 10  # of each command, by each tool, in each round
T = 2.262  # Student's t, 97.5 %, ROUNDS - 1 degrees of freedom (NIST/SEMATECH, table 1.3.6.7.2)
MARGIN = 0.03  # ratios of the tools that are equal for all purposes


def by_hyperfine(folder, commands):
    """The ratio of mean times."""
    result = folder / "hyperfine.json"
    subprocess.run(["hyperfine", "-N", "--style", "none", "--runs", str(TRIALS), "--export-json",
                    result, *commands], check=True, stdout=subprocess.DEVNULL)
    first, second = json.loads(result.read_text())["results"]
    return second["mean"] / first["mean"]


def by_scalestudy(folder, program, commands):
    """The same from the stored comparison, whose speedup is the inverse."""
    with tempfile.TemporaryDirectory(dir=folder) as results:
        subprocess.run([program, "--quiet", "--results", results, "time", "-N", "--runs", str(TRIALS),
                        *commands], check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run(
            [program, "--results", results, "query", "--format", "json",
             "SELECT value FROM comparison WHERE quantity = 'speedup'"],
            check=True, capture_output=True, text=True).stdout
    return 1 / json.loads(text)[0]["value"]


def judge(logs, margin=MARGIN):
    """The mean of the logarithms as a factor, its interval, and what it shows."""
    mean = statistics.fmean(logs)
    half = T * statistics.stdev(logs) / math.sqrt(len(logs))
    low, high = math.exp(mean - half), math.exp(mean + half)
    if 1 / (1 + margin) < low and high < 1 + margin:
        word = "agree"
    elif high < 1 / (1 + margin) or low > 1 + margin:
        word = "differ"
    else:
        word = "open"
    return math.exp(mean), low, high, word


def compare(folder, program, what, commands):
    """Prints each round and the judgement, and returns its word."""
    logs = []
    for number in range(ROUNDS):
        ours = by_scalestudy(folder, program, commands) if number % 2 else None
        theirs = by_hyperfine(folder, commands)
        ours = ours or by_scalestudy(folder, program, commands)
        logs.append(math.log(ours / theirs))
        print(f"time: {what}: the second command takes {theirs:.3f} of the first by hyperfine, "
              f"{ours:.3f} by scalestudy", flush=True)
    ratio, low, high, word = judge(logs)
    means = {"agree": f"they agree within {MARGIN:.0%}", "differ": f"they differ by more than {MARGIN:.0%}",
             "open": f"too noisy to tell {MARGIN:.0%}; run it on an idle machine"}
    print(f"time: {what}: scalestudy's ratio is {ratio:.4f} [{low:.4f}, {high:.4f}] of hyperfine's "
          f"over {ROUNDS} rounds: {means[word]}", flush=True)
    return word


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        numbers = folder / "numbers"
        numbers.write_text("".join(f"{i * 7919 % 400009}\n" for i in range(400000)))
        sort = f"env LC_ALL=C sort --parallel=1 -o /dev/null {numbers}"
        words = [compare(folder, sys.argv[1], "sleeps", ["sleep 0.3", "sleep 0.45"]),  # same on a busy machine
                 compare(folder, sys.argv[1], "sorts", [sort, sort.replace("-o", "-n -o")])]
    return 1 if "differ" in words else 0


if __name__ == "__main__":
    sys.exit(main())
