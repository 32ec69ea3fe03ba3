"""The journal: whatever ends a run, the same call goes on from there, to the same end, to the bit."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separable as sp
from separable.errors import BudgetExhausted, JournalError
from separable.evaluator import Evaluator
from separable.journal import Journal
from separable.optimizers import OPTIMIZERS

DIM = 8
BOX = [(-4.0, 4.0)] * DIM
HERE = Path(__file__).parent


def bowl(x):
    return float(((x[:4].sum() - 1.0) ** 2) + (x**2).sum())


def run(path=None, fun=bowl, **more):
    arguments = {"budget": 6000, "generations": 20, "journal": path, **more}
    return sp.minimize(fun, BOX, **arguments)


def same(one, two):
    return (
        one.x.tobytes() == two.x.tobytes()
        and (one.fun, one.history, one.nfev, one.nit, one.nan_count)
        == (two.fun, two.history, two.nfev, two.nit, two.nan_count)
        and one.decomposition == two.decomposition
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
@pytest.mark.parametrize("decomposer", ["csg", "drawn"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_run_killed_at_thirty_moments_comes_to_the_same_end(optimizer, decomposer, tmp_path):
    done = subprocess.run(
        [sys.executable, HERE / "killed.py", optimizer, decomposer, "1", tmp_path / "j"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    finished, again, sizes, _early = done.stdout.split()
    assert (finished, again) == ("True", "True")
    assert int(sizes) >= 3  # the kills fell into the run, not all before or behind it


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
def test_a_killed_run_with_workers_comes_to_the_same_end(tmp_path):
    done = subprocess.run(
        [sys.executable, HERE / "killed.py", "sansde", "csg", "2", tmp_path / "j"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.split()[:2] == ["True", "True"]


def test_a_finished_run_is_repeated_without_calling_the_function(tmp_path):
    calls = []

    def counted(x):
        calls.append(1)
        return bowl(x)

    first = run(tmp_path / "j", counted)
    assert len(calls) == 6000
    assert same(run(tmp_path / "j", counted), first)
    assert len(calls) == 6000


@pytest.mark.parametrize("budgets", [(5999, 6000), (20, 6000), (150, 151, 152, 6000), (1, 2, 3, 6000)])
def test_a_larger_budget_continues_a_finished_run(tmp_path, budgets):
    for budget in budgets:
        last = run(tmp_path / "j", budget=budget)
        assert last.nfev == budget
    assert same(last, run())


def test_a_larger_budget_continues_where_the_last_value_is_confirmed(tmp_path):
    problem = sp.problem("bms/f12", 200)
    for budget in (3000, 9000, 9001, 12_000):
        last = sp.minimize(problem, budget=budget, journal=tmp_path / "j")
    expected = sp.minimize(problem, budget=12_000)
    assert same(last, expected)
    assert last.fun == problem(last.x)


def test_a_smaller_budget_is_that_runs_beginning(tmp_path):
    run(tmp_path / "j")
    assert same(run(tmp_path / "j", budget=2000), run(budget=2000))
    assert same(run(tmp_path / "j"), run())


def test_a_run_ended_by_its_callback_goes_on(tmp_path):
    def stop(at):
        if at.nfev > 700:
            raise StopIteration

    assert run(tmp_path / "j", callback=stop).status == 3
    assert same(run(tmp_path / "j"), run())


def test_what_was_evaluated_before_the_function_raised_is_kept(tmp_path):
    calls = 0

    def fun(x):
        nonlocal calls
        calls += 1
        if calls == 1234:
            raise OSError("no licence")
        return bowl(x)

    with pytest.raises(sp.FunctionError, match="no licence"):
        run(tmp_path / "j", fun)
    assert same(run(tmp_path / "j", fun), run(fun=bowl))
    assert calls < 6000 + 300  # at most a batch is evaluated again


def test_nan_is_recorded_like_any_value(tmp_path):
    def fun(x):
        return np.nan if x[0] > 0.5 else bowl(x)

    groups = [range(4), range(4, 8)]
    first = run(tmp_path / "j", fun, groups=groups, budget=2000)
    second = run(tmp_path / "j", fun, groups=groups, budget=4000)
    assert first.nan_count > 0
    assert same(second, run(None, fun, groups=groups, budget=4000))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A journal, and what its run came to."""
    path = tmp_path_factory.mktemp("finished") / "j"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("separable.journal.TOGETHER", 64)  # many records
        return path, run(path)


