"""Pictures; they compute nothing. matplotlib is imported here alone."""

from __future__ import annotations

import textwrap
import warnings
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from separable.errors import BadInput, MissingExtra

try:
    from matplotlib.backend_bases import FigureCanvasBase
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
except ImportError as error:
    raise MissingExtra("a picture", "matplotlib", "plots") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

INK, PAPER, FAINT = "#24292f", "#ffffff", "#d0d7de"
KINDS = {"additive": "#4c78a8", "multiplicative": "#f2a03d", "composite": "#54a24b", "undecided": "#bab0ac"}
TITLE_WIDTH = 100  # characters, as many as fit
SHADES = {
    "additive": ("#4c78a8",),
    "multiplicative": ("#f2a03d", "#c9730a", "#ffca7a"),
    "composite": ("#54a24b", "#2f7d4f", "#9bd17f", "#1f5b3a"),
}
FEW = 100  # so many variables are drawn one by one
GROUPS = ("#b5476d", "#7b61a8", "#d9795d", "#8c564b", "#c78fb4", "#5f4b8b")  # taken in turn


def structure(
    dim: int,
    kinds: Sequence[tuple[str, Sequence[int]]],
    groups: Sequence[Sequence[int]],
    costs: Sequence[tuple[str, int]],
    title: str,
) -> Figure:
    """Which variables are separable, and which belong together.

    On the left the matrix of interactions with the variables brought into order: separable ones are dots on the
    diagonal, groups are squares. On the right what each kind and each stage amounts to; below, every variable
    in its own place.
    """
    figure = Figure(figsize=(9.6, 6.4), dpi=120, facecolor=PAPER, layout="constrained")
    figure.suptitle(textwrap.fill(title, TITLE_WIDTH), color=INK, fontsize=11)
    grid = figure.add_gridspec(3, 2, width_ratios=(1.45, 1.0), height_ratios=(1.0, 1.0, 0.16))
    parts = [(name, members, KINDS[name]) for name, members in kinds if len(members)]
    coloured = list(zip(groups, cycle(GROUPS)))
    _matrix(figure.add_subplot(grid[:2, 0]), dim, parts, coloured)
    counts = [(name, len(members), colour) for name, members, colour in parts]
    if groups:
        counts.append((f"in {len(groups)} group{'s' * (len(groups) > 1)}", sum(map(len, groups)), GROUPS[0]))
    _bars(figure.add_subplot(grid[0, 1]), counts, "variables")
    _bars(figure.add_subplot(grid[1, 1]), [(name, cost, "#6e7781") for name, cost in costs], "evaluations")
    _places(figure.add_subplot(grid[2, :]), dim, parts, coloured)
    return figure


def curves(
    effects: Sequence[tuple[float, float]],
    blocks: Sequence[tuple[str, Sequence[int], Callable[[Array], Array]]],
    groups: Sequence[Sequence[int]],
    title: str,
) -> Figure:
    """The effects of every variable at two places, d against d', and the curves of the blocks.

    On the left d' itself, on the right d' / d, where the curves stand apart. Variables of groups lie on none; many
    are so far off that they lie outside the picture.
    """
    d, dd = np.array(effects).T
    figure = Figure(figsize=(9.6, 5.0), dpi=120, facecolor=PAPER, layout="constrained")
    figure.suptitle(textwrap.fill(title, TITLE_WIDTH), color=INK, fontsize=11)
    whole, ratio = figure.subplots(1, 2)
    seen: dict[str, int] = {}
    shown = [np.empty((0, 4))]  # of all separable variables: the places in both pictures
    for number, (group, colour) in enumerate(zip(groups, cycle(GROUPS))):
        inside = _moving(group, d)
        label = f"in groups, {sum(map(len, groups))}" if number == 0 else None
        mark = {"color": colour, "markersize": 3.5, "markeredgewidth": 0.8}
        whole.plot(d[inside], dd[inside], "x", label=label, **mark)
        ratio.plot(d[inside] / np.abs(d[inside]).max(initial=0.0), dd[inside] / d[inside], "x", **mark)
    for kind, members, curve in blocks:
        inside = _moving(members, d)
        shade = SHADES[kind][seen.get(kind, 0) % len(SHADES[kind])]
        seen[kind] = seen.get(kind, 0) + 1
        whole.plot(d[inside], dd[inside], "o", color=shade, markersize=2.2, label=f"{kind}, {len(members)}")
        if len(inside):
            x, y = d[inside], dd[inside]
            largest = np.abs(x).max()
            line = np.linspace(x.min(), x.max(), 202)
            line = line[line != 0.0]
            whole.plot(line, curve(line), color=shade, linewidth=0.8)
            ratio.plot(line / largest, curve(line) / line, color=shade, linewidth=0.8)
            ratio.plot(x / largest, y / x, "o", color=shade, markersize=2.2)
            shown.append(np.stack([x, y, x / largest, y / x], axis=1))
    places = np.concatenate(shown)
    if len(places):
        _around(whole, places[:, 0], places[:, 1])
        _around(ratio, places[:, 2], places[:, 3])
    whole.set(xlabel="d", ylabel="d'", title="d' against d")
    ratio.set(xlabel="d, as a share of the largest in the block", ylabel="d' / d", title="the ratio d' / d")
    for axes in (whole, ratio):
        plain(axes)
    if blocks or groups:
        whole.legend(fontsize=8, frameon=False)
    return figure


