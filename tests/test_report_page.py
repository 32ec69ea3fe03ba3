"""The page of a report in a real browser: it opens, filters, sorts, and fits a telephone."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape

import pytest

from made_campaigns import failure, folder, plan, record
from separable.report.results import read
from separable.report.write import write

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium (Debian: chromium)")

# before anything else on the page: whatever goes wrong, or asks the network, is written down
WITNESS = """<script>
window.wrong = [];
addEventListener("error", (e) => wrong.push("error: " + (e.message || e.target.src || e.target.href)), true);
addEventListener("unhandledrejection", (e) => wrong.push("rejection: " + e.reason));
for (const level of ["error", "warn"]) console[level] = (...words) => wrong.push(level + ": " + words.join(" "));
addEventListener("securitypolicyviolation", (e) => wrong.push("network: " + e.blockedURI));
</script>
<meta http-equiv="Content-Security-Policy" content="default-src 'unsafe-inline' data: blob:">"""
# after it: acts as a reader would, and leaves what it saw in the document
READER = """<script>
addEventListener("load", async () => {{
  const pause = () => new Promise((done) => setTimeout(done, 300));
  const click = async (text, where = document) => {{
    [...where.querySelectorAll("button")].find((button) => button.textContent === text).click();
    await pause();
  }};
  const choose = async (label, value) => {{
    const select = document.querySelector(`select[aria-label="${{label}}"]`);
    select.value = value;
    select.dispatchEvent(new Event("change"));
    await pause();
  }};
  const column = (id, k) => [...document.getElementById(id).tBodies[0].rows].filter((row) => row.offsetParent)
    .map((row) => row.cells[k].textContent);
  const names = (id) => document.getElementById(id).data.map((trace) => trace.name);
  await pause();
  let seen;
  try {{ seen = await (async () => {{ {script} }})(); }} catch (error) {{ wrong.push("script: " + error.stack); }}
  const outcome = document.createElement("pre");
  outcome.id = "outcome";
  outcome.textContent = JSON.stringify({{ seen, wrong }});
  document.body.append(outcome);
}});
</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with three methods, two suites of problems, failures and missing runs."""
    where = tmp_path_factory.mktemp("page")

    def give(cell):
        if cell.problem == "bms/f2" and cell.method.name == "MDG":
            return failure(cell)
        return None if cell.repeat == 4 and cell.dim == 400 else record(cell)

    found = read(folder(where / "r", plan(functions="1,2,10", dims="[200, 400]"), give))
    write(found, where / "report", parts=["page"])
    return where / "report" / "report.html"


@pytest.fixture
def browse(page, tmp_path):
    """What a script saw on the page, after nothing went wrong there."""

    def look(script, *options):
        text = page.read_text()
        text = text.replace("<head>", "<head>" + WITNESS, 1).replace(
            "</body>", READER.format(script=script) + "</body>", 1
        )
        (tmp_path / "page.html").write_text(text)
        line = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
        line += ["--window-size=1300,1000", "--virtual-time-budget=6000", *options, "--dump-dom"]
        done = subprocess.run(
            [*line, (tmp_path / "page.html").as_uri()], capture_output=True, text=True, timeout=120, check=True
        )
        outcome = json.loads(unescape(re.search(r'<pre id="outcome">(.*?)</pre>', done.stdout, re.DOTALL)[1]))
        assert outcome["wrong"] == []
        return outcome["seen"]

    return look


def test_it_opens_without_an_error_and_draws_every_plot(browse):
    drawn = browse("""
      scrollTo(0, 1e5); await pause(); scrollTo(0, 0); await pause();
      const plots = [...document.querySelectorAll(".js-plotly-plot")];
      return plots.map((plot) => plot.data.length > 0 && plot.querySelector("svg") !== null);
    """)
    assert drawn == [True] * (3 + 4)  # three functions; targets, ranks, costs, structure


def test_a_filter_of_methods_changes_plots_and_tables(browse):
    before, after, columns, again = browse("""
      const before = names("ecdf");
      await click("GSG", document.getElementById("controls"));
      const after = [names("ecdf"), document.querySelector("#curves > div").data.length];
      const heads = [...document.querySelectorAll("#results-bms-200d-10000 thead th.group")];
      const columns = heads.filter((th) => th.offsetParent).map((th) => th.textContent);
      await click("GSG", document.getElementById("controls"));
      return [before, after, columns, names("ecdf")];
    """)
    assert before == again == ["CSG", "GSG", "MDG"]
    assert after == [["CSG", "MDG"], 4]  # two curves, each with the dot where its decomposition ends
    assert columns == ["", "CSG", "MDG"]


def test_a_filter_of_functions_changes_plots_and_tables(browse):
    grid, rows, share, pressed = browse("""
      await click("none", document.getElementById("controls"));
      await click("f10", document.getElementById("controls"));
      const grid = [...document.querySelectorAll("#curves > div")].map((one) => one.dataset.function);
      const buttons = [...document.querySelectorAll("#controls fieldset:last-child [aria-pressed=true]")];
      const hint = document.getElementById("ecdf-hint").textContent;
      return [grid, column("results-bms-200d-10000", 0), hint, buttons.map((one) => one.textContent)];
    """)
    assert grid == rows == pressed == ["f10"]
    assert share.startswith("Over 1 function,")


def test_a_click_on_a_heading_sorts_and_another_turns_it_round(browse):
    seen = browse("""
      const id = "results-bms-200d-10000";
      const heads = [...document.querySelectorAll(`#${id} thead button`)];
      const read = (k) => [column(id, k), heads[k].parentNode.getAttribute("aria-sort")];
      const seen = [];
      for (const k of [1, 1, 7, 7, 0, 0]) {
        heads[k].click();
        seen.push(read(k));
      }
      return seen;
    """)
    ways = [way for _, way in seen]
    columns = [column for column, _ in seen]
    assert ways == ["ascending", "descending"] * 3
    numbers = [float(text) for text in columns[0]]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[-1]
    assert columns[1] == columns[0][::-1]
    assert [column[-1] for column in columns[2:4]] == ["0 of 5, 5 failed"] * 2  # there is no number, so it is last
    assert columns[4:] == [["f1", "f2", "f10"], ["f10", "f2", "f1"]]


def test_checkpoints_measures_scales_and_problems_can_be_chosen(browse):
    seen = browse("""
      const curve = () => document.querySelector("#curves > div");
      const table = () => document.querySelector("#tables table").id;
      const seen = [[table(), curve().layout.xaxis.range[1], curve().layout.xaxis.type]];
      const mean = [...curve().data[0].y];
      await choose("evaluations", "1000");
      await choose("measure", "median");
      await choose("scale", "log");
      await choose("range", "1");
      seen.push([table(), curve().layout.xaxis.range[1], curve().layout.xaxis.type]);
      seen.push([curve().data.length, curve().data[2].y.some((value, k) => value !== mean[k])]);
      await choose("problems", "1");
      seen.push([table(), document.getElementById("curves").children.length]);
      return seen;
    """)
    assert seen[0] == ["results-bms-200d-10000", 10_000, "linear"]
    assert seen[1] == ["results-bms-200d-1000", 3, "log"]
    assert seen[2] == [12, True]  # low, high, line and dot of three methods
    assert seen[3] == ["results-bms-400d-10000", 3]


def test_light_and_dark_change_the_page_and_the_plots(browse):
    seen = browse("""
      const letters = () => document.getElementById("ecdf").layout.font.color;
      const look = () => [getComputedStyle(document.body).backgroundColor, letters()];
      const first = look();
      await click("light / dark");
      return [first, look()];
    """)
    assert seen == [["rgb(255, 255, 255)", "#1f2328"], ["rgb(13, 17, 23)", "#e6edf3"]]


def test_on_a_telephone_nothing_is_wider_than_the_screen(browse):
    wide, text, plots = browse(
        """
        const plots = [...document.querySelectorAll("#curves > div, .plot")];
        const letters = parseFloat(getComputedStyle(document.body).fontSize);
        return [document.documentElement.scrollWidth - innerWidth, letters,
          plots.map((one) => one.getBoundingClientRect().width <= innerWidth)];
        """,
        "--window-size=500,900",  # the narrowest that a headless window may be
    )
    assert wide <= 0
    assert text >= 14
    assert all(plots)


def test_notes_failures_and_missing_runs_are_there_to_be_read(browse):
    notes, ids, told = browse("""
      return [[...document.querySelectorAll(".note")].map((one) => one.textContent),
        [...document.querySelectorAll("#tables table")].map((one) => one.id),
        document.getElementById("failures").textContent];
    """)
    assert notes[0].startswith("10 runs failed")
    assert {"failures", "missing"} <= set(ids)
    assert "MemoryError: no more memory" in told
