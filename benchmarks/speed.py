"""What the machinery costs beside the function itself: ratios taken in one run, on one core.

python benchmarks/speed.py    prints the tables in docs/speed.md
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

import separable as sp

if TYPE_CHECKING:
    from collections.abc import Callable

    from separable.problems import Array

FUNCTIONS = range(1, 16)
KINDS = ("additive", "multiplicative", "composite")
METHODS = ("csg", "gsg", "rdg2", "mdg")


def seconds(work: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """The shortest time that `work` took."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def restriction() -> None:
    """Batches of 50 points in which 50 of 1000 variables move, against batches of 50 whole points."""
    print("\n### A restricted evaluation against a full one: 50 of 1000 variables, batches of 50\n")
    print("| f | full, µs | " + " | ".join(f"50 {kind}, µs | share" for kind in (*KINDS, "of a group")) + " |")
    print("|" + "---|" * 10)
    np.ones(2**20)  # as any run has: glibc keeps freed memory for reuse once a large array has come and gone
    for k in FUNCTIONS:
        problem = sp.problem(f"bms/f{k}")
        truth, rng = problem.truth, np.random.default_rng(k)
        if truth is None:
            raise RuntimeError("a suite problem has a truth")
        context, points = rng.uniform(-5, 5, 1000), rng.uniform(-5, 5, (50, 1000))
        inner = points[:, :50].copy()
        groups = [getattr(truth, kind)[:50] for kind in KINDS] + [
            next((g for g in truth.groups if len(g) == 50), ())
        ]
        parts = [problem.restrict(context, group) if group else None for group in groups]
        full, shortest = np.inf, np.full(len(parts), np.inf)
        for _ in range(100):  # in turns, so that whatever else the machine does hits all alike
            full = min(full, seconds(lambda points=points, fun=problem: fun(points), 1) / 50)  # type: ignore[misc]
            for j, part in enumerate(parts):
                if part is not None:
                    one = seconds(lambda inner=inner, fun=part: fun(inner), 5) / 50  # type: ignore[misc]
                    shortest[j] = min(shortest[j], one)
        cells = ["| " if one == np.inf else f"{1e6 * one:.2f} | {one / full:.3f}" for one in shortest]
        print(f"| f{k} | {1e6 * full:.1f} | " + " | ".join(cells) + " |", flush=True)


def decomposition() -> None:
    """Whole decompositions against the evaluation of as many points in batches of 1000.

    In processor time, which on a quiet machine is the time there is: what else the machine does would hit the long
    runs more than the short ones.
    """
    print("\n### A decomposition against evaluating as many points in batches of 1000\n")
    print("| f | a point, µs | " + " | ".join(f"{method}: evaluations | s | ratio" for method in METHODS) + " |")
    print("|" + "---|" * (2 + 3 * len(METHODS)))
    largest = dict.fromkeys(METHODS, 0.0)
    for k in FUNCTIONS:
        problem = sp.problem(f"bms/f{k}")
        points = np.random.default_rng(k).uniform(-5, 5, (1000, 1000))
        alone, own, counts = np.inf, dict.fromkeys(METHODS, np.inf), dict.fromkeys(METHODS, 0)

        def evaluate(problem: sp.Problem = problem, points: Array = points) -> None:
            problem(points)

        for _ in range(5):  # in turns, so that whatever else the machine does hits all alike
            alone = min(alone, seconds(evaluate, 5, time.process_time) / 1000)
            for method in METHODS:

                def decompose(problem: sp.Problem = problem, method: str = method) -> None:
                    counts[method] = sp.decompose(problem, method=method).evaluations  # noqa: B023 -- at once

                own[method] = min(own[method], seconds(decompose, 3, time.process_time))
        cells = []
        for method in METHODS:
            ratio = own[method] / (alone * counts[method])
            largest[method] = max(largest[method], ratio)
            cells.append(f"{counts[method]:,} | {own[method]:.2f} | {ratio:.2f}")
        print(f"| f{k} | {1e6 * alone:.1f} | " + " | ".join(cells) + " |", flush=True)
    print("| most | | " + " | ".join(f"| | {largest[method]:.2f}" for method in METHODS) + " |")


def memory() -> None:
    """The largest memory that a process ever held which made one decomposition, and no more."""
    print("\n### Peak memory of a process that makes one decomposition\n")
    print("| method | f | variables | MB |")
    print("|---|---|---|---|")
    runs = [("csg", k, 5000) for k in (3, 10, 12)] + [("gsg", 12, 5000), ("rdg2", 12, 5000), ("mdg", 12, 5000)]
    for method, k, dim in [*runs, ("dg2", 12, 1000)]:
        peak = subprocess.run(  # noqa: S603 -- this very file
            [sys.executable, __file__, "peak", method, f"bms/f{k}", str(dim)],
            capture_output=True,
            text=True,
            check=True,
        )
        print(f"| {method} | f{k} | {dim:,} | {peak.stdout.strip()} |", flush=True)


def peak(method: str, name: str, dim: int) -> None:
    """Decompose, and print the peak."""
    sp.decompose(sp.problem(name, dim), method=method)
    unit = 1.0 if sys.platform == "darwin" else 1024.0
    print(round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6))


if __name__ == "__main__":
    if sys.argv[1:2] == ["peak"]:
        peak(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        restriction()
        decomposition()
        memory()
