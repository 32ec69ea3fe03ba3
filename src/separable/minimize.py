"""One run: decompose, then cooperate, under one budget."""

from __future__ import annotations

import hashlib
import numbers
import time
from contextlib import nullcontext
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import OptimizeResult

from separable import decomposers, optimizers
from separable.cooperate import CHUNK, GENERATIONS, POPULATION, Log, choose_rule, cooperate, subproblems
from separable.decomposition import Decomposition
from separable.errors import BadInput, BudgetExhausted, NonFinite, TargetReached, TimeIsUp, unknown
from separable.evaluator import Evaluator
from separable.journal import Journal
from separable.problems import name_variables

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from separable.cooperate import RuleMaker
    from separable.decomposers import Decomposer
    from separable.optimizers import Method
    from separable.problems import Array, Problem


def minimize(  # noqa: PLR0913 -- what a run is; all but the function and its box have defaults
    fun: Callable[..., Any] | Problem,
    bounds: object = None,
    *,
    budget: float,
    decomposer: str | Decomposer | None = "csg",
    optimizer: str | Method = "sansde",
    groups: Decomposition | Iterable[Sequence[int]] | None = None,
    x0: object = None,
    vectorized: bool = False,
    workers: int | Callable[..., Iterable[Any]] = 1,
    seed: int | np.random.Generator | None = 0,
    target: float | None = None,
    time_limit: float | None = None,
    callback: Callable[..., object] | None = None,
    journal: str | os.PathLike[str] | None = None,
    rule: str | RuleMaker = "round-robin",
    start: str = "uniform",
    population: int = POPULATION,
    generations: int = GENERATIONS,
    chunk: int = CHUNK,
    decomposer_options: Mapping[str, Any] | None = None,
    optimizer_options: Mapping[str, Any] | None = None,
) -> OptimizeResult:
    """Find a point with a small value: take the function apart, then optimize part by part.

    The defaults are DECC with SaNSDE, as in the paper behind `csg`.

    Args:
        fun: a function of one point (n,), or, if `vectorized`, of points (m, n); or a `Problem`.
        bounds: the box, for a function: n pairs (lower, upper), or a `scipy.optimize.Bounds`.
        budget: how often the function may be evaluated, the decomposition included; exactly so often it is,
            if nothing else ends the run.
        decomposer: a name from `DECOMPOSERS`, or a decomposer of your own; None: no decomposition, one group.
        optimizer: a name from `OPTIMIZERS` (sansde, shade, de, cmaes), or an optimizer of your own.
        groups: the groups to optimize, if they are known: a partition of the variables, or a `Decomposition`,
            of which the separable variables go in chunks. Nothing is decomposed then.
        x0: a point that is evaluated first, and belongs to the population that the search starts from.
        vectorized: whether the function takes many points at once.
        workers: processes, or a map-like callable; see `Evaluator`. They change nothing but the time.
        seed: all randomness there is.
        target: end as soon as a value is as small as this.
        time_limit: end after so many seconds.
        callback: called now and then with an `OptimizeResult` that holds stage, done, total, nfev, x, fun,
            seconds, group and groups; if it raises StopIteration, the run ends. So it does with Ctrl-C.
        journal: a file in which all values are recorded. The same call started again with it goes on where the
            last one was ended, by whatever, and comes to the same result, to the bit; if that one was
            finished, it goes on under a larger budget. Needs a whole number as seed.
        rule: which group is next: "round-robin" (the paper), or "contribution", the one that gains most.
        start: "uniform", as in the paper: the search starts from points drawn in the box; "found": the best point
            that is known by then, from the decomposition or x0, is one of them.
        population: the size of the first population, and of each group's.
        generations: for which a group evolves before the next one has its turn.
        chunk: how many separable variables are optimized together.
        decomposer_options: see the docstring of the method.
        optimizer_options: likewise.

    Returns:
        An `OptimizeResult`: x, fun (the function at x), nfev, nit (generations), success, status, message, and
        decomposition, history (every improvement), nan_count. A NaN ranks worst. The run is a success if it
        reached its target, or, if it had none, if it spent its budget or its time and found a finite value.
        status: 0 the budget is spent, 1 the target reached, 2 the time is up, 3 the callback ended it, 4 Ctrl-C.

    >>> def fun(x):
    ...     return abs(x[0] - 1) + (x[1] - x[2]) ** 2 + (x[2] - 2) ** 2
    >>> r = minimize(fun, [(-5, 5)] * 3, budget=20_000)
    >>> r.x.round(3), r.nfev, r.decomposition.groups
    (array([1., 2., 2.]), 20000, ((1, 2),))
    """
    problem = decomposers.as_problem(fun, bounds, vectorized)
    if callback is not None and not callable(callback):
        raise BadInput(f"callback: expected a function of one argument, got {callback!r}")
    if budget is None:
        raise BadInput("budget: expected how often the function may be evaluated, got None")
    limit = np.inf if time_limit is None else _checked_number(time_limit, "time_limit", above=0.0)
    plan = _Plan(
        problem,
        structure=_checked_structure(groups, decomposer, decomposer_options, problem.dim),
        optimizer=optimizers.choose(optimizer, optimizer_options),
        rule=choose_rule(rule),
        x0=None if x0 is None else _checked_start(x0, problem),
        from_found=_checked_word(start, "start", ("uniform", "found")) == "found",
        population=_checked_size(population, "population", 8),
        generations=_checked_size(generations, "generations", 1),
        chunk=_checked_size(chunk, "chunk", 1),
    )
    rng = decomposers.generator(seed)
    with (
        Evaluator(
            problem,
            budget=budget,
            workers=workers,
            target=-np.inf if target is None else _checked_number(target, "target"),
            nonfinite="worst",
            minimizing=True,
        ) as f,
        nullcontext() if journal is None else Journal(journal, _identity(plan, seed)) as f.journal,
    ):
        watch = _Watch(f, callback, limit)
        found, note, end = _run(f, plan, rng, watch)
        at_once = isinstance(end, TargetReached) and f.evaluations == 1  # at x0: its value is that of x0 by itself
        value = f.best if at_once else f.confirm()
        return _result(f, value, found, end, note, watch.log, has_target=target is not None)


