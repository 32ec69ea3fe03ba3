"""Reports: what they count, compare, show and refuse."""

from __future__ import annotations

import csv
import errno
import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from made_campaigns import failure, folder, plan, record
from separable import BadInput, campaign, plots
from separable.report import curves, export, formats, tables
from separable.report.results import Case, read
from separable.report.write import write

F1 = Case("bms/f1", 200, 0)


@pytest.fixture
def made(tmp_path):
    """What is read of a folder made from a campaign file."""

    def make(text=None, give=record, **more):
        where = tmp_path / f"made-{len(list(tmp_path.iterdir()))}"
        return read(folder(where, text or plan(), give, **more))

    return make


def cells(table):
    """Texts by row and column."""
    names = [formats.heading(column) for column in table.columns]
    return {row[0].text: dict(zip(names, [cell.text for cell in row], strict=True)) for row in table.rows}


def test_a_campaign_that_was_run_becomes_a_report(tmp_path):
    text = plan(["a", "b"], "1,2", repeats=2, checkpoints="[1500, 3e3]").replace("1e4", "3e3")
    one = campaign.parse(text)
    with campaign.Store(tmp_path / "results", one) as store:
        campaign.run(one, store, executor=ThreadPoolExecutor(1))
    found = read(tmp_path / "results")
    files = write(found, tmp_path / "report", parts=["tables", "pictures", "page", "ioh", "parquet"])
    assert (len(found.done), found.failed, found.missing, found.notes) == (8, {}, (), ())
    for expected in ("report.md", "report.html", "report.json", "tables/all.tex", "pictures/ecdf-bms-200d.pdf"):
        assert expected in files
    records = {one["identity"]: one for one in campaign.Store(tmp_path / "results").all()}
    values = [value for one in records.values() for at, value in one["checkpoints"] if at == 3000]
    shown = [found.values(case, method, 3000) for case in found.cases for method in found.methods]
    assert sorted(np.concatenate(shown)) == sorted(values)


def test_means_medians_and_spreads_are_those_of_the_records(made):
    found = made()
    values = found.values(F1, "GSG", 1000)
    row = cells(tables.results(found.sections[0], 1000))["f1"]
    assert values.size == 5
    assert row["GSG mean"] == f"{np.mean(values):.2E}"
    assert row["GSG median"] == f"{np.median(values):.2E}"
    assert row["GSG std"] == f"{np.std(values, ddof=1):.2E}"


def test_who_is_first_is_bold_and_counted_and_ties_share_it(made):
    def give(cell):
        level = {"CSG": 100.0, "GSG": 100.0, "MDG": 500.0}[cell.method.name]
        return record(cell, [[1, 1000.0], [900, level + cell.repeat + 0.5 * (cell.method.name == "GSG")]])

    table = tables.results(made(give=give).sections[0], 10_000)
    bold = {row[0].text: [cell.bold for cell in row[1::3]] for row in table.rows}
    assert bold == {f"f{k}": [True, True, False] for k in (1, 2, 3)}
    assert [cell.text for cell in table.foot[1::3]] == ["3", "3", "0"]


def test_too_few_repeats_are_said_and_nobody_is_called_first(made):
    section = made(plan(repeats=3)).sections[0]
    table = tables.results(section, 10_000)
    assert not any(cell.bold for row in table.rows for cell in row)
    assert [cell.text for cell in table.foot[1::3]] == ["–"] * 3  # noqa: RUF001 -- the dash of the tables
    assert "3 against 3 runs cannot differ significantly" in table.notes[0]
    assert "Not tested" in tables.tally(section, 10_000).notes[1]


def test_what_holms_correction_can_never_show_is_said(made):
    section = made(plan(functions="1-7", repeats=5)).sections[0]
    assert "in any of 7 tests: p is at least 0.0556 after correction" in tables.tally(section, 10_000).notes[-1]
    duels = tables.duels(section, 10_000)
    assert {duel.winner(duel.p) for duel in duels} == {"CSG", "GSG"}
    assert {duel.winner(duel.corrected) for duel in duels} == {None}


