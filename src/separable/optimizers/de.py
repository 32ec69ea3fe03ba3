"""DE/rand/1/bin, the differential evolution that all others are compared with.

R. Storn, K. Price, "Differential Evolution", Journal of Global Optimization 11, 1997. Its symbols: NP, F, CR.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from separable.errors import BadInput
from separable.optimizers.variation import crossed, distinct, reflect

if TYPE_CHECKING:
    from separable.problems import Array


class DE:
    """One population; see `optimizers`.

    Args:
        lower, upper, points, values, rng, memory: see `optimizers`.
        scale: F.
        rate: CR.
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
        scale: float = 0.5,
        rate: float = 0.9,
    ) -> None:
        for name, number, most in (("scale", scale, 2.0), ("rate", rate, 1.0)):
            if not isinstance(number, float | int) or not 0.0 < number <= most:
                raise BadInput(f"de: {name} must be a number above 0 and up to {most}, got {number!r}")
        self._x, self._values = points, np.empty(0) if values is None else values.copy()
        self._lower, self._upper = (np.tile(bound, (len(points), 1)) for bound in (lower, upper))
        self._rng, self._F, self._CR = rng, scale, np.full(len(points), rate)

    def turn(self, x: Array, *, elsewhere: bool) -> None:  # noqa: ARG002 -- x is in the population
        """A turn begins."""
        self._known = len(self._values) > 0 and not elsewhere

    def ask(self) -> Array:
        """A trial for every member; but the members themselves, while their values are not known."""
        if not self._known:
            return self._x
        NP, dim = self._x.shape
        r = np.stack([np.arange(NP), *distinct(self._rng, (NP,), 3, NP - 1)])
        r1, r2, r3 = r[1:] + (r[1:] >= r[0])  # other than i
        v = self._x[r1] + self._F * (self._x[r2] - self._x[r3])
        self._trial = np.where(crossed(self._rng, self._CR, dim), v, self._x)
        reflect(self._trial, self._lower, self._upper)
        return self._trial

    def tell(self, values: Array) -> None:
        """Keep every trial that is no worse than its member."""
        if not self._known:
            self._values, self._known = values, True
            return
        better = values <= self._values
        self._x[better], self._values = self._trial[better], np.where(better, values, self._values)
