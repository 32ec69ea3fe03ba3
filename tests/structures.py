"""Random functions of a known structure, for the tests of every decomposer."""

from __future__ import annotations

from typing import Any

import numpy as np

import separable as sp

INNER = {
    "square": lambda z: z**2,
    "absolute": np.abs,
    "waves": lambda z: z**2 - 2.0 * np.cos(5.0 * z),
    "quartic": lambda z: z**4 + z**2,
    "slope": lambda z: z + 0.3 * np.sin(z),  # monotone: its minimum lies on a bound
}
OUTER = {
    "sqrt": lambda s: 10.0 * np.sqrt(1.0 + s),
    "log": lambda s: 10.0 * np.log1p(s),
    "square": lambda s: 0.01 * (5.0 + s) ** 2,
}
LOW, HIGH = -3.0, 4.0


def composition(
    seed: int, *, additive: int = 0, multiplicative: int = 0, composite: int = 0, groups: tuple[int, ...] = ()
) -> sp.Problem:
    """A sum of an additive part, a product, a composite part, and rotated groups, variables shuffled."""
    rng = np.random.default_rng(seed)
    sizes = {"additive": additive, "multiplicative": multiplicative, "composite": composite}
    dim = sum(sizes.values()) + sum(groups)
    order = rng.permutation(dim)
    shift = rng.uniform(0.7 * LOW, 0.7 * HIGH, dim)
    names = rng.choice(list(INNER), 3)
    outer = OUTER[str(rng.choice(list(OUTER)))]
    start = 0
    members: dict[str, Any] = {}
    for kind, size in sizes.items():
        members[kind] = order[start : start + size]
        start += size
    blocks, rotations = [], []
    for size in groups:
        blocks.append(order[start : start + size])
        rotations.append(np.linalg.qr(rng.normal(size=(size, size)))[0] * np.linspace(1.0, 3.0, size))
        start += size
    inner = [INNER[str(name)] for name in names]
    lowest = [float(np.min(one(np.linspace(2 * LOW, 2 * HIGH, 2001)))) for one in inner]

    def fun(points: Any) -> Any:
        z = points - shift
        value = inner[0](z[:, members["additive"]]).sum(axis=1)
        if multiplicative:
            factors = 1.0 + inner[1](z[:, members["multiplicative"]]) - lowest[1]
            value = value + np.exp(np.log(factors).mean(axis=1))
        if composite:
            value = value + outer((inner[2](z[:, members["composite"]]) - lowest[2]).sum(axis=1))
        for block, rotation in zip(blocks, rotations, strict=True):
            y = z[:, block] @ rotation
            value = value + (y**2 - np.cos(2.0 * y)).sum(axis=1)
        return value

    truth = sp.Decomposition(
        dim,
        additive=members["additive"],
        multiplicative=members["multiplicative"],
        composite=members["composite"],
        groups=blocks,
    )
    return sp.Problem(
        f"composition {seed}", fun, np.full(dim, LOW), np.full(dim, HIGH), vectorized=True, truth=truth
    )


# groups that hide: seen from the centre of a symmetric box, or from its corners, much of them looks separable
HIDING = {
    "product": lambda z, w: (z.prod(axis=1) - 1.0) ** 2 + 0.1 * (z**2) @ w,
    "product and one": lambda z, w: (z[:, :-1].prod(axis=1) - w[-1] * z[:, -1]) ** 2,
    "tanh": lambda z, w: (np.tanh(z[:, :-1] @ w[:-1]) * z[:, -1] - 1.0) ** 2 + 0.05 * (z**2).sum(axis=1),
    "ratio": lambda z, w: ((z[:, 1:] * w[1:]).sum(axis=1) / (1.0 + z[:, 0] ** 2) - 1.0) ** 2,
    "cosh": lambda z, w: np.cosh((z * w).sum(axis=1) / len(w)),
    "absolute": lambda z, w: np.abs((z * w).sum(axis=1) - 1.0) + 0.2 * np.abs(z).sum(axis=1),
    "chain": lambda z, w: (100.0 * (z[:, 1:] - z[:, :-1] ** 2) ** 2 + (1.0 - z[:, :-1]) ** 2).sum(axis=1),
    "sine": lambda z, w: np.sin(z @ w) + 0.1 * (z**2).sum(axis=1),
}
PLAIN = {
    "absolute": lambda z: np.abs(z).sum(axis=1),
    "norm": lambda z: np.sqrt((z**2).sum(axis=1) + 1.0),
    "log": lambda z: np.log(30.0 + z.sum(axis=1)),
}


