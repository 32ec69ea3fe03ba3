"""What `minimize` costs beside the function, and what it reaches on bms: the tables in docs/minimize.md.

python benchmarks/minimize.py cost       own cost of DECC with SaNSDE, memory, workers, the journal
python benchmarks/minimize.py paper      values on f1-f15 beside the paper's, three seeds
python benchmarks/minimize.py paper --budget 600000 --functions 1-9 --by-kinds    chunks of one kind, to compare
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import resource
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

import separable as sp
from separable.decomposers import DECOMPOSERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from separable.problems import Array

RECORDED = (120_000, 600_000, 3_000_000)
# means of 25 runs in the paper's table at 1000-D, for DECC with CSG and with GSG
PAPER = {
    "csg": {
        1: (3470, 1120, 30.2),
        2: (223, 100, 100),
        3: (2960, 911, 16.5),
        4: (5950, 2.29, 8.65e-22),
        5: (55.7, 1.28, 1),
        6: (5400, 33, 1.13),
        7: (8720, 5270, 141),
        8: (5.35e05, 1230, 109),
        9: (7390, 1540, 104),
        10: (4710, 254, 103),
        11: (7180, 2420, 133),
        12: (1.01e04, 5370, 1590),
        13: (9170, 3800, 145),
        14: (3390, 247, 56.5),
        15: (7520, 3430, 154),
    },
    "gsg": {
        1: (4090, 1190, 30.2),
        2: (426, 100, 100),
        3: (3160, 931, 17.8),
        4: (7940, 3.16, 3.26e-21),
        5: (58, 1.35, 1),
        6: (7280, 36.1, 1.13),
        7: (9020, 5350, 140),
        8: (8.94e05, 1360, 109),
        9: (7680, 1710, 104),
        10: (6710, 264, 103),
        11: (7420, 2530, 135),
        12: (1.04e04, 5480, 1590),
        13: (9590, 3970, 148),
        14: (4550, 252, 58),
        15: (7750, 3570, 154),
    },
}


class Clocked:
    """A sum of squares that knows how long it took, so that its share can be taken off."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, points: Array) -> Array:
        """Values at points (m, any)."""
        start = time.process_time()
        values: Array = ((points - 1.0) ** 2).sum(axis=1)
        self.seconds += time.process_time() - start
        return values

    def problem(self, dim: int) -> sp.Problem:
        """It as a problem, restricted at no cost."""
        box = np.full(dim, -5.0), np.full(dim, 5.0)
        return sp.Problem("squares", self, *box, vectorized=True, partial=lambda _context, _group: self)


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def own_cost(evaluations: int = 300_000) -> None:
    """CPU time of the cooperation with SaNSDE in groups of 50, the objective's taken off."""
    print("\n### Own cost of DECC with SaNSDE, groups of 50, objective excluded\n")
    print("| variables | CPU s in 100,000 evaluations |")
    print("|---|---|")
    dims = (1000, 5000)
    shortest = dict.fromkeys(dims, np.inf)
    for _ in range(7):  # in turns
        for dim in dims:
            fun = Clocked()
            groups = [range(start, start + 50) for start in range(0, dim, 50)]
            problem = fun.problem(dim)
            spent = cpu(lambda p=problem, g=groups: sp.minimize(p, budget=evaluations, groups=g))  # type: ignore[misc]
            shortest[dim] = min(shortest[dim], (spent - fun.seconds) * 1e5 / evaluations)
    for dim, seconds in shortest.items():
        print(f"| {dim:,} | {seconds:.3f} |")
    print(f"\nFrom 1,000 to 5,000 variables it grows {shortest[5000] / shortest[1000]:.2f} times.", flush=True)


def memory(dim: int = 5000) -> None:
    """The largest memory of a process that minimizes a function of `dim` variables."""
    print(f"\n### Peak memory of a process that minimizes a function of {dim:,} variables, 300,000 evaluations\n")
    print("| f | MB |")
    print("|---|---|")
    for k in (1, 3, 10, 12):
        done = subprocess.run(  # noqa: S603 -- this very file
            [sys.executable, __file__, "peak", f"bms/f{k}", str(dim)], capture_output=True, text=True, check=True
        )
        print(f"| f{k} | {done.stdout.strip()} |", flush=True)


def peak(name: str, dim: int) -> None:
    """Minimize, and print the peak."""
    sp.minimize(sp.problem(name, dim), budget=300_000)
    unit = 1.0 if sys.platform == "darwin" else 1024.0
    print(round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6))


def five_milliseconds(x: Array) -> float:
    """A function that takes five milliseconds of waiting, as one does that runs elsewhere."""
    time.sleep(0.005)
    return float(x @ x)