@settings(max_examples=40)
@given(st.floats(0.0, 1.0), st.booleans(), st.binary(max_size=30))
def test_a_damaged_tail_loses_only_the_tail(finished, tmp_path_factory, share, flip, garbage):
    path, expected = finished
    data = path.read_bytes()
    header = data.index(b"\n") + 1
    place = header + int(share * (len(data) - header - 1))
    damaged = data[:place] + bytes([data[place] ^ 16]) + data[place + 1 :] if flip else data[:place] + garbage
    torn = tmp_path_factory.mktemp("torn") / "j"
    torn.write_bytes(damaged)
    assert same(run(torn), expected)
    assert same(run(torn), expected)


def test_a_torn_tail_loses_no_whole_record(tmp_path):
    with Journal(tmp_path / "j", {}) as journal:
        for k in range(5):
            journal.append(np.full(3, float(k)))
            journal.flush()
    data = (tmp_path / "j").read_bytes()
    (tmp_path / "j").write_bytes(data[:-1])
    with Journal(tmp_path / "j", {}) as journal:
        assert journal.take(99).tolist() == [0.0] * 3 + [1.0] * 3 + [2.0] * 3 + [3.0] * 3
        journal.append(np.array([7.0]))
    with Journal(tmp_path / "j", {}) as journal:
        assert journal.take(99)[-2:].tolist() == [3.0, 7.0]


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"seed": 1}, "seed is 0, here 1"),
        ({"optimizer": "de"}, "optimizer is sansde"),
        ({"optimizer": "cmaes", "optimizer_options": {"sigma": 0.2}}, "optimizer"),
        ({"decomposer_options": {"step": 1e-2}}, "decomposer"),
        ({"groups": [range(DIM)]}, "decomposer|groups"),
        ({"x0": [0.0] * DIM}, "x0"),
        ({"rule": "contribution"}, "rule"),
        ({"population": 40}, "population is 50, here 40"),
        ({"generations": 21}, "generations"),
        ({"chunk": 4}, "chunk"),
        ({"start": "found"}, "start is uniform, here found"),
        ({"fun": lambda x: 2.0 * bowl(x)}, "function"),
    ],
)
def test_the_journal_of_another_call_is_refused_and_left_as_it_is(tmp_path, finished, more, word):
    shutil.copy(finished[0], tmp_path / "j")
    before = (tmp_path / "j").read_bytes()
    with pytest.raises(sp.BadInput, match=f"is the journal of another call: there ({word})"):
        run(tmp_path / "j", **more)
    assert (tmp_path / "j").read_bytes() == before


def test_another_instance_of_a_benchmark_problem_is_another_call(tmp_path):
    sp.minimize(sp.problem("bms/f1", 200, 0), budget=10, journal=tmp_path / "j")
    with pytest.raises(sp.BadInput, match="there minimizer is"):
        sp.minimize(sp.problem("bms/f1", 200, 1), budget=10, journal=tmp_path / "j")


@pytest.mark.parametrize(
    "text", [b"my notes\n", b"\x00\xff\x00", b'{"journal": "separable 0", "call": {}}\n', b"[]"]
)
def test_a_file_that_is_no_journal_is_refused_and_left_as_it_is(tmp_path, text):
    (tmp_path / "j").write_bytes(text)
    with pytest.raises(sp.BadInput, match="is no journal"):
        run(tmp_path / "j")
    assert (tmp_path / "j").read_bytes() == text


def test_an_empty_file_becomes_a_journal(tmp_path):
    (tmp_path / "j").touch()
    assert same(run(tmp_path / "j"), run())


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "j").mkdir()
    with pytest.raises(sp.BadInput, match="cannot write the journal"):
        run(tmp_path / "j")


