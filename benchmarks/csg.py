"""What CSG finds on bms and what it costs, beside the paper: the tables in docs/csg.md.

python benchmarks/csg.py                                         1000-D, instances 0-9
python benchmarks/csg.py --dims 2000,3000,4000,5000 --instances 0-1
python benchmarks/csg.py --functions 10-15 --instances 100-119   the blind test
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import islice
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import separable as sp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from separable.problems import Array, IntArray

# evaluations in the paper's table of decompositions at 1000-D, and their means over f1-f15 by dimension
PAPER_COUNTS = (
    *(4002, 4002, 25993, 20271, 28002, 22088, 17602, 13720, 22402),
    *(31269, 25716, 30367, 30963, 27506, 29462),
)
PAPER = dict(enumerate(PAPER_COUNTS, start=1))
PAPER_MEAN = {1000: 22224, 2000: 45389, 3000: 67492, 4000: 92735, 5000: 115758}


class Run(NamedTuple):
    """What one decomposition came to."""

    exact: bool
    separable: float
    nonseparable: float
    evaluations: int
    close_calls: int


def inside(problem: sp.Problem) -> sp.Problem:
    """The same problem, which stops the benchmark at the first point outside its box."""

    def refuse_outside(points: Array, group: IntArray) -> None:
        if (points < problem.lower[group]).any() or (points > problem.upper[group]).any():
            raise RuntimeError(f"{problem.name}: a point outside the box")

    def fun(points: Array) -> Array:
        refuse_outside(points, np.arange(problem.dim))
        values: Array = problem.fun(points)
        return values

    def restricted(context: Array, group: IntArray) -> Callable[[Array], Array]:
        refuse_outside(context, np.arange(problem.dim))
        if problem.partial is None:
            raise RuntimeError(f"{problem.name} has no restriction of its own")
        part = problem.partial(context, group)

        def checked(points: Array) -> Array:
            refuse_outside(points, group)
            values: Array = part(points)
            return values

        return checked

    return replace(problem, fun=fun, partial=restricted)


def run(job: tuple[int, int, int]) -> Run:
    """Decompose one instance of (function, dim, instance)."""
    function, dim, instance = job
    problem = sp.problem(f"bms/f{function}", dim, instance)
    if problem.truth is None:
        raise RuntimeError("a suite problem has a truth")
    found = sp.decompose(inside(problem))
    separable, groups = found.accuracy(problem.truth)
    exact = found.separable == problem.truth.separable and found.groups == problem.truth.groups
    groups = 1.0 if groups is None else groups
    return Run(exact, separable or 0.0, groups, found.evaluations, len(found.close_calls))


def table(dim: int, functions: list[int], instances: list[int], workers: int) -> None:
    """Print one table, a row as soon as it is complete."""
    print(f"\n### {dim}-D, instances {instances[0]}-{instances[-1]}\n")
    print("| f | exact | SA | NA | evaluations | least | most | paper | deviation | close calls |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    jobs = [(function, dim, instance) for function in functions for instance in instances]
    everything: list[Run] = []
    with ProcessPoolExecutor(workers) as pool:
        rows = _by(len(instances), pool.map(run, jobs))
        for function, row in zip(functions, rows, strict=True):
            everything += row
            spent = [one.evaluations for one in row]
            paper = PAPER[function] if dim == 1000 else None
            print(
                f"| f{function} | {sum(one.exact for one in row)} of {len(row)} "
                f"| {100 * mean(one.separable for one in row):.4g} % "
                f"| {100 * mean(one.nonseparable for one in row):.4g} % "
                f"| {mean(spent):,.1f} | {min(spent):,} | {max(spent):,} | {_beside(mean(spent), paper)} "
                f"| {mean(one.close_calls for one in row):.1f} |",
                flush=True,
            )
    spent = [one.evaluations for one in everything]
    whole_suite = functions == list(PAPER)
    print(
        f"| all | {sum(one.exact for one in everything)} of {len(everything)} | | | {mean(spent):,.1f} | | "
        f"| {_beside(mean(spent), PAPER_MEAN.get(dim) if whole_suite else None)} | |"
    )
    print(f"\nNo point outside the box in {sum(spent):,} evaluations.", flush=True)


def _by(size: int, runs: Iterator[Run]) -> Iterator[list[Run]]:
    while row := list(islice(runs, size)):
        yield row


def _beside(ours: float, paper: int | None) -> str:
    return "| " if paper is None else f"{paper:,} | {100 * (ours / paper - 1):+.1f} %"


def _numbers(text: str) -> list[int]:
    """The numbers in "1-3,7"."""
    spans = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return [k for span in spans for k in range(span[0], span[-1] + 1)]


def main() -> None:
    """Parse, and print table after table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dims", type=_numbers, default=[1000])
    parser.add_argument("--functions", type=_numbers, default=list(PAPER))
    parser.add_argument("--instances", type=_numbers, default=list(range(10)))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    np.seterr(all="raise", under="ignore")
    for dim in given.dims:
        table(dim, given.functions, given.instances, given.workers)


if __name__ == "__main__":
    main()
