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

FUNCTIONS = range(1, 16)
KINDS = ("additive", "multiplicative", "composite")


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The shortest time that `work` took."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
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
    """A whole decomposition against the evaluation of as many points in batches of 1000."""
    print("\n### A decomposition by csg against evaluating as many points in batches of 1000\n")
    print("| f | evaluations | csg, s | points alone, s | ratio |")
    print("|---|---|---|---|---|")
    for k in FUNCTIONS:
        problem = sp.problem(f"bms/f{k}")
        points = np.random.default_rng(k).uniform(-5, 5, (1000, 1000))
        own = seconds(lambda problem=problem: sp.decompose(problem), 3)  # type: ignore[misc]
        count = sp.decompose(problem).evaluations
        alone = seconds(lambda problem=problem, points=points: problem(points), 5) * count / 1000  # type: ignore[misc]
        print(f"| f{k} | {count:,} | {own:.2f} | {alone:.2f} | {own / alone:.2f} |", flush=True)


def memory(dim: int = 5000) -> None:
    """The largest memory that a process ever held which decomposed a function of `dim` variables, and no more."""
    print(f"\n### Peak memory of a process that decomposes a function of {dim:,} variables\n")
    print("| f | MB |")
    print("|---|---|")
    for k in (3, 10, 12):
        peak = subprocess.run(  # noqa: S603 -- this very file
            [sys.executable, __file__, "peak", f"bms/f{k}", str(dim)], capture_output=True, text=True, check=True
        )
        print(f"| f{k} | {peak.stdout.strip()} |", flush=True)


def peak(name: str, dim: int) -> None:
    """Decompose, and print the peak."""
    sp.decompose(sp.problem(name, dim))
    unit = 1.0 if sys.platform == "darwin" else 1024.0
    print(round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6))


if __name__ == "__main__":
    if sys.argv[1:2] == ["peak"]:
        peak(sys.argv[2], int(sys.argv[3]))
    else:
        restriction()
        decomposition()
        memory()
