"""A whole report in a folder, which appears at once or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from separable.errors import BadInput, unknown
from separable.report import export, formats, tables

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from separable.report.results import Results
    from separable.report.tables import Reference, Table

PARTS = {
    "tables": "report.md, and tables/ in CSV and LaTeX",
    "pictures": "pictures/ as PNG and PDF",
    "page": "report.html, interactive",
    "ioh": "ioh/, for IOHanalyzer",
    "parquet": "runs.parquet",
}
USUAL = ("tables", "pictures", "page")
MARK = "report.json"  # in a folder says that a report was written there, and which files are its own
KIND = "separable report"


def write(
    results: Results,
    out: str | Path,
    *,
    parts: Collection[str] = USUAL,
    overwrite: bool = False,
    reference: Reference | None = None,
    name: str = "paper",
    callback: Callable[[str], object] | None = None,
) -> list[str]:
    """Write a report.

    Args:
        results: what it is about.
        out: a folder; it is made.
        parts: some of `PARTS`.
        overwrite: whether an earlier report there may be replaced; anything else never is.
        reference: somebody else's results, shown beside ours: see `tables.results`.
        name: of these.
        callback: told each file's name before it is written.

    Returns:
        The files, relative to `out`.
    """
    if not parts:
        raise BadInput(f"nothing is to be written; parts of a report are {', '.join(PARTS)}")
    for part in parts:
        if part not in PARTS:
            raise unknown("part of a report", part, PARTS)
    out = Path(out).resolve()
    _refuse_to_overwrite(out, overwrite=overwrite)
    new = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        new.mkdir(parents=True)
        for file, make in _files(results, parts, reference, name):
            if callback is not None:
                callback(file)
            (new / file).parent.mkdir(parents=True, exist_ok=True)
            make(new / file)
        files = [path.relative_to(new).as_posix() for path in sorted(new.rglob("*")) if path.is_file()]
        mark = {
            "kind": KIND,
            "campaign": results.name,
            "about": about(results),
            "notes": results.notes,
            "files": files,
        }
        (new / MARK).write_text(json.dumps(mark, indent=1) + "\n", encoding="utf-8")
        _refuse_to_overwrite(out, overwrite=overwrite)  # what came there meanwhile
        _put(new, out)
    except PermissionError as error:
        raise BadInput(f"cannot write a report to {str(out)!r}: {error.strerror}") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return [*files, MARK]


def about(results: Results) -> str:
    """One line: what was compared, how many runs there are, and what made them."""
    counts = [f"{len(results.done):,} runs"]
    counts += [f"{len(results.failed):,} failed"] if results.failed else []
    counts += [f"{len(results.missing):,} missing"] if results.missing else []
    records = [*results.done.values(), *results.failed.values()]
    code = Counter(f"{one['versions']['separable']} (code {one['versions']['code']})" for one in records)
    machines = len({json.dumps(one["machine"], sort_keys=True) for one in records})
    hours = sum(one["cpu_seconds"] for one in records) / 3600.0
    return (
        f"{len(results.cases)} problems, {len(results.methods)} methods: {', '.join(counts)}; "
        f"{hours:.3g} hours of computing on {machines} machine{'s' * (machines != 1)}; "
        f"separable {', '.join(name for name, _ in code.most_common())}"
    )


def _files(
    results: Results, parts: Collection[str], reference: Reference | None, name: str
) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Each file's name, and what makes it; the name of a folder, where something makes a whole one."""
    shown = [list(tables.every(section, reference, name)) for section in results.sections]
    common = [table for table in (tables.failures(results), tables.missing(results)) if table.rows]
    every = [table for of in (*shown, common) for table in of]
    drawn: list[str] = []
    if "page" in parts:
        from separable.report.page import page  # noqa: PLC0415 -- plotly and matplotlib are extras

        yield "report.html", _text(lambda: page(results, about(results), shown, common))
    if "pictures" in parts:
        from separable import plots  # noqa: PLC0415 -- matplotlib is an extra
        from separable.report import pictures  # noqa: PLC0415

        for key, figure in pictures.draw(results):
            drawn.append(key)
            for ending in ("png", "pdf"):
                yield f"pictures/{key}.{ending}", partial(plots.save, figure)
    if "tables" in parts:
        for table in every:
            yield f"tables/{table.key}.csv", _text(partial(formats.csv, table))
        short = [table for table in every if not table.long]
        for table in short:
            yield f"tables/{table.key}.tex", _text(partial(formats.latex, table))
        files = [table.key for table in short]
        yield "tables/all.tex", _text(lambda: formats.document(results.name, results.notes, files))
        yield "report.md", _text(lambda: _markdown(results, shown, common, drawn))
    if "ioh" in parts:
        yield "ioh", lambda path: export.iohprofiler(results, path)
    if "parquet" in parts:
        yield "runs.parquet", lambda path: export.parquet(results, path)


def _text(make: Callable[[], str]) -> Callable[[Path], object]:
    return lambda path: path.write_text(make(), encoding="utf-8")


def _markdown(
    results: Results, shown: Sequence[Sequence[Table]], common: Sequence[Table], drawn: Sequence[str]
) -> str:
    lines = [f"# {results.name}", "", about(results), ""]
    for note in results.notes:
        lines += [f"> **{formats.escaped(note)}**", ">"]
    for section, of in zip(results.sections, shown, strict=True):
        lines += ["", f"## {section.name}", ""]
        lines += [f"![{key}](pictures/{key}.png)\n" for key in drawn if _belongs(key, section.key)]
        lines += [formats.markdown(table) for table in of if not table.long]
        lines += [f"[{table.title}](tables/{table.key}.csv)\n" for table in of if table.long]
    lines += [formats.markdown(table) for table in common]
    return "\n".join(lines)


def _belongs(key: str, section: str) -> bool:
    """Whether a picture is one of the section as a whole, of which the others are details."""
    return key.endswith(f"-{section}")


def _refuse_to_overwrite(out: Path, *, overwrite: bool) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise BadInput(f"{str(out)!r} is a file; a report needs a folder")
    there = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    if not there:
        return
    own = _own_files(out)
    if not own:
        raise BadInput(f"{str(out)!r} is not empty, and holds no report; choose another folder")
    if not overwrite:
        raise BadInput(f"{str(out)!r} holds a report already; choose another folder, or say --overwrite")
    if foreign := sorted(there - own):
        raise BadInput(
            f"{str(out)!r} holds a report, and what is none of its files: {foreign[0]!r}; move that away first"
        )


def _own_files(out: Path) -> set[str]:
    try:
        mark = json.loads((out / MARK).read_text(encoding="utf-8"))
        return {MARK, *mark["files"]} if mark["kind"] == KIND else set()
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _put(new: Path, out: Path) -> None:
    """Move the new folder to its place; what was there goes last, so that there is a report at every moment."""
    if not out.exists():
        new.rename(out)
        return
    old = out.with_name(f".{out.name}.{os.getpid()}.old")
    out.rename(old)
    new.rename(out)
    shutil.rmtree(old)
