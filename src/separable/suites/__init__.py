"""Benchmark suites. A suite is a module with a function `problem(function, dim, instance)`.

To add one: write the module, and add a line to `SUITES`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from separable.errors import BadInput, unknown
from separable.suites import bms, bns
from separable.suites.compose import describe

if TYPE_CHECKING:
    from collections.abc import Callable

    from separable.problems import Problem


class Suite(NamedTuple):
    """What can be asked of a suite."""

    about: str
    functions: dict[int, str]  # and what each is made of
    dims: str  # the dimensions there are, in words
    allows: Callable[[int], bool]  # whether there is this dimension
    default_dim: int
    problem: Callable[[int, int, int], Problem]  # of function, dimension, instance


def _multiples(step: int) -> tuple[str, Callable[[int], bool]]:
    return f"a multiple of {step}", lambda dim: dim > 0 and dim % step == 0


SUITES = {
    "bms": Suite(
        "the paper's suite: mixed kinds of separability (basis functions in our reading)",
        {number: describe(parts) for number, parts in bms.PARTS.items()},
        *_multiples(bms.DIM_STEP),
        1000,
        bms.problem,
    ),
    "bns": Suite(
        "one kind of non-additive separability a function (our design)",
        {number: describe(parts) for number, parts in bns.PARTS.items()},
        *_multiples(bns.DIM_STEP),
        1000,
        bns.problem,
    ),
}


def problem(name: str, dim: int | None = None, instance: int = 0) -> Problem:
    """A benchmark problem by name.

    Args:
        name: "suite/f<number>".
        dim: the number of variables; None is the suite's usual one.
        instance: which of the random instances, 0, 1, 2, ...

    >>> p = problem("bms/f10", dim=200)
    >>> p.dim, p.optimum, str(p.truth)
    (200, 100.0, '200 variables: 50 additive, 50 multiplicative, 50 composite, 1 group (50); 0 evaluations')
    >>> problem("bms/f16")
    Traceback (most recent call last):
    separable.errors.BadInput: unknown problem 'bms/f16'; bms has f1 to f15
    """
    match = re.fullmatch(r"([^/]+)/f(\d+)", name) if isinstance(name, str) else None
    if match is None:
        raise BadInput(f"unknown problem {name!r}: expected suite/f<number>, such as bms/f10")
    if match[1] not in SUITES:
        raise unknown("suite", match[1], SUITES)
    suite, number = SUITES[match[1]], int(match[2])
    if number not in suite.functions:
        first, last = min(suite.functions), max(suite.functions)
        raise BadInput(f"unknown problem {name!r}; {match[1]} has f{first} to f{last}")
    size = suite.default_dim if dim is None else _whole(dim, "dim")
    if not suite.allows(size):
        raise BadInput(f"{name}: dim must be {suite.dims}, got {size}")
    if _whole(instance, "instance") < 0:
        raise BadInput(f"{name}: instance must be 0 or more, got {instance}")
    return suite.problem(number, size, int(instance))


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        if hasattr(value, "__index__") and not isinstance(value, bool):
            return int(value.__index__())
        raise BadInput(f"{name}: expected a whole number, got {value!r}")
    return value
