"""`separable minimize`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console

import separable
from separable.cli.decompose import SHOWN, accuracy_in_words, parse_options, print_stages
from separable.cli.progress import ProgressLine, minimizing
from separable.cli.subject import load
from separable.errors import BadInput

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

    from separable.problems import Problem


def run(
    name: Annotated[
        str,
        typer.Argument(metavar="PROBLEM", help="suite/f<number>, package.module:function or file.py:function"),
    ],
    budget: Annotated[str, typer.Option(help="evaluations to spend, the decomposition included, such as 3e5")],
    dim: Annotated[int | None, typer.Option(help="number of variables")] = None,
    instance: Annotated[int | None, typer.Option(help="of a benchmark problem  [default: 0]")] = None,
    decomposer: Annotated[str, typer.Option(help="how to take it apart; none: not at all")] = "csg",
    optimizer: Annotated[str, typer.Option(help="of the groups: sansde, shade, de, cmaes")] = "sansde",
    rule: Annotated[str, typer.Option(help="which group is next: round-robin or contribution")] = "round-robin",
    start: Annotated[
        str, typer.Option(help="from points drawn at random (uniform), the best that is known among them (found)")
    ] = "uniform",
    decomposer_option: Annotated[
        list[str] | None, typer.Option(help="of the decomposer, as name=value; may be repeated")
    ] = None,
    optimizer_option: Annotated[list[str] | None, typer.Option(help="likewise")] = None,
    lower: Annotated[
        str | None, typer.Option(help="of a function's box: a number, or one a variable: 0,0,-1")
    ] = None,
    upper: Annotated[str | None, typer.Option(help="likewise")] = None,
    vectorized: Annotated[bool, typer.Option("--vectorized", help="the function takes points (m, n)")] = False,
    workers: Annotated[int, typer.Option(help="processes; -1: one per core")] = 1,
    seed: Annotated[int, typer.Option(help="of all randomness")] = 0,
    target: Annotated[float | None, typer.Option(help="end at a value as small as this")] = None,
    time_limit: Annotated[float | None, typer.Option(help="end after so many seconds")] = None,
    journal: Annotated[
        Path | None, typer.Option(help="record all values here; started again, the run goes on from there")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="write a picture of the structure: .png, .pdf, .svg")] = None,
    curve: Annotated[Path | None, typer.Option(help="write a picture of the convergence")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result for machines")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress line")] = False,
) -> int:
    """Find a point with a small value: take the function apart, then optimize it part by part.

    Example: separable minimize bms/f1 --budget 3e5 --journal f1.journal

    A function of your own: separable minimize mypackage.mymodule:fun --lower -5 --upper 5 --dim 200 --budget 1e5
    """
    problem = load(name, dim, instance, lower, upper, vectorized=vectorized)
    if plot is not None or curve is not None:
        from separable import plots  # noqa: PLC0415 -- matplotlib is an extra, and slow to import

        for path in (plot, curve):
            if path is not None:
                plots.refuse_unwritable(path)
    spend = _whole(budget)
    began = time.perf_counter()
    with ProgressLine(minimizing(spend), quiet=quiet) as line:
        r = separable.minimize(
            problem,
            budget=spend,
            decomposer=None if decomposer == "none" else decomposer,
            optimizer=optimizer,
            rule=rule,
            start=start,
            decomposer_options=parse_options(decomposer_option or []),
            optimizer_options=parse_options(optimizer_option or []),
            workers=workers,
            seed=seed,
            target=target,
            time_limit=time_limit,
            journal=journal,
            callback=None if quiet else line.update,
        )
    if as_json:
        typer.echo(json.dumps({"problem": problem.name, **_for_machines(r)}))
    else:
        _print(r, problem, time.perf_counter() - began)
    _draw(r, problem, plot, curve, told=not as_json)
    return 0 if r.success else 1


def _whole(text: str) -> int:
    """A budget as people write it: 300000, 300_000 or 3e5."""
    try:
        number = float(text)
    except ValueError:
        number = 0.5
    if not number.is_integer() or number < 1:
        raise BadInput(f"--budget: expected a whole number of evaluations, such as 300000 or 3e5, got {text!r}")
    return int(number)


def _for_machines(r: OptimizeResult) -> dict[str, Any]:
    plain = {name: r[name] for name in ("nfev", "nit", "success", "status", "message", "nan_count")}
    return {
        "fun": r.fun if np.isfinite(r.fun) else None,
        "x": None if r.x is None else r.x.tolist(),
        **{name: value.item() if isinstance(value, np.generic) else value for name, value in plain.items()},
        "decomposition": r.decomposition.to_dict(),
        "history": r.history,
    }


def _print(r: OptimizeResult, problem: Problem, seconds: float) -> None:
    if r.decomposition.stages:
        print_stages(Console(highlight=False), r.decomposition)
    rows = [("best value", f"{r.fun:.10g}")]
    if problem.optimum is not None:
        rows.append(("above the optimum", f"{r.fun - problem.optimum:.4g}"))
    rows.append(("evaluations", f"{r.nfev:,}, of which {r.decomposition.evaluations:,} to decompose"))
    rows.append(("structure", str(r.decomposition).partition(";")[0]))
    if problem.truth is not None:
        rows.append(("accuracy", accuracy_in_words(r.decomposition, problem.truth)))
    if r.nan_count:
        rows.append(("not a number", f"{r.nan_count:,} values"))
    rows.append(("seconds", f"{seconds:.1f}"))
    rows.append(("ended since", r.message))
    if r.x is not None:
        shown = " ".join(f"{value:.6g}" for value in r.x[:SHOWN])
        rows.append(("x", shown + (" ...  (--json shows all)" if len(r.x) > SHOWN else "")))
    for title, text in rows:
        typer.echo(f"{title:<18} {text}")


def _draw(r: OptimizeResult, problem: Problem, plot: Path | None, curve: Path | None, *, told: bool) -> None:
    if plot is not None:
        r.decomposition.plot(plot, title=f"{problem.name}: {r.decomposition}")
    if curve is not None:
        from separable import plots  # noqa: PLC0415 -- as above

        figure = plots.convergence(
            r.history,
            r.nfev,
            f"{problem.name}: {r.fun:.6g} after {r.nfev:,} evaluations",
            optimum=problem.optimum,
            decomposed=r.decomposition.evaluations,
        )
        plots.save(figure, curve)
    for path in (plot, curve):
        if told and path is not None:
            typer.echo(f"picture: {path}")
