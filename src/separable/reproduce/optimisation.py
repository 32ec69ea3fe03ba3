"""The paper's tables of optimization results: the campaign behind them, and its results beside the paper's.

The campaigns `paper-1000` and `paper-5000` hold what the paper says of its runs. Its functions were made from
other constants than ours, so levels of values may differ where curves do not; see `suites.bms`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from separable import campaign
from separable.errors import BadInput, unknown
from separable.report import formats, tables
from separable.reproduce.decomposition import published

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.report.results import Results
    from separable.report.tables import Reference, Table

DIMS = (1000, 5000)  # in which the paper optimizes


def plan(dim: int = 1000, repeats: int | None = None, functions: Sequence[int] | None = None) -> campaign.Campaign:
    """The paper's campaign, or a part of it.

    Args:
        dim: 1000 or 5000.
        repeats: runs of each method on each function; None is the paper's 25 or 10.
        functions: their numbers; None is all 15.

    >>> len(plan(1000).cells), len(plan(5000, repeats=1, functions=[1, 9]).cells)
    (1500, 8)
    """
    if dim not in DIMS:
        raise BadInput(f"the paper optimizes in {' and '.join(map(str, DIMS))} dimensions, got {dim}")
    whole = campaign.load(f"paper-{dim}")
    if repeats is not None and (isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1):
        raise BadInput(f"repeats must be a whole number, 1 or more, got {repeats!r}")
    text = whole.text.replace(f"\nrepeats = {whole.repeats}\n", f"\nrepeats = {repeats or whole.repeats}\n")
    if functions is not None:
        text = text.replace('functions = "1-15"', f"functions = {sorted(set(functions))}")
    return campaign.parse(text, whole.name)


def reference(dim: int) -> Reference:
    """The paper's means and standard deviations.

    >>> reference(1000)["f1", 120_000, "CSG"]
    (3470.0, 54.0)
    """
    return {
        (f"f{row['function']}", row["evaluations"], row["method"]): (row["mean"], row["std"])
        for row in published("optimisation")
        if row["dim"] == dim
    }


def beside(results: Results) -> list[Table]:
    """A table for every checkpoint, with the paper's means and firsts beside ours."""
    return [
        with_firsts(tables.results(section, at, reference(section.dim)), section.dim, at)
        for section in results.sections
        for at in section.checkpoints
    ]


def with_firsts(table: Table, dim: int, at: int) -> Table:
    """The table with the paper's number of firsts in a note, where the paper has it."""
    row = next((row for row in published("firsts") if (row["dim"], row["evaluations"]) == (dim, at)), None)
    if row is None:
        return table
    counts = ", ".join(f"{method} {count}" for method, count in list(row.items())[2:])
    return replace(table, notes=(*table.notes, f"Number of firsts in the paper: {counts}."))


def _json(shown: Sequence[Table]) -> str:
    return json.dumps(
        [
            {
                "title": table.title,
                "notes": table.notes,
                "rows": [
                    {formats.heading(column): cell.value for column, cell in zip(table.columns, row, strict=True)}
                    for row in table.rows
                ],
            }
            for table in shown
        ],
        indent=1,
    )


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "md": lambda shown: "\n".join(map(formats.markdown, shown)),
    "csv": lambda shown: "\n".join(map(formats.csv, shown)),
    "tex": lambda shown: "\n".join(map(formats.latex, shown)),
    "json": _json,
}


def render(shown: Sequence[Table], form: str = "md") -> str:
    """The tables as text in one of `FORMATS`."""
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    return FORMATS[form](shown)
