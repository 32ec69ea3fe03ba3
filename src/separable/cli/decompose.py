"""`separable decompose`."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

import separable
from separable.cli.progress import DECOMPOSING, ProgressLine
from separable.cli.subject import load
from separable.errors import BadInput, NoisyFunction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from separable.decomposition import Decomposition
    from separable.problems import Problem

SHOWN = 12  # variables of a kind, and groups, before they are cut short


def run(
    name: Annotated[
        str,
        typer.Argument(metavar="PROBLEM", help="suite/f<number>, package.module:function or file.py:function"),
    ],
    dim: Annotated[int | None, typer.Option(help="number of variables")] = None,
    instance: Annotated[int | None, typer.Option(help="of a benchmark problem  [default: 0]")] = None,
    method: Annotated[str, typer.Option(help="decomposer")] = "csg",
    option: Annotated[list[str] | None, typer.Option(help="of the method, as name=value; may be repeated")] = None,
    lower: Annotated[
        str | None, typer.Option(help="of a function's box: a number, or one a variable: 0,0,-1")
    ] = None,
    upper: Annotated[str | None, typer.Option(help="likewise")] = None,
    vectorized: Annotated[bool, typer.Option("--vectorized", help="the function takes points (m, n)")] = False,
    workers: Annotated[int, typer.Option(help="processes; -1: one per core")] = 1,
    budget: Annotated[int | None, typer.Option(help="the most evaluations to spend")] = None,
    seed: Annotated[int, typer.Option(help="of all randomness")] = 0,
    plot: Annotated[Path | None, typer.Option(help="write a picture of the structure: .png, .pdf, .svg")] = None,
    plot_curves: Annotated[
        Path | None, typer.Option(help="write a picture of the response curves; only of --method curves")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result for machines")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress line")] = False,
) -> int:
    """Find out which variables of a function are separable, and which belong together.

    Example: separable decompose bms/f12 --dim 1000 --plot structure.png

    A function of your own: separable decompose mypackage.mymodule:fun --lower -5 --upper 5 --dim 200
    """
    problem = load(name, dim, instance, lower, upper, vectorized=vectorized)
    if plot_curves is not None and method != "curves":
        raise BadInput(f"--plot-curves: {method} finds no curves; say --method curves")
    if plot is not None or plot_curves is not None:
        from separable import plots  # noqa: PLC0415 -- matplotlib is an extra, and slow to import

        for path in filter(None, (plot, plot_curves)):
            plots.refuse_unwritable(path)
    with warnings.catch_warnings(), ProgressLine(DECOMPOSING, quiet=quiet) as line:
        warnings.simplefilter("ignore", NoisyFunction)  # said below, in one line
        found = separable.decompose(
            problem,
            method=method,
            options=parse_options(option or []),
            workers=workers,
            budget=budget,
            seed=seed,
            callback=line.update,
        )
    if as_json:
        typer.echo(json.dumps({"problem": problem.name, **found.to_dict(), **_accuracy(found, problem)}))
    else:
        _print(found, problem)
    if plot is not None:
        found.plot(plot, title=f"{problem.name}: {found}")
        if not as_json:
            typer.echo(f"picture: {plot}")
    if plot_curves is not None and found.effects:
        found.plot_curves(plot_curves, title=f"{problem.name}: {found}")
        if not as_json:
            typer.echo(f"picture: {plot_curves}")
    if found.noise is not None:
        typer.echo(f"separable: the function is noisy; its values scatter by {found.noise:.1e}", err=True)
    return 0 if found.complete else 1


def parse_options(pairs: Sequence[str]) -> dict[str, Any]:
    """Options of a method from name=value pairs."""
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--option: expected name=value, got {pair!r}")
        try:
            options[key] = json.loads(value)
        except json.JSONDecodeError:
            options[key] = value
    return options


def _accuracy(found: Decomposition, problem: Problem) -> dict[str, Any]:
    return {} if problem.truth is None else {"accuracy": found.accuracy(problem.truth)._asdict()}


def print_stages(console: Console, found: Decomposition) -> None:
    """A row for every stage: what it settled, and what it cost."""
    table = Table("stage", "variables found", "evaluations", "seconds")
    for column in table.columns[1:]:
        column.justify = "right"
    for stage in found.stages:
        table.add_row(stage.name, f"{stage.found:,}", f"{stage.evaluations:,}", f"{stage.seconds:.2f}")
    table.add_section()
    seconds = sum(stage.seconds for stage in found.stages)
    settled = found.dim - len(found.undecided)
    table.add_row(found.method, f"{settled:,}", f"{found.evaluations:,}", f"{seconds:.2f}")
    console.print(table)


def accuracy_in_words(found: Decomposition, truth: Decomposition) -> str:
    """SA and NA, for people."""
    accuracy = found.accuracy(truth)
    return f"separable {_percent(accuracy.separable)}, groups {_percent(accuracy.nonseparable)}"


def _print(found: Decomposition, problem: Problem) -> None:
    console = Console(highlight=False)
    print_stages(console, found)
    for kind in ("additive", "multiplicative", "composite", "undecided"):
        _print_variables(console, kind, getattr(found, kind))
    for number, group in enumerate(found.groups[:SHOWN], start=1):
        _print_variables(console, f"group {number}", group)
    if len(found.groups) > SHOWN:
        console.print(f"  ... {len(found.groups) - SHOWN} groups more: --json shows them all")
    if found.close_calls:
        console.print(
            f"{len(found.close_calls):,} variables had a decision closer to its threshold than a factor of 10"
        )
    if found.certain:
        console.print(f"{len(found.certain):,} of {found.dim:,} variables are certain to be where they belong")
    if problem.truth is not None:
        console.print(f"accuracy: {accuracy_in_words(found, problem.truth)}")
    if not found.complete:
        console.print(
            f"ended early: {len(found.undecided):,} of {found.dim:,} variables are undecided, "
            "and groups may still belong together"
        )


def _print_variables(console: Console, name: str, variables: Sequence[int]) -> None:
    if variables:
        shown = " ".join(map(str, variables[:SHOWN])) + (" ..." if len(variables) > SHOWN else "")
        console.print(f"  {name:<14} {len(variables):>6,}   {shown}", soft_wrap=True)


def _percent(share: float | None) -> str:
    return "none to find" if share is None else f"{100.0 * share:.4g} %"
