"""How a table looks: in Markdown, in LaTeX, in CSV."""

from __future__ import annotations

import csv as writer
import io
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from separable.report.tables import Cell, Column, Table

WIDE = 12  # so many columns and more are made smaller to fit a page
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "†": r"$^\dagger$",
    "–": "--",  # noqa: RUF001 -- the en dash of `tables.NONE`
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def markdown(table: Table) -> str:
    """The table with its title and its notes.

    >>> from separable.report.tables import Cell, Column, Table
    >>> columns = Column("f"), Column("mean", "CSG")
    >>> print(markdown(Table("t", "Title", columns, ((Cell("f1"), Cell("1", 1.0, True)),))))
    ### Title
    <BLANKLINE>
    | f | CSG mean |
    |:--|--:|
    | f1 | **1** |
    <BLANKLINE>
    """
    lines = [f"### {table.title}", ""]
    lines.append(_row(escaped(heading(column)) for column in table.columns))
    lines.append("|" + "|".join([":--"] + ["--:"] * (len(table.columns) - 1)) + "|")
    lines += [_row(map(_marked, row)) for row in table.rows]
    if table.foot:
        lines.append(_row(map(_marked, table.foot)))
    for note in table.notes:
        lines += ["", escaped(note)]
    return "\n".join([*lines, ""])


def latex(table: Table) -> str:
    """A `table` for a document that uses booktabs and graphicx."""
    columns = len(table.columns)
    body = [
        f"\\begin{{tabular}}{{{_alignment(table.columns)}}}",
        r"\toprule",
        *_heads(table.columns),
        r"\midrule",
        *(_line(row) for row in table.rows),
        *([r"\midrule", _line(table.foot)] if table.foot else []),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if columns >= WIDE:
        body = [r"\resizebox{\linewidth}{!}{%", *body, "}"]
    notes = [f"\\par\\smallskip{{\\footnotesize {_tex(note)}\\par}}" for note in table.notes]
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            f"\\caption{{{_tex(table.title)}}}",
            f"\\label{{tab:{table.key}}}",
            *body,
            *notes,
            r"\end{table}",
            "",
        ]
    )


def document(title: str, notes: Sequence[str], files: Iterable[str]) -> str:
    """A LaTeX document of tables that lie beside it."""
    return "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage[utf8]{inputenc}",
            r"\usepackage[a4paper,landscape,margin=15mm]{geometry}",
            r"\usepackage{booktabs,graphicx}",
            r"\begin{document}",
            f"\\section*{{{_tex(title)}}}",
            *(_tex(note) + r"\par" for note in notes),
            *(f"\\input{{{file}}}\n\\clearpage" for file in files),
            r"\end{document}",
            "",
        ]
    )


def csv(table: Table) -> str:
    """The values, without rounding; the body alone.

    >>> from separable.report.tables import Cell, Column, Table
    >>> columns = Column("f"), Column("mean", "CSG")
    >>> csv(Table("t", "Title", columns, ((Cell("f1", "f1"), Cell("1.2", 1.25)),))).splitlines()
    ['f,CSG mean', 'f1,1.25']
    """
    out = io.StringIO()
    rows = writer.writer(out, lineterminator="\n")
    rows.writerow([heading(column) for column in table.columns])
    rows.writerows([["" if cell.value is None else cell.value for cell in row] for row in table.rows])
    return out.getvalue()


def heading(column: Column) -> str:
    """The whole name of a column."""
    return f"{column.group} {column.name}".strip()


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _marked(cell: Cell) -> str:
    text = escaped(cell.text)
    return f"**{text}**" if cell.bold and text else text


def escaped(text: str) -> str:
    """A text in which Markdown finds nothing to act upon."""
    plain = " ".join(text.split())
    for sign in "\\|<*_`[]":
        plain = plain.replace(sign, f"\\{sign}")
    return plain


def _alignment(columns: Sequence[Column]) -> str:
    groups = [len(list(members)) for _, members in groupby(columns, key=lambda column: column.group)]
    return "l" + "r" * (groups[0] - 1) + "".join("@{\\quad}" + "r" * size for size in groups[1:])


def _heads(columns: Sequence[Column]) -> list[str]:
    names = " & ".join(_tex(column.name) for column in columns) + r" \\"
    groups = [(name, len(list(members))) for name, members in groupby(columns, key=lambda column: column.group)]
    if len(groups) == 1:
        return [names]
    spans, rules, start = [], [], 1
    for name, size in groups:
        spans.append(f"\\multicolumn{{{size}}}{{c}}{{{_tex(name)}}}")
        if name:
            rules.append(f"\\cmidrule(lr){{{start}-{start + size - 1}}}")
        start += size
    return [" & ".join(spans) + r" \\", "".join(rules), names]


def _line(cells: Iterable[Cell]) -> str:
    return (
        " & ".join(f"\\textbf{{{_tex(cell.text)}}}" if cell.bold else _tex(cell.text) for cell in cells) + r" \\"
    )


def _tex(text: str) -> str:
    plain = " ".join(text.split())
    return "".join(SPECIAL.get(sign, sign if ord(sign) < 256 else "?") for sign in plain)
