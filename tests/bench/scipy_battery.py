#!/usr/bin/env python3
"""The bootstrap and the test battery of bench_bootstrap in scipy, on the same data.

usage: scipy_battery.py DATA FIRST LAST

DATA is text: a line "CELLS TRIALS", then per cell two lines of TRIALS values. Works on the cells
from FIRST to LAST - 1 and prints per task its name, wall seconds and a checksum. Loading scipy and
the data is not timed; one call of each task goes before.
"""
import sys
import time

import numpy as np
from scipy import stats

MARGIN = np.log(1.02)


def bootstrap(a, method, cell):
    """Of the mean, 9999 resamples."""
    interval = stats.bootstrap(
        (a,), np.mean, n_resamples=9999, vectorized=True, axis=-1,
        method=method, random_state=np.random.default_rng(cell),
    ).confidence_interval
    return interval.low + interval.high


def percentile(a, b, cell):
    return bootstrap(a, "percentile", cell)


def bca(a, b, cell):
    return bootstrap(a, "BCa", cell)


def log_ratio_delta(a, b):
    c_a = a.var(ddof=1) / (len(a) * a.mean() ** 2)
    c_b = b.var(ddof=1) / (len(b) * b.mean() ** 2)
    se = np.sqrt(c_a + c_b)
    df = (c_a + c_b) ** 2 / (c_a ** 2 / (len(a) - 1) + c_b ** 2 / (len(b) - 1))
    ratio = a.mean() / b.mean()
    t = stats.t.ppf(0.975, df)
    p = 2 * stats.t.sf(abs(np.log(ratio)) / se, df)
    return ratio * np.exp(-t * se) + p


def tost(a, b):
    log_a, log_b = np.log(a), np.log(b)
    low = stats.ttest_ind(log_a + MARGIN, log_b, equal_var=False, alternative="greater").pvalue
    high = stats.ttest_ind(log_a - MARGIN, log_b, equal_var=False, alternative="less").pvalue
    return max(low, high)


def battery(a, b, cell):
    low, _ = stats.t.interval(0.95, len(a) - 1, loc=a.mean(), scale=stats.sem(a))
    welch = stats.ttest_ind(a, b, equal_var=False).pvalue
    ranks = stats.mannwhitneyu(a, b, method="exact").pvalue
    return low + log_ratio_delta(a, b) + welch + ranks + tost(a, b)


def main():
    data, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with open(data, encoding="ascii") as stream:
        stream.readline()
        rows = [np.array(line.split(), dtype=float) for line in stream]
    for task in (percentile, bca, battery):
        task(rows[0], rows[1], 0)
        start = time.perf_counter()
        checksum = sum(task(rows[2 * c], rows[2 * c + 1], c) for c in range(first, last))
        print(f"{task.__name__} {time.perf_counter() - start:.9f} {checksum:.17g}")


if __name__ == "__main__":
    main()
