"""Pictures of a campaign by matplotlib; they compute nothing."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from separable.errors import MissingExtra
from separable.report import curves, tables
from separable.report.curves import KINDS

try:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
except ImportError as error:
    raise MissingExtra("a picture", "matplotlib", "plots") from error

from separable import plots

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from separable.report.curves import Curve
    from separable.report.results import Case, Results, Section

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6e7781")  # told apart by everyone
DASHES = ("-", "--", ":", "-.")  # a new one whenever the colours begin again
SHADES = (*(plots.KINDS[kind] for kind in KINDS[:3]), plots.GROUPS[0], plots.KINDS["undecided"])
ACROSS = 3  # small pictures side by side


def draw(results: Results) -> Iterator[tuple[str, Figure]]:
    """Every picture there is, with the name of its file."""
    for section in results.sections:
        if not section.checkpoints:
            continue
        yield f"convergence-{section.key}", overview(section)
        for case in section.cases:
            yield f"convergence-{section.key}-{_plain(case.function)}", convergence(section, case)
        yield f"ecdf-{section.key}", ecdf(section)
        if len(results.methods) > 1:
            yield f"ranks-{section.key}", ranks(section)
        yield f"decomposition-{section.key}", evaluations(section)
        yield f"structure-{section.key}", structure(section)


def convergence(section: Section, case: Case) -> Figure:
    """The mean of the best values of each method, up to each checkpoint: the paper's figure for one function."""
    results, ends = section.results, section.checkpoints
    found = {method: curves.curve(results, case, method) for method in results.methods}
    figure = _figure(f"{section.name}: {case.function}", 4.0 * len(ends), 3.6)
    for k, (axes, end) in enumerate(zip(_grid(figure, 1, len(ends)), ends, strict=True)):
        drawn = _fall(axes, found, end, methods=results.methods)
        axes.set(title=f"to {tables.evaluations(end)} evaluations", xlabel="evaluations")
        if k == 0:
            axes.set_ylabel("mean of the best values")
        if k == len(ends) - 1 and drawn:
            axes.legend(fontsize=8, frameon=False)
    return _plainly(figure)


def overview(section: Section) -> Figure:
    """The same to the last checkpoint, for all functions."""
    results, end = section.results, section.checkpoints[-1]
    across = min(ACROSS, len(section.cases))
    down = -(-len(section.cases) // across)
    figure = _figure(
        f"{section.name}: mean of the best values against evaluations", 3.6 * across, 2.6 * down + 0.6
    )
    for axes, case in zip(_grid(figure, down, across), section.cases, strict=False):
        found = {method: curves.curve(results, case, method) for method in results.methods}
        _fall(axes, found, end, methods=results.methods)
        axes.set_title(case.function)
    _legend(figure, results.methods)
    return _plainly(figure)


def ecdf(section: Section) -> Figure:
    """The share of targets reached, over functions and runs."""
    found, methods = curves.reached(section), section.results.methods
    shares = found.shares
    figure = _figure(f"{section.name}: targets reached, {len(found.cases)} functions", 6.4, 4.2)
    (axes,) = _grid(figure, 1, 1)
    for method, colour, dash in _styles(methods):
        if method in shares:
            axes.step(found.at, shares[method], dash, where="post", color=colour, label=method)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="evaluations", ylabel="share of targets reached")
    if shares:
        axes.legend(fontsize=8, frameon=False)
    return _plainly(figure)


def ranks(section: Section) -> Figure:
    """Friedman's average ranks at each checkpoint; the bar is as long as the critical difference."""
    methods, ends = section.results.methods, section.checkpoints
    figure = _figure(f"{section.name}: average ranks of the medians", 6.4, 1.6 + 0.7 * len(ends))
    (axes,) = _grid(figure, 1, 1)
    for row, end in enumerate(ends):
        found = tables.friedman(section, end)
        for (method, colour, _), rank in zip(_styles(methods), found.ranks, strict=False):
            axes.plot(rank, row, "o", color=colour, markersize=8, label=method if row == 0 else None)
        if found.difference is not None:
            best = min(found.ranks)
            axes.plot([best, best + found.difference], [row + 0.22] * 2, color=plots.INK, linewidth=2.0)
        else:
            axes.text(1, row + 0.3, found.why, fontsize=7, color=plots.INK, va="center")
    axes.set(
        yticks=range(len(ends)),
        yticklabels=[tables.evaluations(end) for end in ends],
        ylabel="after evaluations",
        xlabel="average rank (1 is the best); bar: critical difference from the best, Nemenyi, 0.05",
        xlim=(0.8, len(methods) + 0.2),
        ylim=(len(ends) - 0.4, -0.6),
    )
    axes.grid(axis="x", color=plots.FAINT, linewidth=0.6)
    _legend(figure, methods)
    return _plainly(figure)


