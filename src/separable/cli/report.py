"""`separable report`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from separable.errors import BadInput
from separable.report import results, write


def run(
    folder: Annotated[Path, typer.Argument(metavar="RESULTS", help="a folder that separable run wrote")],
    out: Annotated[Path, typer.Option(help="folder of the report")] = Path("report"),
    parts: Annotated[str, typer.Option(help=f"what is written, with commas: {', '.join(write.PARTS)}")] = ",".join(
        write.USUAL
    ),
    mixed: Annotated[bool, typer.Option("--mixed", help="mix results of different versions of the code")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="replace an earlier report there")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the outcome for machines")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress line")] = False,
) -> None:
    """Write the tables, tests and pictures of a campaign, and a page for the browser; runs nothing.

    Example: separable report results/mine --out report

    For other tools: separable report results/mine --out data --parts ioh,parquet
    """
    if not folder.is_dir():
        raise BadInput(f"there is no folder {str(folder)!r}")
    found = results.read(folder, mixed=mixed)
    console = Console(stderr=True)
    chosen = [part.strip() for part in parts.split(",") if part.strip()]
    with console.status("") as line:
        if quiet or not console.is_terminal:
            line.stop()
        files = write.write(found, out, parts=chosen, overwrite=overwrite, callback=line.update)
    if as_json:
        counts = {"done": len(found.done), "failed": len(found.failed), "missing": len(found.missing)}
        typer.echo(json.dumps({"folder": str(out), **counts, "notes": found.notes, "files": files}))
        return
    typer.echo(f"{found.name}: {write.about(found)}")
    for note in found.notes:
        typer.echo(f"  {note}")
    for file in ("report.html", "report.md"):
        if file in files:
            typer.echo(f"  {out / file}")
    typer.echo(f"{len(files):,} files in {out}")
