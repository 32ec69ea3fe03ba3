"""How much of a value is noise: the rounding of f, or worse.

sigma, the standard deviation of one value, comes from values so close together that whatever is smooth in f
cancels in their differences of high order (Hamming's table of differences). Every threshold of the method is a
multiple of it: a sum of q values has a standard deviation of sigma sqrt(q).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from separable.evaluator import Evaluator
    from separable.problems import Array

POINTS = 7  # on a line
ORDERS = range(3, 7)  # of the differences; a rough f still shows its curvature in those of order 2
REACH = 1e-11  # from one point to the next, as a share of the box,
FARTHER = 1e-7  # and again, where values do not change at all: they may have been rounded to few digits
FLOOR = 0.3  # of the distance between neighbouring numbers: what rounding the value itself does
SUSPECT = 16.0  # of that distance: more than rounding does,
ANYWHERE = 1.0  # nor of the distance where f has another value


class Noise(NamedTuple):
    """A point, its coordinates a little rounded; f there; sigma; whether that is more than what rounding does."""

    x: Array
    value: float
    sigma: float
    is_more_than_rounding: bool


def estimate(f: Evaluator, base: Array, rng: np.random.Generator) -> Noise:
    """The noise of f at a point.

    Args:
        f, rng: see `decomposers`.
        base: well inside the box.
    """
    x, values = _sample(f, base, rng, POINTS, REACH)
    value, sigma = float(values[0]), sigma_of(values)
    if not np.ptp(values):  # few digits, or a plateau
        sigma = max(sigma, sigma_of(_sample(f, base, rng, POINTS, FARTHER)[1]))
    (elsewhere,) = f(rng.uniform(f.problem.lower, f.problem.upper)[None]).tolist()
    # what f is made of may cancel at one point
    rounding = max(SUSPECT * float(np.spacing(abs(value))), ANYWHERE * float(np.spacing(abs(elsewhere))))
    if sigma <= rounding:
        return Noise(x, value, sigma, is_more_than_rounding=False)
    again = sigma_of(_sample(f, base, rng, 6 * POINTS, REACH)[1])  # the level is worth more points
    sigma = again if again > rounding else sigma
    return Noise(x, value, sigma, is_more_than_rounding=sigma > rounding)


def _sample(f: Evaluator, base: Array, rng: np.random.Generator, count: int, reach: float) -> tuple[Array, Array]:
    """So many points on a line, the first of them near the base; that one, and f at all of them."""
    lower, upper = f.problem.lower, f.problem.upper
    coarse = np.spacing(np.maximum(np.abs(lower), np.abs(upper)))
    h = np.maximum(2.0 ** np.floor(np.log2(reach * (upper - lower))), coarse)
    x = np.round(base / h) * h  # so that all points of the line are numbers exactly
    values = f(x + np.arange(count)[:, None] * h * rng.choice([-1.0, 1.0], f.problem.dim))
    return x, values


def sigma_of(values: Array) -> float:
    """The standard deviation of the noise in equidistant values of a smooth function.

    >>> x = np.linspace(0.0, 0.01, 99)
    >>> noise = 1e-6 * np.random.default_rng(0).standard_normal(99)
    >>> round(sigma_of(np.exp(x) + noise) * 1e6, 1)
    1.0
    """
    largest = float(np.abs(values).max())
    levels = [FLOOR * float(np.spacing(largest))]
    for k in ORDERS if largest else ():
        differences = np.diff(values / largest, k)  # squares of large values overflow
        levels.append(largest * math.sqrt(float(np.mean(differences**2)) / math.comb(2 * k, k)))
    return max(levels)
