"""Tables: what is in them. `formats` says how they look in Markdown, LaTeX and CSV, `page` how in HTML."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from math import isfinite, isnan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separable.report import stats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from separable.report.results import Case, Results, Section
    from separable.report.stats import Floats

    Reference = Mapping[tuple[str, int, str], tuple[float, float]]  # function, evaluations, method -> mean, std

NONE = "–"  # noqa: RUF001 -- an en dash, as tables have it: there is nothing, and a note says why
FEWER = "†"
ABOUT_BOLD = "Bold: first, since no other method is significantly better (Wilcoxon's rank-sum test at 0.05)."
ABOUT_COMPARISONS = (
    "Wilcoxon's rank-sum test, two-sided; Holm's correction over the functions for each two methods; A12: the "
    "chance that a run of the method is better than one of the other."
)
ABOUT_TALLY = (
    "Functions on which the method of the row is significantly better than that of the column (Wilcoxon's "
    "rank-sum test at 0.05), undecided, worse; on the right with Holm's correction over the functions."
)
ABOUT_RANKS = (
    "Average ranks of the medians (1 is the best); in bold the best. Methods whose average ranks are further "
    "apart than the critical difference differ significantly (Nemenyi's test at 0.05)."
)
ABOUT_DECOMPOSITION = (
    "Means over the runs; of groups and of the largest group the range. SA, NA: the share of the separable and of "
    f"the non-separable variables that were found to be so; {NONE} where there are none to find."
)
NAMED = 6  # functions named in a note before it says how many more


class Cell(NamedTuple):
    """What stands in one place: as text for people, as value for machines and for sorting."""

    text: str
    value: float | str | None = None
    bold: bool = False


class Column(NamedTuple):
    """Its name, and the name it shares with its neighbours, such as that of a method."""

    name: str
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A table: rows of cells under columns, a last row set apart, notes below.

    Args:
        key: names its files.
        title: says what is in it.
        columns: as many as each row has cells.
        rows: the body.
        foot: sums and counts, if any.
        notes: what the reader must know, above all what could not be shown.
        at: the evaluations after which this is so, if it belongs to a checkpoint.
        long: too long for print; it goes to the page and to CSV alone.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    foot: tuple[Cell, ...] | None = None
    notes: tuple[str, ...] = ()
    at: int | None = None
    long: bool = False


def number(value: float | None, form: str = ".2E", *, bold: bool = False) -> Cell:
    """A number as the paper writes it; nothing, where there is none.

    >>> number(3467.2).text, number(float("nan")).text, number(float("inf")).text
    ('3.47E+03', '–', 'inf')
    """
    if value is None or isnan(value):
        return Cell(NONE)
    return Cell(format(value, form) if isfinite(value) else "inf", float(value), bold)


def word(text: str, *, bold: bool = False) -> Cell:
    """Words."""
    return Cell(text, text, bold)


def evaluations(at: int) -> str:
    """A number of evaluations, short.

    >>> evaluations(120_000), evaluations(3_000_000), evaluations(1234)
    ('1.2e5', '3e6', '1234')
    """
    mantissa, exponent = f"{at:e}".split("e")
    short = f"{float(mantissa):g}e{int(exponent)}"
    return short if at >= 10_000 and float(short) == at else str(at)


def every(section: Section, reference: Reference | None = None, name: str = "paper") -> Iterator[Table]:
    """All tables of a section; `reference` and `name` as in `results`."""
    several = len(section.results.methods) > 1
    for at in section.checkpoints:
        yield results(section, at, reference, name)
        yield intervals(section, at)
        if several:
            yield tally(section, at)
            yield comparisons(section, at)
    if several and section.checkpoints:
        yield ranks(section)
    yield decomposition(section)


def results(section: Section, at: int, reference: Reference | None = None, name: str = "paper") -> Table:
    """Mean, median and standard deviation of each method on each function; in bold who is first, as in the paper.

    Args:
        section: which functions.
        at: after how many evaluations.
        reference: somebody else's results, shown beside ours: (function, evaluations, method) -> (mean, std).
        name: of these.
    """
    methods = section.results.methods
    parts = ("mean", "median", "std") + ((f"{name} mean", f"{name} std") if reference is not None else ())
    rows, count, compared, fewer = [], Counter[str](), 0, []
    for case in section.cases:
        samples = {method: section.results.values(case, method, at) for method in methods}
        first = _firsts(samples)
        compared += first is not None
        row = [word(case.function)]
        for method in methods:
            bold = first is not None and method in first
            count[method] += bold
            short = _fewer(section, case, method, samples[method])
            if short:
                fewer.append(f"{case.function} {method} ({short})")
            row += _described(samples[method], short, bold=bold)
            if reference is not None:
                row += map(number, reference.get((case.function, at, method), (None, None)))
        rows.append(tuple(row))
    foot = [word("number of firsts")]
    for method in methods:
        tally = word(NONE) if not compared else Cell(str(count[method]), count[method])
        foot += [tally, *[Cell("")] * (len(parts) - 1)]
    notes = [_about_bold(section, at, compared)] if len(methods) > 1 else []
    if fewer:
        notes.append(f"{FEWER} fewer runs than planned: {_some(fewer)}.")
    return Table(
        f"results-{section.key}-{at}",
        f"{section.name}: results after {evaluations(at)} evaluations",
        (Column("function"), *(Column(part, method) for method in methods for part in parts)),
        tuple(rows),
        tuple(foot) if len(methods) > 1 else None,
        tuple(notes),
        at,
    )


def intervals(section: Section, at: int) -> Table:
    """The median of each method on each function, with a bootstrap interval."""
    rows, short = [], set()
    for case in section.cases:
        row = [word(case.function)]
        for method in section.results.methods:
            values = section.results.values(case, method, at)
            interval = stats.median_interval(values, np.random.default_rng(0))
            low, high = interval or (None, None)
            if interval is None:
                short.add(values.size)
            row += [number(stats.summary(values).median), number(low), number(high)]
        rows.append(tuple(row))
    level = f"{100 * stats.LEVEL:g} %"
    notes = [f"Bootstrap intervals of {level} (percentiles of {stats.RESAMPLES:,} resamples, seeded)."]
    if short:
        sizes = ", ".join(map(str, sorted(short)))
        notes.append(f"{NONE} of {sizes} runs no interval of the median can reach {level}; it takes 6.")
    return Table(
        f"medians-{section.key}-{at}",
        f"{section.name}: medians after {evaluations(at)} evaluations",
        (
            Column("function"),
            *(Column(part, method) for method in section.results.methods for part in ("median", "from", "to")),
        ),
        tuple(rows),
        notes=tuple(notes),
        at=at,
    )


class Duel(NamedTuple):
    """Two methods on one function."""

    case: Case
    one: str
    other: str
    runs: tuple[int, int]
    p: float | None  # of the rank-sum test
    corrected: float | None  # by Holm, over the functions
    a12: float  # the chance that a run of `one` is better

    def winner(self, p: float | None) -> str | None:
        """Who is significantly better; nobody, if the test says no, or nothing."""
        if p is None or p >= stats.ALPHA:
            return None
        return self.one if self.a12 > 0.5 else self.other


def duels(section: Section, at: int) -> list[Duel]:
    """Every two methods on every function; Holm's correction is over the functions, for each two methods."""
    found = []
    for one, other in combinations(section.results.methods, 2):
        samples = [
            (case, section.results.values(case, one, at), section.results.values(case, other, at))
            for case in section.cases
        ]
        p = [stats.rank_sum(a, b) for _, a, b in samples]
        found += [
            Duel(case, one, other, (a.size, b.size), raw, corrected, stats.a12(a, b))
            for (case, a, b), raw, corrected in zip(samples, p, stats.holm(p), strict=True)
        ]
    return found


