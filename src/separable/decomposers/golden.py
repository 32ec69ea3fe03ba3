"""GSS, golden section search, for many variables side by side: a step of all of them is one batch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from separable.problems import Array, IntArray

    Along = Callable[[IntArray, Array], Array]  # values with the k-th of these variables at the k-th of these x

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


class Seen(NamedTuple):
    """Points that a search saw to be worse than its minimum, far to near, and their values."""

    x: Array
    value: Array

    def within(self, centre: float, reach: float) -> tuple[float, float]:
        """The first of them within reach of the centre, the nearest if none is."""
        near = np.flatnonzero(np.abs(self.x - centre) <= reach)
        k = near[0] if len(near) else -1
        return float(self.x[k]), float(self.value[k])


class Valley(NamedTuple):
    """Where a search ended, and what it saw to be worse on either side."""

    x: float
    left: Seen
    right: Seen


def gss(along: Along, lower: Array, upper: Array, precision: float, step: float) -> list[Valley]:
    """The minimum of each variable by itself, 0, 1, ..., between its `lower` and its `upper`.

    One evaluation a step and variable, two to begin with. A search ends when its two inner values are equal, or
    when the bracket has shrunk to `precision` of the range. Two inner values that are equal from the start (a
    symmetric function, a plateau) say nothing; then the middle is asked, and a point on either side of it, a share
    `step` of the range away. If none is lower it ends there, otherwise the lower half is searched.

    >>> def bowl(which, x):
    ...     return abs(x - 0.25)
    >>> (valley,) = gss(bowl, np.array([0.0]), np.array([1.0]), precision=1e-6, step=1e-3)
    >>> round(valley.x, 5), valley.left.x.round(3)[:2], valley.right.x.round(3)[:2]
    (0.25, array([0.146, 0.202]), array([0.618, 0.382]))
    """
    low, high = lower.copy(), upper.copy()
    end = precision * (high - low)
    everyone = np.arange(len(low))
    left, right = _Side(len(low)), _Side(len(low))
    x1, x2 = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    f1, f2 = along(np.concatenate([everyone, everyone]), np.concatenate([x1, x2])).reshape(2, -1)
    tied = everyone[f1 == f2]
    going = everyone[f1 != f2]
    while len(going):
        smaller = f1[going] < f2[going]
        a, b = going[smaller], going[~smaller]  # the minimum is left of x2, or right of x1
        right.note(a, x2[a], f2[a])
        left.note(b, x1[b], f1[b])
        high[a], x2[a], f2[a] = x2[a], x1[a], f1[a]
        low[b], x1[b], f1[b] = x1[b], x2[b], f2[b]
        x1[a] = high[a] - GOLDEN * (high[a] - low[a])
        x2[b] = low[b] + GOLDEN * (high[b] - low[b])
        values = along(going, np.where(smaller, x1[going], x2[going]))
        f1[a], f2[b] = values[smaller], values[~smaller]
        going = going[(high[going] - low[going] > end[going]) & (f1[going] != f2[going])]
    x = np.select([f1 < f2, f1 > f2], [x1, x2], low + (high - low) / 2.0)
    valleys = [Valley(*found) for found in zip(x.tolist(), left.seen(), right.seen(), strict=True)]
    if len(tied):
        middle, near = x[tied], step * (upper - lower)[tied]
        asked = np.stack([middle - near, middle, middle + near])
        values = along(np.tile(tied, 3), asked.ravel()).reshape(3, -1)
        ends = (values[1] <= values[[0, 2]]).all(axis=0) & (values[1] <= f1[tied])
        for k, at, value in zip(tied[ends].tolist(), asked.T[ends], values.T[ends], strict=True):
            beside_left, beside_right = [(x1[k], f1[k]), (at[0], value[0])], [(x2[k], f2[k]), (at[2], value[2])]
            valleys[k] = Valley(float(at[1]), _seen(beside_left), _seen(beside_right))
        rest, is_right = tied[~ends], (values[2] < values[0])[~ends]
        if len(rest):
            low, high = np.where(is_right, x[rest], lower[rest]), np.where(is_right, upper[rest], x[rest])
            half = gss(lambda which, y: along(rest[which], y), low, high, 2.0 * precision, 2.0 * step)
            for k, valley in zip(rest.tolist(), half, strict=True):
                valleys[k] = valley
    return valleys


class _Side:
    """What the searches saw to be worse on one side, noted step by step."""

    def __init__(self, searches: int) -> None:
        self._noted = [(np.arange(0), np.empty(0), np.empty(0))]
        self._searches = searches

    def note(self, which: IntArray, x: Array, value: Array) -> None:
        self._noted.append((which, x, value))

    def seen(self) -> list[Seen]:
        """What each search saw, in the order in which it did."""
        which, x, value = (np.concatenate(column) for column in zip(*self._noted, strict=True))
        order = np.argsort(which, kind="stable")
        ends = np.searchsorted(which[order], np.arange(1, self._searches))
        columns = np.split(x[order], ends), np.split(value[order], ends)
        return [Seen(*column) for column in zip(*columns, strict=True)]


def _seen(points: list[tuple[float, float]]) -> Seen:
    return Seen(np.array([x for x, _ in points]), np.array([value for _, value in points]))
