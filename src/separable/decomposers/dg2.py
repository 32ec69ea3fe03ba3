"""DG2, a faster and more accurate differential grouping.

M. N. Omidvar, M. Yang, Y. Mei, X. Li, X. Yao, "DG2: A Faster and More Accurate Differential Grouping for
Large-Scale Black-Box Optimization", IEEE Transactions on Evolutionary Computation 21(6), 2017.

All pairs, each point asked once: 1 + n + n (n - 1) / 2 evaluations. lambda = |(f1 - f2) - (f3 - f4)|. It is surely
rounding up to e_inf = gamma_2 max(f1 + f4, f2 + f3), surely an interaction from e_sup = gamma_sqrt(n) max f on;
between the two, eps is their mean, weighted with the numbers of pairs (eta0, eta1) that are sure. The groups are
connected components.

Our reading: |f| for f in the bounds, so that they hold for negative values too; e_sup if no pair is sure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from separable.decomposers.components import book
from separable.decomposers.pairs import all_pairs
from separable.decomposers.rounding import gamma, near

if TYPE_CHECKING:
    from separable.decomposers.findings import Findings
    from separable.decomposers.pairs import Pairs
    from separable.evaluator import Evaluator
    from separable.problems import Mask

LEAST = 1000  # variables; fewer have the bound of so many


def dg2(f: Evaluator, findings: Findings, rng: np.random.Generator) -> None:  # noqa: ARG001 -- nothing is random
    """Decompose by DG2.

    Args:
        f, findings, rng: see `decomposers`.
    """
    n, lb, ub = f.problem.dim, f.problem.lower, f.problem.upper
    with findings.stage("pairs"):
        middle = lb + (ub - lb) / 2.0
        pairs = all_pairs(f, findings, middle, middle)
    with findings.stage("groups"):
        interact, close = judge(pairs, n)
        pairs.note_close(findings, close)
        book(findings, pairs.parts(n, interact))


def judge(pairs: Pairs, n: int) -> tuple[Mask, Mask]:
    """Which pairs interact, and about which the decision was close."""
    found = pairs.difference
    f1, f2, f3, f4 = abs(pairs.f1), np.abs(pairs.f2), np.abs(pairs.f3), np.abs(pairs.f4)
    e_inf = gamma(2.0) * np.maximum(f1 + f4, f2 + f3)
    e_sup = gamma(math.sqrt(max(n, LEAST))) * np.maximum(np.maximum(f1, f2), np.maximum(f3, f4))
    zero = found <= e_inf
    sure = ~zero & (found >= e_sup)
    eta0, eta1 = int(zero.sum()), int(sure.sum())
    share = eta0 / (eta0 + eta1) if eta0 + eta1 else 0.0
    eps = share * e_inf + (1.0 - share) * e_sup
    return sure | (~zero & (found > eps)), near(found, eps)