def evaluations(section: Section) -> Figure:
    """What the decompositions cost."""
    results, cases = section.results, section.cases
    figure = _figure(f"{section.name}: evaluations of the decomposition", _width(section), 4.0)
    (axes,) = _grid(figure, 1, 1)
    width, paid = 0.8 / len(results.methods), []
    for k, (method, colour, _) in enumerate(_styles(results.methods)):
        costs = [one.decomposed if (one := curves.curve(results, case, method)) else 0.0 for case in cases]
        axes.bar(_places(section, k), costs, width, color=colour, label=method)
        paid += [cost for cost in costs if cost > 0.0]
    if paid:
        axes.set(yscale="log", ylim=(10.0 ** np.floor(np.log10(min(paid))), None))
    axes.set(ylabel="evaluations", xticks=range(len(cases)), xticklabels=_names(cases))
    axes.legend(fontsize=8, frameon=False)
    return _plainly(figure)


def structure(section: Section) -> Figure:
    """What the decompositions found: a bar for each method, a colour for each kind of variable."""
    results, cases = section.results, section.cases
    figure = _figure(f"{section.name}: what was found, {', '.join(results.methods)}", _width(section), 4.0)
    (axes,) = _grid(figure, 1, 1)
    width = 0.8 / len(results.methods)
    for k, method in enumerate(results.methods):
        found = [curves.structure(results, case, method) or [0.0] * len(KINDS) for case in cases]
        bottom = np.zeros(len(cases))
        for shade, heights in zip(SHADES, np.array(found).T, strict=True):
            axes.bar(_places(section, k), heights, 0.9 * width, bottom=bottom, color=shade)
            bottom += heights
    axes.set(ylabel="variables", xticks=range(len(cases)), xticklabels=_names(cases), ylim=(0, section.dim))
    parts = [Patch(color=shade, label=kind) for kind, shade in zip(KINDS, SHADES, strict=True)]
    figure.legend(handles=parts, loc="outside lower center", ncols=len(parts), fontsize=8, frameon=False)
    return _plainly(figure)


def _fall(axes: Axes, found: Mapping[str, Curve | None], end: int, *, methods: Sequence[str]) -> bool:
    """Mean curves to `end`, a dot where the decomposition ends; whether there was anything to draw."""
    drawn = False
    for method, colour, dash in _styles(methods):
        one = found[method]
        if one is None:
            continue
        shown = (one.at <= end) & np.isfinite(one.mean)
        axes.plot(one.at[shown], one.mean[shown], dash, color=colour, label=method, linewidth=1.4)
        if one.decomposed <= end and shown.any():
            height = np.interp(one.decomposed, one.at[shown], one.mean[shown])
            axes.plot(one.decomposed, height, "o", color=colour, markersize=4)
        drawn = True
    values = [value for line in axes.lines for value in np.atleast_1d(np.asarray(line.get_ydata(), dtype=float))]
    if values and min(values) > 0.0:
        axes.set_yscale("log")
    axes.set_xlim(0, end)
    axes.ticklabel_format(axis="x", style="sci", scilimits=(0, 4))
    if not drawn:
        axes.text(0.5, 0.5, "no run finished", ha="center", transform=axes.transAxes, color=plots.INK)
    return drawn


def _figure(title: str, width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), dpi=120, facecolor=plots.PAPER, layout="constrained")
    figure.suptitle(title, color=plots.INK, fontsize=11)
    return figure


def _grid(figure: Figure, down: int, across: int) -> Iterator[Axes]:
    for place in range(down * across):
        yield figure.add_subplot(down, across, place + 1)


def _plainly(figure: Figure) -> Figure:
    for axes in figure.axes:
        plots.plain(axes)
        for label in (axes.xaxis.label, axes.yaxis.label, axes.xaxis.offsetText):
            label.set(fontsize=8, color=plots.INK)
    return figure


def _styles(methods: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for k, (method, colour) in enumerate(zip(methods, cycle(COLOURS), strict=False)):
        yield method, colour, DASHES[k // len(COLOURS) % len(DASHES)]


def _legend(figure: Figure, methods: Sequence[str]) -> None:
    handles = [Patch(color=colour, label=method) for method, colour, _ in _styles(methods)]
    figure.legend(
        handles=handles, loc="outside lower center", ncols=min(6, len(handles)), fontsize=8, frameon=False
    )


def _places(section: Section, k: int) -> list[float]:
    count = len(section.results.methods)
    return [place + (k - (count - 1) / 2) * 0.8 / count for place in range(len(section.cases))]


def _width(section: Section) -> float:
    return max(6.4, 0.22 * len(section.cases) * len(section.results.methods) + 1.5)


def _names(cases: Sequence[Case]) -> list[str]:
    return [case.function.replace(" (instance ", "\n(") for case in cases]


def _plain(name: str) -> str:
    """A name that any file system takes.

    >>> _plain("f3 (instance 2)")
    'f3-instance-2'
    """
    return "-".join("".join(sign if sign.isalnum() else " " for sign in name).split())