def symmetric(seed: int) -> sp.Problem:
    """One to three groups that hide, and up to two separable blocks, on [-3, 3]^n."""
    rng = np.random.default_rng(seed)
    parts: list[Any] = []
    groups, separable, dim = [], [], 0
    for name in rng.choice(list(HIDING), rng.integers(1, 4)):
        size = int(rng.integers(3 if name in ("product and one", "tanh", "chain") else 2, 6))
        weights = rng.uniform(0.3, 1.5, size)
        parts.append((dim, dim + size, lambda z, name=name, weights=weights: HIDING[str(name)](z, weights)))
        groups.append(range(dim, dim + size))
        dim += size
    for name in rng.choice(list(PLAIN), rng.integers(0, 3)):
        size = int(rng.integers(1, 5))
        parts.append((dim, dim + size, PLAIN[str(name)]))
        separable += range(dim, dim + size)
        dim += size

    def fun(points: Any) -> Any:
        return sum(part(points[:, start:end]) for start, end, part in parts)

    truth = sp.Decomposition(dim, additive=separable, groups=groups)
    return sp.Problem(
        f"symmetric {seed}", fun, np.full(dim, -3.0), np.full(dim, 3.0), vectorized=True, truth=truth
    )


def whole_numbers(seed: int, *, separable: int, groups: tuple[int, ...], chain: bool = False) -> sp.Problem:
    """A sum of squares and of positive products within groups, of whole numbers: no value is ever rounded.

    Within a group all pairs interact, or, in a chain, neighbours only.
    """
    rng = np.random.default_rng(seed)
    dim = separable + sum(groups)
    order = rng.permutation(dim)
    matrix = np.diag(rng.integers(1, 9, dim)).astype(float)
    start, blocks = separable, []
    for size in groups:
        block = order[start : start + size]
        start += size
        blocks.append(block)
        for a, i in enumerate(block):
            for j in block[a + 1 : a + 2 if chain else None]:
                matrix[i, j] = float(rng.integers(1, 9))
    slope = rng.integers(-9, 10, dim).astype(float)

    def fun(points: Any) -> Any:
        return np.einsum("mi,ij,mj->m", points, matrix, points) + points @ slope

    truth = sp.Decomposition(dim, additive=order[:separable], groups=blocks)
    return sp.Problem(f"whole {seed}", fun, np.full(dim, -8.0), np.full(dim, 8.0), vectorized=True, truth=truth)


def product(seed: int, *, single: int, groups: tuple[int, ...]) -> sp.Problem:
    """A product of positive factors, one of each single variable, one of each group."""
    rng = np.random.default_rng(seed)
    dim = single + sum(groups)
    order = rng.permutation(dim)
    blocks = np.split(order[single:], np.cumsum(groups)[:-1]) if groups else []
    shift = rng.uniform(-2.0, 2.0, dim)

    def fun(points: Any) -> Any:
        z = points - shift
        value = (1.0 + z[:, order[:single]] ** 2).prod(axis=1)
        for block in blocks:
            value = value * (1.0 + z[:, block].sum(axis=1) ** 2)
        return value

    truth = sp.Decomposition(dim, multiplicative=order[:single], groups=blocks)
    return sp.Problem(f"product {seed}", fun, np.full(dim, -3.0), np.full(dim, 3.0), vectorized=True, truth=truth)


def renamed(problem: sp.Problem, names: Any) -> sp.Problem:
    """The same function of variables in another order: variable i of the old is names[i] of the new."""
    order = np.asarray(names)
    return sp.Problem("renamed", lambda x: problem.fun(x[:, order]), problem.lower, problem.upper, vectorized=True)


def rename(found: sp.Decomposition, names: Any) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """The separable variables and the groups under their new names."""
    return (
        tuple(sorted(int(names[i]) for i in found.separable)),
        sorted(tuple(sorted(int(names[i]) for i in group)) for group in found.groups),
    )


