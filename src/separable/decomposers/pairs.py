"""Every pair of variables, each combination of points asked but once: what DG2, GDG and DDG are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separable.decomposers.batches import chunks
from separable.decomposers.components import components

if TYPE_CHECKING:
    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray, Mask


class Pairs(NamedTuple):
    """The values of all pairs i < j: f1 nothing moved, f2 variable i, f3 variable j, f4 both."""

    i: IntArray
    j: IntArray
    f1: float
    f2: Array
    f3: Array
    f4: Array

    def note_close(self, findings: Findings, close: Mask) -> None:
        """Some decision about these pairs was a close call."""
        findings.note_close(np.union1d(self.i[close], self.j[close]))

    def parts(self, n: int, interact: Mask) -> list[IntArray]:
        """The variables as the pairs that interact join them."""
        return components(n, self.i[interact], self.j[interact])

    @property
    def difference(self) -> Array:
        """How much i and j interact, |(f1 - f2) - (f3 - f4)|."""
        return np.abs((self.f1 - self.f2) - (self.f3 - self.f4))


def all_pairs(f: Evaluator, findings: Findings, one: Array, other: Array) -> Pairs:
    """Ask everything, from the lower corner; the first of a pair is moved to `one`, the second to `other`.

    1 + n + n (n - 1) / 2 evaluations if both are the same point, n more if they are not.
    """
    n, base = f.problem.dim, f.problem.lower
    f1 = float(f(base[None])[0])
    alone_one = _alone(f, one)
    alone_other = alone_one if one is other else _alone(f, other)
    i, j = np.triu_indices(n, 1)
    f4, done = np.empty(len(i)), 0
    for chunk in chunks(np.arange(len(i)), f, 1):
        points = np.repeat(base[None], len(chunk), axis=0)
        k = np.arange(len(chunk))
        points[k, i[chunk]], points[k, j[chunk]] = one[i[chunk]], other[j[chunk]]
        f4[chunk] = f(points)
        done += len(chunk)
        findings.progress(int(i[chunk[-1]]) + 1, n)
    return Pairs(i, j, f1, alone_one[i], alone_other[j], f4)


def _alone(f: Evaluator, to: Array) -> Array:
    """The values with every variable moved by itself."""
    n, base = f.problem.dim, f.problem.lower
    values = np.empty(n)
    for chunk in chunks(np.arange(n), f, 1):
        points = np.repeat(base[None], len(chunk), axis=0)
        points[np.arange(len(chunk)), chunk] = to[chunk]
        values[chunk] = f(points)
    return values
