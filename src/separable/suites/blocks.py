"""What the suites of the CEC are made of: six basis functions and three transforms, on blocks of variables.

A basis function of n' variables z_0, ..., z_{n'-1} knows each by its ramp r_i = i / (n' - 1):

    sphere      sum z_i^2
    elliptic    sum 10^(6 r_i) z_i^2
    rastrigin   sum (z_i^2 - 10 cos 2 pi z_i + 10)
    ackley      -20 exp(-0.2 sqrt(mean z_i^2)) - exp(mean cos 2 pi z_i) + 20 + e
    schwefel    sum over j of (z_0 + ... + z_j)^2
    rosenbrock  sum 100 (z_i^2 - z_{i+1})^2 + (z_i - 1)^2, least at 1

The transforms make them irregular and lopsided, and leave 0 where it is:

    T_osz   sign(z) exp(h + 0.049 (sin c1 h + sin c2 h)), h = ln|z|; c1, c2 = 10, 7.9 for z > 0, else 5.5, 3.1
    T_asy   z_i^(1 + 0.2 r_i sqrt z_i) where z_i > 0
    Lambda  10^(r_i / 2) z_i

Where the truth is told: sphere, elliptic and rastrigin of unrotated variables are additively separable. So is
ackley separable, but not additively, and it counts as composite. (Its minimum in a variable stays where it is; the
order of other values may change with the rest, since it weighs z^2 against the cosine.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from separable.decomposition import Decomposition
from separable.problems import Problem
from separable.suites import terms as t

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from separable.problems import Array, IntArray

BOUND = {"elliptic": 100.0, "rastrigin": 5.0, "ackley": 32.0, "schwefel": 100.0, "rosenbrock": 100.0}  # of the box
TINY = 1e-300  # added to |z|, so that 0 has a logarithm; what becomes of it is 0 when squared


def _squares(y: Array, _: Array) -> Array:
    return y * y


def _stretched_squares(y: Array, ramp: Array) -> Array:
    value = y * y
    value *= 10.0 ** (6.0 * ramp)
    return value


def _waves(y: Array, _: Array) -> Array:
    return t.waves(y)


def _squares_and_ripples(y: Array, _: Array) -> Array:
    """z^2 and 10 (1 - cos 2 pi z), two sums."""
    value = np.empty((2, *y.shape))
    np.multiply(y, y, out=value[0])
    value[1] = t.ripples(y)
    return value


def _ackley(count: int, total: Array) -> Array:
    """Ackley from its two sums over `count` variables, without cancellation near its minimum 0."""
    squares, ripples = total
    value: Array = -20.0 * np.expm1(-0.2 * np.sqrt(squares / count))
    value -= math.e * np.expm1(ripples / (-10.0 * count))
    return value


# what each variable adds, from y (..., n') and the ramp; and what is made of the sum over n' variables
SUMMED: dict[str, Callable[[Array, Array], Array]] = {
    "sphere": _squares,
    "elliptic": _stretched_squares,
    "rastrigin": _waves,
    "ackley": _squares_and_ripples,
}
OUTER: dict[str, Callable[[int, Array], Array]] = {"ackley": _ackley}
CHAINED: dict[str, t.Inner] = {"schwefel": t.schwefel, "rosenbrock": t.rosenbrock}
ASYMMETRIC = {"rastrigin", "ackley", "schwefel"}  # those that come with T_asy where there are transforms
SCALED = {"rastrigin", "ackley"}  # and with Lambda


@cache
def ramp(size: int) -> Array:
    """r_i = i / (n' - 1)."""
    its: Array = np.arange(size) / max(1, size - 1)
    its.setflags(write=False)  # one for all
    return its


def warp(basis: str, z: Array, its: Array) -> Array:
    """T_osz of z (..., n'), then those of T_asy and Lambda that belong to the basis function; `its` ramp.

    >>> warp("rastrigin", np.array([-1.0, 0.0, 1.0]), ramp(3)).round(3)
    array([-1.   ,  0.   ,  3.162])
    """
    positive = (z > 0.0).astype(float)
    h = np.abs(z)
    h += TINY
    np.log(h, out=h)
    turns = np.empty((2, *z.shape))  # c1 h and c2 h less a quarter turn, so that the sines are cosines
    for k, (above, below) in enumerate(((10.0, 5.5), (7.9, 3.1))):
        np.multiply(positive, (above - below) / (2.0 * math.pi), out=turns[k])
        turns[k] += below / (2.0 * math.pi)
        turns[k] *= h
    turns -= 0.25
    ripples = t.ripples(turns)  # 10 (1 - sine)
    ripples[0] += ripples[1]
    ripples[0] -= 20.0
    ripples[0] *= -0.0049
    h += ripples[0]  # the logarithm of T_osz
    if basis in ASYMMETRIC:
        power = np.exp(0.5 * h)
        power *= positive
        power *= 0.2 * its
        power += 1.0
        h *= power
    y: Array = np.exp(h, out=h)
    if basis in SCALED:
        y *= 10.0 ** (0.5 * its)
    return np.copysign(y, z, out=y)


def plain(basis: str) -> str:
    """The basis function of the separable variables beside groups of this one."""
    return "sphere" if basis in CHAINED else basis


def separable(basis: str, variables: IntArray, *, warped: bool = False) -> t.Term:
    """A basis function of these variables, in this order, as a term of blocks of one variable each."""
    outer = partial(OUTER[basis], len(variables)) if basis in OUTER else None
    return t.Term(variables.reshape(-1, 1), partial(_single, basis, ramp(len(variables)), warped), outer)


def _single(basis: str, ramp: Array, warped: bool, z: Array, blocks: IntArray) -> Array:
    its = ramp[blocks]
    return SUMMED[basis](warp(basis, z[:, :, 0], its) if warped else z[:, :, 0], its)


@dataclass(frozen=True, eq=False)
class Blocks:
    """An inner function of blocks of one size: weight * basis(transforms((z - its own shift) * rotation)).

    Args:
        basis: its name.
        rotation: one matrix for all blocks, which stand as row vectors before it.
        weights: one a block.
        shift: of the blocks' own, (blocks, size).
        warped: whether the basis function comes with its transforms.
    """

    basis: str
    rotation: Array | None = None
    weights: Array | None = None
    shift: Array | None = None
    warped: bool = False

    def __call__(self, z: Array, blocks: IntArray) -> Array:
        """Their values, (m, blocks)."""
        if self.shift is not None:
            z = z - self.shift[blocks]
        if self.rotation is not None:
            z = t.rotate(z, self.rotation)
        its = ramp(z.shape[2])
        if self.warped:
            z = warp(self.basis, z, its)
        if self.basis in CHAINED:
            value = CHAINED[self.basis](z, blocks)
        else:
            value = SUMMED[self.basis](z, its).sum(axis=-1)
        if self.basis in OUTER:
            value = OUTER[self.basis](z.shape[2], value)
        if self.weights is not None:
            value *= self.weights[blocks]
        return value


def assemble(
    name: str,
    basis: str,
    sum_of: Sequence[t.Term],
    shift: Array,
    *,
    minimizer: Array | None = None,
    rest: IntArray | None = None,
    groups: Iterable[IntArray] = (),
    windows: Iterable[IntArray] = (),
) -> Problem:
    """The problem that is the sum of the terms.

    Args:
        name: its own.
        basis: its basis function, which decides about the box, and about what its separable variables are.
        sum_of: the terms.
        shift: o.
        minimizer: where the value is 0, if that is known.
        rest: the separable variables.
        groups: the others.
        windows: instead of these two, groups that overlap, each the next: the truth is one group of all.
    """
    fun = t.Sum(sum_of, shift)
    bound = np.full(len(shift), BOUND[basis])
    direct = tuple(tuple(window.tolist()) for window in windows)
    variables = () if rest is None else tuple(rest.tolist())
    additive, composite = ((), variables) if basis in OUTER else (variables, ())
    return Problem(
        name=name,
        fun=fun,
        lower=-bound,
        upper=bound,
        vectorized=True,
        optimum=None if minimizer is None else 0.0,
        minimizer=minimizer,
        truth=Decomposition(
            len(shift),
            additive=additive,
            composite=composite,
            groups=(tuple(range(len(shift))),) if direct else tuple(tuple(group.tolist()) for group in groups),
            method="truth",
        ),
        windows=direct,
        partial=fun.restrict,
    )
