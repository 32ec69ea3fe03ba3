"""What can go wrong, and the words for it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


class BadInput(ValueError):
    """An argument was refused where it entered: what was expected, what came, what to do."""


class MissingExtra(ImportError):
    """Something that comes with an extra is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} needs {package}: pip install 'separable[{extra}]'")


class FunctionError(RuntimeError):
    """The function under study raised, or returned something that is not one finite real number.

    Attributes:
        evaluation: the number of the evaluation, counted from 1, where it is known.
        point: the point, where it is known.
    """

    def __init__(
        self, message: str, evaluation: int | None = None, point: NDArray[np.float64] | None = None
    ) -> None:
        super().__init__(message)
        self.evaluation = evaluation
        self.point = point


class NoisyFunction(UserWarning):
    """The function under study is not the same twice, or is computed with few digits."""


class BudgetExhausted(Exception):
    """The last evaluation of the budget has been made; only the run itself catches this."""


def unknown(kind: str, name: object, known: Iterable[str]) -> BadInput:
    """The error for a name nobody has heard of, with the nearest one that exists.

    >>> print(unknown("method", "CSG2", ["csg", "gsg"]))
    unknown method 'CSG2'; did you mean 'csg'? Known: csg, gsg
    """
    names = list(known)
    near = get_close_matches(str(name).lower(), names, n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return BadInput(f"unknown {kind} {name!r}{hint} Known: {', '.join(names) or 'none'}")
