"""Campaigns: what the file may say, records that survive everything, and one outcome whoever runs it."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import separable as sp
from separable import campaign as campaigns
from separable.campaign import execute, store
from separable.cli import campaign as command

TINY = """
name = "tiny"
repeats = 2
budget = 2e3
checkpoints = [5e2, 2e3]

[[problems]]
suite = "bms"
functions = "1-2"
dims = [200]

[[problems]]
suite = "bns"
functions = [3]
dims = [100]

[methods.csg]

[methods.csg-de]
optimizer = "de"
"""

ONE = TINY.replace("1-2", "1").replace("repeats = 2", "repeats = 1")


def outcome(record):
    """What must be the same whoever ran it, and however often it was begun."""
    varies = ("seconds", "cpu_seconds", "machine", "check")
    return {key: value for key, value in record.items() if key not in varies}


def outcomes(folder):
    records = [outcome(record) for record in campaigns.Store(folder).all()]
    assert len({record["identity"] for record in records}) == len(records)
    return {record["identity"]: record for record in records}


def run_here(text, folder, **more):
    plan = campaigns.parse(text)
    with campaigns.Store(folder, plan) as records, ThreadPoolExecutor(1) as executor:
        return campaigns.run(plan, records, executor=executor, **more)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign") / "unbroken"
    run_here(TINY, folder)
    return outcomes(folder)


# --- the file ---


def test_a_campaign_is_methods_times_problems_times_repeats():
    plan = campaigns.parse(TINY)
    assert len(plan.cells) == 2 * 3 * 2
    assert len({cell.identity for cell in plan.cells}) == 12
    assert plan.cells[-1].name == "bns-f3-d100-i0-csg-de-r1"


def test_methods_share_the_seed_of_a_problem_and_a_repeat_and_nothing_else():
    seeds = {}
    for cell in campaigns.parse(TINY).cells:
        seeds.setdefault(cell.seed, set()).add((cell.problem, cell.repeat))
    assert len(seeds) == 6
    assert all(len(shared) == 1 for shared in seeds.values())


def test_a_seed_is_what_it_has_always_been():
    """Another one would make every published campaign another."""
    assert campaigns.parse(TINY).cells[0].seed == 172381294079677


@pytest.mark.parametrize("name", campaigns.shipped())
def test_every_shipped_campaign_can_be_read(name):
    try:
        plan = campaigns.load(name)
    except sp.BadInput as error:
        pytest.fail(str(error))
    assert plan.name == name
    assert [method.name for method in plan.methods] == ["CSG", "GSG", "RDG2", "MDG"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("repeats = 2", "repeets = 2", "line 3: unknown key 'repeets'; did you mean 'repeats'"),
        ("repeats = 2", "repeats = 0", "line 3: repeats must be a whole number, 1 or more, got 0"),
        ("repeats = 2", "repeats = true", "line 3: repeats must be"),
        ('name = "tiny"', 'name = "a/b"', "line 2: name must be"),
        ('name = "tiny"', "", "name is missing"),
        ("budget = 2e3", "", "budget is missing"),
        ("budget = 2e3", "budget = 2.5", "line 4: budget must be"),
        ("budget = 2e3", "budget = nan", "line 4: budget must be"),
        ("[5e2, 2e3]", "[5e2, 2e4]", "line 5: checkpoints must grow, and not beyond the budget of 2000"),
        ("[5e2, 2e3]", "[2e3, 5e2]", "line 5: checkpoints must grow"),
        ("[5e2, 2e3]", "7", "line 5: checkpoints must be a list"),
        ("repeats = 2", 'counting = "al"', "line 3: unknown counting 'al'; did you mean 'all'"),
        ('suite = "bms"', 'suite = "bmz"', "line 8: unknown suite 'bmz'; did you mean 'bms'"),
        ('suite = "bms"', "", "line 7: suite is missing"),
        ('functions = "1-2"', 'functions = "1-16"', "line 9: bms has no f16; it has f1 to f15"),
        (
            'functions = "1-2"',
            'functions = "one"',
            'line 9: functions must be numbers such as \\[1, 2\\] or "1-3,7"',
        ),
        ('functions = "1-2"', "funktions = 3", "line 9: unknown key 'funktions'; did you mean 'functions'"),
        ("dims = [200]", "dims = [100]", "line 10: a dimension of bms must be a multiple of 200, got 100"),
        ("dims = [100]", "instances = -1", "line 15: instances must be a whole number, 0 or more"),
        ('optimizer = "de"', 'optimizer = "dee"', "line 19: unknown optimizer 'dee'; did you mean 'de'"),
        ('optimizer = "de"', 'optimiser = "de"', "line 20: unknown key 'optimiser'; did you mean 'optimizer'"),
        ('optimizer = "de"', "population = 3", "line 20: population must be a whole number, 8 or more"),
        ('optimizer = "de"', "decomposer_options = {loks = 3}", "line 19: unknown option of csg 'loks'"),
        ("[methods.csg-de]", '[methods."csg de"]', "line 19: a method's name must be"),
        ("[methods.csg]", "[methods", "line 17"),
    ],
)
def test_what_makes_no_sense_in_the_file_is_refused_with_its_line(old, new, complaint):
    assert old in TINY
    with pytest.raises(sp.BadInput, match=complaint):
        campaigns.parse(TINY.replace(old, new))


def test_a_file_that_is_not_there_is_refused_with_the_names_of_those_that_are():
    with pytest.raises(sp.BadInput, match=r"cannot read the campaign 'none.toml'.*paper-1000"):
        campaigns.load("none.toml")


# --- running ---


def test_every_cell_gets_one_record_with_all_that_is_needed_to_redo_it(tmp_path, unbroken):
    cells = campaigns.parse(TINY).cells
    assert set(unbroken) == {cell.identity for cell in cells}
    record = unbroken[cells[0].identity]
    assert record["status"] == "done"
    assert record["cell"]["method"]["decomposer"] == "csg"
    assert record["versions"]["code"]
    again = sp.minimize(
        sp.problem("bms/f1", 200), budget=2000, seed=record["cell"]["seed"], **cells[0].method.parts
    )
    assert (again.fun, again.nfev) == (record["fun"], record["nfev"])
    assert record["checkpoints"] == [[500, execute.value_at(again.history, 500)], [2000, again.fun]]


def test_points_of_the_decomposition_count_or_do_not_but_its_evaluations_always_do():
    every, optimized = (
        campaigns.parse(TINY.replace("repeats = 2", f'counting = "{counting}"')).cells[0]
        for counting in ("all", "optimization")
    )
    one, other = execute.run_cell(every), execute.run_cell(optimized)
    assert one["decomposition"] == other["decomposition"]
    spent = one["decomposition"]["evaluations"]
    assert other["history"][0][0] == spent + 1
    assert one["history"][0][0] == 1
    assert (one["nfev"], other["nfev"]) == (2000, 2000)
    assert other["checkpoints"][0] == [500, float("inf")]  # it was still decomposing
    assert other["checkpoints"][1][1] >= one["checkpoints"][1][1]


def test_processes_give_what_one_thread_gives(tmp_path, unbroken):
    plan = campaigns.parse(TINY)
    with campaigns.Store(tmp_path / "r", plan) as records:
        end = campaigns.run(plan, records, workers=2)
    assert (end.done, end.failed, end.before, end.total) == (12, 0, 0, 12)
    assert outcomes(tmp_path / "r") == unbroken


def test_half_of_it_in_another_order_and_merged_by_copying_files_is_the_same(tmp_path, unbroken):
    halves = TINY.replace('functions = "1-2"', 'functions = "2"'), TINY.replace("repeats = 2", "repeats = 1")
    for number, text in enumerate(halves):
        run_here(text, tmp_path / str(number))
    for path in (tmp_path / "0" / "records").iterdir():
        (tmp_path / "1" / "records" / path.name).write_bytes(path.read_bytes())
    end = run_here(TINY, tmp_path / "1")
    assert (end.before, end.done) == (12 - 2, 2)
    assert outcomes(tmp_path / "1") == unbroken


def test_a_rerun_does_nothing_and_a_larger_campaign_does_only_what_is_new(tmp_path):
    run_here(ONE, tmp_path / "r")
    assert run_here(ONE, tmp_path / "r").done == 0
    end = run_here(ONE.replace("repeats = 1", "repeats = 2"), tmp_path / "r")
    assert (end.before, end.done) == (4, 4)


def test_a_callback_is_told_of_every_run_and_may_end_the_campaign(tmp_path):
    heard = []

    def callback(at):
        heard.append(at)
        if at.done == 3:
            raise StopIteration

    end = run_here(TINY, tmp_path / "r", callback=callback)
    assert [at.done for at in heard] == [0, 1, 2, 3]
    assert heard[0].cell is None
    assert heard[1].record["status"] == "done"
    assert end.done == 3
    assert len(outcomes(tmp_path / "r")) == 3


def test_a_failed_run_is_a_record_with_its_traceback_and_is_tried_again_on_demand(tmp_path, monkeypatch, unbroken):
    real = execute.minimize

    def fails(problem, **how):
        if problem.name == "bms/f2":
            raise ArithmeticError("no luck")
        return real(problem, **how)

    monkeypatch.setattr(execute, "minimize", fails)
    end = run_here(TINY, tmp_path / "r")
    assert (end.done, end.failed) == (8, 4)
    failed = [record for record in campaigns.Store(tmp_path / "r").all() if record["status"] == "failed"]
    assert failed[0]["error"]["type"] == "ArithmeticError"
    assert "raise ArithmeticError" in failed[0]["error"]["traceback"]
    monkeypatch.undo()
    assert run_here(TINY, tmp_path / "r").done == 0
    assert run_here(TINY, tmp_path / "r", retry_failed=True).done == 4
    assert outcomes(tmp_path / "r") == unbroken
    assert len(list((tmp_path / "r" / "set-aside").iterdir())) == 4


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: text.replace('"nfev": 2000', '"nfev": 2001'),
        lambda text: text.replace("bms/f1", "bms/f9"),
        lambda text: "[]",
    ],
)
def test_a_corrupt_record_is_reported_set_aside_and_redone(tmp_path, damage, unbroken):
    run_here(ONE, tmp_path / "r")
    before = outcomes(tmp_path / "r")
    plan = campaigns.parse(ONE)
    with campaigns.Store(tmp_path / "r", plan) as records, ThreadPoolExecutor(1) as executor:
        path = records.path(plan.cells[0])
        path.write_text(damage(path.read_text()))
        end = campaigns.run(plan, records, executor=executor)
        assert [aside.name for aside in records.moved] == [f"{path.name}.0"]
    assert (end.before, end.done) == (3, 1)
    assert outcomes(tmp_path / "r") == before


def test_a_record_of_another_cell_under_a_cells_name_is_none(tmp_path):
    run_here(ONE, tmp_path / "r")
    plan = campaigns.parse(ONE)
    with campaigns.Store(tmp_path / "r", plan) as records:
        first, second = (records.path(cell) for cell in plan.cells[:2])
        first.write_bytes(second.read_bytes())
        assert len(records.find(plan.cells)) == 3


def test_results_of_other_code_are_not_added_to(tmp_path, monkeypatch):
    run_here(ONE, tmp_path / "r")
    monkeypatch.setattr(execute, "versions", lambda: {"code": "other"})
    with pytest.raises(sp.BadInput, match=r"4 of the records .* were made by other code"):
        run_here(ONE, tmp_path / "r")


def test_a_disk_that_fills_up_stops_the_campaign_and_leaves_whole_records_only(tmp_path, monkeypatch):
    real, written = os.fsync, []

    def full(handle):
        written.append(handle)
        if len(written) > 3:  # the campaign's file, and two records
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr(store.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run_here(TINY, tmp_path / "r")
    monkeypatch.undo()
    assert len(outcomes(tmp_path / "r")) == 2
    assert len(list((tmp_path / "r" / "records").iterdir())) == 2
    assert run_here(TINY, tmp_path / "r").done == 10


def test_data_that_are_not_there_are_said_before_anything_is_run(tmp_path, monkeypatch):
    def missing(name, dim, instance):
        raise sp.BadInput("no data")

    monkeypatch.setattr(execute, "problem", missing)
    plan = campaigns.parse(ONE)
    with campaigns.Store(tmp_path / "r", plan) as records, pytest.raises(sp.BadInput, match="no data"):
        campaigns.run(plan, records)
    assert outcomes(tmp_path / "r") == {}


# --- folders ---


def test_a_folder_of_another_campaign_is_refused_and_untouched(tmp_path):
    run_here(ONE, tmp_path / "r")
    before = (tmp_path / "r" / "campaign.toml").read_text()
    for text in (ONE.replace("tiny", "other"), ONE.replace("2e3", "3e3"), ONE.replace('"1"', '"2"')):
        with pytest.raises(sp.BadInput, match="choose another folder"):
            campaigns.Store(tmp_path / "r", campaigns.parse(text))
    assert (tmp_path / "r" / "campaign.toml").read_text() == before


def test_a_folder_of_other_things_a_file_and_a_folder_without_records_are_refused(tmp_path):
    plan = campaigns.parse(ONE)
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").touch()
    for name, complaint in (("letters", "is not empty"), ("letters/a.txt", "is a file")):
        with pytest.raises(sp.BadInput, match=complaint):
            campaigns.Store(tmp_path / name, plan)
    with pytest.raises(sp.BadInput, match="holds no results"):
        campaigns.Store(tmp_path / "nowhere")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o555)
    with pytest.raises(sp.BadInput, match="cannot write"):
        campaigns.Store(tmp_path / "locked" / "r", campaigns.parse(ONE))


@pytest.mark.skipif(os.name != "posix", reason="locks of files differ elsewhere")
def test_two_at_once_in_a_folder_are_one_too_many(tmp_path):
    plan = campaigns.parse(ONE)
    with campaigns.Store(tmp_path / "r", plan), pytest.raises(sp.BadInput, match="another process is running"):
        campaigns.Store(tmp_path / "r", plan)
    with campaigns.Store(tmp_path / "r", plan):
        pass


# --- killed ---


def in_the_background(folder, campaign, *more):
    return subprocess.Popen(
        [sys.executable, "-c", "from separable.cli import main; main()", "run", campaign, "--out", folder, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def children(pid):
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(status.parent.name))
    return found


def ends(group, within=10.0):
    """Whether all processes of a group have ended within so many seconds."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


