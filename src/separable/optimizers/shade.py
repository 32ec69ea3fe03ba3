"""SHADE, success-history based adaptive differential evolution.

R. Tanabe, A. Fukunaga, "Success-History Based Parameter Adaptation for Differential Evolution", IEEE CEC 2013. Its
symbols: N members; M_F, M_CR the history of successful F and CR, of H places; k the place to be written next;
A the archive of members that were replaced, at most N; p the share of the best that are followed; S_F, S_CR what
succeeded in a generation, and w the weights, by improvement.

Our reading: a coordinate outside the box goes half the way from its member to the bound, as in JADE; the history
begins anew with every turn, since with the other variables elsewhere it is another function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from separable.errors import BadInput
from separable.optimizers.variation import crossed

if TYPE_CHECKING:
    from separable.problems import Array, IntArray


class SHADE:
    """One population; see `optimizers`.

    Args:
        lower, upper, points, values, rng, memory: see `optimizers`.
        history: H.
    """

    def __init__(
        self,
        lower: Array,
        upper: Array,
        points: Array,
        values: Array | None,
        rng: np.random.Generator,
        memory: dict[str, Any],  # noqa: ARG002 -- nothing lives on
        *,
        history: int = 100,
    ) -> None:
        if not isinstance(history, int) or history < 1:
            raise BadInput(f"shade: history must be a whole number, 1 or more, got {history!r}")
        self._x, self._values = points, np.empty(0) if values is None else values.copy()
        self._lower, self._upper, self._rng, self._H = lower, upper, rng, history

    def turn(self, x: Array, *, elsewhere: bool) -> None:  # noqa: ARG002 -- x is in the population
        """A turn begins: the history and the archive are empty."""
        self._known = len(self._values) > 0 and not elsewhere
        self._M_F, self._M_CR, self._k = np.full(self._H, 0.5), np.full(self._H, 0.5), 0
        self._A = np.empty((0, self._x.shape[1]))

    def ask(self) -> Array:
        """A trial for every member; but the members themselves, while their values are not known."""
        if not self._known:
            return self._x
        rng, x, (N, dim) = self._rng, self._x, self._x.shape
        r = rng.integers(0, self._H, N)
        self._CR = np.clip(rng.normal(self._M_CR[r], 0.1), 0.0, 1.0)  # eq. 5
        self._F = self._draw_scales(self._M_F[r])  # eq. 6
        best = self._followed()
        r1 = _other_than(np.arange(N), rng.integers(0, N - 1, N))
        r2 = rng.integers(0, N - 2 + len(self._A), N)  # from the union with A, other than i and r1
        for taken in np.sort([np.arange(N), r1], axis=0):
            r2 = _other_than(taken, r2)
        union = np.concatenate([x, self._A])
        F = self._F[:, None]
        v = x + F * (x[best] - x) + F * (x[r1] - union[r2])  # current-to-pbest/1
        v = np.where(v < self._lower, (self._lower + x) / 2.0, v)
        v = np.where(v > self._upper, (self._upper + x) / 2.0, v)
        self._trial = np.where(crossed(rng, self._CR, dim), v, x)
        return self._trial

    def tell(self, values: Array) -> None:
        """Keep every trial that is no worse than its member, and learn from those that are better."""
        if not self._known:
            self._values, self._known = values, True
            return
        kept, better = values <= self._values, values < self._values
        self._archive(self._x[better])
        self._learn(np.flatnonzero(better), self._values[better] - values[better])
        self._x[kept] = self._trial[kept]
        self._values = np.where(kept, values, self._values)

    def _draw_scales(self, location: Array) -> Array:
        """F, again where it is not positive, and at most 1."""
        F = location + 0.1 * self._rng.standard_cauchy(len(location))
        while (low := F <= 0.0).any():
            F[low] = location[low] + 0.1 * self._rng.standard_cauchy(int(low.sum()))
        return np.minimum(F, 1.0)

    def _followed(self) -> IntArray:
        """For every member one of the 100 p % best, p its own: from two members to a fifth."""
        N = len(self._x)
        p = self._rng.uniform(2.0 / N, max(0.2, 2.0 / N), N)
        place = (self._rng.random(N) * np.maximum(2.0, np.round(p * N))).astype(np.intp)
        chosen: IntArray = np.argsort(self._values, kind="stable")[place]
        return chosen

    def _archive(self, replaced: Array) -> None:
        N = len(self._x)
        self._A = np.concatenate([self._A, replaced])
        if len(self._A) > N:
            self._A = self._A[self._rng.permutation(len(self._A))[:N]]

    def _learn(self, which: IntArray, improvement: Array) -> None:
        """Equations 7 to 9: the next place of the history gets the weighted means."""
        if len(which) == 0:
            return
        finite = np.isfinite(improvement)
        w = np.where(finite, improvement, 0.0) if finite.any() else np.ones(len(which))
        w = w / w.max()
        S_F, S_CR = self._F[which], self._CR[which]
        self._M_F[self._k] = (w * S_F**2).sum() / (w * S_F).sum()
        self._M_CR[self._k] = (w * S_CR).sum() / w.sum()
        self._k = (self._k + 1) % self._H


def _other_than(taken: IntArray, r: IntArray) -> IntArray:
    """From choices among one fewer to choices that leave out `taken`."""
    return r + (r >= taken)
