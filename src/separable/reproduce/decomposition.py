"""The paper's tables of decompositions: SA, NA and evaluations of methods on a suite.

A job is a method on an instance of a function; its outcome does not depend on what else runs, or where.
"""

from __future__ import annotations

import csv
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from importlib import resources
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple

from separable.decomposers import DECOMPOSERS, decompose
from separable.errors import BadInput, FunctionError, unknown
from separable.reproduce.tables import Column, Table, change, count, percent
from separable.suites import SUITES, problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

METHODS = ("csg", "gsg", "rdg2", "mdg")  # that the paper compares
INSTANCES = (0, 1, 2, 3, 4)  # where there are many
GROUPING_METHODS = ("csg", "csg-gsg")  # whose grouping it compares
GROUPING_FUNCTIONS = (10, 11, 12, 13, 14, 15)  # of bms, on which it does: those with groups
GROUPING_STAGES = {"composite", "groups"}  # what the paper counts there: from its stage 3 on
PAPER_SUITE = "bms"


class Job(NamedTuple):
    """A decomposition to make; `dim` None is the function's usual one."""

    suite: str
    function: int
    dim: int | None
    instance: int
    method: str


class Outcome(NamedTuple):
    """What became of a job. `dim` is the true one; `grouping` the evaluations spent from stage 3 of CSG on."""

    job: Job
    dim: int
    sa: float | None
    na: float | None
    evaluations: int
    grouping: int
    seconds: float


def jobs(
    suite: str = PAPER_SUITE,
    functions: Sequence[int] | None = None,
    dims: Sequence[int | None] = (None,),
    instances: Sequence[int] | None = None,
    methods: Sequence[str] = METHODS,
) -> list[Job]:
    """All combinations, each looked at before anything runs.

    Args:
        suite: a name from `SUITES`.
        functions: their numbers; None is all of the suite.
        dims: dimensions; None is the usual one.
        instances: their numbers; None is the first five, or the one there is.
        methods: names from `DECOMPOSERS`.

    >>> len(jobs("bms", functions=[1, 2], instances=[0]))
    8
    """
    if suite not in SUITES:
        raise unknown("suite", suite, SUITES)
    there = SUITES[suite]
    chosen = sorted(there.functions) if functions is None else list(functions)
    numbers = ([0] if there.fixed else list(INSTANCES)) if instances is None else list(instances)
    for name, given in (("functions", chosen), ("dims", dims), ("instances", numbers), ("methods", methods)):
        if not len(given):
            raise BadInput(f"{name}: there must be at least one")
    for method in methods:
        if method not in DECOMPOSERS:
            raise unknown("method", method, DECOMPOSERS)
    _refuse_what_there_is_not(suite, chosen, dims, numbers)
    return [
        Job(suite, function, dim, instance, method)
        for dim in dims
        for function in chosen
        for method in methods
        for instance in numbers
    ]


def _refuse_what_there_is_not(
    suite: str, functions: Iterable[int], dims: Iterable[int | None], instances: Sequence[int]
) -> None:
    there = SUITES[suite]
    for function in functions:
        if function not in there.functions:
            raise BadInput(f"{suite} has no f{function}; it has {_listed(sorted(there.functions))}")
    if there.fixed and set(instances) != {0}:
        raise BadInput(f"{suite} has one instance of a function, 0; leave the instances out")
    for dim in dims:
        if dim is not None and not there.allows(dim):
            raise BadInput(f"{suite}: dim must be {there.dims}, got {dim}")


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(f"f{number}" for number in numbers)


def run(todo: Sequence[Job], workers: int = 1) -> Iterator[Outcome]:
    """Do them, here or in so many processes; outcomes come in the order of the jobs.

    Whoever stops listening, or is interrupted, leaves no process behind. A worker that dies is a `FunctionError`.
    """
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise BadInput(f"workers must be a number of processes, 1 or more, got {workers!r}")
    if workers == 1:
        yield from map(decomposed, todo)
        return
    # Ctrl-C reaches the workers too; they end at once, and the one who waits for them says so
    pool = ProcessPoolExecutor(
        min(workers, len(todo)), initializer=partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    )
    try:
        yield from pool.map(decomposed, todo)
    except BrokenProcessPool as error:
        raise FunctionError("a worker process died (out of memory, or killed); try fewer workers") from error
    finally:
        pool.shutdown(cancel_futures=True)


def decomposed(job: Job) -> Outcome:
    """Do one."""
    subject = problem(f"{job.suite}/f{job.function}", job.dim, job.instance)
    found = decompose(subject, method=job.method)
    if not found.finished:  # there is no budget, so it was Ctrl-C
        raise KeyboardInterrupt
    sa, na = (None, None) if subject.truth is None else found.accuracy(subject.truth)
    return Outcome(
        job,
        subject.dim,
        sa,
        na,
        found.evaluations,
        sum(stage.evaluations for stage in found.stages if stage.name in GROUPING_STAGES),
        sum(stage.seconds for stage in found.stages),
    )


def published(table: str) -> list[dict[str, Any]]:
    """The rows of a table of the paper, from `paper/<table>.csv`.

    >>> published("by_dimension")[0]
    {'dim': 1000, 'method': 'csg', 'sa': 1.0, 'na': 1.0, 'evaluations': 22224}
    """
    text = resources.files("separable.reproduce").joinpath("paper", f"{table}.csv").read_text("utf-8")
    kinds = {"method": str, **dict.fromkeys(("sa", "na", "mean", "median", "std"), float)}
    return [
        {key: kinds.get(key, int)(value) if value else None for key, value in row.items()}
        for row in csv.DictReader(text.splitlines())
    ]


