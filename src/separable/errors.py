"""What can go wrong, and the words for it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


class NonFinite(FunctionError):
    """The function returned a NaN or an infinite value, where none was allowed."""


class JournalError(RuntimeError):
    """A journal could not be written, or a run does not follow the journal it was given."""


class RunEnded(Exception):
    """A run is over; only the run itself catches this."""


class BudgetExhausted(RunEnded):
    """The last evaluation of the budget has been made."""


class TargetReached(RunEnded):
    """A value is as small as was asked for."""


class TimeIsUp(RunEnded):
    """The run took as long as it was allowed to."""


def unknown(kind: str, name: object, known: Iterable[str]) -> BadInput:
    """The error for a name nobody has heard of, with the nearest one that exists.

    >>> print(unknown("method", "CSG2", ["csg", "gsg"]))
    unknown method 'CSG2'; did you mean 'csg'? Known: csg, gsg
    """
    names = list(known)
    near = get_close_matches(str(name).lower(), names, n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return BadInput(f"unknown {kind} {name!r}{hint} Known: {', '.join(names) or 'none'}")


def checked_options(method: Callable[..., Any], name: str, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options, if the method has them: its keyword-only arguments.

    >>> def method(f, *, step=1e-3): ...
    >>> checked_options(method, "method", {"stepp": 1})
    Traceback (most recent call last):
    separable.errors.BadInput: unknown option of method 'stepp'; did you mean 'step'? Known: step
    """
    parameters = inspect.signature(method).parameters.values()
    known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    if not isinstance(options or {}, Mapping):
        raise BadInput(f"options: expected a dict of the options of {name}, got {options!r}")
    for option in options or {}:
        if option not in known:
            raise unknown(f"option of {name}", option, known)
    return dict(options or {})