def workers() -> None:
    """Time with two workers against one."""
    print("\n### Two workers against one, an objective of 5 ms, 2,000 evaluations in 20 dimensions\n")
    results, times = [], []
    for count in (1, 2):
        start = time.perf_counter()
        results.append(sp.minimize(five_milliseconds, [(-5.0, 4.0)] * 20, budget=2000, workers=count))
        times.append(time.perf_counter() - start)
    same = results[0].history == results[1].history and bool((results[0].x == results[1].x).all())
    print(
        f"{times[0]:.2f} s and {times[1]:.2f} s: {times[0] / times[1]:.2f} times as fast; the same result: {same}"
    )


def journal(evaluations: int = 300_000) -> None:
    """Time with a journal against none, and its size."""
    print("\n### A journal against none, bms/f1, 1000 variables\n")
    problem, shortest, size = sp.problem("bms/f1"), {False: np.inf, True: np.inf}, 0.0
    for _ in range(15):  # in turns
        with TemporaryDirectory() as folder:
            path = Path(folder) / "run.journal"
            for recorded in (False, True):
                spent = cpu(
                    lambda where=path if recorded else None: sp.minimize(  # type: ignore[misc]
                        problem, budget=evaluations, journal=where
                    )
                )
                shortest[recorded] = min(shortest[recorded], spent)
            size = path.stat().st_size / evaluations
    print(
        f"{100 * (shortest[True] / shortest[False] - 1):+.1f} % CPU time, {size:.2f} bytes an evaluation",
        flush=True,
    )


def run(job: tuple[int, str, int, int, bool]) -> list[float]:
    """One run of (function, decomposer, seed, budget, whether by kinds): the values at the recorded counts.

    Only the optimization's own points count, as in the paper: the decomposition comes first, by itself.
    """
    function, decomposer, seed, budget, by_kinds = job
    problem = sp.problem(f"bms/f{function}")
    found = sp.decompose(problem, method=decomposer, seed=seed)
    groups = kind_by_kind(found) if by_kinds else found
    r = sp.minimize(problem, budget=budget - found.evaluations, groups=groups, seed=seed)
    counts, values = zip(*r.history, strict=True)
    at = [int(np.searchsorted(counts, limit - found.evaluations, side="right")) for limit in _limits(budget)]
    return [values[k - 1] if k else float("inf") for k in at]


def kind_by_kind(found: sp.Decomposition) -> list[tuple[int, ...]]:
    """Chunks of separable variables of one kind, as far as that goes; then the groups."""
    separable = found.additive + found.multiplicative + found.composite
    return [separable[k : k + 50] for k in range(0, len(separable), 50)] + list(found.groups)


def _limits(budget: int) -> list[int]:
    return [limit for limit in RECORDED if limit <= budget] or [budget]


def paper(functions: list[int], seeds: int, budget: int, workers: int, *, by_kinds: bool) -> None:
    """The values of DECC beside the paper's, which has other constants in its functions."""
    methods = [name for name in ("csg", "gsg") if name in DECOMPOSERS]
    limits = _limits(budget)
    print(f"\n### DECC with SaNSDE on bms, 1000 variables, instance 0, means of {seeds} seeds\n")
    if "gsg" not in methods:
        print("The decomposer gsg is not in this version: its columns are left out.\n")
    columns = [f"{name} {limit:,}{about}" for limit in limits for name in methods for about in ("", " (paper)")]
    print("| f | " + " | ".join(columns) + " |")
    print("|" + "---|" * (len(columns) + 1), flush=True)
    jobs = [(k, name, seed, budget, by_kinds) for k in functions for name in methods for seed in range(seeds)]
    with ProcessPoolExecutor(workers) as pool:
        values = dict(zip(jobs, pool.map(run, jobs), strict=True))
    for k in functions:
        cells = []
        for place in range(len(limits)):
            for name in methods:
                cells.append(
                    f"{mean(values[k, name, seed, budget, by_kinds][place] for seed in range(seeds)):.3g}"
                )
                cells.append(f"{PAPER[name][k][place]:.3g}")
        print(f"| f{k} | " + " | ".join(cells) + " |")


def main() -> None:
    """Parse, and print."""
    if sys.argv[1:2] == ["peak"]:
        peak(sys.argv[2], int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cost", "paper"))
    parser.add_argument("--functions", default="1-15")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=float, default=3e6)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--by-kinds", action="store_true", help="separable variables in chunks of one kind")
    given = parser.parse_args()
    if given.what == "cost":
        own_cost()
        memory()
        workers()
        journal()
    else:
        first, _, last = given.functions.partition("-")
        functions = list(range(int(first), int(last or first) + 1))
        paper(functions, given.seeds, int(given.budget), given.workers, by_kinds=given.by_kinds)


if __name__ == "__main__":
    main()