def comparisons(section: Section, at: int) -> Table:
    """Every two methods on every function: p, Holm's corrected p, the size of the effect, the winner."""
    rows = [
        (
            word(duel.case.function),
            word(duel.one),
            word(duel.other),
            number(duel.p, ".3g"),
            number(duel.corrected, ".3g"),
            number(duel.a12, ".2f"),
            word(stats.magnitude(duel.a12) if isfinite(duel.a12) else NONE),
            word(duel.winner(duel.p) or NONE),
            word(duel.winner(duel.corrected) or NONE),
        )
        for duel in duels(section, at)
    ]
    names = ("function", "method", "other", "p", "p (Holm)", "A12", "effect", "better at 0.05", "better (Holm)")
    return Table(
        f"comparisons-{section.key}-{at}",
        f"{section.name}: every two methods after {evaluations(at)} evaluations",
        tuple(map(Column, names)),
        tuple(rows),
        notes=(ABOUT_COMPARISONS, *_silence(section, at)),
        at=at,
        long=True,
    )


def tally(section: Section, at: int) -> Table:
    """On how many functions each method is significantly better, undecided and worse, against each other one."""
    methods = section.results.methods
    won: dict[tuple[str, str], list[Counter[str | None]]] = {}
    for duel in duels(section, at):
        for pair in ((duel.one, duel.other), (duel.other, duel.one)):
            counts = won.setdefault(pair, [Counter(), Counter()])
            counts[0][duel.winner(duel.p)] += 1
            counts[1][duel.winner(duel.corrected)] += 1
    rows = []
    for one in methods:
        row = [word(one)]
        for other in methods:
            if one == other:
                row += [Cell(NONE), Cell(NONE)]
            else:
                row += [
                    Cell(f"{counts[one]} / {counts[None]} / {counts[other]}", counts[one] - counts[other])
                    for counts in won[one, other]
                ]
        rows.append(tuple(row))
    return Table(
        f"tally-{section.key}-{at}",
        f"{section.name}: better / undecided / worse after {evaluations(at)} evaluations",
        (Column("method"), *(Column(part, f"against {other}") for other in methods for part in ("0.05", "Holm"))),
        tuple(rows),
        notes=(ABOUT_TALLY, *_silence(section, at)),
        at=at,
    )