def _moving(variables: Sequence[int], d: Array) -> NDArray[np.intp]:
    """Those of the variables that have an effect at all."""
    return np.array([i for i in variables if d[i] != 0.0], dtype=np.intp)


def _around(axes: Axes, x: Array, y: Array) -> None:
    """Show these points with some room about them; what is far off them lies outside."""
    for values, limit in ((x, axes.set_xlim), (y, axes.set_ylim)):
        low, high = float(values.min()), float(values.max())
        room = 0.15 * (high - low) or 0.1 * abs(high) or 1.0
        limit(low - room, high + room)


def convergence(
    history: Sequence[tuple[int, float]],
    evaluations: int,
    title: str,
    *,
    optimum: float | None = None,
    decomposed: int = 0,
) -> Figure:
    """The best value against the evaluations; above the optimum, where that is known.

    Args:
        history: every improvement, as the count of evaluations and the value.
        evaluations: where the line ends.
        title: over the picture.
        optimum: the smallest value there is.
        decomposed: how many of the evaluations went into the decomposition.
    """
    figure = Figure(figsize=(7.2, 4.2), dpi=120, facecolor=PAPER, layout="constrained")
    axes = figure.add_subplot()
    finite = [(count, value) for count, value in history if np.isfinite(value)]
    counts = np.array([count for count, _ in finite] + [evaluations] * bool(finite))
    values = np.array([value for _, value in finite] + [value for _, value in finite[-1:]])
    above = optimum is not None and bool((values > optimum).all())
    if above and optimum is not None:
        values = values - optimum
    if decomposed:
        axes.axvspan(0, decomposed, color=FAINT, alpha=0.5, linewidth=0.0, label="decomposition")
        axes.legend(frameon=False, fontsize=8, labelcolor=INK)
    axes.step(counts, values, where="post", color=KINDS["additive"], linewidth=1.4)
    axes.set(
        xlim=(0, evaluations),
        yscale="log" if len(values) and values.min() > 0.0 else "linear",
        xlabel="evaluations",
        ylabel="best value above the optimum" if above else "best value",
    )
    axes.set_title(title)
    axes.grid(visible=True, alpha=0.25)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    plain(axes)
    axes.tick_params(which="minor", labelsize=8, colors=INK)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(fontsize=9, color=INK)
    return figure


def save(figure: Figure, path: str | Path) -> None:
    """Write a picture; the ending of the path says which format."""
    refuse_unwritable(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a glyph that the font lacks is no reason to fail
        figure.savefig(path)


def refuse_unwritable(path: str | Path) -> None:
    """Refuse a path that no picture can be written to; worth asking before a long run."""
    path = Path(path)
    endings = FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in endings:
        raise BadInput(f"cannot write a picture {str(path)!r}: expected an ending such as .png, .pdf or .svg")
    if not path.parent.is_dir():
        raise BadInput(f"cannot write a picture {str(path)!r}: there is no folder {str(path.parent)!r}")


def _matrix(
    axes: Axes,
    dim: int,
    parts: Sequence[tuple[str, Sequence[int], str]],
    groups: Sequence[tuple[Sequence[int], str]],
) -> None:
    start = 0
    for _, members, colour in parts:
        end = start + len(members)
        if dim <= FEW:
            for k in range(start, end):
                axes.add_patch(Rectangle((k, k), 1, 1, color=colour, linewidth=0.0))
        else:  # squares of one would not be seen
            axes.plot([start, end], [start, end], color=colour, linewidth=3.0, solid_capstyle="butt")
        axes.add_patch(Rectangle((start, start), end - start, end - start, fill=False, edgecolor=FAINT))
        start = end
    for members, colour in groups:
        axes.add_patch(Rectangle((start, start), len(members), len(members), color=colour, linewidth=0.0))
        start += len(members)
    axes.set(xlim=(0, dim), ylim=(dim, 0), aspect="equal", title="interactions, variables in order")
    plain(axes)


def _bars(axes: Axes, bars: Sequence[tuple[str, int, str]], title: str) -> None:
    names, values = [name for name, _, _ in bars], [value for _, value, _ in bars]
    axes.barh(names, values, color=[colour for _, _, colour in bars], height=0.62)
    for row, value in enumerate(values):
        axes.text(value, row, f" {value:,}", va="center", fontsize=8, color=INK)
    axes.set(title=title, xlim=(0, 1.22 * max(values, default=0) or 1.0), xticks=[])
    axes.invert_yaxis()
    plain(axes)
    axes.spines["bottom"].set_visible(False)


def _places(
    axes: Axes,
    dim: int,
    parts: Sequence[tuple[str, Sequence[int], str]],
    groups: Sequence[tuple[Sequence[int], str]],
) -> None:
    place = np.zeros((1, dim))
    colours: list[str] = []
    for members, colour in [(members, colour) for _, members, colour in parts] + list(groups):
        place[0, list(members)] = len(colours)
        colours.append(colour)
    axes.imshow(
        place,
        aspect="auto",
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(colours) - 0.5,
        interpolation="nearest",
        extent=(0, dim, 0, 1),
    )
    axes.set(yticks=[], title="variables in their own places")
    plain(axes)


def plain(axes: Axes) -> None:
    """The few lines and small letters that all our pictures have."""
    axes.title.set(fontsize=9, color=INK)
    axes.tick_params(which="both", labelsize=8, colors=INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
