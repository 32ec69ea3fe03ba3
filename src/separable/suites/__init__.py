"""Benchmark suites. A suite is a module with a function `problem(function, dim, instance)`.

`bms` and `bns` are drawn at random, at many dimensions; `cec2010` and `cec2013` are the field's two standard
suites of 1000 variables, to the last digits; `cec2013-like` has the structure of the latter at any dimension.

To add one: write the module, and add a line to `SUITES`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from separable.errors import BadInput, unknown
from separable.suites import bms, bns, cec2010, cec2013, cec2013_like
from separable.suites.compose import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from separable.problems import Problem


class Suite(NamedTuple):
    """What can be asked of a suite."""

    about: str
    functions: dict[int, str]  # and what each is made of
    dims: str  # the dimensions there are, in words
    allows: Callable[[int], bool]  # whether there is this dimension
    default_dim: int
    problem: Callable[..., Problem]  # of function, dimension, instance; and of a folder, if the suite reads data
    other_dims: Mapping[int, int] = {}  # the functions whose usual dimension is another
    fixed: bool = False  # whether a function has one instance only, of its usual dimension
    reads_data: bool = False

    def usual_dim(self, function: int) -> int:
        """The dimension of a function when none is asked for."""
        return self.other_dims.get(function, self.default_dim)


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
    "cec2010": Suite(
        "the CEC'2010 suite of large-scale global optimization",
        {number: cec2010.describe(number) for number in cec2010.SHAPES},
        f"{cec2010.DIM}",
        lambda dim: dim == cec2010.DIM,
        cec2010.DIM,
        cec2010.problem,
        fixed=True,
    ),
    "cec2013": Suite(
        "the CEC'2013 suite of large-scale global optimization, from its official data files",
        {number: cec2013.describe(number) for number in cec2013.SHAPES},
        f"{cec2013.DIM}; f13 and f14: {cec2013.OVERLAPPING_DIM}",
        lambda dim: dim in (cec2013.DIM, cec2013.OVERLAPPING_DIM),
        cec2013.DIM,
        cec2013.problem,
        cec2013.DIMS,
        fixed=True,
        reads_data=True,
    ),
    "cec2013-like": Suite(
        "instances of our own with the structure of cec2013",
        {number: cec2013.describe(number) for number in cec2013.SHAPES},
        f"{cec2013_like.LEAST_DIM} or more",
        lambda dim: dim >= cec2013_like.LEAST_DIM,
        cec2013.DIM,
        cec2013_like.problem,
        cec2013.DIMS,
    ),
}


def problem(name: str, dim: int | None = None, instance: int = 0, *, data: str | Path | None = None) -> Problem:
    """A benchmark problem by name.

    Args:
        name: "suite/f<number>".
        dim: the number of variables; None is the function's usual one.
        instance: which of the random instances, 0, 1, 2, ...; cec2010 and cec2013 have only this one.
        data: the folder with the official files of cec2013. Without one, it is the folder that the variable
            SEPARABLE_CEC2013_DATA of the environment names, or the one of an installed package cec2013lsgo.

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
    size = suite.usual_dim(number) if dim is None else _whole(dim, "dim")
    if not suite.allows(size) or (suite.fixed and size != suite.usual_dim(number)):
        raise BadInput(f"{name}: dim must be {suite.dims}, got {size}")
    if _whole(instance, "instance") < 0:
        raise BadInput(f"{name}: instance must be 0 or more, got {instance}")
    if instance and suite.fixed:
        raise BadInput(f"{name}: there is one instance, 0, got {instance}")
    if data is None:
        return suite.problem(number, size, int(instance))
    if not suite.reads_data:
        raise BadInput(f"{name}: is made without data files; leave data out")
    return suite.problem(number, size, int(instance), data)


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        if hasattr(value, "__index__") and not isinstance(value, bool):
            return int(value.__index__())
        raise BadInput(f"{name}: expected a whole number, got {value!r}")
    return value
