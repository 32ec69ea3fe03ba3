"""Optimizers. An optimizer is a class with `turn`, `ask` and `tell`; it sees arrays, and calls nothing.

    optimizer = Method(lower, upper, points, values, rng, memory, **options)
    optimizer.turn(x, elsewhere=False)
    while True:
        optimizer.tell(fun(optimizer.ask()))

`lower`, `upper` (d,) are the box. `points` (m, d) is a population to start from, the optimizer's own to change;
`values` (m,) are its values, or None where they are not known. `rng` is its only source of randomness. `memory` is
a dict shared by all optimizers of a run, for what a method lets live on from group to group; most need none.
Keyword arguments with defaults are the options.

`turn` says that a turn begins: `x` (d,) is where these variables are now, and `elsewhere` is whether the other
variables have moved since the last turn, so that it is another function now, and old values mean nothing. `ask`
returns points (m, d) in the box, to be read before the next call; `tell` takes their values. Smaller is better,
infinity is allowed, NaN does not come. An optimizer never counts, never looks at a budget, and never ends.

To add one: write the file, and add a line to `OPTIMIZERS`; the contract tests find it there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from separable.errors import checked_options, unknown
from separable.optimizers import cmaes, de, sansde, shade

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from separable.problems import Array


class Optimizer(Protocol):
    """What the cooperation needs of an optimizer; see the module's text."""

    def turn(self, x: Array, *, elsewhere: bool) -> None:
        """A turn begins."""

    def ask(self) -> Array:
        """Points to evaluate."""

    def tell(self, values: Array) -> None:
        """Their values."""


Method: TypeAlias = "Callable[..., Optimizer]"  # see the module's text

OPTIMIZERS: dict[str, Method] = {
    "sansde": sansde.SaNSDE,
    "shade": shade.SHADE,
    "de": de.DE,
    "cmaes": cmaes.CMAES,
}


class Chosen(NamedTuple):
    """An optimizer with its options bound, what it is called, and the options."""

    method: Method
    name: str
    options: dict[str, Any]


def choose(method: str | Method, options: Mapping[str, Any] | None = None) -> Chosen:
    """An optimizer by name, or one of the caller's, with options that it knows.

    Options that are unknown, or that the method refuses, are refused here.
    """
    if callable(method):
        optimizer, name = method, getattr(method, "__name__", type(method).__name__)
    elif isinstance(method, str) and method in OPTIMIZERS:
        optimizer, name = OPTIMIZERS[method], method
    else:
        raise unknown("optimizer", method, OPTIMIZERS)
    chosen = checked_options(optimizer, name, options)
    bound = partial(optimizer, **chosen)
    bound(np.zeros(2), np.ones(2), np.full((8, 2), 0.5), None, np.random.default_rng(0), {})
    return Chosen(bound, name, chosen)
