"""python killed.py OPTIMIZER DECOMPOSER WORKERS JOURNAL: a run that is killed thirty times, and one that is not.

A process of its own, with one thread, so that it may fork. Prints what differs, and how far the kills were spread.
"""

from __future__ import annotations

import os
import pickle
import random
import signal
import sys
import time

import numpy as np

import separable as sp
from separable import journal

DIM, BUDGET, KILLS = 16, 6000, 30


def fun(x):
    """Two groups of four, and separable variables that are not additive."""
    z = x - np.linspace(-1.0, 1.0, DIM)
    pairs = sum(((z[k : k + 4].sum() - z[k + 1]) ** 2 + (z[k : k + 4] ** 2).sum()) for k in (0, 4))
    return float(pairs + 10.0 * np.sqrt(1.0 + (z[8:] ** 2 - np.cos(5.0 * z[8:])).sum() + 8.0))


def drawn(f, findings, rng):
    """A decomposer that evaluates batches of random points, and groups at random."""
    with findings.stage("drawn"):
        for start in range(0, DIM, 4):
            f(rng.uniform(f.problem.lower, f.problem.upper, (150, DIM)))
            findings.groups.append(list(range(start, start + 4)))


def run(optimizer, decomposer, workers, path=None):
    """Everything that a run comes to, as bytes."""
    r = sp.minimize(
        fun,
        [(-4.0, 4.0)] * DIM,
        budget=BUDGET,
        optimizer=optimizer,
        decomposer=drawn if decomposer == "drawn" else decomposer,
        generations=20,
        workers=workers,
        journal=path,
    )
    return pickle.dumps((r.x.tobytes(), r.fun, r.history, r.nfev, r.nit, r.message, r.decomposition.groups))


def main(optimizer, decomposer, workers, path):
    """Kill, restart, compare."""
    journal.SECONDS = 0.001  # so that something is on disk when the kill comes
    start = time.perf_counter()
    expected = run(optimizer, decomposer, workers)
    whole = time.perf_counter() - start
    moments, sizes = random.Random(0), []
    for _ in range(KILLS):
        child = os.fork()
        if child == 0:
            run(optimizer, decomposer, workers, path)
            os._exit(0)
        time.sleep(moments.uniform(0.0, whole / 8.0))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        sizes.append(os.path.getsize(path) // 8 if os.path.exists(path) else 0)
    finished = run(optimizer, decomposer, workers, path)
    again = run(optimizer, decomposer, workers, path)
    early = sum(size < BUDGET // 4 for size in sizes)
    sys.stdout.write(f"{finished == expected} {again == expected} {len(set(sizes))} {early}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
