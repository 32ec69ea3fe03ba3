"""Suite functions as sums of terms, so that a restricted evaluation recomputes only what its group touches.

A term is `weight * outer(sum over blocks of inner(block))`. A block is a row of variables: one variable each for
a separable basis function, fifty for a rotated group, all of them for a chain.

Inner functions take z (m, blocks, size) and the numbers of the blocks in it, and return (m, blocks), or
(k, m, blocks) for an outer function of k sums. They compute every point by itself: a value does not depend, to the
bit, on the batch it came in. They are functions of a module with their constants bound by `partial`, not closures,
so that a problem can be sent to worker processes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.problems import Array, IntArray

    Inner = Callable[[Array, IntArray], Array]
    Outer = Callable[[Array], Array]

CACHE_ELEMENTS = 2**16  # numbers in a slab of points: small enough that all its temporaries stay in the cache
TILE = 8  # rows of one matrix product; all kernels of OpenBLAS treat the rows of 8, 16 or 24 alike, not of 25
SMALL_BATCH = 64  # points of a batch that is so small that every call of NumPy counts

# The allocator of glibc gives the memory of every temporary back to the system, and takes it anew, page by page,
# three times as slow, until it has seen one block freed that is larger than all of them. This is one; nothing
# touches it, so it costs nothing.
np.empty(2**21)


@dataclass(frozen=True, eq=False)
class Term:
    """`weight * outer(sum over blocks of inner(x[block] - shift[block]))`; outer None is the identity."""

    variables: IntArray  # (blocks, size)
    inner: Inner
    outer: Outer | None = None
    weight: float = 1.0
    _every: IntArray = field(init=False)
    _flat: IntArray = field(init=False)
    _in_order: bool = field(init=False)

    def __post_init__(self) -> None:
        flat = self.variables.ravel()
        object.__setattr__(self, "_every", np.arange(len(self.variables)))
        object.__setattr__(self, "_flat", flat)
        object.__setattr__(self, "_in_order", np.array_equal(flat, np.arange(len(flat))))

    def inner_of(self, z: Array) -> Array:
        """The inner function of every block, from z (m, n).

        The blocks are put side by side in memory first: sums then add in one order for any m.
        """
        all_in_order = self._in_order and len(self._flat) == z.shape[1]
        blocks = z if all_in_order else z.take(self._flat, axis=1)
        return self.inner(blocks.reshape(len(z), *self.variables.shape), self._every)

    def finish(self, total: Array) -> Array:
        """From the sum over the blocks to the value of the term."""
        value = total if self.outer is None else self.outer(total)
        return value if self.weight == 1.0 else self.weight * value


class Sum:
    """The sum of terms of x - shift: a vectorized function that knows how to restrict itself."""

    def __init__(self, terms: Sequence[Term], shift: Array) -> None:
        self.terms = tuple(terms)
        self.shift = shift

    def __call__(self, points: Array) -> Array:
        """Values at points (m, n)."""
        rows = max(1, CACHE_ELEMENTS // points.shape[1])
        if len(points) <= rows:
            return self._slab(points)
        return np.concatenate([self._slab(points[start : start + rows]) for start in range(0, len(points), rows)])

    def _slab(self, points: Array) -> Array:
        z = points - self.shift
        value = np.zeros(len(points))
        for term in self.terms:
            value += term.finish(np.add.reduce(term.inner_of(z), axis=-1))
        return value

    def restrict(self, context: Array, group: IntArray) -> Callable[[Array], Array]:
        """The function of the group's variables, all others at `context`; see `Problem.partial`."""
        z = context - self.shift
        place = np.full(len(context), -1)
        place[group] = np.arange(len(group))
        constant = 0.0
        touched = []
        for term in self.terms:
            blocks = np.flatnonzero((place[term.variables] >= 0).any(axis=1))
            fixed = term.inner_of(z[None])
            if blocks.size == 0:
                constant += float(term.finish(fixed.sum(axis=-1))[0])
            else:
                fixed[..., blocks] = 0.0
                touched.append(_Touched(term, blocks, fixed.sum(axis=-1), z, place))
                constant += touched[-1].apart
        shift = np.tile(self.shift[group], (SMALL_BATCH, 1))  # a row a point: faster than one row for all

        def restricted(points: Array) -> Array:
            y = points - (shift[: len(points)] if len(points) <= SMALL_BATCH else shift[0])
            value = touched[0](y)
            for part in touched[1:]:
                value += part(y)
            value += constant
            return value

        return restricted


class _Touched:
    """A term of which the group moves some blocks: they are recomputed, the other blocks are a number."""

    def __init__(self, term: Term, blocks: IntArray, rest: Array, z: Array, place: IntArray) -> None:
        variables = term.variables[blocks]
        plain = term.outer is None and term.weight == 1.0
        self.term, self.blocks = term, blocks
        self.finish = None if plain else term.finish
        self.rest = rest  # the sum over the other blocks
        self.apart = float(rest[0]) if plain else 0.0  # what of it may be added at the very end
        self.shape = variables.shape
        self.source = place[variables.ravel()]  # where in the group's array each entry is found, -1: it is fixed
        self.moving = np.flatnonzero(self.source >= 0)
        self.whole = len(self.moving) == self.source.size
        self.in_order = self.whole and bool((self.source == np.arange(self.source.size)).all())
        self.fixed = z[variables.ravel()]

    def __call__(self, y: Array) -> Array:
        if self.in_order and y.shape[1] == self.source.size:
            block = y
        elif self.whole:
            block = y.take(self.source, axis=1)
        else:
            block = np.repeat(self.fixed[None, :], len(y), axis=0)
            block[:, self.moving] = y[:, self.source[self.moving]]
        each = self.term.inner(block.reshape(len(y), *self.shape), self.blocks)
        total = each[..., 0] if self.shape[0] == 1 else np.add.reduce(each, axis=-1)
        if self.finish is None:
            return total
        total += self.rest
        return self.finish(total)


