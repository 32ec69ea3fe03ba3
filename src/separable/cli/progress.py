"""A line that shows how far a run is; only on a terminal, and on stderr, so that output can be piped."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import TimeRemainingColumn as TimeLeft

if TYPE_CHECKING:
    from collections.abc import Callable

    from scipy.optimize import OptimizeResult

PAUSE = 0.05  # seconds; more often nobody can look


class Line(NamedTuple):
    """What a line shows, and how it comes from what a callback is told."""

    columns: Callable[[], list[ProgressColumn]]
    values: Callable[[OptimizeResult], dict[str, Any]]


DECOMPOSING = Line(
    lambda: [
        TextColumn("{task.description:<14}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} variables"),
        TextColumn("{task.fields[evaluations]:,} evaluations"),
        TimeElapsedColumn(),
    ],
    lambda at: {"description": at.stage, "completed": at.done, "total": at.total, "evaluations": at.nfev},
)


def _where(at: OptimizeResult) -> str:
    return f"group {at.group + 1} of {at.groups}" if at.stage == "optimizing" else at.stage


def minimizing(budget: int) -> Line:
    """The line of a run with this budget."""
    return Line(
        lambda: [
            TextColumn("{task.description:<14}"),
            BarColumn(bar_width=20),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} evaluations"),
            TextColumn("best {task.fields[best]:.6g}"),
            TimeLeft(),
            TextColumn("left"),
        ],
        lambda at: {"description": _where(at), "completed": at.nfev, "total": budget, "best": at.fun},
    )


class ProgressLine:
    """A context in which `update`, a callback, keeps one line up to date."""

    def __init__(self, line: Line, *, quiet: bool = False) -> None:
        console = Console(stderr=True)
        self._values, self._shown = line.values, -PAUSE
        self._progress = Progress(
            *line.columns(), console=console, disable=quiet or not console.is_terminal, transient=True
        )
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressLine:
        if not self._progress.disable:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._progress.disable:  # an older rich would print an empty line all the same
            self._progress.stop()

    def update(self, intermediate_result: OptimizeResult) -> None:
        """Show where the run is."""
        now = time.perf_counter()
        if self._progress.disable or now - self._shown < PAUSE:
            return
        self._shown = now
        values = self._values(intermediate_result)
        if self._task is None:
            self._task = self._progress.add_task(**values)
        self._progress.update(self._task, **values)


class CountLine:
    """A context in which `update` keeps a line up to date that says how many of so many things are done."""

    def __init__(self, total: int, things: str, *, quiet: bool = False) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + things),
            BarColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=console,
            disable=quiet or not console.is_terminal,
            transient=True,
        )
        self._task = self._progress.add_task("", total=total)

    def __enter__(self) -> CountLine:
        if not self._progress.disable:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._progress.disable:
            self._progress.stop()

    def update(self, last: str) -> None:
        """One more is done: this."""
        self._progress.update(self._task, description=last, advance=1)
