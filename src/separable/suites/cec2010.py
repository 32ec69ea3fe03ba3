"""CEC'2010 LSGO: 20 functions of 1000 variables, from no files: the published generator gives the data anew.

K. Tang, X. Li, P. N. Suganthan, Z. Yang, T. Weise, "Benchmark Functions for the CEC'2010 Special Session and
Competition on Large-Scale Global Optimization", 2010. z = x - o; P is a permutation; a group is 50 entries of P in
a row; R a group as a row vector times the function's matrix M; b a basis function (see `blocks`), without the
transforms:

    f1-f3           b(z)                                                    all separable
    f4-f8           1e6 b(first group) + b or sphere(the other 950)
    f9-f13          sum of b over the first 10 groups + b or sphere(the other 500)
    f14-f18         sum of b over all 20 groups
    f19, f20        b(z)                                                    one group

elliptic, rastrigin and ackley groups are rotated. The minimum is 0, at o; in the variables of a rosenbrock at
o + 1.

The generator is the one of Java's `Random`, a 48-bit linear congruential one that starts from the number of the
function. It draws o from the last component to the first, then P, then M from its last row to its first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separable.suites import blocks as b
from separable.suites import terms as t

if TYPE_CHECKING:
    from separable.problems import Array, IntArray, Problem

DIM = 1000
GROUP = 50  # m, variables of a group
HEAVY = 1e6  # the weight of a single group
ROTATED = {"elliptic", "rastrigin", "ackley"}
SWAPS = 8001  # of the permutation


class Shape(NamedTuple):
    """What a function is made of."""

    basis: str
    groups: int  # of GROUP; 0 where there is no permutation


_PARTLY = ("elliptic", "rastrigin", "ackley", "schwefel", "rosenbrock")
SHAPES = {
    **{k: Shape(basis, 0) for k, basis in zip((1, 2, 3, 19, 20), _PARTLY, strict=True)},
    **{k: Shape(basis, 1) for k, basis in enumerate(_PARTLY, start=4)},
    **{k: Shape(basis, 10) for k, basis in enumerate(_PARTLY, start=9)},
    **{k: Shape(basis, 20) for k, basis in enumerate(_PARTLY, start=14)},
}


class Data(NamedTuple):
    """What the generator draws for one function."""

    shift: Array  # o
    permutation: IntArray  # P; the identity where there is none
    rotation: Array | None  # M


def problem(function: int, _dim: int = DIM, _instance: int = 0) -> Problem:
    """One function of the suite; there is one dimension, and one instance."""
    basis, count = SHAPES[function]
    shift, permutation, rotation = data(function)
    size, end = (GROUP, GROUP * count) if count else (DIM, DIM if basis in b.CHAINED else 0)
    head, rest = permutation[:end].reshape(-1, size), permutation[end:]
    sum_of = []
    if len(head):
        sum_of.append(t.Term(head, b.Blocks(basis, rotation), weight=HEAVY if count == 1 else 1.0))
    if len(rest):
        sum_of.append(b.separable(b.plain(basis), rest))
    minimizer = shift.copy()
    if basis == "rosenbrock":
        minimizer[head] += 1.0
    return b.assemble(f"cec2010/f{function}", basis, sum_of, shift, minimizer=minimizer, rest=rest, groups=head)


def describe(function: int) -> str:
    """What a function is made of, in words.

    >>> describe(4), describe(20)
    ('1e6 * rotated elliptic group + elliptic of the other 950', 'rosenbrock of all')
    """
    basis, count = SHAPES[function]
    if not count:
        return f"{basis} of all"
    group = f"{'rotated ' if basis in ROTATED else ''}{basis} group"
    head = f"1e6 * {group}" if count == 1 else f"{count} {group}s"
    rest = DIM - GROUP * count
    return head + (f" + {b.plain(basis)} of the other {rest}" if rest else "")


def data(function: int) -> Data:
    """o, P and M of one function, as the generator draws them."""
    basis, count = SHAPES[function]
    draw = Generator(function)
    shift = _shift(draw, b.BOUND[basis], b.BOUND[basis] - (basis == "rosenbrock"))
    permutation = _permutation(draw) if count else np.arange(DIM)
    return Data(shift, permutation, _rotation(draw) if count and basis in ROTATED else None)


def _shift(draw: Generator, bound: float, upper: float) -> Array:
    """Normal around the middle of [-bound, upper], half of its width as the deviation, redrawn outside."""
    shift = np.empty(DIM)
    for i in reversed(range(DIM)):
        shift[i] = math.inf
        while not -bound <= shift[i] <= upper:
            shift[i] = (upper - bound) / 2.0 + draw.gaussian() * (upper + bound) / 2.0
    return shift


def _permutation(draw: Generator) -> IntArray:
    permutation = np.arange(DIM)
    for _ in range(SWAPS):
        j = k = draw.below(DIM)
        while k == j:
            k = draw.below(DIM)
        permutation[[j, k]] = permutation[[k, j]]
    return permutation


def _rotation(draw: Generator) -> Array:
    """A Gaussian matrix, its rows made orthonormal from the last to the first."""
    rows = np.array([draw.gaussian() for _ in range(GROUP * GROUP)])[::-1].reshape(GROUP, GROUP).copy()
    for i in reversed(range(GROUP)):
        for j in range(GROUP - 1, i, -1):
            rows[i] -= _dot(rows[i], rows[j]) * rows[j]
        rows[i] /= math.sqrt(_dot(rows[i], rows[i]))
    return rows


def _dot(one: Array, other: Array) -> float:
    """Added in order, so that M is the same on every machine; an ulp is ten thousand times as large in f6's."""
    return float((one * other).cumsum()[-1])


class Generator:
    """The 48-bit linear congruential generator s <- (0x5DEECE66D s + 0xB) mod 2^48.

    >>> draw = Generator(1)
    >>> draw.below(1000), draw.below(1024)
    (374, 749)
    """

    def __init__(self, state: int) -> None:
        self._state = state
        self._kept: float | None = None  # the second of a pair of normal numbers

    def _bits(self, count: int) -> int:
        """The upper bits of the next state."""
        self._state = (0x5DEECE66D * self._state + 0xB) % 2**48
        return self._state >> (48 - count)

    def below(self, end: int) -> int:
        """A whole number below `end`, all equally likely."""
        if end & (end - 1) == 0:  # a power of two
            return end * self._bits(31) >> 31
        while True:
            bits = self._bits(31)
            if bits - bits % end + end <= 2**31:  # not in the last, incomplete interval
                return bits % end

    def uniform(self) -> float:
        """Between 0 and 1."""
        return ((self._bits(26) << 27) + self._bits(27)) / 2**53

    def gaussian(self) -> float:
        """Normal, by Marsaglia's polar method, two at a time."""
        if self._kept is not None:
            kept, self._kept = self._kept, None
            return kept
        while True:
            v1, v2 = 2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0
            s = v1 * v1 + v2 * v2
            if 0.0 < s < 1.0:
                scale = math.sqrt(-2.0 * math.log(s) / s)
                self._kept = v2 * scale
                return v1 * scale
