"""A suite function put together from basis functions on slices of a random permutation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from separable.decomposition import Decomposition
from separable.problems import Problem
from separable.suites import terms as t

if TYPE_CHECKING:
    from collections.abc import Callable

    from separable.problems import IntArray

BLOCK = 50  # variables of a non-separable group
LOWER, UPPER = -5.0, 5.0


class Part(NamedTuple):
    """A basis function and the share of the variables that it carries, as numerator and denominator."""

    basis: str
    top: int = 1
    bottom: int = 1


class Basis(NamedTuple):
    """How a basis function makes its variables interact, and how to build it."""

    kind: str  # additive, multiplicative, composite: separable so. group: all of them. groups: of BLOCK each
    inner: Callable[[int, np.random.Generator], t.Inner]  # of the number of variables and a generator
    outer: Callable[[int], t.Outer] | None = None  # of the number of blocks
    product: bool = False  # its minimum is 1, times a weight


def _plain(inner: t.Inner) -> Callable[[int, np.random.Generator], t.Inner]:
    return lambda _count, _rng: inner


def _rotated(_: int, rng: np.random.Generator) -> t.Inner:
    return t.rotated_rastrigin(t.random_rotation(BLOCK, rng))


def _log_rotated(count: int, rng: np.random.Generator) -> t.Inner:
    return t.logarithm(_rotated(count, rng))


BASIS = {
    "rastrigin": Basis("additive", _plain(t.rastrigin)),
    "sphere": Basis("additive", _plain(t.sphere)),
    "elliptic": Basis("additive", lambda count, _: t.elliptic(count)),
    "prodsqu": Basis("multiplicative", _plain(t.log_sphere), t.exp_mean, product=True),
    "prodras": Basis("multiplicative", _plain(t.log_rastrigin), t.exp_mean, product=True),
    "logabs": Basis("composite", _plain(t.absolute), lambda _: t.ten_log),
    "cone": Basis("composite", _plain(t.sphere), lambda _: np.sqrt),
    "rosenbrock": Basis("group", _plain(t.rosenbrock)),
    "schwefel": Basis("group", _plain(t.schwefel)),
    "schwefel groups": Basis("groups", _plain(t.schwefel)),
    "rotated rastrigin groups": Basis("groups", _rotated),
    "sqrt of rotated rastrigin groups": Basis("groups", _rotated, lambda _: np.sqrt),
    "log of schwefel groups": Basis("groups", _plain(t.schwefel), lambda _: np.log1p),
    "product of schwefel groups": Basis("groups", _plain(t.logarithm(t.schwefel)), t.exp_mean, product=True),
    "product of rotated rastrigin groups": Basis("groups", _log_rotated, t.exp_mean, product=True),
    "10 log of schwefel groups": Basis("groups", _plain(t.schwefel), lambda _: t.ten_log),
}


def compose(name: str, seed: list[int], dim: int, parts: tuple[Part, ...], product_weight: float) -> Problem:
    """The problem; its random shift o, permutation P and rotations are drawn in this order."""
    rng = np.random.default_rng(seed)
    shift = rng.uniform(0.8 * LOWER, 0.8 * UPPER, dim)
    permutation = rng.permutation(dim)
    minimizer = shift.copy()
    optimum = 0.0
    separable: dict[str, Any] = {}
    groups: list[IntArray] = []
    sum_of = []
    start = 0
    for part in parts:
        basis = BASIS[part.basis]
        members = permutation[start : start + dim * part.top // part.bottom]
        start += len(members)
        blocks = members.reshape({"group": (1, -1), "groups": (-1, BLOCK)}.get(basis.kind, (-1, 1)))
        weight = product_weight if basis.product else 1.0
        outer = basis.outer and basis.outer(len(blocks))
        sum_of.append(t.Term(blocks, basis.inner(len(members), rng), outer, weight))
        if basis.kind in ("group", "groups"):
            groups += list(blocks)
        else:
            separable[basis.kind] = tuple(members)
        if basis.product:
            optimum += weight
        if part.basis == "rosenbrock":
            minimizer[members] += 1.0
    fun = t.Sum(sum_of, shift)
    return Problem(
        name=name,
        fun=fun,
        lower=np.full(dim, LOWER),
        upper=np.full(dim, UPPER),
        vectorized=True,
        optimum=optimum,
        minimizer=minimizer,
        truth=Decomposition(dim, **separable, groups=tuple(map(tuple, groups)), method="truth"),
        partial=fun.restrict,
    )


def describe(parts: tuple[Part, ...]) -> str:
    """What a function is made of, in words.

    >>> describe((Part("sphere", 1, 2), Part("cone", 1, 2)))
    'sphere 1/2 + cone 1/2'
    """
    return " + ".join(
        part.basis if part.bottom == 1 else f"{part.basis} {part.top}/{part.bottom}" for part in parts
    )
