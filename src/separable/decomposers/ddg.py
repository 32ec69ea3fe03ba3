"""DDG, dual differential grouping.

J.-Y. Li, Z.-H. Zhan, K. C. Tan, J. Zhang, "Dual Differential Grouping: A More General Decomposition Method for
Large-Scale Optimization", IEEE Transactions on Cybernetics 53(6), 2023. Two variables are apart if f is a sum in
which they stand in different terms, or a product in which they stand in different factors: they interact only if
both differences, of the values and of their logarithms, are above their thresholds.

Our reading: points and reuse as in DG2, 1 + n + n (n - 1) / 2 evaluations. Both thresholds bound the rounding:
RDG2's for the values; the same carried into the logarithms, gamma_k 4 + u sum |ln |f||, for these. Logarithms are
of |f|, and then f1 f4 must have the sign of f2 f3, so that a product may be negative; with a value of 0 only the
values count. A variable alone is additive if all its differences of values are rounding, otherwise multiplicative.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from separable.decomposers.pairs import all_pairs
from separable.decomposers.rounding import UNIT, gamma, near

if TYPE_CHECKING:
    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array


def ddg(f: Evaluator, findings: Findings, rng: np.random.Generator) -> None:  # noqa: ARG001 -- nothing is random
    """Decompose by DDG.

    Args:
        f, findings, rng: see `decomposers`.
    """
    n, lb, ub = f.problem.dim, f.problem.lower, f.problem.upper
    with findings.stage("pairs"):
        middle = lb + (ub - lb) / 2.0
        pairs = all_pairs(f, findings, middle, middle)
    with findings.stage("groups"):
        share = gamma(math.sqrt(n) + 2.0)
        values = np.stack([np.full_like(pairs.f4, pairs.f1), pairs.f2, pairs.f3, pairs.f4])
        added, added_eps = pairs.difference, share * np.abs(values).sum(axis=0)
        factors, factors_eps = logarithmic(values, share)
        no_sum, no_product = added > added_eps, factors > factors_eps
        close = (near(added, added_eps) & no_product) | (near(factors, factors_eps) & no_sum)
        pairs.note_close(findings, close)
        summed = np.ones(n, dtype=bool)
        summed[pairs.i[no_sum]] = summed[pairs.j[no_sum]] = False
        for part in pairs.parts(n, no_sum & no_product):
            if len(part) > 1:
                findings.groups.append(part.tolist())
            else:
                (findings.additive if summed[part[0]] else findings.multiplicative).append(int(part[0]))


def logarithmic(values: Array, share: float) -> tuple[Array, Array]:
    """From f1 to f4, (4, m): the differences of their logarithms, infinite where there is no product; and eps."""
    product = (values != 0.0).all(axis=0)
    product &= np.sign(values[0]) * np.sign(values[3]) == np.sign(values[1]) * np.sign(values[2])
    logs = np.log(np.abs(np.where(product, values, 1.0)))
    difference = np.abs((logs[0] - logs[1]) - (logs[2] - logs[3]))
    return np.where(product, difference, np.inf), 4.0 * share + UNIT * np.abs(logs).sum(axis=0)
