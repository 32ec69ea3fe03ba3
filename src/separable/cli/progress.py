"""A line that shows how far a run is; only on a terminal, and on stderr, so that output can be piped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


class ProgressLine:
    """A context in which `update`, a callback for `decompose`, keeps one line up to date."""

    def __init__(self, *, quiet: bool = False) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description:<14}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} variables"),
            TextColumn("{task.fields[evaluations]:,} evaluations"),
            TimeElapsedColumn(),
            console=console,
            disable=quiet or not console.is_terminal,
            transient=True,
        )
        self._task: TaskID | None = None
        self._stage = ""

    def __enter__(self) -> ProgressLine:
        if not self._progress.disable:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._progress.disable:  # an older rich would print an empty line all the same
            self._progress.stop()

    def update(self, intermediate_result: OptimizeResult) -> None:
        """Show where the run is."""
        at = intermediate_result
        if self._task is None:
            self._task = self._progress.add_task(at.stage, total=at.total, evaluations=at.nfev)
        self._progress.update(
            self._task, description=at.stage, completed=at.done, total=at.total, evaluations=at.nfev
        )


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
