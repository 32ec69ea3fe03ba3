"""CMA-ES by the package `cmaes`, full up to a few hundred variables, with a diagonal covariance above.

N. Hansen, "The CMA Evolution Strategy: A Tutorial", 2016; R. Ros, N. Hansen, "A Simple Modification in CMA-ES
Achieving Linear Time and Space Complexity", PPSN 2008; restarts with a population twice as large: A. Auger,
N. Hansen, "A Restart CMA Evolution Strategy with Increasing Population Size", IEEE CEC 2005.

It needs no population: its distribution lives on from turn to turn. It begins where the variables are, with a
standard deviation of 0.3 of the range. When it has converged it begins anew, anywhere in the box, with a larger
population; after the sixth time with the first one's again, for within one group's turns a population that grows
for ever would leave no generations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from separable.errors import BadInput, MissingExtra

if TYPE_CHECKING:
    from separable.problems import Array

RESTARTS = 6  # with ever larger populations


class CMAES:
    """One distribution; see `optimizers`. The box is scaled to [0, 1]^d inside.

    Args:
        lower, upper, points, values, rng, memory: see `optimizers`.
        sigma: the first standard deviation, as a share of the range.
        population: the points of a generation; None: 4 + 3 ln d.
        full: the most variables that get a full covariance matrix.
        restart: how the population grows when it converged and begins anew.
    """

    def __init__(
        self,
        lower: Array,
        upper: Array,
        points: Array,  # noqa: ARG002 -- needs none
        values: Array | None,  # noqa: ARG002 -- likewise
        rng: np.random.Generator,
        memory: dict[str, Any],  # noqa: ARG002 -- nothing lives on
        *,
        sigma: float = 0.3,
        population: int | None = None,
        full: int = 300,
        restart: float = 2.0,
    ) -> None:
        for name, share, least, most in (("sigma", sigma, 1e-9, 1.0), ("restart", restart, 1.0, 100.0)):
            if not isinstance(share, float | int) or not least <= share <= most:
                raise BadInput(f"cmaes: {name} must be a number from {least} to {most}, got {share!r}")
        for name, number, least in (("population", population, 5), ("full", full, 0)):
            if number is not None and (not isinstance(number, int) or number < least):
                raise BadInput(f"cmaes: {name} must be a whole number, {least} or more, got {number!r}")
        try:
            from cmaes import CMA, SepCMA  # noqa: PLC0415 -- an extra, needed only here
        except ImportError as error:
            raise MissingExtra("optimizer='cmaes'", "cmaes", "cmaes") from error
        self._method = CMA if len(lower) <= full else SepCMA
        self._lower, self._width, self._upper = lower, upper - lower, upper
        self._rng, self._sigma, self._growth = rng, sigma, restart
        self._first = self._size = population or 4 + int(3.0 * np.log(len(lower)))
        self._begun, self._restarts = False, 0

    def turn(self, x: Array, *, elsewhere: bool) -> None:  # noqa: ARG002 -- keeps no values
        """A turn begins; the first one says where to start."""
        if not self._begun:
            self._begin((x - self._lower) / self._width)

    def ask(self) -> Array:
        """One generation."""
        self._asked = [self._cma.ask() for _ in range(self._cma.population_size)]
        points: Array = self._lower + self._width * np.array(self._asked)[:, : len(self._lower)]
        np.clip(points, self._lower, self._upper, out=points)  # rounding may lead an ulp outside
        return points

    def tell(self, values: Array) -> None:
        """Adapt the distribution, and begin anew when it has converged."""
        ranks = np.where(np.isfinite(values), values, np.sign(values) * np.finfo(float).max)
        self._cma.tell(list(zip(self._asked, ranks.tolist(), strict=True)))
        if self._cma.should_stop():
            self._restarts += 1
            self._size = int(self._first * self._growth ** (self._restarts % (RESTARTS + 1)))
            self._begin(self._rng.random(len(self._lower)))

    def _begin(self, mean: Array) -> None:
        if len(mean) == 1:
            mean = np.append(mean, 0.5)  # it wants two variables at least; the second one does nothing
        box = np.repeat([[0.0, 1.0]], len(mean), axis=0)
        seed = int(self._rng.integers(2**32))
        self._cma = self._method(mean, self._sigma, box, seed=seed, population_size=self._size)
        self._begun = True
