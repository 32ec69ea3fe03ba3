"""RDG, recursive differential grouping; its search is also that of RDG2 and RDG3.

Y. Sun, M. Kirley, S. K. Halgamuge, "A Recursive Decomposition Method for Large Scale Continuous Optimization",
IEEE Transactions on Evolutionary Computation 22(5), 2018.

The paper's symbols: X1, X2 the sets asked about (`sub1`, `sub2`); x_ll all variables at lb; x_ul with X1 at ub;
x_lm with X2 at m, the middle; x_um with both; y1 to y4 the values there. X1 and X2 interact if
|(y1 - y2) - (y3 - y4)| > eps, eps = alpha times the least of |f| at k random points. Then X2 is halved.

The halves of X2 are asked about X1 whatever the other half answers. So all sets of one depth are one batch; what
is asked, and how often, is the paper's: three evaluations for every pair of sets, y1 but once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from separable.decomposers.batches import chunks
from separable.decomposers.options import share, whole
from separable.decomposers.rounding import near, smaller

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray

Threshold: TypeAlias = "Callable[[float, Array], Array]"  # eps, of y1 and of y2, y3, y4 (3, m)


def rdg(
    f: Evaluator, findings: Findings, rng: np.random.Generator, *, alpha: float = 1e-12, samples: int = 10
) -> None:
    """Decompose by RDG.

    Args:
        f, findings, rng: see `decomposers`.
        alpha: the threshold as a share of the least value seen.
        samples: the random points from which that is taken (the paper's k).
    """
    share("rdg", "alpha", alpha)
    whole("rdg", "samples", samples, 1)
    with findings.stage("threshold"):
        eps = least_value(f, rng, samples) * alpha
    interact = Interaction(f, findings, lambda _, y: np.full(y.shape[1], eps))
    with findings.stage("groups"):
        recursive(f, findings, interact)


def least_value(f: Evaluator, rng: np.random.Generator, samples: int) -> float:
    """The smallest of |f| at so many random points."""
    lb, ub = f.problem.lower, f.problem.upper
    return float(np.abs(f(rng.uniform(lb, ub, (samples, f.problem.dim)))).min())


class Interaction:
    """Whether sets of variables interact with another set: RDG's comparison of two differences."""

    def __init__(self, f: Evaluator, findings: Findings, threshold: Threshold) -> None:
        self.f, self.findings, self.threshold = f, findings, threshold
        self.lb, self.ub = f.problem.lower, f.problem.upper
        self.middle = self.lb + (self.ub - self.lb) / 2.0
        self.y1 = float("nan")  # asked for with the first of the others

    def __call__(self, sub1: IntArray, sets: Sequence[IntArray]) -> list[bool]:
        """Which of these sets interact with X1; three evaluations each."""
        if np.isnan(self.y1):
            self.y1 = float(self.f(self.lb[None])[0])
        found: list[bool] = []
        for chunk in chunks(sets, self.f, 3):
            found += self._asked_together(sub1, chunk)
        return found

    def _asked_together(self, sub1: IntArray, sets: Sequence[IntArray]) -> list[bool]:
        points = np.repeat(self.lb[None], 3 * len(sets), axis=0).reshape(3, len(sets), -1)
        points[0][:, sub1] = points[2][:, sub1] = self.ub[sub1]  # x_ul and x_um
        for k, sub2 in enumerate(sets):
            points[1:, k, sub2] = self.middle[sub2]  # x_lm and x_um
        y = self.f(points.reshape(-1, len(self.lb))).reshape(3, -1)
        difference = np.abs((self.y1 - y[0]) - (y[1] - y[2]))
        eps = self.threshold(self.y1, y)
        for k in np.flatnonzero(near(difference, eps)).tolist():
            self.findings.note_close(smaller(sub1, sets[k]).tolist())
        return [bool(one) for one in difference > eps]


def recursive(f: Evaluator, findings: Findings, interact: Interaction, full: int | None = None) -> None:
    """The search: X1 grows by whatever in X2 interacts with it, until nothing does, or it has `full` members."""
    n = f.problem.dim
    sub1, sub2 = np.arange(1), np.arange(1, n)
    while len(sub1):
        new = partners(interact, sub1, sub2)
        grown, rest = np.concatenate([sub1, new]), np.setdiff1d(sub2, new)
        if len(new) and (full is None or len(grown) < full):
            sub1, sub2 = grown, rest
            continue
        if len(grown) == 1:
            findings.additive += grown.tolist()
        else:
            findings.groups.append(grown.tolist())
        sub1, sub2 = rest[:1], rest[1:]
        findings.progress(n - len(rest), n)


def partners(interact: Interaction, sub1: IntArray, sub2: IntArray) -> IntArray:
    """The procedure INTERACT: the variables of X2 that interact with X1, by halves."""
    found: list[IntArray] = []
    asked = [sub2] if len(sub2) else []
    while asked:
        hit = [one for one, yes in zip(asked, interact(sub1, asked), strict=True) if yes]
        found += [one for one in hit if len(one) == 1]
        asked = [half for one in hit if len(one) > 1 for half in halves(one)]
    return np.sort(np.concatenate(found)) if found else sub2[:0]


def halves(variables: IntArray) -> tuple[IntArray, IntArray]:
    """The first half, the smaller if they differ, and the second."""
    middle = len(variables) // 2
    return variables[:middle], variables[middle:]
