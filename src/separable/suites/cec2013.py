"""CEC'2013 LSGO: 15 functions of 1000 variables; the formulas are ours, the official data come from the user.

X. Li, K. Tang, M. N. Omidvar, Z. Yang, K. Qin, "Benchmark Functions for the CEC'2013 Special Session and
Competition on Large-Scale Global Optimization", 2013. z = x - o; P is a permutation, cut into groups of 25, 50 and
100; y_k is the k-th group as a column vector after the matrix R of its size; w_k a weight; b a basis function with
its transforms (see `blocks`; sphere and rosenbrock have none):

    f1-f3     b(z)                                                                  all separable
    f4-f7     sum of w_k b(y_k) over 7 groups + b or sphere(the other 700)
    f8-f11    sum of w_k b(y_k) over 20 groups
    f12       rosenbrock(z)                                                         one group, a chain
    f13, f14  as f11, but a group begins with the last 5 of the group before it     20 windows, one group of 905
    f15       schwefel(z)                                                           one group

The minimum, 0, is at o; in f12 at o + 1. In f14 every window has a shift of its own, so that they pull a variable
that two of them share to different places; its minimum is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separable.suites import blocks as b
from separable.suites import cec2013_data
from separable.suites import terms as t

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from separable.problems import IntArray, Problem
    from separable.suites.cec2013_data import Data

DIM = 1000
OVERLAP = 5  # variables that a window shares with the one before it
OVERLAPPING_DIM = DIM - 19 * OVERLAP
SOME = (50, 25, 25, 100, 50, 25, 25)
MANY = (50, 50, 25, 25, 100, 100, 25, 25, 50, 25, 100, 25, 100, 50, 25, 25, 25, 100, 50, 25)


class Shape(NamedTuple):
    """What a function is made of."""

    basis: str
    sizes: tuple[int, ...] = ()  # of the groups, at DIM
    overlapping: bool = False
    conflicting: bool = False  # whether every window has a shift of its own


_BASES = ("elliptic", "rastrigin", "ackley", "schwefel")
SHAPES = {
    **{k: Shape(basis) for k, basis in enumerate(_BASES[:3], start=1)},
    **{k: Shape(basis, SOME) for k, basis in enumerate(_BASES, start=4)},
    **{k: Shape(basis, MANY) for k, basis in enumerate(_BASES, start=8)},
    12: Shape("rosenbrock"),
    13: Shape("schwefel", MANY, overlapping=True),
    14: Shape("schwefel", MANY, overlapping=True, conflicting=True),
    15: Shape("schwefel"),
}
DIMS = {k: OVERLAPPING_DIM for k, shape in SHAPES.items() if shape.overlapping}


def problem(function: int, _dim: int = DIM, _instance: int = 0, folder: str | Path | None = None) -> Problem:
    """One function of the suite, from the files of the folder, or wherever they are found.

    There is one dimension, and one instance.
    """
    shape = SHAPES[function]
    data = cec2013_data.load(function, folder, grouped=bool(shape.sizes))
    return build(f"cec2013/f{function}", shape, OVERLAP if shape.overlapping else 0, data)


def build(name: str, shape: Shape, overlap: int, data: Data) -> Problem:
    """The problem of this shape and these data; a window shares `overlap` variables with the one before it."""
    everything = data.permutation
    windows = cut(everything, data.sizes, overlap)
    sum_of = _terms_of_groups(shape, windows, data)
    if shape.conflicting:
        return b.assemble(name, shape.basis, sum_of, np.zeros(len(everything)), windows=windows)
    if shape.overlapping:
        return b.assemble(name, shape.basis, sum_of, data.shift, minimizer=data.shift, windows=windows)
    minimizer = data.shift + (shape.basis == "rosenbrock")
    rest = everything[sum(data.sizes) :]
    if shape.basis in b.CHAINED and not windows:
        windows, rest = [rest], rest[:0]
        sum_of = [t.Term(everything[None], b.Blocks(shape.basis, warped=shape.basis != "rosenbrock"))]
    elif len(rest):
        sum_of.append(b.separable(b.plain(shape.basis), rest, warped=shape.basis not in b.CHAINED))
    return b.assemble(name, shape.basis, sum_of, data.shift, rest=rest, groups=windows, minimizer=minimizer)


def cut(permutation: IntArray, sizes: Sequence[int], overlap: int) -> list[IntArray]:
    """The windows of these sizes, each beginning with the last `overlap` variables of the one before it."""
    starts = [sum(sizes[:k]) - overlap * k for k in range(len(sizes))]
    return [permutation[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def _terms_of_groups(shape: Shape, windows: Sequence[IntArray], data: Data) -> list[t.Term]:
    """One term for all groups of a size: their rotations are one batched product."""
    sum_of = []
    ends = np.cumsum((0, *data.sizes))
    for size, rotation in data.rotations.items():
        which = [k for k, its in enumerate(data.sizes) if its == size]
        shift = np.stack([data.shift[ends[k] : ends[k + 1]] for k in which]) if shape.conflicting else None
        inner = b.Blocks(shape.basis, rotation, data.weights[which], shift, warped=True)
        sum_of.append(t.Term(np.stack([windows[k] for k in which]), inner))
    return sum_of


def describe(function: int) -> str:
    """What a function is made of, in words.

    >>> describe(7), describe(13)
    ('7 rotated schwefel groups + sphere of the other 700', '20 rotated schwefel windows, overlapping')
    """
    shape = SHAPES[function]
    if not shape.sizes:
        return f"{shape.basis} of all"
    text = f"{len(shape.sizes)} rotated {shape.basis} "
    if shape.overlapping:
        return f"{text}windows, overlapping{', conflicting' if shape.conflicting else ''}"
    rest = DIM - sum(shape.sizes)
    return f"{text}groups" + (f" + {b.plain(shape.basis)} of the other {rest}" if rest else "")
