"""Which representatives an item reacts to, told by a code: all of them move at once, each by its own share.

The rows of the code are 1, z, random, z^2, random. The response of an item that reacts to g alone is c times the
code of g; of one that reacts to g and h it is the sum of two such terms. Steps are small, so that responses are
linear; how far from it they are is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from separable.decomposers.curves.effects import Pair
    from separable.problems import Array, IntArray, Mask

Z_RANGE = 0.4, 1.0  # of |z|
VERIFIED = 0.005  # of the response to the weaker of two neighbours, to which it must be met
BENT = 8  # items that tell how far from linear responses are
CHANCE = 0.05  # wrong matches to be expected in one round of codes


@dataclass
class Representatives:
    """R: items, how far each moves in row p of the code, and f with all of them moved."""

    pair: Pair
    items: list[IntArray]
    steps: list[float]
    code: Array

    def row(
        self, p: int, items: list[IntArray], effects: Array, which: IntArray, *, stretch: float = 1.0
    ) -> Array:
        """The responses of these items where all representatives have moved by their steps in row p."""
        if not len(which):
            return np.empty(0)
        pair = self.pair
        x, way = pair.a.copy(), pair.b - pair.a
        for item, step, share in zip(self.items, self.steps, self.code[p], strict=True):
            x[item] += stretch * step * share * way[item]
        (value,) = pair.f(x[None]).tolist()
        return pair.of_items([items[i] for i in which], x, value) - effects[which]


def decode(
    r: Representatives,
    items: list[IntArray],
    effects: Array,
    responses: Array,
    seen: IntArray,
    bend: float,
    unknown: IntArray,
) -> tuple[list[tuple[int, int]], IntArray]:
    """Neighbours by the code: pairs of an item and a representative; and the items that it leaves open.

    `responses` are those while R grew, when it had `seen` members: row 0, but of a part of R perhaps. A match is
    believed if it is the only one, and fewer than CHANCE are to be expected of items that have other neighbours.
    """
    pair, count = r.pair, len(r.items)
    limit = pair.limit(4)
    links: list[tuple[int, int]] = []

    def take(which: IntArray, *representatives: IntArray) -> None:
        for g in representatives:
            links.extend(zip(which.tolist(), g.tolist(), strict=True))

    rows = responses[None, unknown]
    for p in range(1, len(r.code)):
        if not len(unknown):
            break
        rows = np.concatenate([rows, r.row(p, items, effects, unknown)[None]])
        code, before = r.code[: p + 1], seen[unknown]
        error = _error(np.abs(rows).max(axis=0), limit, bend)
        g, fits, others = _one_neighbour(code, rows, before, error)
        chance = count * error**p  # that what has other neighbours matches one
        fits &= (1 + others) * chance < CHANCE
        take(unknown[fits], g[fits])
        if p >= 3:
            g, h, two = _two_neighbours(code, rows, before, error)
            two &= ~fits & (len(unknown) * count * chance / error < CHANCE)
            take(unknown[two], g[two], h[two])
            fits |= two
        unknown, rows = unknown[~fits], rows[:, ~fits]
    return links, unknown


def code_of(count: int, rng: np.random.Generator) -> Array:
    """How far each of so many representatives moves, a row a time: 1, z, random, z^2, random.

    The z stand apart, but not evenly: among few numbers in equal steps one is often the mean of two others.
    """
    low, high = Z_RANGE
    sizes = low + (high - low) * (np.arange(count) + rng.uniform(0.2, 0.8, count)) / count
    z = rng.permutation(sizes * np.where(np.arange(count) % 2, -1.0, 1.0))
    one, other = rng.uniform(low, high, (2, count)) * rng.choice([-1.0, 1.0], (2, count))
    return np.stack([np.ones(count), z, one, z * z, other])


def curvature(r: Representatives, items: list[IntArray], effects: Array, unknown: IntArray) -> float:
    """How far from linear responses are: the relative error of some when all steps are twice as large."""
    few = unknown[:: max(1, len(unknown) // BENT)][:BENT]
    once, twice = r.row(0, items, effects, few), r.row(0, items, effects, few, stretch=2.0)
    return float(np.median(np.abs(twice / 2.0 - once)) / np.median(np.abs(once)))


def _error(response: Array, limit: float, bend: float) -> Array:
    """The relative error of responses of this size: noise, and what is not linear in a small step."""
    size = np.maximum(np.abs(response), 1e-300)
    error: Array = 2.0 * limit / size + 4.0 * bend * np.maximum(1.0, np.median(size) / size)
    return np.minimum(1.0, error)


def _one_neighbour(code: Array, rows: Array, seen: IntArray, error: Array) -> tuple[IntArray, Mask, int]:
    """Responses c times the code of one representative: which, whether it is the only one; how many match none."""
    ratio = rows[1:] / np.where(rows[0] == 0.0, 1e-300, rows[0])
    near = (np.abs(ratio[:, None] - code[1:, :, None]) <= error).all(axis=0)
    near &= np.arange(code.shape[1])[:, None] < seen
    matches = near.sum(axis=0)
    return np.argmax(near, axis=0), matches == 1, int(np.count_nonzero(matches == 0))


def _two_neighbours(code: Array, rows: Array, seen: IntArray, error: Array) -> tuple[IntArray, IntArray, Mask]:
    """Responses c code_g + c' code_h: g and h, and whether they are the only ones.

    g was in R when the item was asked about it. For every g the rows 1, z, z^2 say which z_h it would take; if h
    was in R as well, the response to R was c + c', otherwise c alone. The other rows verify it.
    """
    z, everyone = code[1], np.arange(code.shape[1])
    m0, m1, m2 = (rows[p][:, None] for p in (0, 1, 3))  # (items, 1)
    order = np.argsort(z)
    borders = (z[order][1:] + z[order][:-1]) / 2.0
    best: list[tuple[IntArray, Mask]] = []
    for early in (True, False):
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = m1 - z * m0
            implied = (m2 - z * m1) / rest if early else (m2 - z * z * m0) / rest
            h = order[np.searchsorted(borders, np.nan_to_num(implied, nan=9.0))]  # (items, g)
            second = rest / (z[h] - z) if early else rest / z[h]
            first = m0 - second if early else np.broadcast_to(m0, second.shape)
            misses = [
                np.abs(first * row + second * row[h] - m[:, None])
                for row, m in zip(code[2:], rows[2:], strict=True)
            ]
            # what is bent looks like a second neighbour: the other rows must be met by it, not in spite of it
            weak = np.minimum(np.abs(first), np.abs(second))
            near = np.minimum((error * np.abs(rows).max(axis=0))[:, None], VERIFIED * weak)
            fits = np.max(misses, axis=0) <= near
        fits &= (everyone < seen[:, None]) & ((h < seen[:, None]) == early) & (h != everyone)
        best.append((h, fits))
    (h, fits), (late_h, late_fits) = best
    only_late = ~fits.any(axis=1)
    unique = ~(fits.any(axis=1) & late_fits.any(axis=1))
    h[only_late], fits[only_late] = late_h[only_late], late_fits[only_late]
    g, k = np.argmax(fits, axis=1), np.arange(len(fits))
    same = (everyone == g[:, None]) | (everyone == h[k, g][:, None])
    return g, h[k, g], unique & fits.any(axis=1) & ~(fits & ~same).any(axis=1)
