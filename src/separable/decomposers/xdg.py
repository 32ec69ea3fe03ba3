"""XDG, extended differential grouping.

Y. Sun, M. Kirley, S. K. Halgamuge, "Extended Differential Grouping for Large Scale Global Optimization with Direct
and Indirect Variable Interactions", GECCO 2015. The comparison is DG's; groups that share a variable are one, so
interactions through others are seen. A pair that is in one group already is not compared: n (n + 1) evaluations if
all variables are separable, 4 n - 2 if all interact with the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from separable.decomposers import options
from separable.decomposers.components import book, join, parts
from separable.decomposers.dg import interacting

if TYPE_CHECKING:
    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator


def xdg(
    f: Evaluator,
    findings: Findings,
    rng: np.random.Generator,  # noqa: ARG001 -- nothing is random
    *,
    epsilon: float = 0.1,
) -> None:
    """Decompose by XDG.

    Args:
        f, findings, rng: see `decomposers`.
        epsilon: the threshold, as an absolute number.
    """
    options.positive("xdg", "epsilon", epsilon)
    n = f.problem.dim
    label = np.arange(n)  # variables of one group have one label
    with findings.stage("groups"):
        for i in range(n):
            later = np.arange(i + 1, n)
            new = interacting(f, findings, i, later[label[later] != label[i]], epsilon)
            for j in new.tolist():
                join(label, i, j)
            findings.progress(i + 1, n)
        book(findings, parts(label))