def accuracy_table(outcomes: Iterable[Outcome]) -> list[Table]:
    """The paper's first table: a table for every method, a row for every function."""
    return [
        _beside(
            f"{method} on {suite}, {_dims(rows)}, {_instances(rows)}",
            rows,
            published("decomposition") if suite == PAPER_SUITE else [],
        )
        for (suite, _, method), rows in _rows(outcomes, "suite", "asked", "method").items()
    ]


def dimension_table(outcomes: Iterable[Outcome]) -> list[Table]:
    """The paper's second table: for every method the means over the functions, a row for every dimension."""
    found = []
    for (suite, method), rows in _rows(outcomes, "suite", "method").items():
        by_dim: dict[int, list[dict[str, Any]]] = {}
        for row in rows:
            by_dim.setdefault(row["dim"], []).append(row)
        means = [_mean(several) for several in by_dim.values()]
        whole = suite == PAPER_SUITE and {row["function"] for row in rows} == set(SUITES[suite].functions)
        title = f"{method} on {suite}, means over {len(rows) // len(by_dim)} functions, {_instances(rows)}"
        found.append(_beside(title, means, published("by_dimension") if whole else []))
    return found


def _dims(rows: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(f"{dim}-D" for dim in dict.fromkeys(row["dim"] for row in rows))


def _instances(rows: Sequence[Mapping[str, Any]]) -> str:
    most = max(row["instances"] for row in rows)
    return f"{most} instance{'s' * (most > 1)}"


def grouping_table(outcomes: Iterable[Outcome]) -> list[Table]:
    """The paper's third: the evaluations that the grouping of non-separable variables takes."""
    paper = {(row["dim"], row["function"], row["method"]): row["grouping"] for row in published("grouping")}
    rows: dict[tuple[int, int], dict[str, Any]] = {}
    methods: dict[str, None] = {}
    suite = ""
    for (suite, dim, method), several in _rows(outcomes, "suite", "dim", "method").items():
        methods[method] = None
        for one in several:
            row = rows.setdefault((dim, one["function"]), {"function": one["function"], "dim": dim})
            row[f"{method} paper"] = paper.get((dim, one["function"], method)) if suite == PAPER_SUITE else None
            row[method] = one["grouping"]
    columns = [Column("function", "f", "f{}".format)]
    for method in methods:
        columns += [Column(f"{method} paper", f"{method}, paper", count), Column(method, method, count)]
    title = f"Evaluations for grouping non-separable variables, {suite}, {_dims(rows.values())}"
    return [_shown(Table(title, tuple(columns), tuple(rows.values())))]


def _rows(outcomes: Iterable[Outcome], *keys: str) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """A row a function and method, with means over the instances, gathered by what is in `keys`.

    "asked" is the dimension that was asked for: functions of one suite may have different usual ones.
    """
    cells: dict[tuple[Any, ...], list[Outcome]] = {}
    for outcome in outcomes:
        job = outcome.job
        cells.setdefault((job.suite, job.method, job.dim, outcome.dim, job.function), []).append(outcome)
    gathered: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for (suite, method, asked, dim, function), several in cells.items():
        row = {"suite": suite, "method": method, "dim": dim, "function": function, "instances": len(several)}
        for key in ("sa", "na", "evaluations", "grouping", "seconds"):
            row[key] = _average(getattr(one, key) for one in several)
        gathered.setdefault(tuple((row | {"asked": asked})[key] for key in keys), []).append(row)
    return gathered


def _mean(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One row for several functions."""
    same = {
        key: rows[0][key] for key in ("suite", "method", "dim") if all(row[key] == rows[0][key] for row in rows)
    }
    return same | {key: _average(row[key] for row in rows) for key in ("sa", "na", "evaluations", "seconds")}


def _average(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def _beside(title: str, rows: Sequence[dict[str, Any]], paper: Sequence[Mapping[str, Any]]) -> Table:
    """Rows with the paper's figures beside them, and under several functions their means."""
    compared = [row | _paper(row, paper) for row in rows]
    by_function = "function" in rows[0]
    if by_function and len(rows) > 1:
        foot = {"function": "mean"} | _mean(rows)
        if all(row["evaluations_paper"] is not None for row in compared):
            foot |= {f"{key}_paper": _average(row[f"{key}_paper"] for row in compared) for key in PAPER_KEYS}
            foot["deviation"] = foot["evaluations"] / foot["evaluations_paper"] - 1.0
        compared.append(foot)
    first = Column("function", "f", lambda name: f"f{name}" if isinstance(name, int) else str(name))
    columns = (
        first if by_function else Column("dim", "n", count),
        Column("sa_paper", "SA, paper", percent),
        Column("sa", "SA", percent),
        Column("na_paper", "NA, paper", percent),
        Column("na", "NA", percent),
        Column("evaluations_paper", "evaluations, paper", count),
        Column("evaluations", "evaluations", count),
        Column("deviation", "deviation", change),
    )
    return _shown(Table(title, columns, tuple(compared)))


PAPER_KEYS = ("sa", "na", "evaluations")


def _paper(row: Mapping[str, Any], paper: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    same = [key for key in ("dim", "function", "method") if paper and key in paper[0]]
    for one in paper:
        if all(one[key] == row[key] for key in same):
            found = {f"{key}_paper": one[key] for key in PAPER_KEYS}
            return found | {"deviation": row["evaluations"] / one["evaluations"] - 1.0}
    return dict.fromkeys([f"{key}_paper" for key in PAPER_KEYS] + ["deviation"])


def _shown(table: Table) -> Table:
    """Without the columns in which nothing stands: the paper's, where the paper has no figures."""
    columns = tuple(
        column for column in table.columns if any(row.get(column.key) is not None for row in table.rows)
    )
    return Table(table.title, columns, table.rows)
