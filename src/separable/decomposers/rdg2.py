"""RDG2, recursive differential grouping with adaptive thresholds.

Y. Sun, M. N. Omidvar, M. Kirley, X. Li, "Adaptive Threshold Parameter Estimation with Recursive Differential
Grouping for Problem Decomposition", GECCO 2018. The search is RDG's; eps is anew in every comparison the bound of
what rounding can do to it: gamma_k (|y1| + |y2| + |y3| + |y4|), k = sqrt(n) + 2.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from separable.decomposers.rdg import Interaction, Threshold, recursive
from separable.decomposers.rounding import gamma

if TYPE_CHECKING:
    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array


def rdg2(f: Evaluator, findings: Findings, rng: np.random.Generator) -> None:  # noqa: ARG001 -- nothing is random
    """Decompose by RDG2.

    Args:
        f, findings, rng: see `decomposers`.
    """
    with findings.stage("groups"):
        recursive(f, findings, Interaction(f, findings, rounding_bound(f.problem.dim)).partners)


def rounding_bound(n: int) -> Threshold:
    """The threshold of RDG2, which RDG3 and ERDG have from it."""
    share = gamma(math.sqrt(n) + 2.0)

    def eps(y1: float, y: Array) -> Array:
        bound: Array = share * (abs(y1) + np.abs(y).sum(axis=0))
        return bound

    return eps
