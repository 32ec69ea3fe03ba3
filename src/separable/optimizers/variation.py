"""What the differential evolutions share: whom to combine, what to take over, how to come back into the box."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from separable.problems import Array, IntArray, Mask


def distinct(rng: np.random.Generator, shape: tuple[int, ...], count: int, size: int) -> list[IntArray]:
    """`count` arrays of numbers below `size`, mutually distinct in every place, all such choices as likely.

    >>> r1, r2, r3 = distinct(np.random.default_rng(0), (1000,), 3, 4)
    >>> bool(((r1 != r2) & (r1 != r3) & (r2 != r3)).all()), sorted(set(r3.tolist()))
    (True, [0, 1, 2, 3])
    """
    chosen: list[IntArray] = []
    ascending: list[IntArray] = []  # the same, in every place in order
    for k in range(count):
        r = rng.integers(0, size - k, shape)  # among those not yet taken; then step over those that are
        for taken in ascending:
            r += r >= taken
        chosen.append(r)
        for place, taken in enumerate(ascending):
            ascending[place], r = np.minimum(taken, r), np.maximum(taken, r)
        ascending.append(r)
    return chosen


def crossed(rng: np.random.Generator, rates: Array, dim: int) -> Mask:
    """Binomial crossover: which of `dim` coordinates come from the mutant, at least one; shape (*rates, dim)."""
    taken: Mask = rng.random((*rates.shape, dim), dtype=np.float32) < rates[..., None]
    always = rng.integers(0, dim, rates.shape)
    np.put_along_axis(taken, always[..., None], values=True, axis=-1)
    return taken


def reflect(points: Array, lower: Array, upper: Array) -> None:
    """Bring coordinates outside the box back, in place: reflected by the overshoot modulo the width.

    `lower` and `upper` have the shape of `points`.

    >>> x = np.array([[1.5, -0.25, 3.25, 0.5]])
    >>> reflect(x, np.zeros((1, 4)), np.ones((1, 4)))
    >>> x
    array([[0.5 , 0.25, 0.75, 0.5 ]])
    """
    outside = points < lower
    outside |= points > upper
    at = outside.ravel().nonzero()[0]
    if len(at):
        x, low, high = points.take(at), lower.take(at), upper.take(at)
        below = x < low
        overshoot = np.fmod(np.where(below, low - x, x - high), high - low)
        back = np.where(below, low + overshoot, high - overshoot)
        points.put(at, np.minimum(np.maximum(back, low), high))  # rounding may lead an ulp outside
