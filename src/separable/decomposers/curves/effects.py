"""What a step of a variable, or of a set of them, does to f, in one context and in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from separable.decomposers.batches import chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray, Mask

SPLITS = 3  # at each place


@dataclass(frozen=True)
class Pair:
    """A base a, the point b to which variables are moved, f at both; sigma, and how many of it are too many."""

    f: Evaluator
    a: Array
    b: Array
    f_a: float
    f_b: float
    sigma: float
    z: float

    def limit(self, values: int, largest: float = 0.0) -> float:
        """How far from zero noise may bring a sum of so many values, the largest of which is such."""
        known = max(abs(self.f_a), abs(self.f_b))
        larger = max(1.0, abs(largest) / known) if known else 1.0
        return self.z * self.sigma * float(np.sqrt(values)) * larger

    def noise_of_ratio(self, d: Array, y: Array) -> Array:
        """The standard deviation of y = d' / d, two differences of two values each."""
        return 1.5 * self.sigma * np.sqrt(1.0 + y * y) / np.abs(d)

    def both(self, variables: IntArray) -> Iterator[tuple[IntArray, Array, Array]]:
        """D and d' of these variables: what the step from a_i to b_i does, all others at a; all others at b."""
        for chunk in chunks(variables, self.f, 2):
            k = np.arange(len(chunk))
            points = np.repeat(np.stack([self.a, self.b]), len(chunk), axis=0)
            points[k, chunk] = self.b[chunk]
            points[len(chunk) + k, chunk] = self.a[chunk]
            there, back = self.f(points).reshape(2, -1)
            yield chunk, there - self.f_a, self.f_b - back

    def of_items(self, items: Sequence[IntArray], context: Array, value: float) -> Array:
        """What it does to move each item, a set of variables, to b, all else as in a context; f there: `value`."""
        effects = [np.empty(0)]
        for chunk in chunks(items, self.f, 1):
            points = np.repeat(context[None], len(chunk), axis=0)
            row, column = np.repeat(np.arange(len(chunk)), [len(item) for item in chunk]), np.concatenate(chunk)
            points[row, column] = self.b[column]
            effects.append(self.f(points) - value)
        return np.concatenate(effects)


def is_additive(pair: Pair, d: Array, dd: Array) -> Mask:
    """Which variables do the same in both contexts, noise aside."""
    return np.abs(dd - d) <= pair.limit(4)


def are_additive(
    f: Evaluator,
    start: Array,
    value: float,
    variables: IntArray,
    places: int,
    noise: float,
    rng: np.random.Generator,
) -> bool:
    """Whether, however the variables are split in two, moving one part does the same wherever the other one is.

    Args:
        f, rng: see `decomposers`.
        start, value: a point, and f there.
        variables: what is split; all others stay.
        places: points to which they are moved, anywhere in the box and at its corners in turn; three splits each,
            seven evaluations. A pair that interacts there is parted by every second split. The first split that
            fails is the last.
        noise: how far from zero noise may bring a sum of four values like the first.
    """
    lower, upper = f.problem.lower, f.problem.upper
    for k in range(places):
        place = rng.uniform(lower, upper)
        if k % 2:
            place = np.where(place > (lower + upper) / 2.0, upper, lower)
        end = start.copy()
        end[variables] = place[variables]
        (there,) = f(end[None]).tolist()
        limit = noise * max(1.0, abs(there / value)) if value else noise
        for _ in range(SPLITS):
            part = variables[rng.random(len(variables)) < 0.5]
            points = np.stack([start, end])
            points[0, part], points[1, part] = end[part], start[part]
            if abs(f(points).sum() - value - there) > limit:
                return False
    return True
