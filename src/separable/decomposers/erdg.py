"""ERDG, efficient recursive differential grouping.

M. Yang, A. Zhou, C. Li, X. Yao, "An Efficient Recursive Differential Grouping for Large-Scale Continuous
Problems", IEEE Transactions on Evolutionary Computation 25(1), 2021. The search is RDG's, the threshold RDG2's.
What X2 has shown as a whole is not asked again for its halves: if the first half does not interact with X1, the
second must; if the first interacts exactly as much as the whole, the second does not. And y2 belongs to X1, so it
is asked once. "Exactly as much" means equal numbers, as in public implementations of the method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from separable.decomposers.rdg import Interaction, recursive
from separable.decomposers.rdg2 import rounding_bound

if TYPE_CHECKING:
    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import IntArray


def erdg(f: Evaluator, findings: Findings, rng: np.random.Generator) -> None:  # noqa: ARG001 -- nothing is random
    """Decompose by ERDG.

    Args:
        f, findings, rng: see `decomposers`.
    """
    interact = Interaction(f, findings, rounding_bound(f.problem.dim))

    def partners(sub1: IntArray, sub2: IntArray) -> IntArray:
        x_ul = interact.lb.copy()
        x_ul[sub1] = interact.ub[sub1]
        y2 = float(f(x_ul[None])[0])
        found = [sub2[:0]]
        (whole,), (hit,) = interact.compare(sub1, [sub2], y2)
        level = [(sub2, whole)] if hit else []
        while level:
            found += [variables for variables, _ in level if len(variables) == 1]
            split = [(variables, delta) for variables, delta in level if len(variables) > 1]
            level, unknown = [], []
            firsts = [variables[: len(variables) // 2] for variables, _ in split]
            compared = interact.compare(sub1, firsts, y2) if firsts else ((), ())
            for (variables, whole), first, delta, hit in zip(split, firsts, *compared, strict=True):
                second = variables[len(first) :]
                if not hit:
                    level.append((second, whole))
                    continue
                level.append((first, delta))
                if delta != whole:
                    unknown.append(second)
            if unknown:
                for second, delta, hit in zip(unknown, *interact.compare(sub1, unknown, y2), strict=True):
                    if hit:
                        level.append((second, delta))
        return np.sort(np.concatenate(found))

    with findings.stage("groups"):
        recursive(f, findings, partners)
