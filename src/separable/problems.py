"""A problem: a function, its box, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from separable.errors import BadInput, FunctionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.decomposition import Decomposition

Array = NDArray[np.float64]
IntArray = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """A function of `dim` variables on a box; calling it costs nothing, no counter sees it.

    Args:
        name: what reports call it.
        fun: one point (n,) -> number, or, if `vectorized`, points (m, n) -> values (m,).
        lower, upper: the box, (n,) each.
        vectorized: whether `fun` takes many points at once.
        optimum: the smallest value, where it is known.
        minimizer: a point where `fun` takes it, where it is known.
        truth: the true structure, where it is known. Groups that share variables are one group in it, since it
            is a partition, and so is every decomposition that it is compared with.
        windows: such groups, where there are any: the sets of variables that belong together directly.
        partial: optional; `partial(context, group)` returns a function of (m, len(group)) arrays with the
            values of `fun` where the group moves and all else stays at `context`. It may reuse whatever
            does not depend on the group, and must not write into its argument, which it gets read-only.
            `suites` shows how.

    >>> p = Problem("bowl", lambda x: float(x @ x), lower=[-1, -1, -1], upper=[2, 2, 2])
    >>> p, p([1, 1, 0]), p([[1, 1, 0], [0, 0, 2]])
    (<Problem bowl, 3 variables>, 2.0, array([2., 4.]))
    >>> part = p.restrict(context=[1, 1, 0], group=[2])
    >>> part(np.array([[0.0], [2.0]]))
    array([2., 6.])
    """

    name: str
    fun: Callable[[Array], Any]
    lower: Array
    upper: Array
    vectorized: bool = False
    optimum: float | None = None
    minimizer: Array | None = None
    truth: Decomposition | None = None
    windows: tuple[tuple[int, ...], ...] = ()
    partial: Callable[[Array, IntArray], Callable[[Array], Any]] | None = None

    def __post_init__(self) -> None:
        if not callable(self.fun):
            raise BadInput(f"fun must be callable, got {type(self.fun).__name__}")
        lower, upper = _checked_box(self.lower, self.upper)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        if self.minimizer is not None:
            object.__setattr__(self, "minimizer", _frozen(self.minimizer))

    def __repr__(self) -> str:
        return f"<Problem {self.name}, {self.dim} variable{'s' * (self.dim != 1)}>"

    @property
    def dim(self) -> int:
        """The number of variables."""
        return self.lower.size

    def __call__(self, x: ArrayLike) -> float | Array:
        """The value at a point (n,), or the values at points (m, n)."""
        try:
            points = np.asarray(x, dtype=float)
        except (TypeError, ValueError) as error:
            raise BadInput(f"{self.name}: expected an array of numbers, got {x!r}") from error
        if points.ndim not in (1, 2) or points.shape[-1] != self.dim:
            raise BadInput(f"{self.name}: expected shape ({self.dim},) or (m, {self.dim}), got {points.shape}")
        if points.ndim == 1:
            return float(self.evaluate(points[None, :])[0])
        return self.evaluate(points)

    def evaluate(self, points: Array, first: int = 1) -> Array:
        """Values at points (m, n), each checked to be a real number; `first` numbers the first in errors."""
        return _values(self.fun, self.vectorized, np.array(points), first)  # a copy: fun may write into it

    def restrict(self, context: ArrayLike, group: ArrayLike) -> Restriction:
        """The function of the variables in `group` alone, everything else at `context`."""
        base = _frozen(context)
        members = np.array(group, dtype=np.intp)
        if base.shape != (self.dim,):
            raise BadInput(f"{self.name}: expected a context of shape ({self.dim},), got {base.shape}")
        if members.ndim != 1 or members.size == 0 or members.min() < 0 or members.max() >= self.dim:
            raise BadInput(f"{self.name}: expected a group of variables from 0 to {self.dim - 1}, got {group!r}")
        return Restriction(self, base, members)


class Restriction:
    """A problem with all but a group of its variables fixed; a function of (m, group size) arrays."""

    def __init__(self, problem: Problem, context: Array, group: IntArray) -> None:
        self.problem, self.context, self.group = problem, context, group
        self._partial = None if problem.partial is None else problem.partial(context, group)

    def __call__(self, points: Array) -> Array:
        """Values where the group takes the rows of `points`."""
        return self.evaluate(points)

    def evaluate(self, points: Array, first: int = 1) -> Array:
        """The same; `first` numbers the first evaluation in errors."""
        if self._partial is not None:
            shown = points.view()
            shown.setflags(write=False)
            return _values(self._partial, True, shown, first)
        return _values(self.problem.fun, self.problem.vectorized, self.whole(points), first)

    def whole(self, points: Array) -> Array:
        """The points of the whole space that these stand for."""
        whole = np.repeat(self.context[None, :], len(points), axis=0)
        whole[:, self.group] = points
        return whole


def box_from_bounds(bounds: object) -> tuple[Array, Array]:
    """Lower and upper bounds from SciPy's two forms: a sequence of (lower, upper) pairs, or `Bounds`.

    >>> box_from_bounds([(0, 1), (-2, 2)])
    (array([ 0., -2.]), array([1., 2.]))
    """
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        return _checked_box(bounds.lb, bounds.ub)
    try:
        pairs = np.asarray(bounds, dtype=float)
    except (TypeError, ValueError) as error:
        raise BadInput(f"bounds: expected n pairs (lower, upper) of numbers, got {_short(bounds)}") from error
    if pairs.ndim != 2 or pairs.shape[1] != 2 or len(pairs) == 0:
        raise BadInput(
            f"bounds: expected n pairs (lower, upper), an array of shape (n, 2), got shape {pairs.shape}; "
            "for one range everywhere write [(lower, upper)] * n"
        )
    return _checked_box(pairs[:, 0], pairs[:, 1])


def _checked_box(lower: ArrayLike, upper: ArrayLike) -> tuple[Array, Array]:
    try:
        low, high = _frozen(lower), _frozen(upper)
    except (TypeError, ValueError) as error:
        raise BadInput(f"bounds: expected numbers, got {_short(lower)} and {_short(upper)}") from error
    if low.ndim != 1 or low.shape != high.shape or low.size == 0:
        raise BadInput(
            f"bounds: expected lower and upper of one shape (n,), n at least 1, got {low.shape} and {high.shape}"
        )
    infinite = np.flatnonzero(~(np.isfinite(low) & np.isfinite(high)))
    if infinite.size:
        raise BadInput(f"bounds must be finite numbers; they are not for {name_variables(infinite)}")
    empty = np.flatnonzero(low >= high)
    if empty.size:
        raise BadInput(
            f"bounds: lower must be below upper; it is not for {name_variables(empty)} "
            "(a variable that cannot move is no variable: fix it inside fun)"
        )
    wide = np.flatnonzero(high / 2.0 - low / 2.0 > np.finfo(float).max / 2.0)
    if wide.size:
        raise BadInput(f"bounds: upper - lower overflows for {name_variables(wide)}; scale the variables")
    return low, high


def name_variables(variables: Sequence[int] | IntArray) -> str:
    """Variables by name for a message, the first few of many.

    >>> name_variables([3, 4]), name_variables(range(100))
    ('variables 3, 4', 'variables 0, 1, 2, 3, 4, ... (100 in all)')
    """
    shown = ", ".join(str(int(i)) for i in variables[:5])
    word = "variable" if len(variables) == 1 else "variables"
    return f"{word} {shown}" + (f", ... ({len(variables)} in all)" if len(variables) > 5 else "")


def _frozen(values: ArrayLike) -> Array:
    array = np.array(values, dtype=float)
    array.setflags(write=False)
    return array


def _values(fun: Callable[[Array], Any], vectorized: bool, points: Array, first: int) -> Array:
    """Call `fun` on points that are its own to keep, and refuse what is not one real number per point."""
    if vectorized:
        try:
            raw = fun(points)
        except Exception as error:
            last = first + len(points) - 1
            which = f"evaluation {first}" if first == last else f"evaluations {first} to {last}"
            raise FunctionError(f"the function raised {error!r} in {which}", evaluation=first) from error
        return _real_values(raw, points, first)
    values = np.empty(len(points))
    for k, point in enumerate(points):
        try:
            raw = fun(point)
        except Exception as error:
            raise FunctionError(
                f"the function raised {error!r} in evaluation {first + k}", evaluation=first + k
            ) from error
        values[k] = raw if isinstance(raw, float) else _real_number(raw, first + k)
    return values


def _real_values(raw: object, points: Array, first: int) -> Array:
    values = np.asarray(raw)
    if values.shape != (len(points),) or values.dtype.kind not in "fiub":
        raise FunctionError(
            f"a vectorized function of {points.shape} points must return {len(points)} real numbers, shape "
            f"({len(points)},); got {_kind(values)} in evaluation {first} and on. "
            "If it takes one point at a time, leave vectorized=False",
            evaluation=first,
        )
    return values.astype(float, copy=False)


def _real_number(raw: object, number: int) -> float:
    value = np.asarray(raw)
    if value.size != 1 or value.dtype.kind not in "fiub":
        raise FunctionError(
            f"the function must return one real number; got {_kind(value)} in evaluation {number}. "
            "If it takes many points at once, say vectorized=True",
            evaluation=number,
        )
    return float(value.reshape(()))


def _kind(value: NDArray[Any]) -> str:
    if value.dtype.kind == "O":
        return f"{type(value.item()).__name__}" if value.size == 1 else "a sequence of objects"
    return f"{value.dtype} of shape {value.shape}" if value.shape else f"{value.dtype} {value}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
