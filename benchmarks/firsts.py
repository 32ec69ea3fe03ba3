"""Does our reading of "number of firsts" give the paper's counts? The table in docs/reports.md.

python benchmarks/firsts.py

From the paper's means and standard deviations as many normal values are drawn as it had runs. Printed are the
firsts of each method, means over several draws, and the paper's.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from separable.report import stats
from separable.reproduce.decomposition import published

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAWS = 10
RUNS = {1000: 25, 5000: 10}  # of the paper, by dimension
METHODS = ("CSG", "GSG", "RDG2", "MDG")


def main() -> None:
    """Print the table."""
    print(f"| | evaluations | {' | '.join(METHODS)} | the paper |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for row in published("firsts"):
        dim, evaluations = row["dim"], row["evaluations"]
        here = [one for one in published("optimisation") if (one["dim"], one["evaluations"]) == (dim, evaluations)]
        counts = firsts(here, RUNS[dim])
        ours = " | ".join(f"{counts[method]:.1f}" for method in METHODS)
        print(f"| {dim}-D | {evaluations:,} | {ours} | {', '.join(str(row[method]) for method in METHODS)} |")


def firsts(rows: Sequence[dict[str, Any]], runs: int) -> dict[str, float]:
    """How often each method is first, in the mean over the draws."""
    count = Counter(dict.fromkeys(METHODS, 0))
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        for function in dict.fromkeys(row["function"] for row in rows):
            here = [row for row in rows if row["function"] == function]
            first = stats.firsts([rng.normal(row["mean"], row["std"], runs) for row in here]) or []
            count.update(row["method"] for row, wins in zip(here, first, strict=True) if wins)
    return {method: total / DRAWS for method, total in count.items()}


if __name__ == "__main__":
    main()
