"""What a command works on: a benchmark problem by name, or a function of the user's."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np

from separable.errors import BadInput
from separable.problems import Array, Problem
from separable.suites import SUITES, problem


def load(
    name: str, dim: int | None, instance: int | None, lower: str | None, upper: str | None, *, vectorized: bool
) -> Problem:
    """The problem that the arguments describe.

    Args:
        name: "suite/f<number>", "package.module:function" or "path/to/file.py:function".
        dim: the number of variables.
        instance: of a benchmark problem.
        lower: of a user's function: one number for all variables, or as many as there are, with commas.
        upper: likewise.
        vectorized: whether a user's function takes points (m, n).
    """
    if ":" not in name:
        if lower is not None or upper is not None or vectorized:
            raise BadInput(
                f"{name}: a benchmark problem has its own box; leave --lower, --upper, --vectorized out"
            )
        return problem(name, dim, instance or 0)
    if instance is not None:
        raise BadInput(f"{name}: only a benchmark problem has instances; leave --instance out")
    fun = _import(name)
    if isinstance(fun, Problem):
        if (dim, lower, upper) != (None, None, None) or vectorized:
            raise BadInput(f"{name} is a Problem with a box of its own; leave the options for it out")
        return fun
    if not callable(fun):
        raise BadInput(f"{name}: expected a function, got {type(fun).__name__}")
    if lower is None or upper is None:
        raise BadInput(f"{name}: the box is missing; say for example --lower -5 --upper 5 --dim 200")
    return Problem(name, fun, *_box(name, dim, lower, upper), vectorized)


def _box(name: str, dim: int | None, lower: str, upper: str) -> tuple[Array, Array]:
    low, high = _numbers(lower, "--lower"), _numbers(upper, "--upper")
    size = max(low.size, high.size) if dim is None else dim
    if dim is None and size == 1:
        raise BadInput(f"{name}: how many variables are there? Say --dim, or as many bounds, with commas")
    if size < 1:
        raise BadInput(f"{name}: --dim must be at least 1, got {size}")
    for option, given in (("--lower", low), ("--upper", high)):
        if given.size not in (1, size):
            raise BadInput(f"{option}: expected 1 or {size} numbers, got {given.size}")
    return np.resize(low, size), np.resize(high, size)


def _numbers(text: str, option: str) -> Array:
    try:
        return np.array([float(number) for number in text.split(",")])
    except ValueError as error:
        raise BadInput(f"{option}: expected a number, or several with commas, got {text!r}") from error


def _import(name: str) -> Any:  # noqa: ANN401 -- whatever the user's module holds
    where, _, attribute = name.rpartition(":")
    module = _from_file(Path(where)) if where.endswith(".py") else _from_path(where)
    if not hasattr(module, attribute):
        raise BadInput(f"{where} has no {attribute!r}")
    return getattr(module, attribute)


def _from_path(where: str) -> object:
    if "" not in sys.path:
        sys.path.insert(0, "")  # a module beside the user, as `python -m` would find it
    try:
        return importlib.import_module(where)
    except ImportError as error:
        suites = ", ".join(SUITES)
        raise BadInput(
            f"cannot import {where!r}: {error}. Expected package.module:function, file.py:function, "
            f"or a benchmark problem (suites: {suites})"
        ) from error


def _from_file(path: Path) -> object:
    if not path.is_file():
        raise BadInput(f"there is no file {str(path)!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{str(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # so that worker processes can be sent its functions
    sys.path.insert(0, str(path.parent.resolve()))
    spec.loader.exec_module(module)
    return module
