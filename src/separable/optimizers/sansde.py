"""SaNSDE, self-adaptive differential evolution with neighbourhood search.

Z. Yang, K. Tang, X. Yao, "Self-adaptive Differential Evolution with Neighborhood Search", IEEE CEC 2008. Two
mutations and two ways to draw F compete, by shares p and f_p learnt from their success; CR is drawn around CRm,
the mean of the CR that brought improvements, weighted by them. With cooperation: Z. Yang, K. Tang, X. Yao,
"Large Scale Evolutionary Optimization Using Cooperative Coevolution", Information Sciences 178, 2008.

The papers' symbols: NP the size of the population; r1, ..., r4 mutually distinct members; F, CR the scale and the
crossover rate of every member; p the share of the first mutation, f_p that of Gaussian F; ns, nf how often a
choice brought success and failure; CRm.

Our reading: rand/1 is r3 + F (r1 - r2), the other mutation is current-to-best/2; counters start at 1 and begin
anew when the shares have been learnt; p and f_p begin anew at 0.5 with every turn, CRm lives on from turn to turn
and from group to group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from separable.optimizers.variation import crossed, distinct, reflect

if TYPE_CHECKING:
    from separable.problems import Array, IntArray, Mask

LEARN_CRM = 25  # generations after which CRm is learnt anew, and for which everything is drawn at once
LEARN_SHARES = 50  # generations after which p and f_p are
KEEP_CR = 5  # generations for which a member keeps its CR
LARGEST = 1e300  # infinity counts as this
LARGEST_F = 2.0**52  # a Cauchy variate has no bound; beyond this the modulo of `reflect` means nothing
MASKS_AT_ONCE = 2**22  # coordinates of crossover drawn at once


class SaNSDE:
    """One population; see `optimizers`. It has no options.

    >>> lower, upper, rng = np.zeros(2), np.ones(2), np.random.default_rng(0)
    >>> sansde = SaNSDE(lower, upper, rng.random((50, 2)), None, rng, {})
    >>> sansde.turn(np.full(2, 0.5), elsewhere=False)
    >>> for _ in range(200):
    ...     points = sansde.ask()
    ...     values = ((points - 0.3) ** 2).sum(axis=1)
    ...     sansde.tell(values)
    >>> bool(values.min() < 1e-12)
    True
    """

    def __init__(
        self,
        lower: Array,
        upper: Array,
        points: Array,
        values: Array | None,
        rng: np.random.Generator,
        memory: dict[str, Any],
    ) -> None:
        self._x, self._values = points, np.empty(0) if values is None else np.minimum(values, LARGEST)
        self._rng, self._memory = rng, memory
        self._lower, self._upper = (np.tile(bound, (len(points), 1)) for bound in (lower, upper))
        self._trial, self._more = np.empty_like(points), np.empty_like(points)
        memory.setdefault("CRm", 0.5)

    def turn(self, x: Array, *, elsewhere: bool) -> None:  # noqa: ARG002 -- x is in the population
        """A turn begins: the shares are learnt anew."""
        self._known = len(self._values) > 0 and not elsewhere
        self._generation = 0
        self._p = self._f_p = 0.5
        self._forget()

    def ask(self) -> Array:
        """A trial for every member; but the members themselves, while their values are not known."""
        if not self._known:
            return self._x
        g = self._generation % LEARN_CRM
        if g == 0:
            self._plan()
        if g % self._masks_ahead == 0:
            self._crossover = crossed(self._rng, self._CR[g : g + self._masks_ahead], self._x.shape[1])
        # rand/1: r3 + F (r1 - r2); current-to-best/2: x_i + F (best - x_i) + F (r1 - r2) + F (r3 - r4)
        # so both are from + F (r1 - r2) + F' (best - x_i + r3 - r4), where F' = 0 for the first
        x, v, more = self._x, self._trial, self._more
        r1, r2, r3, r4, origin = self._r[g]
        x.take(r1, axis=0, out=v, mode="clip")
        v -= x.take(r2, axis=0)
        v *= self._F[g]
        x.take(r3, axis=0, out=more, mode="clip")
        more -= x.take(r4, axis=0)
        more += x[self._values.argmin()]
        more -= x
        more *= self._F_to_best[g]
        v += more
        v += x.take(origin, axis=0)
        v -= x  # the step from x_i, times 0 or 1: faster than a choice, whose outcome no processor guesses
        v *= self._crossover[g % self._masks_ahead]
        v += x
        reflect(v, self._lower, self._upper)
        return v

    def tell(self, values: Array) -> None:
        """Keep every trial that is no worse than its member; learn, when it is time to."""
        if not self._known:
            self._values, self._known = np.minimum(values, LARGEST), True
            return
        values = np.minimum(values, LARGEST)
        better = values <= self._values
        g = self._generation % LEARN_CRM
        self._success[g] = better
        np.subtract(self._values, values, out=self._gain[g])
        at = better.nonzero()[0]
        self._x[at] = self._trial.take(at, axis=0)
        self._values[at] = values[at]
        self._generation += 1
        if self._generation % LEARN_CRM == 0:
            self._learn_crm()
            self._count()
        if self._generation % LEARN_SHARES == 0:
            self._learn_shares()

    def _plan(self) -> None:
        """Draw all that the next generations need, but for the masks of the crossover."""
        rng, NP, G = self._rng, len(self._x), LEARN_CRM
        r1, r2, r3, r4 = distinct(rng, (G, NP), 4, NP)
        self._is_to_best: Mask = rng.random((G, NP)) < self._p
        origin = np.where(self._is_to_best, np.arange(NP), r3)
        self._r: list[tuple[IntArray, ...]] = list(zip(r1, r2, r3, r4, origin, strict=True))
        self._is_normal: Mask = rng.random((G, NP)) < self._f_p
        normal, cauchy = rng.normal(0.5, 0.3, (G, NP)), rng.standard_cauchy((G, NP))
        F = np.minimum(np.abs(np.where(self._is_normal, normal, cauchy)), LARGEST_F)
        self._F, self._F_to_best = F[:, :, None], np.where(self._is_to_best, F, 0.0)[:, :, None]
        self._CR = np.repeat(self._draw_rates((G // KEEP_CR, NP)), KEEP_CR, axis=0)
        self._success, self._gain = np.zeros((G, NP), dtype=bool), np.zeros((G, NP))
        ahead = MASKS_AT_ONCE // self._x.size
        self._masks_ahead = G if ahead >= G else KEEP_CR if ahead >= KEEP_CR else 1

    def _draw_rates(self, shape: tuple[int, ...]) -> Array:
        """CR around CRm, again and again where it is outside (0, 1)."""
        CR = self._rng.normal(self._memory["CRm"], 0.1, shape)
        while (outside := (CR <= 0.0) | (CR >= 1.0)).any():
            CR[outside] = self._rng.normal(self._memory["CRm"], 0.1, int(outside.sum()))
        return CR

    def _learn_crm(self) -> None:
        weights = np.where(self._success & (self._gain < LARGEST / 2.0), self._gain, 0.0)  # not from infinity
        largest = weights.max()
        if largest > 0.0:
            weights /= largest  # so that their sum is neither tiny nor infinite
            self._memory["CRm"] = float((weights * self._CR).sum() / weights.sum())

    def _forget(self) -> None:
        self._ns, self._nf = np.ones((2, 2)), np.ones((2, 2))  # of the mutations, and of the ways to draw F

    def _count(self) -> None:
        for kind, first in enumerate((self._is_to_best, self._is_normal)):
            for choice, taken in enumerate((first, ~first)):
                succeeded = np.count_nonzero(taken & self._success)
                self._ns[kind, choice] += succeeded
                self._nf[kind, choice] += np.count_nonzero(taken) - succeeded

    def _learn_shares(self) -> None:
        rate = self._ns / (self._ns + self._nf)
        self._p, self._f_p = (rate[:, 0] / rate.sum(axis=1)).tolist()
        self._forget()
