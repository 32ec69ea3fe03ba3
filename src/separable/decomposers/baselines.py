"""Baselines: decompositions that ask nothing of the function.

`random` groups of one size, `one_group` of everything, `singletons` (every variable separable), the `truth` of a
problem that knows it, and a `partition` that is given. Where a variable stands alone, nothing says in which way it
is separable; so it is booked as composite, which claims the least.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from separable.decomposers import options
from separable.decomposition import Decomposition
from separable.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator


def random(f: Evaluator, findings: Findings, rng: np.random.Generator, *, size: int = 50) -> None:
    """Random groups of one size; the last may be smaller.

    Args:
        f, findings, rng: see `decomposers`.
        size: the variables of a group.
    """
    options.whole("random", "size", size, 1)
    shuffled = rng.permutation(f.problem.dim).tolist()
    with findings.stage("given"):
        findings.groups += [shuffled[start : start + size] for start in range(0, len(shuffled), size)]


def one_group(f: Evaluator, findings: Findings, rng: np.random.Generator) -> None:  # noqa: ARG001 -- as decomposers are
    """All variables in one group."""
    with findings.stage("given"):
        findings.groups.append(list(range(f.problem.dim)))


def singletons(f: Evaluator, findings: Findings, rng: np.random.Generator) -> None:  # noqa: ARG001 -- likewise
    """Every variable by itself."""
    with findings.stage("given"):
        findings.composite += range(f.problem.dim)


def truth(f: Evaluator, findings: Findings, rng: np.random.Generator) -> None:  # noqa: ARG001 -- likewise
    """The true structure of a problem that knows it; another is refused."""
    known = f.problem.truth
    if known is None:
        raise BadInput(f"truth: nobody knows the structure of {f.problem.name}; problems of the suites have it")
    _take(known, findings)


def partition(
    f: Evaluator,
    findings: Findings,
    rng: np.random.Generator,  # noqa: ARG001 -- likewise
    *,
    groups: Sequence[Sequence[int]] | None = None,
) -> None:
    """A partition that is given.

    Args:
        f, findings, rng: see `decomposers`.
        groups: the groups; variables that are in none are separable.
    """
    if groups is None:
        raise BadInput("partition: which groups? Give the option groups, for example [[0, 1], [2, 5]]")
    try:
        listed = [list(group) for group in groups]
    except TypeError as error:
        raise BadInput(f"partition: groups must be lists of variables, got {groups!r}") from error
    grouped = {i for group in listed for i in group}
    rest = [i for i in range(f.problem.dim) if i not in grouped]
    _take(Decomposition(f.problem.dim, composite=tuple(rest), groups=tuple(map(tuple, listed))), findings)


def _take(given: Decomposition, findings: Findings) -> None:
    with findings.stage("given"):
        findings.additive += given.additive
        findings.multiplicative += given.multiplicative
        findings.composite += given.composite
        findings.groups += [list(group) for group in given.groups]
