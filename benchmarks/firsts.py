"""Does our reading of "number of firsts" give a published table's counts? The table in docs/reports.md.

python benchmarks/firsts.py TABLE.csv

The table has the columns dim, evaluations, function, method, mean, std. Printed are, for each dimension and
checkpoint, the firsts of each method: means over several draws of as many normal values as there were runs.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

import numpy as np

from separable.report import stats

DRAWS = 10
RUNS = {"1000": 25, "5000": 10}  # of the paper


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    with parser.parse_args().table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for dim, evaluations in dict.fromkeys((row["dim"], row["evaluations"]) for row in rows):
        here = [row for row in rows if (row["dim"], row["evaluations"]) == (dim, evaluations)]
        counts = firsts(here, RUNS[dim])
        listed = "  ".join(f"{method} {count:.1f}" for method, count in counts.items())
        print(f"{dim}-D  {int(evaluations):>10,}  {listed}")


def firsts(rows: list[dict[str, str]], runs: int) -> dict[str, float]:
    """How often each method is first, in the mean over the draws."""
    count = Counter({row["method"]: 0 for row in rows})
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        for function in dict.fromkeys(row["function"] for row in rows):
            here = [row for row in rows if row["function"] == function]
            samples = [rng.normal(float(row["mean"]), float(row["std"]), runs) for row in here]
            count.update(
                row["method"] for row, first in zip(here, stats.firsts(samples) or [], strict=True) if first
            )
    return {method: total / DRAWS for method, total in count.items()}


if __name__ == "__main__":
    main()
