"""Decomposers. A decomposer is a function `method(f, findings, rng, **options)`.

`f` evaluates points (m, n) and restricted ones; `findings` is where it writes down what it has settled, as soon
as it has; `rng` is its only source of randomness; its keyword arguments with defaults are its options. It never
counts, never looks at a budget, and catches nothing.

To add one: write the file, and add a line to `DECOMPOSERS`; the contract tests find it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from separable.decomposers import (
    baselines,
    csg,
    csg_gsg,
    curves,
    ddg,
    dg,
    dg2,
    erdg,
    gdg,
    gsg,
    mdg,
    rdg,
    rdg2,
    rdg3,
    xdg,
)
from separable.decomposers.findings import Findings
from separable.errors import BadInput, RunEnded, checked_options, unknown
from separable.evaluator import Evaluator
from separable.problems import Problem, box_from_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from separable.decomposition import Decomposition


Decomposer: TypeAlias = "Callable[..., None]"  # see the module's text

DECOMPOSERS: dict[str, Decomposer] = {
    "csg": csg.csg,
    "curves": curves.curves,
    "gsg": gsg.gsg,
    "csg-gsg": csg_gsg.csg_gsg,
    "rdg2": rdg2.rdg2,
    "mdg": mdg.mdg,
    "rdg": rdg.rdg,
    "rdg3": rdg3.rdg3,
    "erdg": erdg.erdg,
    "dg": dg.dg,
    "dg2": dg2.dg2,
    "xdg": xdg.xdg,
    "gdg": gdg.gdg,
    "ddg": ddg.ddg,
    "random": baselines.random,
    "one-group": baselines.one_group,
    "singletons": baselines.singletons,
    "truth": baselines.truth,
    "partition": baselines.partition,
}

ENDS: tuple[type[BaseException], ...] = (RunEnded, StopIteration, KeyboardInterrupt)  # what may end a run early


def decompose(
    fun_or_problem: Callable[..., Any] | Problem,
    bounds: object = None,
    *,
    method: str | Decomposer = "csg",
    options: Mapping[str, Any] | None = None,
    vectorized: bool = False,
    workers: int | Callable[..., Iterable[Any]] = 1,
    budget: int | None = None,
    seed: int | np.random.Generator | None = 0,
    callback: Callable[..., object] | None = None,
) -> Decomposition:
    """Find out which variables of a function are separable, and which belong together.

    Args:
        fun_or_problem: a function of one point (n,), or, if `vectorized`, of points (m, n); or a `Problem`.
        bounds: the box, for a function: n pairs (lower, upper), or a `scipy.optimize.Bounds`.
        method: a name from `DECOMPOSERS`, or a decomposer of your own.
        options: of the method; see its docstring.
        vectorized: whether the function takes many points at once.
        workers: processes, or a map-like callable; see `Evaluator`.
        budget: the most evaluations to spend; what was not decided by then is in `undecided`.
        seed: all randomness there is.
        callback: called now and then with an `OptimizeResult` that holds stage, done, total, nfev, x, fun and
            seconds; if it raises StopIteration, the search ends and what was settled is returned. Ctrl-C
            does the same.

    Returns:
        A `Decomposition`. If it is not `complete`, nothing can be said yet about its `undecided` variables, and
        groups that interact may still be apart.

    >>> d = decompose(lambda x: abs(x[0]) + (x[1] - x[2]) ** 2, [(-1, 2)] * 3)
    >>> d.additive, d.groups
    ((0,), ((1, 2),))
    """
    problem = as_problem(fun_or_problem, bounds, vectorized)
    chosen = choose(method, options)
    if callback is not None and not callable(callback):
        raise BadInput(f"callback: expected a function of one argument, got {callback!r}")
    rng = generator(seed).spawn(1)[0]  # the first of the streams a run splits its seed into
    with Evaluator(problem, budget=budget, workers=workers) as f:
        return settle(f, chosen, rng, callback)[0]


class Chosen(NamedTuple):
    """A decomposer, what it is called, and its options."""

    decomposer: Decomposer
    name: str
    options: dict[str, Any]


def choose(method: str | Decomposer, options: Mapping[str, Any] | None = None) -> Chosen:
    """A decomposer by name, or one of the caller's, with options that it knows."""
    if callable(method):
        decomposer, name = method, getattr(method, "__name__", type(method).__name__)
    elif isinstance(method, str) and method in DECOMPOSERS:
        decomposer, name = DECOMPOSERS[method], method
    else:
        raise unknown("method", method, DECOMPOSERS)
    return Chosen(decomposer, name, checked_options(decomposer, name, options))


def settle(
    f: Evaluator,
    chosen: Chosen,
    rng: np.random.Generator,
    callback: Callable[..., object] | None = None,
    ends: tuple[type[BaseException], ...] = ENDS,
) -> tuple[Decomposition, BaseException | None]:
    """Run a decomposer: what it has settled, and what ended it early, if anything did."""
    findings = Findings(f, callback)
    end: BaseException | None = None
    try:
        chosen.decomposer(f, findings, rng, **chosen.options)
    except ends as early:  # what is not settled is undecided
        end = early
    return findings.freeze(chosen.name, finished=end is None), end


def generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """All randomness of a run, from whatever NumPy takes as a seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise BadInput(f"seed: expected a whole number, 0 or more, or a numpy Generator, got {seed!r}") from error


def as_problem(fun: Callable[..., Any] | Problem, bounds: object, vectorized: bool) -> Problem:
    """What the front doors work on, from a function and its box, or from a problem."""
    if isinstance(fun, Problem):
        if bounds is not None or vectorized:
            raise BadInput("a Problem has its own bounds and knows whether it is vectorized; leave both out")
        return fun
    if not callable(fun):
        raise BadInput(f"expected a function or a Problem, got {type(fun).__name__}")
    if bounds is None:
        raise BadInput("bounds: a function needs its box, as n pairs (lower, upper)")
    lower, upper = box_from_bounds(bounds)
    return Problem(getattr(fun, "__name__", type(fun).__name__), fun, lower, upper, vectorized)
