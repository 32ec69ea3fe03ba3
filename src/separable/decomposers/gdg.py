"""GDG, global differential grouping.

Y. Mei, M. N. Omidvar, X. Li, X. Yao, "A Competitive Divide-and-Conquer Algorithm for Unconstrained Large-Scale
Black-Box Optimization", ACM Transactions on Mathematical Software 42(2), 2016. The comparison is DG's, for all
pairs, with every point asked once; the threshold is alpha times the least |f| at k random points; the groups are
connected components. 1 + 2 n + n (n - 1) / 2 evaluations, and k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from separable.decomposers import options
from separable.decomposers.components import book
from separable.decomposers.pairs import all_pairs
from separable.decomposers.rdg import least_value
from separable.decomposers.rounding import near

if TYPE_CHECKING:
    import numpy as np

    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator


def gdg(
    f: Evaluator, findings: Findings, rng: np.random.Generator, *, alpha: float = 1e-10, samples: int = 10
) -> None:
    """Decompose by GDG.

    Args:
        f, findings, rng: see `decomposers`.
        alpha: the threshold as a share of the least value seen.
        samples: the random points from which that is taken (the paper's k).
    """
    options.share("gdg", "alpha", alpha)
    options.whole("gdg", "samples", samples, 1)
    n, lb, ub = f.problem.dim, f.problem.lower, f.problem.upper
    with findings.stage("threshold"):
        eps = alpha * least_value(f, rng, samples)
    with findings.stage("pairs"):
        pairs = all_pairs(f, findings, ub, lb + (ub - lb) / 2.0)
    with findings.stage("groups"):
        found = pairs.difference
        pairs.note_close(findings, near(found, eps))
        book(findings, pairs.parts(n, found > eps))
