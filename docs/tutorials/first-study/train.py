"""Trains a small network with numpy and prints a line for each iteration.

python3 train.py --batch=1024 --dtype=float32
"""
import argparse
import time

import numpy

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=1024, help="samples of an iteration")
parser.add_argument("--dtype", default="float64", help="type of all numbers")
parser.add_argument("--width", type=int, default=256, help="size of the hidden layer")
parser.add_argument("--iters", type=int, default=40)
arguments = parser.parse_args()

random = numpy.random.default_rng(0)
first = random.normal(0, 0.1, (64, arguments.width)).astype(arguments.dtype)
second = random.normal(0, 0.1, (arguments.width, 10)).astype(arguments.dtype)
for iteration in range(arguments.iters):
    begin = time.perf_counter()
    samples = random.normal(size=(arguments.batch, 64)).astype(arguments.dtype)
    labels = samples[:, :10].argmax(axis=1)
    hidden = numpy.maximum(samples @ first, 0)
    scores = hidden @ second
    scores -= scores.max(axis=1, keepdims=True)
    share = numpy.exp(scores)
    share /= share.sum(axis=1, keepdims=True)
    loss = -numpy.log(share[numpy.arange(len(labels)), labels]).mean()
    share[numpy.arange(len(labels)), labels] -= 1
    share /= len(labels)
    down = share @ second.T * (hidden > 0)
    second -= 0.1 * hidden.T @ share
    first -= 0.1 * samples.T @ down
    taken_ms = 1e3 * (time.perf_counter() - begin)
    print(f"iter {iteration}: loss {loss:.2f}, time {taken_ms:.2f} ms", flush=True)
