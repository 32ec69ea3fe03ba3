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

from separable.decomposers.batches import by_halves, chunks
from separable.decomposers.components import book
from separable.decomposers.options import share, whole
from separable.decomposers.rounding import near, smaller

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray, Mask

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
        recursive(f, findings, interact.partners)


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

    def partners(self, sub1: IntArray, sub2: IntArray) -> IntArray:
        """The procedure INTERACT: the variables of X2 that interact with X1."""
        return np.sort(np.array(by_halves(sub2, lambda sets: self.compare(sub1, sets)[1]), dtype=np.intp))

    def compare(self, sub1: IntArray, sets: Sequence[IntArray], y2: float | None = None) -> tuple[Array, Mask]:
        """How much each of these sets interacts with X1, (y1 - y2) - (y3 - y4), and whether that is above eps.

        Three evaluations each, two if y2 is given.
        """
        if np.isnan(self.y1):
            self.y1 = float(self.f(self.lb[None])[0])
        differences, above = [], []
        for chunk in chunks(sets, self.f, 3 if y2 is None else 2):
            y = self._values(sub1, chunk, y2)
            difference = (self.y1 - y[0]) - (y[1] - y[2])
            eps = self.threshold(self.y1, y)
            for k in np.flatnonzero(near(np.abs(difference), eps)).tolist():
                self.findings.note_close(smaller(sub1, chunk[k]).tolist())
            differences.append(difference)
            above.append(np.abs(difference) > eps)
        return np.concatenate(differences), np.concatenate(above)

    def _values(self, sub1: IntArray, sets: Sequence[IntArray], y2: float | None) -> Array:
        """The values y2, y3, y4 for each of the sets, (3, m)."""
        m, n = len(sets), len(self.lb)
        points = np.repeat(self.lb[None], 3 * m, axis=0).reshape(3, m, n)
        points[0][:, sub1] = points[2][:, sub1] = self.ub[sub1]  # x_ul and x_um
        for k, sub2 in enumerate(sets):
            points[1:, k, sub2] = self.middle[sub2]  # x_lm and x_um
        if y2 is None:
            return self.f(points.reshape(-1, n)).reshape(3, m)
        return np.concatenate([np.full(m, y2), self.f(points[1:].reshape(-1, n))]).reshape(3, m)


def recursive(
    f: Evaluator, findings: Findings, partners: Callable[[IntArray, IntArray], IntArray], full: int | None = None
) -> None:
    """The search: X1 grows by whatever in X2 interacts with it, until nothing does, or it has `full` members."""
    n = f.problem.dim
    sub1, sub2 = np.arange(1), np.arange(1, n)
    while len(sub1):
        new = partners(sub1, sub2) if len(sub2) else sub2
        grown, rest = np.concatenate([sub1, new]), np.setdiff1d(sub2, new)
        if len(new) and (full is None or len(grown) < full):
            sub1, sub2 = grown, rest
            continue
        book(findings, [grown])
        sub1, sub2 = rest[:1], rest[1:]
        findings.progress(n - len(rest), n)