def ranks(section: Section) -> Table:
    """Friedman's average ranks of the medians at each checkpoint."""
    methods = section.results.methods
    found = {at: friedman(section, at) for at in section.checkpoints}
    rows = []
    for k, method in enumerate(methods):
        row = [word(method)]
        for one in found.values():
            rank = one.ranks[k] if one.ranks else None
            row.append(number(rank, ".2f", bold=bool(one.ranks) and rank == min(one.ranks)))
        rows.append(tuple(row))
    notes = [ABOUT_RANKS]
    for at, one in found.items():
        told = one.why or f"p = {one.p:.3g}, critical difference {one.difference:.2f}"
        notes.append(f"After {evaluations(at)} evaluations, over {one.functions} functions: {told}.")
    return Table(
        f"ranks-{section.key}",
        f"{section.name}: Friedman ranks",
        (Column("method"), *(Column(f"after {evaluations(at)}") for at in found)),
        tuple(rows),
        notes=tuple(notes),
    )


def friedman(section: Section, at: int) -> stats.Friedman:
    """Friedman's test of the medians, over the functions on which every method has runs."""
    methods = section.results.methods
    medians = [[_median(section, case, method, at) for method in methods] for case in section.cases]
    whole = [[value for value in row if value is not None] for row in medians if None not in row]
    if not whole:
        return stats.Friedman((), 0, None, None, None, "on no function do all methods have runs")
    return stats.friedman(whole)


def decomposition(section: Section) -> Table:
    """What each method's decomposition cost and found."""
    rows = []
    for case in section.cases:
        row = [word(case.function)]
        for method in section.results.methods:
            found = [record["decomposition"] for record in section.results.records(case, method)]
            row += [
                number(_mean(one["evaluations"] for one in found), ",.0f"),
                number(_mean(_accuracy(one, "separable") for one in found), ".1f"),
                number(_mean(_accuracy(one, "nonseparable") for one in found), ".1f"),
                _span([len(one["groups"]) for one in found]),
                _span([max(one["groups"], default=0) for one in found]),
            ]
        rows.append(tuple(row))
    parts = ("evaluations", "SA %", "NA %", "groups", "largest")
    return Table(
        f"decomposition-{section.key}",
        f"{section.name}: decompositions",
        (Column("function"), *(Column(part, method) for method in section.results.methods for part in parts)),
        tuple(rows),
        notes=(ABOUT_DECOMPOSITION,),
    )


def failures(results: Results) -> Table:
    """Every run that failed, and why."""
    rows = [
        (
            word(run.case.problem),
            Cell(str(run.case.dim), run.case.dim),
            Cell(str(run.case.instance), run.case.instance),
            word(run.method),
            Cell(str(run.repeat), run.repeat),
            word(f"{record['error']['type']}: {record['error']['message']}"),
        )
        for run, record in results.failed.items()
    ]
    names = ("problem", "dim", "instance", "method", "repeat", "error")
    note = "The records hold the tracebacks; separable run --retry-failed runs them again."
    return Table("failures", "Runs that failed", tuple(map(Column, names)), tuple(rows), notes=(note,), long=True)