def test_failures_and_missing_runs_are_counted_and_shown(made):
    def give(cell):
        if cell.problem == "bms/f2" and cell.method.name == "MDG":
            return failure(cell, "out of\nmemory | or so")
        if cell.problem == "bms/f1" and cell.method.name == "CSG" and cell.repeat in (1, 2, 4):
            return None
        return record(cell)

    found = made(give=give)
    assert (len(found.done), len(found.failed), len(found.missing)) == (37, 5, 3)
    assert [note.split(";")[0] for note in found.notes] == ["5 runs failed", "3 runs of 45 missing"]
    shown = tables.results(found.sections[0], 10_000)
    assert cells(shown)["f2"]["MDG mean"] == "0 of 5, 5 failed"
    assert cells(shown)["f1"]["CSG mean"].endswith("†")
    assert "f1 CSG (2 of 5, 3 missing), f2 MDG (0 of 5, 5 failed)" in shown.notes[-1]
    assert len(tables.failures(found).rows) == 5
    assert cells(tables.missing(found)) == {
        "bms/f1": {"problem": "bms/f1", "dim": "200", "instance": "0", "method": "CSG", "repeats": "1 to 2, 4"}
    }
    assert "MemoryError: out of memory \\| or so" in formats.markdown(tables.failures(found))
    assert tables.friedman(found.sections[0], 10_000).functions == 2
    assert len(curves.reached(found.sections[0]).cases) == 2


def other_code(cell):
    made = record(cell)
    if cell.repeat == 0:
        made["versions"]["code"] = "0ddba11"
    return made


def test_results_of_different_code_are_refused_and_the_way_out_is_named(tmp_path):
    folder(tmp_path / "r", plan(), other_code)
    with pytest.raises(
        BadInput, match=r"different versions .* c0ffee000000 \(36 records\), 0ddba11 \(9 .*--mixed"
    ):
        read(tmp_path / "r")


def test_where_they_are_mixed_the_report_says_so_at_its_top(tmp_path):
    found = read(folder(tmp_path / "r", plan(), other_code), mixed=True)
    write(found, tmp_path / "report", parts=["tables", "page"])
    for file, place in (
        ("report.md", 700),
        ("report.html", 12_000),
        ("report.json", 700),
        ("tables/all.tex", 600),
    ):
        assert "MIXED" in (tmp_path / "report" / file).read_text()[:place], file


def test_other_versions_of_libraries_are_said(made):
    def give(cell):
        one = record(cell)
        one["versions"]["numpy"] = f"2.{cell.repeat % 2}.0"
        return one

    assert made(give=give).notes == (
        "Made with different versions of numpy: 2.0.0 (27 records), 2.1.0 (18 records).",
    )


def test_records_that_cannot_be_read_or_belong_elsewhere_are_left_out_and_said(tmp_path):
    folder(tmp_path / "other", plan(repeats=6).replace("1e4", "2e4"))
    folder(tmp_path / "r", plan())
    for path in (tmp_path / "other" / "records").glob("*-r5-*.json"):
        shutil.copy(path, tmp_path / "r" / "records")
    next((tmp_path / "r" / "records").glob("*f1-*MDG-r3*.json")).write_text('{"torn')
    found = read(tmp_path / "r")
    assert found.notes[0] == "9 records of other campaigns left out."
    assert found.notes[1].startswith("1 file could not be read and left out: bms-f1-d200-i0-MDG-r3")
    assert len(found.done) == 44
    assert len(found.missing) == 1


def test_without_a_campaign_file_what_is_there_says_what_is_missing(made):
    def give(cell):
        return None if (cell.problem, cell.method.name, cell.repeat) == ("bms/f10", "GSG", 1) else record(cell)

    found = made(plan(functions="1,2,10"), give, campaign_file=False)
    assert [case.function for case in found.cases] == ["f1", "f2", "f10"]
    assert [str(run) for run in found.missing] == ["bms/f10 200-D instance 0, GSG, repeat 1"]
    assert "no campaign file" in found.notes[0]


def test_without_a_campaign_file_one_run_with_two_records_is_refused(tmp_path):
    folder(tmp_path / "r", plan(), campaign_file=False)
    folder(tmp_path / "other", plan().replace("budget = 1e4", "budget = 2e4"))
    for path in (tmp_path / "other" / "records").glob("*.json"):
        shutil.copy(path, tmp_path / "r" / "records")
    with pytest.raises(BadInput, match=r"two records of bms/f1 200-D instance 0, CSG, repeat 0"):
        read(tmp_path / "r")


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda path: None, "no records of this campaign: run the campaign first"),
        (
            lambda path: (path / "records" / "x.json").write_text("{}"),
            "1 file could not be read and left out: x.json",
        ),
        (lambda path: shutil.rmtree(path / "records"), "no folder 'records'"),
        (lambda path: (path / "campaign.toml").write_text("budgett = 3"), "did you mean 'budget'"),
        (lambda path: (path / "campaign.toml").write_text("[["), "campaign.toml"),
    ],
)
def test_a_folder_that_holds_no_results_is_refused(tmp_path, spoil, complaint):
    path = folder(tmp_path / "r", plan(), lambda cell: None)
    spoil(path)
    with pytest.raises(BadInput, match=complaint):
        read(path)


