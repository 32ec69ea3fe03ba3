"""What a report is about: the records of a folder, held against what was planned."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separable.campaign import Store, parse
from separable.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from separable.campaign import Campaign
    from separable.campaign.store import Record
    from separable.report.stats import Floats


class Case(NamedTuple):
    """A problem, as a campaign names it: what is repeated, and compared."""

    problem: str
    dim: int
    instance: int = 0

    @property
    def suite(self) -> str:
        """The part of the name before the slash."""
        return self.problem.partition("/")[0]

    @property
    def function(self) -> str:
        """The part of the name after it, with the instance, unless that is 0."""
        name = self.problem.partition("/")[2] or self.problem
        return f"{name} (instance {self.instance})" if self.instance else name


class Run(NamedTuple):
    """Which run a record is of, or would be of."""

    case: Case
    method: str
    repeat: int

    def __str__(self) -> str:
        """For people."""
        case = self.case
        return f"{case.problem} {case.dim}-D instance {case.instance}, {self.method}, repeat {self.repeat}"


@dataclass(frozen=True)
class Results:
    """The records of a campaign, and what there is to be said of them.

    Args:
        name: of the campaign.
        cases: the problems, in their order.
        methods: their names, in their order.
        done: the record of each run that finished.
        failed: the record of each that did not.
        missing: the runs that were planned and have no record.
        checkpoints: evaluations after which values were to be reported.
        notes: what a reader must know before anything else.
    """

    name: str
    cases: tuple[Case, ...]
    methods: tuple[str, ...]
    done: Mapping[Run, Record]
    failed: Mapping[Run, Record]
    missing: tuple[Run, ...]
    checkpoints: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """What is shown in one table: the problems of a suite that have the same dimension."""
        keys = dict.fromkeys((case.suite, case.dim) for case in self.cases)
        return tuple(
            Section(self, suite, dim, tuple(case for case in self.cases if (case.suite, case.dim) == (suite, dim)))
            for suite, dim in keys
        )

    @cached_property
    def _by_method(self) -> dict[tuple[Case, str], list[Record]]:
        found: dict[tuple[Case, str], list[Record]] = {}
        for run in sorted(self.done, key=lambda run: run.repeat):
            found.setdefault((run.case, run.method), []).append(self.done[run])
        return found

    def records(self, case: Case, method: str) -> list[Record]:
        """The finished runs of a method on a problem, by repeat."""
        return self._by_method.get((case, method), [])

    def values(self, case: Case, method: str, evaluations: int) -> Floats:
        """The best values after so many evaluations, a run each; infinite, where there was no finite one."""
        found = (dict(map(tuple, record["checkpoints"])) for record in self.records(case, method))
        at = np.array([values[evaluations] for values in found if evaluations in values], dtype=float)
        return np.where(np.isnan(at), np.inf, at)

    def optimum(self, case: Case) -> float | None:
        """The smallest value there is, where it is known."""
        records = (record for method in self.methods for record in self.records(case, method))
        return next((record["optimum"] for record in records), None)


@dataclass(frozen=True)
class Section:
    """The problems of one suite and one dimension."""

    results: Results
    suite: str
    dim: int
    cases: tuple[Case, ...]

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.suite}, {self.dim}-D"

    @property
    def key(self) -> str:
        """For files."""
        return f"{self.suite}-{self.dim}d"

    @cached_property
    def checkpoints(self) -> tuple[int, ...]:
        """Evaluations after which values are reported."""
        runs = {**self.results.done, **self.results.failed}
        cells = (record["cell"] for run, record in runs.items() if run.case in self.cases)
        return tuple(sorted({at for cell in cells for at in cell["checkpoints"]} | {*self.results.checkpoints}))


def read(folder: str | Path, *, mixed: bool = False) -> Results:
    """The results in a folder that `separable run` wrote.

    Args:
        folder: with a folder `records`, and the campaign file, if there is one; without it, the methods, the
            problems and the repeats that are there are what was planned.
        mixed: whether results of different versions of the code may stand side by side; it is said in the notes.

    Records of other runs than those of the campaign file, and files that cannot be read, are left out, and counted
    in the notes. Refused: a folder without records, results of different code, one run with two records.
    """
    store = Store(folder)
    plan = _plan(store)
    records = list(store.all())
    notes = []
    planned = {cell.identity for cell in plan.cells} if plan else {record["identity"] for record in records}
    chosen = [record for record in records if record["identity"] in planned]
    if len(chosen) < len(records):
        notes.append(f"{_counted(len(records) - len(chosen), 'record')} of other campaigns left out.")
    if unreadable := store.unreadable():
        names = unreadable[0].name + (", ..." if len(unreadable) > 1 else "")
        notes.append(f"{_counted(len(unreadable), 'file')} could not be read and left out: {names}.")
    if not chosen:
        why = " ".join(notes) or "run the campaign first (separable run)"
        raise BadInput(f"{str(folder)!r} holds no records of this campaign: {why}")
    notes += _versions(chosen, str(folder), mixed=mixed)
    return _results(str(store.folder.resolve().name), plan, chosen, notes)


def _plan(store: Store) -> Campaign | None:
    try:
        text = store.text()
    except FileNotFoundError:
        return None
    return parse(text, str(store.folder / "campaign.toml"))


def _versions(records: Sequence[Record], folder: str, *, mixed: bool) -> list[str]:
    """Refuse results of different code, or say that they are mixed; say what else differs."""
    notes = []
    code = Counter(record["versions"]["code"] for record in records)
    if len(code) > 1:
        listed = ", ".join(f"{name} ({_counted(count, 'record')})" for name, count in code.most_common())
        if not mixed:
            raise BadInput(
                f"the records in {folder!r} were made by different versions of the code: {listed}; they must not "
                "be compared. Run those of the older code again (move their records away first), or ask for a "
                "report in which they are mixed, and said to be: --mixed"
            )
        notes.append(
            f"MIXED: these results were made by different versions of the code, as was asked for: {listed}."
        )
    for what in sorted({key for record in records for key in record["versions"]} - {"code"}):
        others = Counter(str(record["versions"].get(what)) for record in records)
        if len(others) > 1:
            listed = ", ".join(f"{name} ({_counted(count, 'record')})" for name, count in others.most_common())
            notes.append(f"Made with different versions of {what}: {listed}.")
    return notes


def _results(folder: str, plan: Campaign | None, records: Sequence[Record], notes: list[str]) -> Results:
    runs: dict[Run, Record] = {}
    for record in records:
        run = _run(record)
        if run in runs:
            identities = f"{runs[run]['identity']} and {record['identity']}"
            raise BadInput(
                f"there are two records of {run}: {identities}, and no campaign file that says which of them "
                "counts; put the campaign.toml beside the folder 'records'"
            )
        runs[run] = record
    if plan:
        expected = [
            Run(Case(cell.problem, cell.dim, cell.instance), cell.method.name, cell.repeat) for cell in plan.cells
        ]
    else:
        notes.append("There is no campaign file: what is missing is judged by what is there.")
        expected = _grid(list(runs))
    failed = {run: record for run, record in runs.items() if record["status"] == "failed"}
    missing = tuple(run for run in expected if run not in runs)
    if failed:
        notes.append(f"{_counted(len(failed), 'run')} failed; the report lists them, and no statistics hold them.")
    if missing:
        notes.append(f"{_counted(len(missing), 'run')} of {len(expected):,} missing; the report lists them.")
    return Results(
        name=plan.name if plan else folder,
        cases=tuple(dict.fromkeys(run.case for run in expected)),
        methods=tuple(dict.fromkeys(run.method for run in expected)),
        done={run: record for run, record in runs.items() if run not in failed},
        failed=failed,
        missing=missing,
        checkpoints=plan.checkpoints if plan else (),
        notes=tuple(notes),
    )


def _run(record: Record) -> Run:
    cell = record["cell"]
    return Run(Case(cell["problem"], cell["dim"], cell["instance"]), cell["method"]["name"], cell["repeat"])


def _grid(runs: Sequence[Run]) -> list[Run]:
    """Every method on every problem, as often as the most frequent of them."""
    cases = sorted({run.case for run in runs}, key=_in_numbers)
    methods = dict.fromkeys(run.method for run in runs)
    repeats = range(1 + max(run.repeat for run in runs))
    return [Run(case, method, repeat) for case in cases for method in methods for repeat in repeats]


def _in_numbers(case: Case) -> tuple[str, int, int, str, int]:
    """f2 before f10."""
    digits = "".join(filter(str.isdigit, case.function.partition(" ")[0]))
    return (case.suite, case.dim, int(digits or 0), case.problem, case.instance)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"
