"""The page: one HTML file with everything in it, which opens anywhere and asks the network for nothing."""

from __future__ import annotations

import json
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

import separable
from separable.errors import MissingExtra
from separable.report import curves, tables
from separable.report.pictures import COLOURS, SHADES

try:
    from plotly.offline import get_plotlyjs
except ImportError as error:
    raise MissingExtra("the page", "plotly", "report") from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from separable.report.curves import Curve
    from separable.report.results import Results, Section
    from separable.report.stats import Floats
    from separable.report.tables import Cell, Table

DASHES = ("solid", "dash", "dot", "dashdot")  # plotly's names
LARGEST = 1.7976931348623157e308  # stands for infinity, of which JSON knows nothing
DIGITS = 6


def page(results: Results, about: str, shown: Sequence[Sequence[Table]], common: Sequence[Table]) -> str:
    """The page.

    Args:
        results: what it is about.
        about: a line below the title.
        shown: the tables of each section.
        common: tables of all of them.
    """
    data = {
        "methods": [
            {"name": name, "colour": COLOURS[k % len(COLOURS)], "dash": DASHES[k // len(COLOURS) % len(DASHES)]}
            for k, name in enumerate(results.methods)
        ],
        "kinds": [{"name": kind, "colour": shade} for kind, shade in zip(curves.KINDS, SHADES, strict=True)],
        "targets": curves.TARGETS,
        "sections": [_section(one, of) for one, of in zip(results.sections, shown, strict=True)],
        "tables": [_table(one) for one in common],
    }
    parts = {
        "version": separable.__version__,
        "title": escape(results.name),
        "about": escape(about),
        "notes": "\n".join(_note(note) for note in results.notes),
        "css": _file("page.css"),
        "data": json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "plotly": get_plotlyjs().replace("</script", "<\\/script"),
        "js": _file("page.js"),
    }
    pieces = _file("page.html").split("{{")
    text = pieces[0]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        text += parts[name] + rest
    return text


def _section(section: Section, shown: Iterable[Table]) -> dict[str, Any]:
    results, methods = section.results, section.results.methods
    reached = curves.reached(section)
    ranks = [tables.friedman(section, at) for at in section.checkpoints]
    return {
        "key": section.key,
        "name": section.name,
        "cases": [case.function for case in section.cases],
        "checkpoints": list(section.checkpoints),
        "curves": {
            case.function: {method: _curve(curves.curve(results, case, method)) for method in methods}
            for case in section.cases
        },
        "structure": {
            case.function: {method: curves.structure(results, case, method) for method in methods}
            for case in section.cases
        },
        "ecdf": {
            "at": _numbers(reached.at),
            "cases": [case.function for case in reached.cases],
            "shares": {method: [_numbers(one) for one in shares] for method, shares in reached.by_case.items()},
        },
        "ranks": [{"ranks": one.ranks, "difference": one.difference, "why": one.why} for one in ranks],
        "tables": [_table(one) for one in shown],
    }


def _curve(curve: Curve | None) -> dict[str, Any] | None:
    if curve is None:
        return None
    lines = {name: _numbers(getattr(curve, name)) for name in ("at", "mean", "median", "low", "high")}
    return {**lines, "decomposed": curve.decomposed, "runs": curve.runs}


def _numbers(values: Floats) -> list[float | None]:
    return [float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None for value in values]


def _table(table: Table) -> dict[str, Any]:
    return {
        "key": table.key,
        "title": table.title,
        "at": table.at,
        "long": table.long,
        "columns": [column._asdict() for column in table.columns],
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
        "foot": None if table.foot is None else [_cell(cell) for cell in table.foot],
        "notes": table.notes,
    }


def _cell(cell: Cell) -> dict[str, Any]:
    value = cell.value
    if isinstance(value, float) and not np.isfinite(value):
        value = LARGEST
    return {"text": cell.text, "value": value, "bold": cell.bold}


def _note(text: str) -> str:
    alarm = " alarm" if text.startswith("MIXED") else ""
    return f'<p class="note{alarm}">{escape(text)}</p>'


def _file(name: str) -> str:
    return resources.files(__package__).joinpath("files", name).read_text(encoding="utf-8")
