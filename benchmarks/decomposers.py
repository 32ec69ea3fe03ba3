"""The DG family on bms, and what gsg gains by further looks: the two tables in docs/decomposers.md.

python benchmarks/decomposers.py            1000-D, instance 0; about five minutes on two cores
python benchmarks/decomposers.py --dim 200

The tables beside the paper's figures come from `separable reproduce decomposition`.
"""

from __future__ import annotations

import argparse
from statistics import mean

import separable as sp
from separable.reproduce.decomposition import Outcome, jobs, run
from separable.reproduce.tables import count

FAMILY = ("rdg", "rdg2", "rdg3", "erdg", "mdg", "dg", "xdg", "gdg", "dg2", "ddg")


def family(dim: int, workers: int) -> None:
    """SA, NA and evaluations of the whole family, a row a function."""
    print(f"\n### The family on bms, {dim}-D, instance 0: SA / NA in percent, evaluations\n")
    print("| f | " + " | ".join(FAMILY) + " |")
    print("|" + "---|" * (1 + len(FAMILY)))
    outcomes = run(jobs("bms", dims=[dim], instances=[0], methods=FAMILY), workers)
    for first in outcomes:
        row = [first] + [next(outcomes) for _ in FAMILY[1:]]
        print(f"| f{first.job.function} | " + " | ".join(map(cell, row)) + " |", flush=True)


def cell(outcome: Outcome) -> str:
    """SA / NA, evaluations."""
    sa, na = (f"{100 * share:.0f}" if share is not None else "-" for share in (outcome.sa, outcome.na))
    return f"{sa} / {na}, {count(outcome.evaluations)}"


def looks(dim: int, instances: range) -> None:
    """GSG as published, and with CSG's contexts and its rule for bounds."""
    print(f"\n### gsg with further looks on bms, {dim}-D, means over {len(instances)} instances\n")
    print("| f | NA, gsg | NA, looks=2 | SA, looks=2 | evaluations, gsg | evaluations, looks=2 |")
    print("|---|---|---|---|---|---|")
    for k in range(1, 16):
        rows = []
        for instance in instances:
            problem = sp.problem(f"bms/f{k}", dim, instance)
            if problem.truth is None:
                raise RuntimeError("a suite problem has a truth")
            found = [sp.decompose(problem, method="gsg", options={"looks": looks}) for looks in (0, 2)]
            rows.append([(*one.accuracy(problem.truth), one.evaluations) for one in found])
        plain, more = (list(zip(*(row[j] for row in rows), strict=True)) for j in (0, 1))
        groups = [f"{100 * mean(shares):.1f} %" if shares[0] is not None else "" for shares in (plain[1], more[1])]
        print(
            f"| f{k} | {groups[0]} | {groups[1]} | {100 * mean(more[0]):.1f} % "
            f"| {count(mean(plain[2]))} | {count(mean(more[2]))} |",
            flush=True,
        )


def main() -> None:
    """Parse, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dim", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    looks(given.dim, range(5))
    family(given.dim, given.workers)


if __name__ == "__main__":
    main()
