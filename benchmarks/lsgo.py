"""The CEC suites against other implementations: ratios taken in one run, on one core, the tables in docs/lsgo.md.

python benchmarks/lsgo.py              both tables
python benchmarks/lsgo.py cec2013      one of them

`make bench-lsgo` installs what it compares with: cec2013lsgo (C++) and opfunu, both called point by point, since
they take one point at a time.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import importlib
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import separable as sp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.problems import Array

BATCH = 50
ROUNDS = 150


def shortest(works: Sequence[Callable[[], object]]) -> list[float]:
    """The shortest time of each in microseconds a point; in turns, so that what else runs hits all alike."""
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for k, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[k] = min(best[k], time.perf_counter() - start)
    return [1e6 * one / BATCH for one in best]


def one_by_one(fun: Callable[[Array], Any], points: Array) -> Callable[[], None]:
    """Call a function of one point for every point."""
    rows = list(points)

    def work() -> None:
        for row in rows:
            fun(row)

    return work


def difference(fun: Callable[[Array], Any], points: Array, values: Any) -> float:  # noqa: ANN401 -- of a problem
    """How far a function of one point is from our values, at most, as a share of them."""
    theirs = np.array([fun(point) for point in points])
    return float(np.abs(theirs / values - 1.0).max())


def cec2013() -> None:
    """The whole function, and one group of each size, against the original's whole function."""
    original = importlib.import_module("cec2013lsgo.cec2013").Benchmark()
    print(f"\n### cec2013 against cec2013lsgo, batches of {BATCH}, microseconds a point\n")
    print(
        "| f | C++ | ours | share | one group of 25 | 50 | 100 | the C++ is so many times one group | differ by |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for k in range(1, 16):
        problem = sp.problem(f"cec2013/f{k}")
        points = np.random.default_rng(k).uniform(problem.lower, problem.upper, (BATCH, problem.dim))
        padded = np.pad(points, ((0, 0), (0, 1000 - problem.dim)))
        works: list[Callable[[], object]] = [one_by_one(original.get_function(k), padded)]
        works.append(partial(problem, points))
        sizes: dict[int, tuple[int, ...]] = {}
        for group in problem.windows or (problem.truth.groups if problem.truth else ()):
            if len(group) <= 100:
                sizes.setdefault(len(group), group)
        for _, group in sorted(sizes.items()):
            works.append(partial(problem.restrict(points[0], group), points[:, group].copy()))
        theirs, ours, *groups = shortest(works)
        apart = difference(original.get_function(k), padded, problem(points))
        cells = " | ".join(f"{one:.2f}" for one in groups) or "| |"
        times = ", ".join(f"{theirs / one:.0f}" for one in groups)
        print(
            f"| f{k} | {theirs:.2f} | {ours:.2f} | {ours / theirs:.2f} | {cells} | {times} | {apart:.0e} |",
            flush=True,
        )


def cec2010() -> None:
    """The whole function against opfunu."""
    theirs_all = importlib.import_module("opfunu.cec_based.cec2010")
    print(f"\n### cec2010 against opfunu, batches of {BATCH}, microseconds a point\n")
    print("| f | opfunu | ours | times as fast | differ by |")
    print("|---|---|---|---|---|")
    for k in range(1, 21):
        problem = sp.problem(f"cec2010/f{k}")
        points = np.random.default_rng(k).uniform(problem.lower, problem.upper, (BATCH, 1000))
        original = getattr(theirs_all, f"F{k}2010")(ndim=1000)
        apart = difference(original.evaluate, points, problem(points))
        theirs, ours = shortest([one_by_one(original.evaluate, points), partial(problem, points)])
        print(f"| f{k} | {theirs:.1f} | {ours:.2f} | {theirs / ours:.1f} | {apart:.0e} |", flush=True)


TABLES = {"cec2013": cec2013, "cec2010": cec2010}

if __name__ == "__main__":
    for name in sys.argv[1:] or TABLES:
        try:
            TABLES[name]()
        except ImportError as error:
            sys.exit(f"{error}: `make bench-lsgo` installs what this compares with")