@dataclass(frozen=True)
class _Plan:
    """What is to be done, checked."""

    problem: Problem
    structure: Decomposition | decomposers.Chosen  # known, or to be found
    optimizer: optimizers.Chosen
    rule: RuleMaker
    x0: Array | None
    from_found: bool
    population: int
    generations: int
    chunk: int


class _Watch:
    """Whoever looks on: the caller's callback, and the clock."""

    def __init__(self, f: Evaluator, callback: Callable[..., object] | None, limit: float) -> None:
        self.log = Log()
        self._f, self._callback, self._limit = f, callback, limit
        self._start = time.perf_counter()
        self.wanted = callback is not None or np.isfinite(limit)

    def decomposing(self, at: OptimizeResult) -> None:
        """Pass on what the decomposer tells."""
        self._tell(at)

    def optimizing(self) -> None:
        """Tell where the cooperation is."""
        f, log = self._f, self.log
        self._tell(
            OptimizeResult(
                stage="optimizing",
                done=f.evaluations,
                total=f.budget,
                nfev=f.evaluations,
                x=f.best_x,
                fun=f.best,
                group=log.group,
                groups=log.groups,
            )
        )

    def _tell(self, at: OptimizeResult) -> None:
        at.seconds = time.perf_counter() - self._start
        if at.seconds >= self._limit:
            raise TimeIsUp
        if self._callback is not None:
            self._callback(at)


def _run(
    f: Evaluator, plan: _Plan, rng: np.random.Generator, watch: _Watch
) -> tuple[Decomposition, str, BaseException]:
    """Decompose and cooperate, until something ends it: what was found, what is to be said of it, and the end."""
    decomposing, starting, optimizing = rng.spawn(3)
    found, note = Decomposition(f.problem.dim, undecided=tuple(range(f.problem.dim)), finished=False), ""
    try:
        x0 = None if plan.x0 is None else (plan.x0, float(f(plan.x0[None])[0]))
        if isinstance(plan.structure, Decomposition):
            found = plan.structure
        else:
            f.nonfinite = "refuse"  # differences of such values mean nothing
            told = watch.decomposing if watch.wanted else None
            found, end = decomposers.settle(f, plan.structure, decomposing, told, (*decomposers.ENDS, NonFinite))
            note = _note(found, end)
            if end is not None and not isinstance(end, NonFinite):
                return found, note, end
            f.nonfinite = "worst"
        if plan.from_found and f.best_x is not None:
            x0 = (f.best_x, f.best)
        f.watch = watch.optimizing if watch.wanted else None
        cooperate(
            f,
            subproblems(found, plan.chunk),
            plan.optimizer.method,
            plan.rule,
            (starting, optimizing),
            watch.log,
            x0=x0,
            population=plan.population,
            generations=plan.generations,
        )
    except decomposers.ENDS as end:
        return found, note, end


def _note(found: Decomposition, end: BaseException | None) -> str:
    if end is None:
        return ""
    left = f"{len(found.undecided):,} of {found.dim:,} variables undecided"
    if isinstance(end, NonFinite):
        return f"; the decomposition ended early, with {left}, which were optimized as if separable: {end}"
    return f"; it ended within the decomposition, with {left}: nothing was optimized"


def _result(
    f: Evaluator,
    value: float,
    found: Decomposition,
    end: BaseException,
    note: str,
    log: Log,
    *,
    has_target: bool,
) -> OptimizeResult:
    status, message = next(text for kind, text in ENDINGS if isinstance(end, kind))
    success = status == 1 or (status in (0, 2) and not has_target and np.isfinite(value))
    if f.best_x is None:
        note += "; no value was a finite number"
    return OptimizeResult(
        x=f.best_x,
        fun=value,
        nfev=f.evaluations,
        nit=log.generations,
        success=success,
        status=status,
        message=message + note,
        decomposition=found,
        history=f.history,
        nan_count=f.nan_count,
    )