KILLED = TINY.replace("repeats = 2", "repeats = 4")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds the worker processes in /proc")
def test_killed_twenty_times_as_a_whole_or_a_worker_at_a_time_the_records_are_those_of_an_unbroken_one(tmp_path):
    whole, rng = tmp_path / "unbroken", random.Random(1)
    run_here(KILLED, whole)
    file = tmp_path / "killed.toml"
    file.write_text(KILLED)
    folder = tmp_path / "killed"
    for number in range(20):
        process = in_the_background(folder, file, "--workers", "2")
        time.sleep(rng.uniform(0.3, 2.2))
        workers = children(process.pid)
        if number % 2 and workers and process.poll() is None:
            os.kill(rng.choice(workers), signal.SIGKILL)
            time.sleep(rng.uniform(0.0, 0.5))
        process.kill()
        process.communicate()
        if folder.is_dir() and (folder / "records").is_dir():
            assert not [path for path in (folder / "records").glob("*.json") if store._parsed(path) is None]
    process = in_the_background(folder, file, "--workers", "2")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    assert outcomes(folder) == outcomes(whole)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds the worker processes in /proc")
def test_workers_that_are_killed_are_replaced_and_nothing_is_lost(tmp_path, unbroken):
    plan = campaigns.parse(TINY)
    killed = []

    def callback(at):
        mine = [pid for pid in children(os.getpid()) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        if mine and len(killed) < 2:
            killed.append(mine[-1])
            os.kill(mine[-1], signal.SIGKILL)

    with campaigns.Store(tmp_path / "r", plan) as records:
        end = campaigns.run(plan, records, workers=2, callback=callback)
    assert len(killed) == 2
    assert (end.done, end.failed) == (12, 0)
    assert outcomes(tmp_path / "r") == unbroken


def test_a_run_whose_process_always_dies_is_a_failure_and_the_others_go_on():
    plan = campaigns.parse(ONE)
    crew = execute._Crew(1)
    doomed = plan.cells[0]
    real = execute._Crew._submit

    def submit(self, cell):
        if cell == doomed:
            real(self, cell)  # a job to have a pool
            return self._pool.submit(os._exit, 1)
        return real(self, cell)

    execute._Crew._submit = submit
    try:
        with crew:
            ended = {cell: record for cell, record, _ in crew.records(list(plan.cells))}
    finally:
        execute._Crew._submit = real
    assert ended[doomed]["error"]["type"] == "ProcessDied"
    assert [record["status"] for record in ended.values()].count("done") == len(plan.cells) - 1


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")
def test_ctrl_c_says_what_is_done_and_leaves_no_process(tmp_path):
    file = tmp_path / "long.toml"
    file.write_text(
        TINY.replace("2e3", "1e5").replace("[5e2, 1e5]", "[1e5]").replace("repeats = 2", "repeats = 50")
    )
    process = in_the_background(tmp_path / "r", file, "--workers", "2")
    time.sleep(4.0)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1, err
    assert "missing" in out
    assert "Traceback" not in err
    assert ends(process.pid)  # the last is the process that looks after what the others share


def test_the_command_line_reports_failures_and_what_was_set_aside(tmp_path):
    file = tmp_path / "tiny.toml"
    file.write_text(ONE)
    run_here(ONE, tmp_path / "r")
    first = next((tmp_path / "r" / "records").iterdir())
    first.write_text("{")
    process = in_the_background(tmp_path / "r", file, "--json")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    said = json.loads(out)
    assert (said["before"], said["done"], said["missing"], said["failed"]) == (3, 1, 0, [])
    assert said["set_aside"] == [str(tmp_path / "r" / "set-aside" / f"{first.name}.0")]


# --- other machines ---


def test_any_executor_does(tmp_path, unbroken):
    plan = campaigns.parse(TINY)
    with campaigns.Store(tmp_path / "r", plan) as records, ProcessPoolExecutor(2) as executor:
        campaigns.run(plan, records, executor=executor)
    assert outcomes(tmp_path / "r") == unbroken


def spawn(*command):
    return subprocess.Popen([sys.executable, "-m", *command], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


@pytest.fixture
def scheduler(tmp_path):
    """A real scheduler with three worker processes: its address, and the processes."""
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    here = ["--host", "127.0.0.1", "--no-dashboard"]
    processes = [spawn("distributed.cli.dask_scheduler", *here, "--port", "0", "--scheduler-file", str(file))]
    deadline = time.monotonic() + 30
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    address = json.loads(file.read_text())["address"]
    worker = ["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    processes += [spawn(*worker, "--local-directory", str(tmp_path / f"w{k}")) for k in range(3)]
    yield address, processes[1:]
    for process in processes:
        process.kill()
        process.wait()


def test_on_a_dask_scheduler_with_a_worker_killed_in_mid_run_nothing_is_lost(tmp_path, scheduler, unbroken):
    distributed = pytest.importorskip("distributed")
    address, workers = scheduler
    plan = campaigns.parse(TINY)

    def callback(at):
        if at.done == 2:
            workers[0].kill()

    with distributed.Client(address, timeout=30) as client:
        client.wait_for_workers(3, timeout=60)
        with campaigns.Store(tmp_path / "r", plan) as records:
            end = campaigns.run(plan, records, executor=client.get_executor(), callback=callback)
    assert (end.done, end.failed) == (12, 0)
    assert outcomes(tmp_path / "r") == unbroken


def test_one_minimize_can_be_spread_over_a_cluster(scheduler):
    distributed = pytest.importorskip("distributed")
    address, _ = scheduler
    problem = sp.problem("bms/f1", 200)
    with distributed.Client(address, timeout=30) as client:
        client.wait_for_workers(3, timeout=60)
        there = sp.minimize(problem, budget=700, workers=client.get_executor().map)
    here = sp.minimize(problem, budget=700)
    assert (there.fun, there.history) == (here.fun, here.history)


def test_a_scheduler_that_does_not_answer_is_said_so(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(command, "CONNECT_SECONDS", 1)
    with pytest.raises(sp.BadInput, match="no Dask scheduler answers"), command._executor("tcp://127.0.0.1:9", 1):
        pass