# --- inner functions of one variable ---


def sphere(z: Array, _: IntArray) -> Array:
    """z^2."""
    z = z[:, :, 0]
    return z * z


def absolute(z: Array, _: IntArray) -> Array:
    """|z|."""
    return np.abs(z[:, :, 0])


def rastrigin(z: Array, _: IntArray) -> Array:
    """z^2 - 10 cos 2 pi z + 10."""
    return waves(z[:, :, 0])


def log_sphere(z: Array, _: IntArray) -> Array:
    """ln(1 + z^2), the factor of a product in logarithms."""
    z = z[:, :, 0]
    return np.log1p(z * z)


def log_rastrigin(z: Array, _: IntArray) -> Array:
    """ln(1 + rastrigin), likewise."""
    return np.log1p(waves(z[:, :, 0]))


def elliptic(count: int) -> Inner:
    """10^(6 i / (count - 1)) z^2 for the i-th of `count` variables."""
    return partial(_scaled_sphere, 10.0 ** (6.0 * np.arange(count) / (count - 1)))


def _scaled_sphere(scale: Array, z: Array, blocks: IntArray) -> Array:
    return scale[blocks] * sphere(z, blocks)


# --- inner functions of a block ---


def schwefel(z: Array, _: IntArray) -> Array:
    """Schwefel 1.2: the sum over j of (z_0 + ... + z_j)^2."""
    return _square(z.cumsum(axis=2))


def rosenbrock(z: Array, _: IntArray) -> Array:
    """Rosenbrock: the chain of 100 (z_i^2 - z_{i+1})^2 + (z_i - 1)^2; its minimum is at 1."""
    step = z * z
    along, ahead = step.reshape(-1), z.reshape(-1)[1:]
    along[:-1] -= ahead  # straight through memory, as it is fastest; what the last of a block gets is no step
    step[..., -1] = 0.0
    value = _square(step)
    value *= 100.0
    np.subtract(z, 1.0, out=step)
    step[..., -1] = 0.0
    value += _square(step)
    return value


def rotated_rastrigin(rotation: Array) -> Inner:
    """Rastrigin of the block as a row vector times `rotation`."""
    return partial(_rotated_waves, rotation)


def _rotated_waves(rotation: Array, z: Array, _: IntArray) -> Array:
    value: Array = np.add.reduce(waves(rotate(z, rotation)), axis=2)
    return value


def logarithm(inner: Inner) -> Inner:
    """ln(1 + inner), to join the blocks of a product."""
    return partial(_log_of, inner)


def _log_of(inner: Inner, z: Array, blocks: IntArray) -> Array:
    return np.log1p(inner(z, blocks))


# --- outer functions ---


def exp_mean(count: int) -> Outer:
    """exp(sum / count): the product of `count` factors, scaled so that it cannot overflow."""
    return partial(_exp_of_share, count)


def _exp_of_share(count: int, total: Array) -> Array:
    return np.exp(total / count)


def ten_log(total: Array) -> Array:
    """10 ln(1 + sum)."""
    return 10.0 * np.log1p(total)


# --- helps ---


def rotate(z: Array, rotation: Array) -> Array:
    """Every block of z (m, blocks, size) times `rotation`.

    Matrix products of different heights add in different orders. So they are all made TILE rows high, and a
    point gets the same bits in whatever batch it comes.
    """
    rows, size = z.shape[0] * z.shape[1], z.shape[2]
    tiled = z
    if rows % TILE:
        tiled = np.zeros((rows + -rows % TILE, size))
        tiled[:rows] = z.reshape(rows, size)
    product: Array = np.matmul(tiled.reshape(-1, TILE, size), rotation)
    return product.reshape(-1, size)[:rows].reshape(z.shape)


def _square(y: Array) -> Array:
    """The sum of y^2 over the last axis, of each row by itself."""
    value: Array = np.matmul(y[..., None, :], y[..., :, None])[..., 0, 0]
    return value


def random_rotation(size: int, rng: np.random.Generator) -> Array:
    """The orthogonal factor of a Gaussian matrix."""
    return np.linalg.qr(rng.standard_normal((size, size)))[0]


# 80^(1/4) sin(pi t / 2) / t in powers of t^2, interpolated at Chebyshev's points for |t| <= 1/2, exact to 4e-18
HALF_WAVE = tuple(
    np.array(coefficient)  # NumPy adds an array without dimensions faster than a number
    for coefficient in (
        *(4.697776745639038, -1.9318832518372562, 0.23833654305867732, -0.014001710671546982),
        *(0.0004798309584401306, -1.0762453903863886e-05, 1.6849392027407384e-07),
    )
)
SQRT_80 = np.array(math.sqrt(80.0))


def waves(z: Array) -> Array:
    """z^2 - 10 cos 2 pi z + 10."""
    v = ripples(z)
    v += z * z
    return v


def ripples(z: Array) -> Array:
    """10 (1 - cos 2 pi z), two to four times as fast as with a cosine, and more exact.

    It is v (sqrt 80 - v) with v = sqrt 80 sin^2 (pi t / 2), t the distance to the nearest whole number.
    """
    w = np.rint(z)
    np.subtract(z, w, out=w)
    w *= w
    v = HALF_WAVE[-1] * w
    for coefficient in HALF_WAVE[-2:0:-1]:
        v += coefficient
        v *= w
    v += HALF_WAVE[0]
    v *= v
    v *= w
    np.subtract(SQRT_80, v, out=w)
    v *= w
    return v
