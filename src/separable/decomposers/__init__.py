"""Decomposers. A decomposer is a function `method(f, findings, rng, **options)`.

`f` evaluates points (m, n) and restricted ones; `findings` is where it writes down what it has settled, as soon
as it has; `rng` is its only source of randomness; its keyword arguments with defaults are its options. It never
counts, never looks at a budget, and catches nothing.

To add one: write the file, and add a line to `DECOMPOSERS`; the contract tests find it there.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

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
from separable.errors import BadInput, BudgetExhausted, unknown
from separable.evaluator import Evaluator
from separable.problems import Problem, box_from_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
    problem = _as_problem(fun_or_problem, bounds, vectorized)
    decomposer, name = _method(method)
    if not isinstance(options or {}, Mapping):
        raise BadInput(f"options: expected a dict of the options of {name}, got {options!r}")
    chosen = dict(options or {})
    for option in chosen:
        known = _options(decomposer)
        if option not in known:
            raise unknown(f"option of {name}", option, known)
    if callback is not None and not callable(callback):
        raise BadInput(f"callback: expected a function of one argument, got {callback!r}")
    rng = generator(seed).spawn(1)[0]  # the first of the streams a run splits its seed into
    with Evaluator(problem, budget=budget, workers=workers) as f:
        findings = Findings(f, callback)
        finished = False
        with suppress(BudgetExhausted, StopIteration, KeyboardInterrupt):  # what is not settled is undecided
            decomposer(f, findings, rng, **chosen)
            finished = True
        return findings.freeze(name, finished=finished)


def generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """All randomness of a run, from whatever NumPy takes as a seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise BadInput(f"seed: expected a whole number, 0 or more, or a numpy Generator, got {seed!r}") from error


def _as_problem(fun: Callable[..., Any] | Problem, bounds: object, vectorized: bool) -> Problem:
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


def _method(method: str | Decomposer) -> tuple[Decomposer, str]:
    if callable(method):
        return method, getattr(method, "__name__", type(method).__name__)
    if not isinstance(method, str) or method not in DECOMPOSERS:
        raise unknown("method", method, DECOMPOSERS)
    return DECOMPOSERS[method], method


def _options(decomposer: Decomposer) -> list[str]:
    parameters = inspect.signature(decomposer).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
