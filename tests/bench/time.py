#!/usr/bin/env python3
"""`scalestudy time` beside hyperfine, on the same two commands, by turns.

Both start the commands without a shell. Prints how much longer the second command takes by each, with
95 % intervals, and whether each ratio lies within both intervals. Two equally precise estimates of one
ratio do so in 83 % of rounds: their difference is below 1.96 / sqrt(2) of its standard deviation.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROUNDS = 5
TRIALS = 20


def by_hyperfine(folder, commands):
    """The ratio of mean times and its interval, from the two standard errors (delta method)."""
    result = folder / "hyperfine.json"
    subprocess.run(["hyperfine", "-N", "--style", "none", "--runs", str(TRIALS), "--export-json",
                    result, *commands], check=True, stdout=subprocess.DEVNULL)
    first, second = json.loads(result.read_text())["results"]
    ratio = second["mean"] / first["mean"]
    error = math.sqrt(sum((one["stddev"] / one["mean"])**2 / TRIALS for one in (first, second)))
    t = 2.024  # Student's t, 97.5 %, 2 * 20 - 2 degrees of freedom (NIST/SEMATECH, table 1.3.6.7.2)
    return ratio, ratio * math.exp(-t * error), ratio * math.exp(t * error)


def by_scalestudy(folder, program, commands, number):
    """The same from the stored comparison, whose speedup is the inverse."""
    results = folder / f"results-{number}"
    subprocess.run([program, "--quiet", "--results", results, "time", "-N", "--runs", str(TRIALS),
                    *commands], check=True, stdout=subprocess.DEVNULL)
    text = subprocess.run(
        [program, "--results", results, "query", "--format", "json",
         "SELECT value, lo, hi FROM comparison WHERE quantity = 'speedup'"],
        check=True, capture_output=True, text=True).stdout
    row = json.loads(text)[0]
    return 1 / row["value"], 1 / row["hi"], 1 / row["lo"]


def compare(folder, what, commands):
    within = 0
    for number in range(ROUNDS):
        theirs = by_hyperfine(folder, commands) if number % 2 == 0 else None
        ours = by_scalestudy(folder, sys.argv[1], commands, f"{what}-{number}")
        theirs = theirs or by_hyperfine(folder, commands)
        is_within = all(low <= ratio <= high
                        for ratio in (theirs[0], ours[0])
                        for _, low, high in (theirs, ours))
        within += is_within
        print("time: {}: the second command takes {:.3f} [{:.3f}, {:.3f}] of the first by hyperfine, "
              "{:.3f} [{:.3f}, {:.3f}] by scalestudy{}".format(
                  what, *theirs, *ours, "" if is_within else "; a ratio is outside an interval"))
    print(f"time: {what}: in {within} of {ROUNDS} rounds each ratio is within both intervals")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        numbers = folder / "numbers"
        numbers.write_text("".join(f"{i * 7919 % 400009}\n" for i in range(400000)))
        compare(folder, "sleeps", ["sleep 0.1", "sleep 0.15"])  # the same on a busy machine
        compare(folder, "sorts", [f"env LC_ALL=C sort --parallel=1 -o /dev/null {numbers}",
                                  f"env LC_ALL=C sort --parallel=1 -n -o /dev/null {numbers}"])


main()
