"""`separable run`."""

from __future__ import annotations

import json
import math
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from separable import campaign as campaigns
from separable.errors import BadInput, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

SHOWN = 5  # failures before the list is cut short
CONNECT_SECONDS = 10  # for a scheduler to answer


def run(
    campaign: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="a TOML file, or the name of a shipped one")],
    out: Annotated[Path | None, typer.Option(help="folder of the results  [default: results/NAME]")] = None,
    workers: Annotated[int, typer.Option(help="processes; -1: one per core")] = 1,
    dask: Annotated[
        str | None, typer.Option(help="address of a Dask scheduler, or 'local' for one on this machine")
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="run failed runs again")] = False,
    dry: Annotated[bool, typer.Option("--dry", help="only say what would be run")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the outcome for machines")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress line")] = False,
) -> int:
    """Run a campaign: every method on every problem, again and again; a rerun does what is missing.

    Example: separable run campaign.toml --out results/mine --workers 2

    Kill it at any time, and start it again: only runs that were in progress are lost.
    """
    plan = campaigns.load(campaign)
    folder = Path("results") / plan.name if out is None else out
    if dry:
        found = campaigns.Store(folder).find(plan.cells) if (folder / "records").is_dir() else {}
        typer.echo(f"{plan.name}: {len(plan.cells):,} runs, {len(found):,} of them recorded in {folder}")
        return 0
    with (
        campaigns.Store(folder, plan) as store,
        _executor(dask, workers) as executor,
        CampaignLine(quiet=quiet) as line,
    ):
        try:
            end = campaigns.run(
                plan, store, workers=workers, executor=executor, retry_failed=retry_failed, callback=line.update
            )
        except KeyboardInterrupt:
            end = line.last
    failed = {cell: one for cell, one in store.find(plan.cells).items() if one["status"] == "failed"}
    missing = end.total - end.before - end.done - end.failed
    if as_json:
        outcome = {"total": end.total, "before": end.before, "done": end.done, "missing": missing}
        typer.echo(
            json.dumps(
                {
                    "folder": str(folder),
                    **outcome,
                    "failed": [cell.name for cell in failed],
                    "set_aside": list(map(str, store.moved)),
                }
            )
        )
    else:
        typer.echo(
            f"{plan.name}: {end.total:,} runs: {end.before:,} were recorded, {end.done:,} done now, "
            f"{len(failed):,} failed, {missing:,} missing; in {folder}"
        )
        for cell, record in list(failed.items())[:SHOWN]:
            typer.echo(f"  failed: {cell.name}: {record['error']['type']}: {record['error']['message']}")
        if len(failed) > SHOWN:
            typer.echo(f"  ... and {len(failed) - SHOWN} more")
        for path in store.moved:
            typer.echo(f"  could not be read, set aside and run again: {path}")
        if failed:
            typer.echo("  --retry-failed runs them again; their records hold the tracebacks")
    return 1 if failed or missing else 0


@contextmanager
def _executor(dask: str | None, workers: int) -> Iterator[Executor | None]:
    """What runs the cells: None for processes of our own, or the executor of a Dask client."""
    if dask is None:
        yield None
        return
    try:
        from distributed import Client, LocalCluster  # noqa: PLC0415 -- an extra, and slow to import
    except ImportError as error:
        raise MissingExtra("--dask", "dask and distributed", "dask") from error
    if dask == "local":
        with (
            LocalCluster(
                n_workers=campaigns.processes(workers), threads_per_worker=1, dashboard_address=""
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client.get_executor(retries=0)
        return
    try:
        client = Client(dask, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        raise BadInput(
            f"no Dask scheduler answers at {dask!r} within {CONNECT_SECONDS} s ({error}); "
            "expected an address such as tcp://host:8786, or 'local'"
        ) from error
    with client:
        yield client.get_executor(retries=0)


class CampaignLine:
    """A context in which `update` keeps a line about the campaign up to date, on a terminal only."""

    def __init__(self, *, quiet: bool = False) -> None:
        console = Console(stderr=True)
        self.last = campaigns.Progress(0, 0, 0, 0, 0, 0.0, None, None)
        self._progress = Progress(
            BarColumn(),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} runs"),
            TextColumn("{task.fields[running]} running, {task.fields[failed]} failed"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            disable=quiet or not console.is_terminal,
            transient=True,
        )
        self._task = self._progress.add_task("", total=None, running=0, failed=0, left="")

    def __enter__(self) -> CampaignLine:
        if not self._progress.disable:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._progress.disable:  # an older rich would print an empty line all the same
            self._progress.stop()

    def update(self, at: campaigns.Progress) -> None:
        """Show where the campaign is."""
        self.last = at
        left = "" if math.isnan(at.left) else f"about {_span(at.left)} left"
        recorded = at.before + at.done + at.failed
        self._progress.update(
            self._task, total=at.total, completed=recorded, running=at.running, failed=at.failed, left=left
        )


def _span(seconds: float) -> str:
    minutes = math.ceil(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
