"""DG, differential grouping.

M. N. Omidvar, X. Li, Y. Mei, X. Yao, "Cooperative Co-evolution with Differential Grouping for Large Scale
Optimization", IEEE Transactions on Evolutionary Computation 18(3), 2014.

Delta1 = f(p1) - f(p2), p1 = lb, p2 = lb but ub at i; Delta2 the same with j in the middle of its range. Variables
i and j interact if |Delta1 - Delta2| > eps. The first variable left is compared with all others left; those that
interact with it are its group, and leave. So variables that interact only through others stay apart. Two
evaluations for every Delta, as published: n (n + 1) if all are separable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from separable.decomposers import options
from separable.decomposers.batches import chunks
from separable.decomposers.components import book
from separable.decomposers.rounding import near

if TYPE_CHECKING:
    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import IntArray


def dg(
    f: Evaluator,
    findings: Findings,
    rng: np.random.Generator,  # noqa: ARG001 -- nothing is random
    *,
    epsilon: float = 1e-3,
) -> None:
    """Decompose by DG.

    Args:
        f, findings, rng: see `decomposers`.
        epsilon: the threshold, as an absolute number.
    """
    options.positive("dg", "epsilon", epsilon)
    n = f.problem.dim
    left = np.arange(n)
    with findings.stage("groups"):
        while len(left):
            i, others = int(left[0]), left[1:]
            new = interacting(f, findings, i, others, epsilon)
            book(findings, [np.concatenate([left[:1], new])])
            left = np.setdiff1d(others, new)
            findings.progress(n - len(left), n)


def interacting(f: Evaluator, findings: Findings, i: int, others: IntArray, epsilon: float) -> IntArray:
    """Which of the others interact with variable i; two evaluations, and two more for each of them."""
    lb, ub = f.problem.lower, f.problem.upper
    middle = lb + (ub - lb) / 2.0
    p = np.repeat(lb[None], 2, axis=0)
    p[1, i] = ub[i]
    f1, f2 = f(p)
    found = [others[:0]]
    for chunk in chunks(others, f, 2):
        k = np.arange(len(chunk))
        points = np.repeat(p, len(chunk), axis=0).reshape(2, len(chunk), -1)
        points[:, k, chunk] = middle[chunk]
        f3, f4 = f(points.reshape(2 * len(chunk), -1)).reshape(2, -1)
        difference = np.abs((f1 - f2) - (f3 - f4))
        findings.note_close(chunk[near(difference, epsilon)])
        found.append(chunk[difference > epsilon])
    return np.concatenate(found)
