"""`separable run`."""

from __future__ import annotations

import json
import math
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
    with campaigns.Store(folder, plan) as store, _executor(dask, workers) as executor, _Line(quiet) as line:
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
        typer.echo(json.dumps({"folder": str(folder), **outcome, "failed": [cell.name for cell in failed]}))
    else:
        typer.echo(
            f"{plan.name}: {end.total:,} runs: {end.before:,} were recorded, {end.done:,} done now, "
            f"{len(failed):,} failed, {missing:,} missing; in {folder}"
        )
        for cell, record in list(failed.items())[:SHOWN]:
            typer.echo(f"  failed: {cell.name}: {record['error']['type']}: {record['error']['message']}")
        if len(failed) > SHOWN:
            typer.echo(f"  ... and {len(failed) - SHOWN} more")
        if failed:
            typer.echo("  --retry-failed runs them again; their records hold the tracebacks")
    return 1 if failed or missing else 0