ENDINGS: tuple[tuple[type[BaseException], tuple[int, str]], ...] = (
    (BudgetExhausted, (0, "the budget is spent")),
    (TargetReached, (1, "the target is reached")),
    (TimeIsUp, (2, "the time is up")),
    (StopIteration, (3, "the callback ended the run")),
    (KeyboardInterrupt, (4, "interrupted; this is the best so far")),
)


def _identity(plan: _Plan, seed: object) -> dict[str, Any]:
    """What a journal belongs to: whatever has a say in what is evaluated, and in what comes out."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise BadInput(f"a journal needs a whole number as seed, so that the run can be repeated; got {seed!r}")
    problem, structure = plan.problem, plan.structure
    groups = decomposer = None
    if isinstance(structure, Decomposition):
        groups = _digest(repr([group.tolist() for group in subproblems(structure, plan.chunk)]))
    else:
        decomposer = f"{structure.name} {structure.options} {_fingerprint(structure.decomposer)}"
    from separable import __version__  # noqa: PLC0415 -- the package imports this module

    return {
        "version": __version__,
        "numpy": np.__version__,  # of another one the same seed may give other numbers
        "problem": problem.name,
        "function": _fingerprint(problem.fun),
        "box": _digest(problem.lower, problem.upper),
        "minimizer": None if problem.minimizer is None else _digest(problem.minimizer),
        "vectorized": problem.vectorized,
        "partial": None if problem.partial is None else _fingerprint(problem.partial),
        "decomposer": decomposer,
        "groups": groups,
        "optimizer": f"{plan.optimizer.name} {plan.optimizer.options}",
        "rule": _fingerprint(plan.rule),
        "x0": None if plan.x0 is None else _digest(plan.x0),
        "start": "found" if plan.from_found else "uniform",
        "seed": seed,
        "population": plan.population,
        "generations": plan.generations,
        "chunk": plan.chunk,
    }


def _fingerprint(fun: object) -> str:
    """A function by its name and, if it is written in Python, by what it does; not by what it calls."""
    name = f"{getattr(fun, '__module__', '')}.{getattr(fun, '__qualname__', type(fun).__qualname__)}"
    code = getattr(fun, "__code__", None)
    return name if code is None else f"{name} {_digest(*_code(code))}"


def _code(code: CodeType) -> Iterator[bytes | str]:
    yield code.co_code
    yield repr(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:  # a set comes in another order in every process
            yield repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)


def _digest(*parts: Array | bytes | str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else bytes(part))
    return digest.hexdigest()[:16]


def _checked_structure(
    groups: Decomposition | Iterable[Sequence[int]] | None,
    decomposer: str | Decomposer | None,
    options: Mapping[str, Any] | None,
    dim: int,
) -> Decomposition | decomposers.Chosen:
    if groups is None and decomposer is None:
        return Decomposition(dim, groups=(tuple(range(dim)),), method="none")
    if groups is None and decomposer is not None:
        return decomposers.choose(decomposer, options)
    if isinstance(groups, Decomposition):
        if groups.dim != dim:
            raise BadInput(f"groups: expected a decomposition of {dim} variables, got one of {groups.dim}")
        return groups
    try:
        given = tuple(tuple(group) for group in groups or ())
    except TypeError as error:
        raise BadInput(f"groups: expected groups of variable numbers, got {groups!r}") from error
    try:
        return Decomposition(dim, groups=given, method="given")
    except BadInput as error:
        raise BadInput(f"groups: {error}") from error


def _checked_start(x0: object, problem: Problem) -> Array:
    try:
        point = np.array(x0, dtype=float)
    except (TypeError, ValueError) as error:
        raise BadInput(f"x0: expected {problem.dim} numbers, got {x0!r}") from error
    if point.shape != (problem.dim,):
        raise BadInput(f"x0: expected shape ({problem.dim},), got {point.shape}")
    outside = np.flatnonzero(~((point >= problem.lower) & (point <= problem.upper)))
    if outside.size:
        k = int(outside[0])
        raise BadInput(
            f"x0: outside the box in {name_variables(outside)}; variable {k} is {point[k]:g}, "
            f"and must be from {problem.lower[k]:g} to {problem.upper[k]:g}"
        )
    return point


def _checked_number(value: object, name: str, above: float = -np.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not above < float(value) < np.inf:
        floor = "" if above == -np.inf else f" above {above:g}"
        raise BadInput(f"{name}: expected a finite number{floor}, got {value!r}")
    return float(value)


def _checked_word(value: object, name: str, words: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in words:
        raise unknown(name, value, words)
    return value


def _checked_size(value: object, name: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise BadInput(f"{name}: expected a whole number, {least} or more, got {value!r}")
    return int(value)