LOCKED = """
import sys
from separable.journal import Journal
with Journal(sys.argv[1], {}) as journal:
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.skipif(os.name != "posix", reason="locks are of POSIX")
def test_two_runs_cannot_share_a_journal(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", LOCKED, tmp_path / "j"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(sp.BadInput, match="in use by another run"):
            Journal(tmp_path / "j", {})
        holder.stdin.write("\n")
    Journal(tmp_path / "j", {}).close()


class Full:
    """A file on a disk that is full after so many bytes more: it takes a part of what does not fit."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def write(self, data):
        if self.room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        part = data[: self.room]
        self.room -= len(part)
        return self.file.write(part)

    def __getattr__(self, name):
        return getattr(self.file, name)


@pytest.mark.parametrize("room", [0, 3, 100, 5000])
def test_a_full_disk_ends_the_run_with_a_clear_error_and_a_valid_journal(tmp_path, monkeypatch, room):
    opened = Journal.__init__

    def on_a_full_disk(self, *arguments):
        opened(self, *arguments)
        self._file = Full(self._file, room)

    with monkeypatch.context() as patch:
        patch.setattr("separable.journal.TOGETHER", 64)
        patch.setattr(Journal, "__init__", on_a_full_disk)
        with pytest.raises(JournalError, match=r"No space left on device.*the same call goes on there"):
            run(tmp_path / "j")
    size = (tmp_path / "j").stat().st_size
    assert same(run(tmp_path / "j"), run())
    assert (tmp_path / "j").stat().st_size > size


LIMITED = """
import resource, signal, sys
sys.path.insert(0, sys.argv[2])
from test_journal import run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
run(sys.argv[1])
"""


@pytest.mark.skipif(os.name != "posix", reason="file size limits are of POSIX")
def test_a_file_that_may_not_grow_ends_the_run_likewise(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, tmp_path / "j", HERE], capture_output=True, text=True, check=False
    )
    assert "JournalError: cannot write to the journal" in done.stderr
    assert same(run(tmp_path / "j"), run())


def test_it_takes_eight_to_ten_bytes_an_evaluation(tmp_path):
    problem = sp.problem("bms/f1", 200)
    sp.minimize(problem, budget=20_000, journal=tmp_path / "j")
    assert 8.0 <= (tmp_path / "j").stat().st_size / 20_000 < 10.0


def test_an_interruption_in_the_middle_of_writing_writes_nothing_twice(tmp_path):
    class Interrupted:
        def __init__(self, file):
            self.file, self.first = file, True

        def write(self, data):
            if self.first:
                self.first = False
                self.file.write(data)
                raise KeyboardInterrupt
            return self.file.write(data)

        def __getattr__(self, name):
            return getattr(self.file, name)

    journal = Journal(tmp_path / "j", {})
    journal._file = Interrupted(journal._file)
    journal.append(np.arange(3.0))
    with pytest.raises(KeyboardInterrupt):
        journal.flush()
    journal.append(np.arange(3.0, 5.0))
    journal.close()
    with Journal(tmp_path / "j", {}) as journal:
        assert journal.take(99).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(0, 60), st.integers(1, 80))
def test_whatever_was_recorded_is_what_the_evaluator_gives(tmp_path_factory, batches, recorded, budget):
    path = tmp_path_factory.mktemp("e") / "j"
    calls = []

    def fun(x):
        calls.append(1)
        return float(x[0]) ** 2

    problem = sp.Problem("square", fun, [-9.0], [9.0])
    points = np.random.default_rng(0).normal(size=(200, 1))
    with Journal(path, {}) as journal:
        journal.append(points[:recorded, 0] ** 2)
    with Evaluator(problem, budget=budget) as f, Journal(path, {}) as f.journal:
        start = 0
        for size in batches:
            try:
                values = f(points[start : start + size])
            except BudgetExhausted:
                break
            np.testing.assert_array_equal(values, points[start : start + size, 0] ** 2)
            start += size
    assert len(calls) == max(0, f.evaluations - recorded)
