"""`separable reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from separable import campaign
from separable.cli.campaign import CampaignLine
from separable.cli.progress import CountLine
from separable.errors import BadInput, FunctionError, unknown
from separable.report import results
from separable.reproduce import decomposition as tables_of
from separable.reproduce import optimisation as optimisations
from separable.reproduce.tables import FORMATS, render

app = typer.Typer(rich_markup_mode=None, invoke_without_command=True)


@app.callback()
def _about(context: typer.Context) -> None:
    """Run the experiments of the paper again, and print its tables beside ours.

    Example: separable reproduce decomposition --instances 0
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


@app.command("decomposition", short_help="SA, NA and evaluations of the decomposers")
def decomposition(
    suite: Annotated[str, typer.Option(help="benchmark suite")] = tables_of.PAPER_SUITE,
    functions: Annotated[str | None, typer.Option(help="of the suite, such as 1-9,12  [default: all]")] = None,
    methods: Annotated[
        str | None, typer.Option(help="decomposers, with commas  [default: csg,gsg,rdg2,mdg]")
    ] = None,
    instances: Annotated[
        str | None, typer.Option(help="the tables hold means over them  [default: 0-4, or the one there is]")
    ] = None,
    dim: Annotated[int | None, typer.Option(help="number of variables  [default: the suite's]")] = None,
    by_dimension: Annotated[
        str | None, typer.Option(help="the second table, for these dimensions: 1000,2000,3000,4000,5000")
    ] = None,
    grouping: Annotated[
        bool, typer.Option("--grouping", help="the third table: evaluations for grouping, csg against csg-gsg")
    ] = False,
    workers: Annotated[int, typer.Option(help="processes")] = 1,
    form: Annotated[str, typer.Option("--format", help=" | ".join(FORMATS))] = "md",
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress line")] = False,
) -> int:
    """Decompose a suite by several methods, and print accuracy and evaluations beside the paper's figures.

    Example: separable reproduce decomposition --instances 0 --workers 2

    The second table: separable reproduce decomposition --by-dimension 1000,2000
    """
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    if by_dimension is not None and (dim is not None or grouping):
        raise BadInput("--by-dimension is a table of its own; leave --dim and --grouping out")
    usual = tables_of.GROUPING_METHODS if grouping else tables_of.METHODS
    chosen = spans(functions, "--functions") if functions is not None else None
    if grouping and chosen is None and suite == tables_of.PAPER_SUITE:
        chosen = list(tables_of.GROUPING_FUNCTIONS)
    todo = tables_of.jobs(
        suite,
        chosen,
        [dim] if by_dimension is None else spans(by_dimension, "--by-dimension"),
        None if instances is None else spans(instances, "--instances"),
        usual if methods is None else [name.strip() for name in methods.split(",")],
    )
    done: list[tables_of.Outcome] = []
    try:
        with CountLine(len(todo), "decompositions", quiet=quiet) as line:
            for outcome in tables_of.run(todo, workers):
                done.append(outcome)
                line.update(f"{outcome.job.method} {suite}/f{outcome.job.function} {outcome.dim}-D")
    except (KeyboardInterrupt, FunctionError) as error:
        why = str(error) or "interrupted"
        typer.echo(f"separable: {why}; {len(done)} of {len(todo)} decompositions are in the tables", err=True)
    if done:
        make = tables_of.accuracy_table
        if grouping:
            make = tables_of.grouping_table
        elif by_dimension is not None:
            make = tables_of.dimension_table
        typer.echo(render(make(done), form))
    return 0 if len(done) == len(todo) else 1


@app.command("optimisation", short_help="values that the optimizer reaches on each decomposition")
def optimisation(
    dim: Annotated[int, typer.Option(help="1000 or 5000")] = 1000,
    repeats: Annotated[
        int | None, typer.Option(help="runs of each method  [default: the paper's 25 or 10]")
    ] = None,
    functions: Annotated[str | None, typer.Option(help="of bms, such as 1-9,12  [default: all]")] = None,
    out: Annotated[Path | None, typer.Option(help="folder of the runs  [default: results/paper-DIM]")] = None,
    workers: Annotated[int, typer.Option(help="processes; -1: one per core")] = 1,
    form: Annotated[str, typer.Option("--format", help=" | ".join(optimisations.FORMATS))] = "md",
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress line")] = False,
) -> int:
    """Run the paper's campaign, or what is missing of it, and print its tables with the paper's figures.

    Example: separable reproduce optimisation --dim 1000 --repeats 5 --workers 2

    In full, 1500 runs of 3e6 evaluations, that takes hours. It may be killed, and goes on where it was. `separable
    report` makes pictures and a page of the same folder.
    """
    if form not in optimisations.FORMATS:
        raise unknown("format", form, optimisations.FORMATS)
    plan = optimisations.plan(dim, repeats, None if functions is None else spans(functions, "--functions"))
    folder = Path("results") / plan.name if out is None else out
    with campaign.Store(folder, plan) as store, CampaignLine(quiet=quiet) as line:
        try:
            end = campaign.run(plan, store, workers=workers, callback=line.update)
        except KeyboardInterrupt:
            end = line.last
    missing = end.total - end.before - end.done
    if missing:
        typer.echo(f"separable: {missing:,} of {end.total:,} runs are missing or failed; again to go on", err=True)
    if end.before + end.done:
        typer.echo(optimisations.render(optimisations.beside(results.read(folder)), form))
    return 1 if missing else 0


def spans(text: str, option: str) -> list[int]:
    """The numbers in "1-3,7".

    >>> spans("1-3,7", "--functions")
    [1, 2, 3, 7]
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last if dash else first)
        if not all(end.isdecimal() for end in ends) or int(ends[0]) > int(ends[1]):
            raise BadInput(f"{option}: expected numbers such as 1-3,7, got {text!r}")
        found += range(int(ends[0]), int(ends[1]) + 1)
    return list(dict.fromkeys(found))