def exact(found: sp.Decomposition, truth: sp.Decomposition) -> bool:
    """Whether the separable variables and the groups are the true ones; kinds of separability aside."""
    return found.separable == truth.separable and found.groups == truth.groups


# outer and inner functions of blocks, on z from -7 to 7; a block is scaled so that its sum is of order 1
OUTER_OF_BLOCKS = {
    "exp": lambda s: np.exp(2.0 * s),
    "log": lambda s: np.log1p(5.0 * s),
    "root": lambda s: np.sqrt(0.1 + s),
    "square": lambda s: (0.5 + s) ** 2,
    "logistic": lambda s: 1.0 / (1.0 + np.exp(-3.0 * (s - 0.5))),
    "cube": lambda s: (s + 0.2) ** 3,
}
INNER_OF_BLOCKS = {
    "square": lambda z: z**2,
    "absolute": np.abs,
    "waves": lambda z: z**2 - 10.0 * np.cos(2.0 * np.pi * z) + 10.0,
    "quartic": lambda z: z**4 / 10.0,
    "log": lambda z: np.log1p(z**2),
    "cosh": lambda z: np.cosh(z) / 10.0,
    "slope": lambda z: z + 7.0 + 0.3 * np.sin(3.0 * z),  # monotone
    "cubic": lambda z: (z + 7.0) ** 3 / 100.0,  # monotone
}


def blocks_and_groups(seed: int, *, monotone: bool = True) -> sp.Problem:
    """30 to 300 variables: an additive part, up to four blocks of 3 to 60, up to five rotated groups of 2 to 10.

    `monotone`: whether inner functions may be monotone.
    """
    rng = np.random.default_rng(seed)
    dim = int(rng.integers(30, 301))
    order = rng.permutation(dim)
    sizes = rng.integers(2, 11, rng.integers(0, 6)).tolist()
    group_sizes = [size for k, size in enumerate(sizes) if sum(sizes[: k + 1]) <= dim // 2]
    block_sizes = rng.integers(3, 61, rng.integers(1, 5)).tolist()
    left = dim - sum(group_sizes)
    names = list(INNER_OF_BLOCKS)[: None if monotone else 6]
    parts: list[Any] = []
    truth: dict[str, Any] = {"additive": [], "composite": [], "groups": []}
    start = 0
    for size in group_sizes:
        rotation = np.linalg.qr(rng.normal(size=(size, size)))[0] * np.linspace(1.0, 3.0, size)
        members = order[start : start + size]
        weight = 10.0 ** rng.uniform(-1.0, 1.0)
        parts.append((members, lambda z, r=rotation, w=weight: w * _rotated(z @ r)))
        truth["groups"].append(members)
        start += size
    for wanted in block_sizes:
        size = min(wanted, left)
        if size < 3:
            break
        left -= size
        outer, inner = (
            OUTER_OF_BLOCKS[str(rng.choice(list(OUTER_OF_BLOCKS)))],
            INNER_OF_BLOCKS[str(rng.choice(names))],
        )
        weights, scale = rng.uniform(0.5, 2.0, size), 10.0 ** rng.uniform(-1.0, 2.0)
        top = float((inner(np.linspace(-7.0, 7.0, 99)) * 1.2).max()) * size
        members = order[start : start + size]
        parts.append(
            (members, lambda z, o=outer, i=inner, w=weights, t=top, c=scale: c * o((i(z) * w).sum(axis=1) / t))
        )
        truth["composite"] += members.tolist()
        start += size
    members = order[start:]
    if len(members):
        inner = INNER_OF_BLOCKS[str(rng.choice(names))]
        parts.append((members, lambda z, i=inner: i(z).sum(axis=1)))
        truth["additive"] = members
    shift = rng.uniform(-2.0, 2.0, dim)

    def fun(points: Any) -> Any:
        z = points - shift
        return sum(part(z[:, members]) for members, part in parts)

    return sp.Problem(
        f"blocks and groups {seed}",
        fun,
        np.full(dim, -5.0),
        np.full(dim, 5.0),
        vectorized=True,
        truth=sp.Decomposition(dim, **truth),
    )


def _rotated(y: Any) -> Any:
    return (y**2 - 3.0 * np.cos(2.0 * y)).sum(axis=1)
