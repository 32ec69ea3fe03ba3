"""Blocks: variables whose effects lie on one curve, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from separable import decomposition
from separable.decomposers.curves import fit

if TYPE_CHECKING:
    from separable.decomposers.curves.effects import Pair
    from separable.problems import Array, IntArray

ALPHA = 1e-2  # variables of groups that may lie on a curve by chance, in one run
NEAREST = 5  # the density of the left-over points at a curve is that of so many nearest ones
AS_WELL = 1.5  # times as far from a product's curve as from the block's own: then it is a product
WITNESSES = 4  # members that a block needs for each coefficient of its curve, to be sure of


@dataclass
class Block:
    """Variables on one curve; `chance`: how probable it is, of each, that a left-over would lie there too."""

    members: IntArray
    curve: fit.Curve
    is_product: bool = False
    chance: Array = field(default_factory=lambda: np.empty(0))

    @property
    def is_witnessed(self) -> bool:
        """Whether it has members enough to be sure of."""
        return len(self.members) >= WITNESSES * self.curve.coefficients

    def described(self) -> decomposition.Block:
        """The block as a value for the user."""
        kind = "multiplicative" if self.is_product else "composite"
        curve = self.curve
        return decomposition.Block(tuple(self.members), kind, curve.scale, tuple(curve.top), tuple(curve.bottom))


def find(
    pair: Pair, variables: IntArray, d: Array, dd: Array, rng: np.random.Generator
) -> tuple[list[Block], IntArray]:
    """The blocks among these variables, and what is left; d and d' of all variables, n each."""
    blocks: list[Block] = []
    moves = (d[variables] != 0.0) & (dd[variables] != 0.0)  # the others say nothing of a curve
    left, none = variables[moves], variables[~moves]
    while True:
        x, y, s = _points(pair, left, d, dd)
        found = fit.find(x, y, s, pair.z, rng)
        if found is None:
            return blocks, np.concatenate([left, none])
        curve, members = found
        blocks.append(Block(left[members], curve))
        left = left[~members]


def set_chances(pair: Pair, block: Block, left: IntArray, d: Array, dd: Array) -> None:
    """How probable it is that a variable that belongs elsewhere lies where each member of the block does."""
    x, _, s = _points(pair, block.members, d, dd)
    u, v, _ = _points(pair, left[d[left] != 0.0], d, dd)
    block.chance = chance(np.abs(block.curve(u) - v), fit.tolerance(block.curve, x, s, pair.z))


def chance_of_additive(pair: Pair, additive: IntArray, left: IntArray, d: Array, dd: Array) -> Array:
    """The same for additive variables, whose curve is d' = d."""
    _, v, _ = _points(pair, left[d[left] != 0.0], d, dd)
    limit = pair.limit(4)
    return chance(np.abs(v - 1.0), limit / np.maximum(np.abs(d[additive]), 1e-9 * limit + 1e-300))


def chance(distances: Array, within: Array) -> Array:
    """The share of the left-over points, whose distances from a curve these are, so near to it.

    Where there are hardly any, they are as dense as the nearest ones.

    >>> chance(np.arange(1.0, 101.0), np.array([50.0, 0.5, 1e-6]))
    array([5.e-01, 5.e-03, 1.e-08])
    """
    distances = np.sort(distances[np.isfinite(distances)])
    count = len(distances)
    if not count:
        return np.zeros(len(within))
    nearest = min(NEAREST, count)
    share = np.searchsorted(distances, within, side="right") / count
    thin = within / max(float(distances[nearest - 1]), 1e-300) * nearest / count
    return np.minimum(1.0, np.where(share * count >= nearest, share, thin))


def is_a_product(pair: Pair, block: Block, d: Array, dd: Array) -> bool:
    """Whether the block is a product: y = k / (1 + d / A), so 1 / y is linear in d, as well as its curve fits."""
    x, y, s = _points(pair, block.members, d, dd)
    columns = np.stack([np.ones_like(x), x], axis=1)
    w = y * y / s  # one over the standard deviation of 1 / y
    line = np.linalg.lstsq(columns * w[:, None], w / y, rcond=None)[0]
    misses, of_curve = (columns @ line - 1.0 / y) * w, (block.curve(x) - y) / s
    return bool(np.median(np.abs(misses)) <= AS_WELL * np.median(np.abs(of_curve)))


def _points(pair: Pair, variables: IntArray, d: Array, dd: Array) -> tuple[Array, Array, Array]:
    x = d[variables]
    y = dd[variables] / x
    return x, y, pair.noise_of_ratio(x, y)
