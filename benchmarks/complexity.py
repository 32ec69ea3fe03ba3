"""How the evaluations of CSG grow with the number of variables: the table and the picture in docs/csg.md.

python benchmarks/complexity.py [picture.png]

The paper claims 9n for what is separable additively or multiplicatively, k n for the search for minima, where k
depends on the precision alone, and n log n for the grouping.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.figure import Figure

import separable as sp

DIMS = (200, 400, 600, 1000, 1400, 2000, 3000, 4000, 5000)
FUNCTIONS = (1, 3, 10, 12)


def main() -> None:
    """Print a row a function, and draw all of them."""
    figure = Figure(figsize=(7.2, 4.6), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    print("| f | " + " | ".join(f"{dim:,}" for dim in DIMS) + " | fit of the exponent | a variable, at 5,000 |")
    print("|" + "---|" * (len(DIMS) + 3))
    for k in FUNCTIONS:
        spent = [sp.decompose(sp.problem(f"bms/f{k}", dim)).evaluations for dim in DIMS]
        exponent, offset = np.polyfit(np.log(DIMS), np.log(spent), 1)
        counts = " | ".join(f"{one:,}" for one in spent)
        print(f"| f{k} | {counts} | n^{exponent:.3f} | {spent[-1] / DIMS[-1]:.1f} |", flush=True)
        line = axes.loglog(DIMS, spent, "o", markersize=4, label=f"f{k}: n^{exponent:.2f}")[0]
        axes.loglog(DIMS, np.exp(offset) * np.power(DIMS, exponent), color=line.get_color(), linewidth=1)
    axes.set(xlabel="variables", ylabel="evaluations", title="CSG on bms: evaluations against variables")
    shown = (200, 500, 1000, 2000, 5000)
    axes.set_xticks(shown, [f"{dim:,}" for dim in shown])
    axes.xaxis.set_minor_formatter("")
    axes.grid(visible=True, which="both", alpha=0.25)
    axes.legend(frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "complexity.png")


if __name__ == "__main__":
    main()
