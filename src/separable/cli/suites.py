"""`separable list`."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from separable.errors import unknown
from separable.suites import SUITES


def show(
    suite: Annotated[str | None, typer.Argument(help="only this one")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
) -> None:
    """List the benchmark functions: their names, their dimensions, what each is made of.

    Example: separable list bms
    """
    if suite is not None and suite not in SUITES:
        raise unknown("suite", suite, SUITES)
    chosen = {name: SUITES[name] for name in SUITES if suite in (None, name)}
    if as_json:
        typer.echo(
            json.dumps(
                {
                    name: {
                        "about": one.about,
                        "dimensions": one.dims,
                        "functions": {f"f{k}": text for k, text in one.functions.items()},
                    }
                    for name, one in chosen.items()
                },
                indent=2,
            )
        )
        return
    console = Console(highlight=False, soft_wrap=True)
    for name, one in chosen.items():
        console.print(f"[bold]{name}[/bold]  {one.about}\n  dimensions: {one.dims}; usually {one.default_dim}")
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
        for number, text in one.functions.items():
            table.add_row(f"{name}/f{number}", text)
        console.print(table)
        console.print()