def missing(results: Results) -> Table:
    """Every run that was planned and has no record, by problem and method."""
    repeats: dict[tuple[Case, str], list[int]] = {}
    for run in results.missing:
        repeats.setdefault((run.case, run.method), []).append(run.repeat)
    rows = [
        (
            word(case.problem),
            Cell(str(case.dim), case.dim),
            Cell(str(case.instance), case.instance),
            word(method),
            Cell(_ranges(which), len(which)),
        )
        for (case, method), which in repeats.items()
    ]
    names = ("problem", "dim", "instance", "method", "repeats")
    note = "separable run runs what is missing."
    return Table(
        "missing", "Runs that are missing", tuple(map(Column, names)), tuple(rows), notes=(note,), long=True
    )


def _described(values: Floats, short: str, *, bold: bool) -> list[Cell]:
    if not values.size:
        return [word(short or "no value"), Cell(NONE), Cell(NONE)]
    of = stats.summary(values)
    mean = number(of.mean, bold=bold)
    if short:
        mean = mean._replace(text=mean.text + FEWER)
    return [mean, number(of.median, bold=bold), number(of.std, bold=bold)]


def _firsts(samples: Mapping[str, Floats]) -> list[str] | None:
    """The methods that are first; None, where too few runs cannot show it, or there is one method alone."""
    if len(samples) < 2:
        return None
    first = stats.firsts(list(samples.values()))
    return None if first is None else [method for method, is_first in zip(samples, first, strict=True) if is_first]


def _about_bold(section: Section, at: int, compared: int) -> str:
    if compared == len(section.cases):
        return ABOUT_BOLD
    sizes = {
        (a, b)
        for case in section.cases
        for a, b in combinations(
            sorted(section.results.values(case, method, at).size for method in section.results.methods), 2
        )
        if stats.silent(a, b)
    }
    why = stats.silent(*min(sizes))
    if not compared:
        return f"Nobody is called first: {why}."
    return f"{ABOUT_BOLD} On {len(section.cases) - compared} of {len(section.cases)} functions nobody is: {why}."


def _silence(section: Section, at: int) -> list[str]:
    """What the tests between two methods cannot show, whatever the values are."""
    tests = len(section.cases)
    runs = [duel.runs for duel in duels(section, at)]
    single = [pair for pair in runs if stats.silent(*pair)]
    notes = []
    if single:
        notes.append(f"Not tested, {len(single)} times: {stats.silent(*min(single))}.")
    never = runs and all(stats.silent(*pair, tests) for pair in runs)
    if never and len(single) < len(runs):
        most = max(runs, key=lambda pair: -stats.smallest_p(*pair))
        notes.append(f"Holm's correction: {stats.silent(*most, tests)}.")
    return notes


def _fewer(section: Section, case: Case, method: str, values: Floats) -> str:
    """How many runs there are, if there are fewer than planned."""
    results = section.results
    failed = sum((run.case, run.method) == (case, method) for run in results.failed)
    missing = sum((run.case, run.method) == (case, method) for run in results.missing)
    if not failed and not missing:
        return ""
    parts = [f"{failed} failed"] * bool(failed) + [f"{missing} missing"] * bool(missing)
    return f"{values.size} of {values.size + failed + missing}, {', '.join(parts)}"


def _median(section: Section, case: Case, method: str, at: int) -> float | None:
    values = section.results.values(case, method, at)
    return stats.summary(values).median if values.size else None


def _accuracy(found: Mapping[str, Mapping[str, float | None] | None], kind: str) -> float | None:
    share = (found["accuracy"] or {}).get(kind)
    return None if share is None else 100.0 * share


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _span(values: Sequence[int]) -> Cell:
    if not values:
        return Cell(NONE)
    low, high = min(values), max(values)
    return Cell(f"{low}" if low == high else f"{low} to {high}", (low + high) / 2)


def _some(names: Sequence[str]) -> str:
    more = f", and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _ranges(numbers: Sequence[int]) -> str:
    """0 to 3, 7."""
    spans: list[list[int]] = []
    for k in sorted(numbers):
        if spans and spans[-1][-1] == k - 1:
            spans[-1][1:] = [k]
        else:
            spans.append([k])
    return ", ".join(" to ".join(map(str, span)) for span in spans)
