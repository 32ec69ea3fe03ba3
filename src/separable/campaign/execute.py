"""Running a campaign: every cell that has no record, in processes of this machine or in any executor."""

from __future__ import annotations

import multiprocessing
import os
import platform
import signal
import threading
import time
import traceback
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

import separable
from separable.campaign.store import FORMAT, Record, cell_data
from separable.decomposers import decompose
from separable.errors import BadInput
from separable.minimize import minimize
from separable.suites import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor

    from separable.campaign.spec import Campaign, Cell
    from separable.campaign.store import Store

HISTORY = 200  # improvements kept in a record, about
DEATHS = 3  # of the process under a run, before that counts as the run's failure
DECIDES_NOTHING = ("cli", "report", "campaign", "plots.py")  # parts of the package that no result depends on


class Progress(NamedTuple):
    """How far a campaign is, as callbacks are told."""

    total: int  # cells
    before: int  # of them recorded already when this began
    done: int  # since then
    running: int
    failed: int
    seconds: float
    cell: Cell | None  # that ended just now
    record: Record | None  # and what came of it

    @property
    def left(self) -> float:
        """Seconds that the rest may take; NaN as long as nobody knows."""
        ended = self.done + self.failed
        return (self.total - self.before - ended) * self.seconds / ended if ended else float("nan")


def run(
    campaign: Campaign,
    store: Store,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    retry_failed: bool = False,
    callback: Callable[[Progress], object] | None = None,
) -> Progress:
    """Run every cell of a campaign that has no record yet.

    Args:
        campaign: what to run.
        store: where records are, and go to.
        workers: processes of this machine.
        executor: runs the cells instead: any `concurrent.futures.Executor`, such as that of a Dask client.
        retry_failed: also the cells whose record is a failure; the old record is set aside.
        callback: told at the start and after every run; if it raises StopIteration, no further run is begun.

    Returns:
        How far it came. Ctrl-C ends it at once: runs in progress are lost, all others are recorded.
    """
    found = store.find(campaign.cells)
    _refuse_other_code(found.values(), store)
    failed = {cell for cell, record in found.items() if record["status"] == "failed"}
    if retry_failed:
        for cell in failed:
            store.set_aside(store.path(cell))
        found = {cell: record for cell, record in found.items() if cell not in failed}
    todo = [cell for cell in campaign.cells if cell not in found]
    if executor is None:  # data that are not there are better missed now than in every run
        for cell in {cell.problem.split("/")[0]: cell for cell in todo}.values():
            problem(cell.problem, cell.dim, cell.instance)
    start, done, broke = time.perf_counter(), 0, 0

    def tell(running: int, cell: Cell | None = None, record: Record | None = None) -> None:
        if callback is not None:
            callback(progress(running, cell, record))

    def progress(running: int, cell: Cell | None = None, record: Record | None = None) -> Progress:
        seconds = time.perf_counter() - start
        return Progress(len(campaign.cells), len(found), done, running, broke, seconds, cell, record)

    try:
        tell(0)
        crew = _Crew(workers) if executor is None else _Guests(executor)
        with crew:
            for cell, record, running in crew.records(todo):
                store.write(cell, record)
                done += record["status"] == "done"
                broke += record["status"] == "failed"
                tell(running, cell, record)
    except StopIteration:
        pass
    return progress(0)


def run_cell(cell: Cell) -> Record:
    """One run, and its record; an exception becomes a record of a failure."""
    start, cpu = time.perf_counter(), time.process_time()
    record: Record = {"format": FORMAT, "identity": cell.identity, "cell": cell_data(cell)}
    try:
        record |= {"status": "done", **_result(cell)}
    except Exception as error:  # whatever it is, it is recorded with its traceback
        record |= failure(type(error).__name__, str(error), traceback.format_exc())
    return record | {
        "seconds": round(time.perf_counter() - start, 3),
        "cpu_seconds": round(time.process_time() - cpu, 3),
        "versions": versions(),
        "machine": machine(),
    }


def processes(workers: int) -> int:
    """How many processes are meant: -1 is one per core."""
    if isinstance(workers, bool) or not isinstance(workers, int) or (workers < 1 and workers != -1):
        raise BadInput(
            f"workers must be a number of processes (1, 2, ..., or -1 for one per core), got {workers!r}"
        )
    return (os.cpu_count() or 1) if workers == -1 else workers


def failure(kind: str, message: str, trace: str = "") -> Record:
    """What the record of a failed run says of it."""
    return {"status": "failed", "error": {"type": kind, "message": message, "traceback": trace}}


def _result(cell: Cell) -> Record:
    one = problem(cell.problem, cell.dim, cell.instance)
    before = 0  # evaluations whose values do not count
    how = cell.method.parts
    if cell.counting == "optimization":
        method, options = how.pop("decomposer"), how.pop("decomposer_options")
        how["groups"] = decompose(one, method=method, options=options, budget=cell.budget - 1, seed=cell.seed)
        before = how["groups"].evaluations
    result = minimize(one, budget=cell.budget - before, seed=cell.seed, **how)
    found = result.decomposition
    history = [(before + at, value) for at, value in [*result.history, (result.nfev, result.fun)]]
    accuracy = None if one.truth is None or found.undecided else found.accuracy(one.truth)._asdict()
    kinds = ("additive", "multiplicative", "composite", "undecided")
    return {
        "checkpoints": [[at, value_at(history, at)] for at in cell.checkpoints],
        "fun": float(result.fun),
        "optimum": one.optimum,
        "nfev": before + result.nfev,
        "nit": result.nit,
        "nan_count": result.nan_count,
        "message": result.message,
        "history": thinned(history),
        "decomposition": {
            "evaluations": found.evaluations,
            "stages": [[stage.name, stage.found, stage.evaluations] for stage in found.stages],
            **{kind: len(getattr(found, kind)) for kind in kinds},
            "groups": sorted(map(len, found.groups)),
            "close_calls": len(found.close_calls),
            "accuracy": accuracy,
        },
    }


