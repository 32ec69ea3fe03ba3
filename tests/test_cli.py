"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

OWN = """
import time

def bowl(x):
    return float((x ** 2).sum() + (x[0] * x[1] - 1.0) ** 2)

def slow(x):
    time.sleep(0.01)
    return bowl(x)

def rows(x):
    return (x ** 2).sum(axis=1)

def nan(x):
    return float("nan")

def breaks(x):
    raise ZeroDivisionError("no\\nway")

number = 3
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of the user's in the current folder."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own.py").write_text(OWN)
    yield tmp_path / "own.py"
    sys.modules.pop("own", None)


def test_without_arguments_it_shows_its_help(separable):
    code, out, _ = separable()
    assert code == 2
    assert "decompose" in out
    assert "Example: separable decompose bms/f12" in out


def test_reproduce_without_a_table_shows_its_help(separable):
    code, out, err = separable("reproduce")
    assert (code, err) == (2, "")
    assert "decomposition" in out


@pytest.mark.parametrize(
    "command", ["list", "decompose", "minimize", "reproduce", "reproduce decomposition", "run", "report"]
)
def test_every_command_has_a_help_with_an_example(separable, command):
    code, out, _ = separable(*command.split(), "--help")
    assert code == 0
    assert "Example: separable" in out


def test_it_knows_its_version(separable):
    assert separable("--version") == (0, "separable 0.1.0\n", "")


def test_list_shows_suites_functions_dimensions_and_parts(separable):
    code, out, _ = separable("list")
    assert code == 0
    for expected in ("bms/f15", "bns/f12", "a multiple of 200", "rosenbrock 1/4", "1000"):
        assert expected in out


def test_list_for_machines_is_json(separable):
    _, out, _ = separable("list", "bns", "--json")
    assert list(json.loads(out)) == ["bns"]
    assert len(json.loads(out)["bns"]["functions"]) == 12


def test_decompose_prints_stages_variables_and_accuracy(separable):
    code, out, err = separable("decompose", "bms/f12", "--dim", 200)
    assert (code, err) == (0, "")
    for expected in ("additive", "minima", "evaluations", "seconds", "group 1", "separable 100 %, groups 100 %"):
        assert expected in out


def test_decompose_for_machines_is_json_and_nothing_else(separable):
    code, out, err = separable("decompose", "bms/f2", "--dim", 200, "--json")
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert result["evaluations"] == 802
    assert result["accuracy"] == {"separable": 1.0, "nonseparable": None}


def test_a_picture_is_written_where_it_was_asked_for(separable, tmp_path):
    code, out, _ = separable("decompose", "bms/f2", "--dim", 200, "--plot", tmp_path / "s.png")
    assert code == 0
    assert "picture" in out
    assert (tmp_path / "s.png").exists()


@pytest.mark.parametrize("name", ["own:bowl", "own.py:bowl"])
@pytest.mark.parametrize(
    "box", [("--lower", -5, "--upper", 5, "--dim", 4), ("--lower", "-5,-5,-4,-3", "--upper", 5)]
)
def test_a_function_of_ones_own_by_module_or_by_file(separable, own, name, box):
    code, out, _ = separable("decompose", name, *box, "--json")
    assert code == 0
    assert json.loads(out)["groups"] == [[0, 1]]


def test_a_vectorized_function_of_ones_own(separable, own):
    code, out, _ = separable(
        "decompose", "own:rows", "--vectorized", "--lower", 0, "--upper", 1, "--dim", 3, "--json"
    )
    assert code == 0
    assert json.loads(out)["additive"] == [0, 1, 2]


def test_options_of_the_method_are_passed_on(separable):
    one, two = (
        json.loads(separable("decompose", "bms/f3", "--dim", 200, "--json", *more)[1])["evaluations"]
        for more in ((), ("--option", "precision=1e-4"))
    )
    assert two < one


def test_an_end_by_budget_is_exit_code_1_and_said(separable):
    code, out, _ = separable("decompose", "bms/f3", "--dim", 200, "--budget", 1000)
    assert code == 1
    assert "ended early: 100 of 200 variables are undecided" in out


def test_minimize_prints_what_it_came_to(separable):
    code, out, err = separable("minimize", "bms/f12", "--dim", 200, "--budget", "1e4")
    assert (code, err) == (0, "")
    table = ("variables found", "multiplicative", "separable 100 %, groups")
    for expected in (
        *table,
        "best value",
        "above the optimum",
        "10,000, of which",
        "50 additive",
        "the budget is spent",
    ):
        assert expected in out


def test_minimize_for_machines_is_json_and_nothing_else(separable):
    code, out, err = separable(
        "minimize", "bms/f2", "--dim", 200, "--budget", 3000, "--json", "--rule", "contribution"
    )
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert (result["nfev"], len(result["x"]), result["decomposition"]["evaluations"]) == (3000, 200, 802)
    assert result["history"][-1][1] <= result["history"][0][1]


def test_minimize_draws_both_pictures(separable, tmp_path):
    pictures = ("--plot", tmp_path / "s.png", "--curve", tmp_path / "c.png")
    code, out, _ = separable("minimize", "bms/f2", "--dim", 200, "--budget", 3000, *pictures)
    assert (code, out.count("picture: ")) == (0, 2)
    assert (tmp_path / "s.png").stat().st_size > 5000
    assert (tmp_path / "c.png").stat().st_size > 5000


def test_minimize_goes_on_with_its_journal(separable, own):
    box = ("--lower", "-5", "--upper", "5", "--dim", "4", "--journal", "j", "--json")
    first = json.loads(separable("minimize", "own:bowl", "--budget", 500, *box)[1])
    second = json.loads(separable("minimize", "own:bowl", "--budget", 900, *box)[1])
    again = json.loads(separable("minimize", "own:bowl", "--budget", 900, *box[:-3], "--json")[1])
    assert second["history"][: len(first["history"])] == first["history"]
    assert (second["history"], second["x"]) == (again["history"], again["x"])


def test_minimize_without_a_decomposer_and_options_of_the_optimizer(separable, own):
    box = ("--lower", "-5", "--upper", "5", "--dim", "4", "--decomposer", "none", "--json")
    code, out, _ = separable("minimize", "own:bowl", "--budget", 500, *box, "--optimizer", "de", "--target", "1e9")
    assert (code, json.loads(out)["message"][:21]) == (0, "the target is reached")
    code, out, _ = separable(
        "minimize", "own:bowl", "--budget", 500, *box, "--optimizer", "de", "--optimizer-option", "scale=0.7"
    )
    assert json.loads(out)["decomposition"]["groups"] == [[0, 1, 2, 3]]


def test_a_minimization_that_misses_its_target_is_exit_code_1(separable):
    code, out, _ = separable("minimize", "bms/f1", "--dim", 200, "--budget", 100, "--target", 0)
    assert code == 1
    assert "it ended within the decomposition" in out


BOX = ("--lower", "0", "--upper", "1", "--dim", "3")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["decompos"], "No such command"),
        (["decompose"], "Missing argument"),
        (["decompose", "bms/f1", "--dim", "abc"], "--dim"),
        (["decompose", "bms/f1", "--nope"], "No such option"),
        (["decompose", "bms/f1", "--dim", "77"], "multiple of 200, got 77"),
        (["decompose", "bms/f99"], "f1 to f15"),
        (["decompose", "bmz/f1"], "did you mean 'bms'"),
        (["decompose", "bms/f1", "--method", "csgg"], "did you mean 'csg'"),
        (["decompose", "bms/f1", "--option", "precision"], "expected name=value"),
        (["decompose", "bms/f1", "--option", "precison=1"], "did you mean 'precision'"),
        (["decompose", "bms/f1", "--budget", "0"], "budget must be"),
        (["decompose", "bms/f1", "--workers", "0"], "workers must be"),
        (["decompose", "bms/f1", "--seed", "-1"], "seed: expected"),
        (["decompose", "bms/f1", "--lower", "0"], "has its own box"),
        (["decompose", "bms/f1", "--plot", "s.xyz"], "ending such as .png"),
        (["decompose", "bms/f1", "--plot", "nowhere/s.png"], "no folder"),
        (["decompose", "own:bowl"], "the box is missing"),
        (["decompose", "own:bowl", "--lower", "0", "--upper", "1"], "how many variables"),
        (["decompose", "own:bowl", "--lower", "0,1", "--upper", "1", "--dim", "3"], "expected 1 or 3 numbers"),
        (["decompose", "own:bowl", "--lower", "x", "--upper", "1", "--dim", "3"], "expected a number"),
        (["decompose", "own:bowl", "--lower", "1", "--upper", "0", "--dim", "3"], "lower must be below upper"),
        (["decompose", "own:bowl", "--lower", "0", "--upper", "inf", "--dim", "3"], "must be finite"),
        (["decompose", "own:bowl", *BOX, "--instance", "1"], "only a benchmark problem has instances"),
        (["decompose", "own:nothing", *BOX], "has no 'nothing'"),
        (["decompose", "own:number", *BOX], "expected a function, got int"),
        (["decompose", "missing:fun", *BOX], "cannot import 'missing'"),
        (["decompose", "missing.py:fun", *BOX], "there is no file"),
        (["decompose", "own:nan", *BOX], "returned nan in evaluation 1"),
        (["decompose", "own:breaks", *BOX], "ZeroDivisionError"),
        (["decompose", "own:rows", *BOX], "raised"),
        (["list", "bmz"], "did you mean 'bms'"),
        (["minimize", "bms/f1"], "Missing option"),
        (["minimize", "bms/f1", "--budget", "many"], "--budget: expected a whole number"),
        (["minimize", "bms/f1", "--budget", "0"], "--budget: expected a whole number"),
        (["minimize", "bms/f1", "--budget", "inf"], "--budget: expected a whole number"),
        (["minimize", "bms/f1", "--budget", "9", "--optimizer", "sande"], "did you mean 'sansde'"),
        (["minimize", "bms/f1", "--budget", "9", "--rule", "x"], "unknown rule 'x'"),
        (["minimize", "bms/f1", "--budget", "9", "--start", "x"], "unknown start 'x'"),
        (["minimize", "bms/f1", "--budget", "9", "--optimizer-option", "F=1"], "unknown option of sansde"),
        (["minimize", "bms/f1", "--budget", "9", "--journal", "nowhere/j"], "no folder"),
        (["minimize", "bms/f1", "--budget", "9", "--journal", "own.py"], "is no journal"),
        (["minimize", "bms/f1", "--budget", "9", "--curve", "c.xyz"], "ending such as .png"),
        (["minimize", "bms/f1", "--budget", "9", "--time-limit", "-1"], "time_limit: expected"),
        (["reproduce", "decompositions"], "No such command"),
        (["reproduce", "decomposition", "--suite", "bmz"], "did you mean 'bms'"),
        (["reproduce", "decomposition", "--functions", "9-1"], "--functions: expected numbers such as 1-3,7"),
        (["reproduce", "decomposition", "--methods", "csg,rdg22"], "did you mean 'rdg2'"),
        (["reproduce", "decomposition", "--format", "xls"], "unknown format 'xls'"),
        (["reproduce", "decomposition", "--dim", "77"], "multiple of 200, got 77"),
        (["reproduce", "decomposition", "--workers", "0"], "workers must be"),
        (["reproduce", "decomposition", "--by-dimension", "200", "--dim", "200"], "a table of its own"),
    ],
)
def test_what_is_refused_is_one_line_on_stderr_and_exit_code_2(separable, own, arguments, complaint):
    code, out, err = separable(*arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.startswith("separable: ")
    assert err.count("\n") == 1


def in_the_background(*arguments):
    return subprocess.Popen(
        [sys.executable, "-c", "from separable.cli import main; main()", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")
def test_ctrl_c_ends_a_minimization_with_the_best_so_far(own):
    box = ("--lower", "-5", "--upper", "5", "--dim", "20", "--decomposer", "none", "--budget", "1e6")
    process = in_the_background("minimize", "own:slow", *box, "--journal", "j")
    time.sleep(3.0)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (1, "")
    assert "interrupted; this is the best so far" in out


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_prints_what_is_known_and_leaves_no_process(own, workers):
    box = ("--lower", "-5", "--upper", "5", "--dim", "2000")
    process = in_the_background("decompose", "own:slow", *box, "--workers", workers)
    time.sleep(3.0)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1, err
    assert "undecided" in out
    assert "Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_a_reader_that_leaves_is_no_error():
    process = in_the_background("list")
    process.stdout.close()
    assert process.wait(timeout=30) == 1
    assert process.stderr.read() == ""
    process.stderr.close()


def test_reproduce_prints_tables_and_nothing_else(separable):
    code, out, err = separable(
        "reproduce", "decomposition", "--functions", "1-2,12", "--dim", 200, "--instances", 0
    )
    assert (code, err) == (0, "")
    for expected in ("### csg on bms, 200-D", "### mdg on bms", "| f12 ", "| mean", "evaluations"):
        assert expected in out
    assert "paper" not in out  # it has no figures for 200 variables


def test_reproduce_for_machines_is_json(separable):
    arguments = ("--functions", "12", "--by-dimension", "200,400", "--instances", 0, "--methods", "mdg")
    _, out, _ = separable("reproduce", "decomposition", *arguments, "--format", "json")
    (table,) = json.loads(out)
    assert [row["dim"] for row in table["rows"]] == [200, 400]


def test_reproduce_compares_the_two_ways_to_group(separable):
    arguments = ("reproduce", "decomposition", "--grouping", "--dim", 200, "--instances", 0)
    _, out, _ = separable(*arguments, "--format", "csv")
    assert out.splitlines()[0] == "function,dim,csg paper,csg,csg-gsg paper,csg-gsg"
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["10", "11", "12", "13", "14", "15"]
