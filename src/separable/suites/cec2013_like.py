"""CEC'2013-like: our own instances of the structure of CEC'2013 LSGO, at any dimension, from no files.

The functions are those of `cec2013`, number by number. What its data files hold is drawn at random here, and the
sizes of the groups grow with the dimension: at 1000 (f13, f14: 905) they are those of `cec2013`, elsewhere the
same shares of it, rounded. Windows that overlap share one variable in 181, and one at least. The shift is uniform
in 0.8 of the box, a rotation the orthogonal factor of a Gaussian matrix, one for each size of groups, a weight 10
to the power of 3 N(0, 1). Values are not comparable with those of the official suite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from separable.suites import terms as t
from separable.suites.blocks import BOUND
from separable.suites.cec2013 import DIM, OVERLAP, OVERLAPPING_DIM, SHAPES, Shape, build
from separable.suites.cec2013_data import Data

if TYPE_CHECKING:
    from separable.problems import Problem

LEAST_DIM = 80  # the smallest groups are of two then


def problem(function: int, dim: int, instance: int) -> Problem:
    """One function of the suite; all that is random in it comes from (3, function, dim, instance)."""
    shape = SHAPES[function]
    overlap = max(1, round(dim * OVERLAP / OVERLAPPING_DIM)) if shape.overlapping else 0
    data = draw(shape, dim, overlap, np.random.default_rng([3, function, dim, instance]))
    return build(f"cec2013-like/f{function}", shape, overlap, data)


def draw(shape: Shape, dim: int, overlap: int, rng: np.random.Generator) -> Data:
    """The shift o, the permutation P, rotations by size, weights, drawn in this order."""
    count = len(shape.sizes)
    total = dim + overlap * max(0, count - 1)  # with what is shared counted twice
    ends = np.round(np.cumsum((0, *shape.sizes)) * total / DIM).astype(int)
    sizes = tuple(np.diff(ends).tolist())
    bound = 0.8 * BOUND[shape.basis]
    shift = rng.uniform(-bound, bound, total if shape.conflicting else dim)
    if not count:
        return Data(shift, np.arange(dim), (), np.empty(0), {})
    permutation = rng.permutation(dim)
    rotations = {size: t.random_rotation(size, rng) for size in sorted(set(sizes))}
    return Data(shift, permutation, sizes, 10.0 ** rng.normal(0.0, 3.0, count), rotations)