def nothing_works(cell):
    return failure(cell)


def never_finite(cell):
    return record(cell, [[1, float("inf")]], fun=float("nan"), optimum=None, nan_count=10_000)


def exactly_there(cell):
    return record(cell, [[1, 5.0], [50, 1.0]])


def below_zero(cell):
    return record(cell, [[1, 5.0], [50, -1.0 - cell.repeat]], optimum=None)


@pytest.mark.parametrize("give", [nothing_works, never_finite, exactly_there, below_zero])
@pytest.mark.parametrize("methods", [("CSG",), ("CSG", "GSG")])
def test_whatever_the_runs_came_to_there_is_a_whole_report(made, tmp_path, give, methods):
    text = plan(methods, functions="1", repeats=2, dims="[200, 400]", instances="[0, 3]")
    found = made(text, give)
    files = write(found, tmp_path / "report", parts=["tables", "page", "ioh", "parquet", "pictures"])
    assert "pictures/convergence-bms-400d-f1-instance-3.png" in files
    assert [section.name for section in found.sections] == ["bms, 200-D", "bms, 400-D"]
    data = page_data(tmp_path / "report" / "report.html")
    assert [one["cases"] for one in data["sections"]] == [["f1", "f1 (instance 3)"]] * 2


def page_data(path):
    text = path.read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def test_somebody_elses_results_stand_beside_ours(made):
    table = tables.results(made().sections[0], 1000, {("f2", 1000, "GSG"): (123.4, 5.6)}, "theirs")
    assert cells(table)["f2"]["GSG theirs mean"] == "1.23E+02"
    assert cells(table)["f2"]["GSG theirs std"] == "5.60E+00"
    assert cells(table)["f1"]["GSG theirs mean"] == "–"  # noqa: RUF001 -- the dash of the tables
    assert len(table.foot) == len(table.columns)


@pytest.mark.parametrize("build", [tables.results, tables.intervals, tables.tally, tables.comparisons])
def test_a_csv_holds_what_the_table_holds_without_rounding(made, build):
    table = build(made().sections[0], 1000)
    rows = list(csv.reader(formats.csv(table).splitlines()))
    assert rows[0] == [formats.heading(column) for column in table.columns]
    for row, line in zip(table.rows, rows[1:], strict=True):
        for cell, text in zip(row, line, strict=True):
            assert text == ("" if cell.value is None else str(cell.value))


def test_every_row_has_a_cell_for_every_column(made):
    for table in tables.every(made().sections[0]):
        for row in (*table.rows, *([table.foot] if table.foot else [])):
            assert len(row) == len(table.columns), table.key


@pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="there is no pdflatex (Debian: texlive-latex-recommended)"
)
def test_the_latex_compiles_whatever_the_methods_are_called(tmp_path):
    methods = ["C_S+G", "a.b", "Größe", "方法"]
    found = read(
        folder(tmp_path / "r", plan(methods, repeats=4), lambda c: failure(c) if c.repeat == 3 else record(c))
    )
    write(found, tmp_path / "report", parts=["tables"])
    line = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(line, cwd=tmp_path / "report" / "tables", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_a_table_in_latex_marks_firsts_and_escapes_what_tex_would_act_upon(made):
    text = formats.latex(tables.results(made(plan(["a_b", "c"])).sections[0], 10_000))
    assert r"\multicolumn{3}{c}{a\_b}" in text
    assert r"\textbf{" in text
    assert r"\label{tab:results-bms-200d-10000}" in text


def test_targets_are_reached_by_the_best_run_and_their_shares_grow(made):
    reached = curves.reached(made().sections[0])
    last = {method: shares[-1] for method, shares in reached.shares.items()}
    assert last["CSG"] > last["GSG"] > last["MDG"] > 0.0
    for shares in reached.shares.values():
        assert (np.diff(shares) >= 0.0).all()
        assert 0.0 <= shares[0] <= shares[-1] <= 1.0


def test_a_curve_is_the_mean_of_the_runs_and_exact_at_the_checkpoints(made):
    found = made()
    curve = curves.curve(found, F1, "CSG")
    for at in (1000, 10_000):
        k = int(np.flatnonzero(curve.at == at)[0])
        assert curve.mean[k] == pytest.approx(found.values(F1, "CSG", at).mean())
        assert curve.median[k] == pytest.approx(np.median(found.values(F1, "CSG", at)))
    assert (curve.low <= curve.mean).all()
    assert (curve.mean <= curve.high).all()


def test_iohprofiler_files_hold_every_run(made, tmp_path):
    found = made(plan(functions="1,2", dims="[200, 400]", instances="[0, 3]", repeats=2))
    export.iohprofiler(found, tmp_path / "ioh")
    index = json.loads((tmp_path / "ioh/bms/CSG/IOHprofiler_f2_f2.json").read_text())
    assert (index["function_id"], index["algorithm"]["name"], index["maximization"]) == (2, "CSG", False)
    assert [one["dimension"] for one in index["scenarios"]] == [200, 400]
    for scenario in index["scenarios"]:
        lines = (tmp_path / "ioh/bms/CSG" / scenario["path"]).read_text().splitlines()
        starts = [k for k, line in enumerate(lines) if line == "evaluations raw_y"]
        assert len(starts) == len(scenario["runs"]) == 4
        assert [run["instance"] for run in scenario["runs"]] == [0, 0, 3, 3]
        for run, start, end in zip(scenario["runs"], starts, [*starts[1:], len(lines)], strict=True):
            steps = [line.split() for line in lines[start + 1 : end]]
            assert (int(steps[0][0]), int(steps[-1][0])) == (1, run["evals"])
            assert float(steps[-1][1]) == run["best"]["y"]


def test_iohprofiler_files_can_be_read_by_its_own_reader(made, tmp_path):
    reader = pytest.importorskip("iohinspector", reason="not a dependency: pip install iohinspector")
    found = made(plan(functions="1,2", repeats=2))
    export.iohprofiler(found, tmp_path / "ioh")
    manager = reader.DataManager()
    manager.add_folder(str(tmp_path / "ioh"))
    assert manager.overview.height == 12
    assert set(manager.overview["algorithm_name"]) == {"CSG", "GSG", "MDG"}
    assert manager.load()["raw_y"].min() == min(record["fun"] for record in found.done.values())


def test_parquet_holds_a_row_for_every_run_that_has_a_record(made, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    found = made(give=lambda cell: failure(cell) if cell.repeat == 0 else record(cell))
    export.parquet(found, tmp_path / "runs.parquet")
    rows = pq.read_table(tmp_path / "runs.parquet").to_pylist()
    assert len(rows) == 45
    assert [row["status"] for row in rows].count("failed") == 9
    one = next(row for row in rows if (row["problem"], row["method"], row["repeat"]) == ("bms/f2", "GSG", 3))
    kept = next(rec for run, rec in found.done.items() if (*run[0][:1], *run[1:]) == ("bms/f2", "GSG", 3))
    assert one["seed"] == str(kept["cell"]["seed"])
    assert one["fun"] == kept["fun"]
    assert [[step["evaluations"], step["value"]] for step in one["history"]] == kept["history"]
    assert (one["decomposition_evaluations"], one["groups"], one["nonseparable_accuracy"]) == (651, [50, 50], 0.5)


def test_a_report_appears_whole_or_not_at_all(made, tmp_path, monkeypatch):
    found = made()
    write(found, tmp_path / "report", parts=["tables"])
    before = sorted(tmp_path.rglob("*"))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(plots, "save", full)
    with pytest.raises(OSError, match="No space"):
        write(found, tmp_path / "report", parts=["tables", "pictures"], overwrite=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_nothing_is_overwritten_without_being_asked(made, tmp_path):
    found = made()
    out = tmp_path / "report"
    write(found, out, parts=["tables"])
    with pytest.raises(BadInput, match="holds a report already; choose another folder, or say --overwrite"):
        write(found, out, parts=["page"])
    write(found, out, parts=["page"], overwrite=True)
    assert sorted(path.name for path in out.iterdir()) == ["report.html", "report.json"]
    (out / "mine.txt").write_text("keep me")
    with pytest.raises(BadInput, match=r"none of its files: 'mine\.txt'"):
        write(found, out, parts=["page"], overwrite=True)
    assert (out / "mine.txt").read_text() == "keep me"


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_folder_that_is_no_report_is_never_touched(made, tmp_path, overwrite):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "report.json").write_text("[]")
    with pytest.raises(BadInput, match="not empty, and holds no report"):
        write(made(), tmp_path / "thesis", overwrite=overwrite)
    with pytest.raises(BadInput, match="is a file"):
        write(made(), tmp_path / "thesis" / "report.json", overwrite=overwrite)


def test_an_unknown_part_is_refused_before_anything_is_written(made, tmp_path):
    with pytest.raises(BadInput, match="did you mean 'pictures'"):
        write(made(), tmp_path / "report", parts=["picture"])
    assert not (tmp_path / "report").exists()


def test_the_same_records_give_the_same_report(made, tmp_path):
    found = made()
    for name in ("one", "two"):
        write(found, tmp_path / name, parts=["tables", "page", "ioh"])
    for path in (tmp_path / "one").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()


def test_the_page_asks_nobody_for_anything(made, tmp_path):
    write(made(), tmp_path / "report", parts=["page"])
    text = (tmp_path / "report" / "report.html").read_text()
    assert re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=", text.partition("<script>")[0]) == []
    assert re.findall(r"<link[^>]*href=\"(?!data:)", text) == []


def test_a_name_cannot_break_out_of_the_page(made, tmp_path):
    hostile = "</script><script>alert(1)</script>"
    found = made(give=lambda cell: failure(cell, hostile) if cell.repeat == 0 else record(cell))
    write(found, tmp_path / "report", parts=["page"])
    text = (tmp_path / "report" / "report.html").read_text()
    assert hostile not in text
    assert page_data(tmp_path / "report" / "report.html")["tables"][0]["rows"][0][-1]["text"].endswith(hostile)


def test_the_command_writes_a_report_and_says_what_is_to_be_known(separable, tmp_path):
    folder(tmp_path / "r", plan(), lambda cell: None if cell.repeat == 4 else record(cell))
    code, out, err = separable("report", "r", "--out", "out/report", "--parts", "tables,ioh")
    assert (code, err) == (0, "")
    assert "3 problems, 3 methods: 36 runs, 9 missing" in out
    assert "9 runs of 45 missing" in out
    assert (tmp_path / "out" / "report" / "report.md").exists()
    code, out, _ = separable("report", "r", "--out", "again", "--parts", "tables", "--json")
    assert json.loads(out)["missing"] == 9
    assert "report.md" in json.loads(out)["files"]


def test_the_command_has_a_help_with_an_example(separable):
    code, out, _ = separable("report", "--help")
    assert code == 0
    assert "Example: separable report results/mine" in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere"], "there is no folder 'nowhere'"),
        (["."], "no folder 'records'"),
        (["r", "--parts", "tabels"], "did you mean 'tables'"),
        (["r", "--parts", ","], "nothing is to be written"),
        (["r", "--out", "r"], "not empty, and holds no report"),
        (["old"], "--mixed"),
        (["r", "--nope"], "No such option"),
    ],
)
def test_what_is_refused_is_one_line_on_stderr_and_exit_code_2(separable, tmp_path, arguments, complaint):
    folder(tmp_path / "r", plan())
    folder(tmp_path / "old", plan(), other_code)
    code, out, err = separable("report", *arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("module", "extra"), [("matplotlib", "plots"), ("plotly", "report"), ("pyarrow", "parquet")]
)
def test_tables_need_no_extra_and_the_rest_names_the_one_it_needs(tmp_path, module, extra):
    folder(tmp_path / "r", plan(repeats=2))
    code = "import sys; sys.modules[sys.argv.pop(1)] = None; from separable.cli import main; main()"
    line = [sys.executable, "-c", code, module, "report", "r", "--out", "out", "--parts"]
    assert subprocess.run([*line, "tables"], capture_output=True, check=False).returncode == 0
    part = {"matplotlib": "pictures", "plotly": "page", "pyarrow": "parquet"}[module]
    refused = subprocess.run([*line, part, "--overwrite"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert f"pip install 'separable[{extra}]'" in refused.stderr
    assert (tmp_path / "out" / "report.md").exists()
