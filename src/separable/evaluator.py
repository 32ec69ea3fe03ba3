"""The one place that calls the function, counts, spends the budget and remembers the best."""

from __future__ import annotations

import numbers
import os
import pickle
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from separable.errors import BadInput, BudgetExhausted, FunctionError, NonFinite, TargetReached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import ArrayLike

    from separable.journal import Journal
    from separable.problems import Array, IntArray, Mask, Problem, Restriction

    Task = tuple[tuple[Array, IntArray] | None, Array, int]  # where it is restricted to, points, first number

CHUNK_ELEMENTS = 2**20  # numbers in one block of points (8 MB): what is held at once, whatever is asked for
CHUNK_ONE_BY_ONE = (
    256  # points of a function that takes one at a time, and so may be slow: what an early end loses
)
PIECE_SECONDS = 0.2  # a slow function, called point by point, gives word of itself about so often


class Improvement(NamedTuple):
    """A value better than all before it, and how many evaluations had been made with it."""

    evaluations: int
    value: float


class Evaluator:
    """A problem under a budget: every evaluation of a run goes through one of these.

    Args:
        problem: what is evaluated.
        budget: the evaluations there are; exactly so many are made, then `BudgetExhausted` is raised.
        workers: processes to spread a batch over (-1: one per core), or a map-like callable, such as the
            `map` of any `concurrent.futures.Executor`. Values come back in order, whoever computes them.
        watch: called without arguments whenever some more evaluations are done, several times a second if the
            function allows it. What it raises ends the run.
        nonfinite: "refuse" stops at the first NaN or infinite value with an error that names the point;
            "worst" ranks a NaN worst, as infinity. May be changed on the way. `nan_count` counts NaN.
        target: raise `TargetReached` after the batch in which a value is as small as this.
        minimizing: for a run that ends with a point, and that may be taken up again under a larger budget. So
            what `chunk` says does not depend on the budget; and one evaluation of it is kept for `confirm`, if
            values of the problem might differ by their rounding from that of one point by itself.

    The attribute `journal` may be set to one before the first evaluation: the values recorded in it are taken from
    there, and new ones are recorded.

    >>> from separable.problems import Problem
    >>> bowl = Problem("bowl", lambda x: float(x @ x), [-1, -1], [1, 1])
    >>> f = Evaluator(bowl, budget=3)
    >>> f(np.array([[1.0, 1.0], [0.5, 0.0]])), f.evaluations, f.best
    (array([2.  , 0.25]), 2, 0.25)
    >>> f.restrict([0.0, 0.5], [0])(np.array([[0.1]])), f.evaluations
    (array([0.26]), 3)
    """

    def __init__(
        self,
        problem: Problem,
        *,
        budget: float | None = None,
        workers: int | Callable[..., Iterable[Any]] = 1,
        watch: Callable[[], object] | None = None,
        nonfinite: Literal["refuse", "worst"] = "refuse",
        target: float = -np.inf,
        minimizing: bool = False,
    ) -> None:
        if nonfinite not in ("refuse", "worst"):
            raise BadInput(f"nonfinite must be 'refuse' or 'worst', got {nonfinite!r}")
        self.problem = problem
        self.budget = _checked_budget(budget)
        self.evaluations = 0
        self.best = np.inf
        self._best_point: tuple[Array, Restriction | None] | None = None
        self.history: list[Improvement] = []
        self.nan_count = 0
        self.watch = watch
        self.nonfinite = nonfinite
        self.journal: Journal | None = None
        self._target, self._minimizing = target, minimizing
        self._keeps_one = minimizing and (problem.vectorized or problem.partial is not None)
        self._limit = np.inf if self.budget is None else max(1, self.budget - self._keeps_one)
        self._seconds = PIECE_SECONDS  # that one evaluation took, lately
        self._pool: ProcessPoolExecutor | None = None
        self._map, self._workers = self._checked_workers(workers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes, if there are any; work not begun is dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def __call__(self, points: Array) -> Array:
        """Values at points (m, n): m evaluations."""
        return self._spend(points, self.problem, None)

    def restrict(self, context: ArrayLike, group: ArrayLike) -> Callable[[Array], Array]:
        """The function of a group alone, all else at `context`; its evaluations count like any other."""
        restriction = self.problem.restrict(context, group)
        return partial(self._spend, evaluated=restriction, restriction=restriction)

    @property
    def chunk(self) -> int:
        """The number of points to ask for at once: what memory should hold, and what the budget still allows.

        Whoever settles something with every batch, and asks for batches of this size, has settled all that
        could be settled when the budget ends.
        """
        rows = CHUNK_ELEMENTS // self.problem.dim
        if not self.problem.vectorized:
            rows = min(rows, CHUNK_ONE_BY_ONE)
        if self.budget is not None and not self._minimizing:
            rows = min(rows, self.budget - self.evaluations)
        return max(1, rows)

    @property
    def best_x(self) -> Array | None:
        """Where the best value was found."""
        return None if self._best_point is None else _whole(*self._best_point)

    def confirm(self) -> float:
        """The function itself at the best point, by itself: what `problem(best_x)` is, to the bit."""
        x = self.best_x
        if self._keeps_one and x is not None and self.evaluations != self.budget:
            value = None if self.journal is None else self.journal.final(self.evaluations)
            if value is None:
                value = float(self.problem.evaluate(x[None], self.evaluations + 1)[0])
                if self.journal is not None:
                    self.journal.append_final(value)
            self.evaluations += 1
            self.best = value
        return self.best

    def _spend(self, points: Array, evaluated: Problem | Restriction, restriction: Restriction | None) -> Array:
        wanted = len(points)
        allowed = int(min(wanted, self._limit - self.evaluations))
        values, done = np.empty(allowed), 0
        for piece in self._answers(points[:allowed], evaluated, restriction):
            end = done + len(piece)
            values[done:end] = self._record(points[done:end], piece, restriction)
            done = end
            if self.watch is not None:
                self.watch()
        if self.best <= self._target:
            raise TargetReached
        if allowed < wanted:
            raise BudgetExhausted
        return values

    def _answers(
        self, points: Array, evaluated: Problem | Restriction, restriction: Restriction | None
    ) -> Iterator[Array]:
        """Values in pieces, as the function gave them."""
        if self.journal is not None:
            return self._journaled(self.journal, points, evaluated, restriction)
        return self._fresh(points, evaluated, restriction)

    def _journaled(
        self, journal: Journal, points: Array, evaluated: Problem | Restriction, restriction: Restriction | None
    ) -> Iterator[Array]:
        """Values in pieces: from the journal, then new ones, which go into it."""
        if journal.replaying:
            recorded = journal.take(len(points))
            yield recorded
            points = points[len(recorded) :]
        for piece in self._fresh(points, evaluated, restriction):
            journal.append(piece)
            yield piece

    def _fresh(
        self, points: Array, evaluated: Problem | Restriction, restriction: Restriction | None
    ) -> Iterator[Array]:
        """Values in pieces, new ones."""
        if self._map is not None:
            return self._from_workers(points, restriction)
        return self._from_here(points, evaluated, restriction)

    def _from_here(
        self, points: Array, evaluated: Problem | Restriction, restriction: Restriction | None
    ) -> Iterator[Array]:
        """Values in pieces, computed in this process."""
        by_points = not self.problem.vectorized and (restriction is None or self.problem.partial is None)
        start, rows = 0, self.chunk
        while start < len(points):
            piece = points[start : start + rows]
            if by_points and self.watch is not None:
                piece = piece[: max(1, int(PIECE_SECONDS / self._seconds))]
            began = time.perf_counter()
            values = evaluated.evaluate(piece, self.evaluations + 1)
            self._seconds = max(1e-9, (time.perf_counter() - began) / len(piece))
            yield values
            start += len(piece)

    def _from_workers(self, points: Array, restriction: Restriction | None) -> Iterator[Array]:
        """Values in pieces and in order, computed by the workers."""
        if self._map is None:
            raise RuntimeError("there are no workers")
        # four turns a worker, so that a slow one does not hold up the rest, and all of one size, or one less
        shares = max(-(-len(points) // self.chunk), min(len(points), 4 * self._workers))
        ends = [len(points) * k // shares for k in range(shares + 1)] if shares else []
        where = None if restriction is None else (restriction.context, restriction.group)
        first = self.evaluations + 1
        tasks = [(where, points[start:end], first + start) for start, end in pairwise(ends)]
        try:
            yield from self._map(tasks)
        except BrokenProcessPool as error:
            raise FunctionError(
                f"a worker process died in evaluation {first} or soon after "
                "(out of memory, or killed by the function)",
                evaluation=first,
            ) from error

    def _record(self, points: Array, values: Array, restriction: Restriction | None) -> Array:
        """Count the values, refuse or rank the non-finite, remember the best."""
        finite = np.isfinite(values)
        if not finite.all():
            return self._record_nonfinite(points, values, finite, restriction)
        self._remember(points, values, restriction)
        return values

    def _remember(self, points: Array, values: Array, restriction: Restriction | None) -> None:
        better = (values < self.best).nonzero()[0]
        if len(better):
            last = 0
            for k, value in zip(better.tolist(), values[better].tolist(), strict=True):
                if value < self.best:
                    self.best, last = value, k
                    self.history.append(Improvement(self.evaluations + 1 + k, value))
            self._best_point = points[last].copy(), restriction
        self.evaluations += len(values)

    def _record_nonfinite(
        self, points: Array, values: Array, finite: Mask, restriction: Restriction | None
    ) -> Array:
        missing = np.isnan(values)
        self.nan_count += int(missing.sum())
        k = int(np.flatnonzero(~finite)[0])
        number = self.evaluations + 1 + k
        ranked = np.where(missing, np.inf, values)
        self._remember(points, ranked, restriction)
        if self.nonfinite == "worst":
            return ranked
        point = _whole(points[k], restriction)
        raise NonFinite(
            f"the function returned {values[k]} in evaluation {number}, at x = "
            f"{np.array2string(point, threshold=8, edgeitems=3, precision=6, max_line_width=10_000)}; "
            "differences mean nothing then. Shrink the box to where the function is finite",
            evaluation=number,
            point=point,
        )

    def _checked_workers(
        self, workers: int | Callable[..., Iterable[Any]]
    ) -> tuple[Callable[[list[Any]], Iterable[Array]] | None, int]:
        if callable(workers):
            return partial(workers, partial(_evaluate, self.problem)), _processors()
        if isinstance(workers, bool) or not isinstance(workers, int) or (workers < 1 and workers != -1):
            raise BadInput(
                f"workers must be a number of processes (1, 2, ..., or -1 for one per core) "
                f"or a map-like callable, got {workers!r}"
            )
        count = _processors() if workers == -1 else workers
        if count == 1:
            return None, 1
        try:
            pickle.dumps(self.problem)
        except Exception as error:
            raise BadInput(
                f"workers={workers} needs a function that other processes can import, defined at the top "
                f"level of a module; this one cannot be sent there ({error}). Use workers=1 for it"
            ) from error
        self._pool = ProcessPoolExecutor(count, initializer=_adopt, initargs=(self.problem, os.getpid()))
        return partial(self._pool.map, _evaluate_adopted), count


def _checked_budget(budget: object) -> int | None:
    if budget is None:
        return None
    number = 0.5 if isinstance(budget, bool) or not isinstance(budget, numbers.Real) else float(budget)
    if not number.is_integer() or number < 1:
        raise BadInput(f"budget must be a whole number of evaluations, at least 1, got {budget!r}")
    return int(number)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _whole(point: Array, restriction: Restriction | None) -> Array:
    return point.copy() if restriction is None else restriction.whole(point[None, :])[0]


def _evaluate(problem: Problem, task: Task) -> Array:
    where, points, first = task
    evaluated = problem if where is None else problem.restrict(*where)
    return evaluated.evaluate(points, first)


_adopted: Problem | None = None  # a worker process's own copy, so that no task carries the problem along


def _adopt(problem: Problem, run: int) -> None:
    global _adopted  # noqa: PLW0603 -- the state of a worker process, set once at its start
    _adopted = problem
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends a worker without a word; the run speaks for it
    if os.name == "posix":
        threading.Thread(target=_end_with, args=(run,), daemon=True).start()


def _end_with(run: int) -> None:
    """End this worker when the process of the run is gone; killed outright, that could not say so."""
    with suppress(OSError):
        while True:
            os.kill(run, 0)  # does nothing, if there is such a process
            time.sleep(1.0)
    os._exit(1)


def _evaluate_adopted(task: Task) -> Array:
    if _adopted is None:
        raise RuntimeError("a worker process was used before it was given its problem")
    return _evaluate(_adopted, task)