def value_at(history: Iterable[tuple[int, float]], evaluations: int) -> float:
    """The best value after so many evaluations; infinite before the first.

    >>> value_at([(1, 9.0), (5, 3.0)], 4)
    9.0
    """
    best = float("inf")
    for at, value in history:
        if at > evaluations:
            break
        best = value
    return float(best)


def thinned(history: Sequence[tuple[int, float]], keep: int = HISTORY) -> list[list[float]]:
    """Some of the improvements, half of them even in evaluations, half in their logarithm; first and last too.

    >>> thinned([(k, -k) for k in range(1, 1001)], keep=8)
    [[1, -1.0], [10, -10.0], [100, -100.0], [334, -334.0], [667, -667.0], [1000, -1000.0]]
    """
    if len(history) <= keep:
        chosen = list(history)
    else:
        at = np.array([step[0] for step in history], dtype=float)
        marks = np.concatenate([np.geomspace(at[0], at[-1], keep // 2), np.linspace(at[0], at[-1], keep // 2)])
        chosen = [history[k] for k in np.unique(np.searchsorted(at, marks, side="right") - 1)]
    return [[int(at), float(value)] for at, value in chosen]


@cache
def versions() -> dict[str, str]:
    """What a result depends on besides its cell: the code that decides, and the libraries under it."""
    return {
        "separable": separable.__version__,
        "code": _code(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }


@cache
def machine() -> dict[str, str | int]:
    """Where a run took place."""
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count() or 1}


@cache
def _code() -> str:
    digest = sha256()
    root = Path(separable.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in DECIDES_NOTHING:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _refuse_other_code(records: Iterable[Record], store: Store) -> None:
    ours = versions()["code"]
    others = Counter(record["versions"]["code"] for record in records if record["versions"]["code"] != ours)
    if others:
        raise BadInput(
            f"{sum(others.values())} of the records in {str(store.folder)!r} were made by other code than this "
            f"({', '.join(others)}; this is {ours}); their results must not be mixed: choose another folder, "
            "or move those records away"
        )


class _Guests:
    """Runs in somebody else's executor, which looks after its workers itself."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def __enter__(self) -> _Guests:
        return self

    def __exit__(self, *_: object) -> None:
        """The executor is its owner's to end."""

    def records(self, cells: list[Cell]) -> Iterable[tuple[Cell, Record, int]]:
        """Run the cells: each with its record, as they end, and how many are still running."""
        jobs = {self._executor.submit(run_cell, cell): cell for cell in cells}
        try:
            while jobs:
                ended, _ = wait(jobs, return_when=FIRST_COMPLETED)
                for job in ended:
                    cell = jobs.pop(job)
                    yield cell, _outcome(job, cell), len(jobs)
        finally:
            for job in jobs:
                job.cancel()


class _Crew:
    """Runs in processes of our own. If one dies, the pool is made anew, and what was running begins again."""

    def __init__(self, workers: int) -> None:
        self._workers = processes(workers)
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def records(self, cells: list[Cell]) -> Iterable[tuple[Cell, Record, int]]:
        """Run the cells: each with its record, as they end, and how many are still running."""
        waiting, deaths = list(reversed(cells)), dict.fromkeys(cells, 0)
        jobs: dict[Future[Record], Cell] = {}
        while waiting or jobs:
            while waiting and len(jobs) < self._workers:
                cell = waiting.pop()
                jobs[self._submit(cell)] = cell
            ended, _ = wait(jobs, return_when=FIRST_COMPLETED)
            broken = []
            for job in ended:
                cell = jobs.pop(job)
                if isinstance(job.exception(), BrokenExecutor):
                    broken.append(cell)
                else:
                    yield cell, _outcome(job, cell), len(jobs)
            if broken:
                self._end()
                for cell in [*broken, *jobs.values()]:
                    deaths[cell] += 1
                    if deaths[cell] < DEATHS:
                        waiting.append(cell)
                    else:
                        yield cell, _died(cell), len(jobs)
                jobs = {}

    def _submit(self, cell: Cell) -> Future[Record]:
        if self._pool is None:
            # a process of its own, not a fork: it sees the setting below before it loads NumPy
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._workers, context, initializer=_belong_to_the_parent)
        try:
            return self._pool.submit(run_cell, cell)
        except BrokenExecutor:  # a process died just now
            self._end()
            return self._submit(cell)

    def _end(self) -> None:
        if self._pool is not None:
            processes = list((self._pool._processes or {}).values())  # noqa: SLF001 -- they must not outlive us
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()
            for process in processes:
                process.join()
            self._pool = None


def _belong_to_the_parent() -> None:
    """In a worker: leave Ctrl-C to the parent, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _outcome(job: Future[Record], cell: Cell) -> Record:
    error = job.exception()
    if error is None:
        return job.result()
    return _lost(cell, failure(type(error).__name__, str(error), "".join(traceback.format_exception(error))))


def _died(cell: Cell) -> Record:
    return _lost(cell, failure("ProcessDied", f"its process was killed {DEATHS} times (out of memory?)"))


def _lost(cell: Cell, failed: Record) -> Record:
    about = {"format": FORMAT, "identity": cell.identity, "cell": cell_data(cell)}
    return {**about, **failed, "seconds": 0.0, "cpu_seconds": 0.0, "versions": versions(), "machine": machine()}
