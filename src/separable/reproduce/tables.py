"""Tables as values, and as text in the formats people paste: md, csv, tex, json."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from separable.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True)
class Column:
    """A key of the rows, its heading, and how its values are shown; None is shown as nothing."""

    key: str
    title: str
    show: Callable[[Any], str] = str

    def cell(self, row: Mapping[str, Any]) -> str:
        """What stands in this row."""
        value = row.get(self.key)
        return "" if value is None else self.show(value)


@dataclass(frozen=True)
class Table:
    """Rows of values under columns. Rows may hold more than is shown: csv and json give all of it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Any], ...]


def percent(value: float) -> str:
    """A share as percent.

    >>> percent(0.3333), percent(1.0)
    ('33.3 %', '100.0 %')
    """
    return f"{100.0 * value:.1f} %"


def change(value: float) -> str:
    """A relative change as percent, with its sign.

    >>> change(-0.0123)
    '-1.2 %'
    """
    return f"{100.0 * value:+.1f} %"


def count(value: float) -> str:
    """A whole number, or a mean of them, with separators.

    >>> count(31269), count(3500.25)
    ('31,269', '3,500.2')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def markdown(tables: Sequence[Table]) -> str:
    """Pipe tables, one under the other, aligned so that they can be read as they are."""
    return "\n\n".join(f"### {table.title}\n\n{_pipes(table)}" for table in tables)


def _pipes(table: Table) -> str:
    lines = [[column.title for column in table.columns]]
    lines += [[column.cell(row) for column in table.columns] for row in table.rows]
    width = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width[0]] + ["-" * (size - 1) + ":" for size in width[1:]])
    return "\n".join(
        "| " + " | ".join([line[0].ljust(width[0]), *map(str.rjust, line[1:], width[1:])]) + " |" for line in lines
    )


def latex(tables: Sequence[Table]) -> str:
    """One tabular each, with nothing that needs a package."""
    return "\n\n".join(map(_tabular, tables))


def _tabular(table: Table) -> str:
    lines = [f"% {table.title}", rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}", r"\hline"]
    lines += [_row(column.title for column in table.columns), r"\hline"]
    lines += [_row(column.cell(row) for column in table.columns) for row in table.rows]
    return "\n".join([*lines, r"\hline", r"\end{tabular}"])


def _row(cells: Any) -> str:  # noqa: ANN401 -- any iterable of strings
    return " & ".join(cell.replace("%", r"\%").replace("_", r"\_") for cell in cells) + r" \\"


def commas(tables: Sequence[Table]) -> str:
    """All rows under one heading, with the values as they are."""
    keys = list(dict.fromkeys(key for table in tables for row in table.rows for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, keys, lineterminator="\n")
    writer.writeheader()
    for table in tables:
        writer.writerows(table.rows)
    return out.getvalue().rstrip("\n")


def machine(tables: Sequence[Table]) -> str:
    """JSON: a list of tables, with the values as they are."""
    return json.dumps([{"title": table.title, "rows": table.rows} for table in tables], indent=1)


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "md": markdown,
    "csv": commas,
    "tex": latex,
    "json": machine,
}


def render(tables: Sequence[Table], form: str = "md") -> str:
    """The tables as text in one of `FORMATS`.

    >>> columns = (Column("f", "f"), Column("sa", "SA", percent))
    >>> print(render([Table("Two", columns, ({"f": "f1", "sa": 0.5}, {"f": "f2"}))]))
    ### Two
    <BLANKLINE>
    | f   |     SA |
    | --- | -----: |
    | f1  | 50.0 % |
    | f2  |        |
    """
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    return FORMATS[form](tables)
