"""What curves and bars show; drawing them is left to `pictures` and `page`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separable.report import stats

if TYPE_CHECKING:
    from separable.campaign.store import Record
    from separable.report.results import Case, Results, Section
    from separable.report.stats import Floats

POINTS = 150  # of a curve, even on a logarithmic scale
PANEL_POINTS = 40  # and as many even on the linear scale of each checkpoint
TARGETS = 51  # of an ECDF, for each function
CLOSEST = 1e-8  # the closest target to a known optimum
KINDS = ("additive", "multiplicative", "composite", "in groups", "undecided")


class Curve(NamedTuple):
    """How the best value of a method falls with the evaluations, over its runs."""

    at: Floats  # evaluations
    mean: Floats
    median: Floats
    low: Floats  # of all runs
    high: Floats
    decomposed: float  # evaluations of the decomposition, in the mean
    runs: int


def curve(results: Results, case: Case, method: str) -> Curve | None:
    """The curve of a method on a problem; None, if it has no runs."""
    records = results.records(case, method)
    if not records:
        return None
    at = _grid(records)
    values = np.array([stats.value_at(history(record), at) for record in records])
    decomposed = float(np.mean([record["decomposition"]["evaluations"] for record in records]))
    return Curve(
        at, values.mean(axis=0), np.median(values, axis=0), values.min(axis=0), values.max(axis=0),
        decomposed, len(records)
    )  # fmt: skip


def history(record: Record) -> list[tuple[float, float]]:
    """The improvements of a run, thinned as they are, and its exact values at the checkpoints."""
    steps = [tuple(step) for step in (*record["history"], *record["checkpoints"])]
    best, falling = np.inf, []
    for at, value in sorted(steps):
        best = min(best, np.inf if np.isnan(value) else value)
        falling.append((float(at), best))
    return falling


class Reached(NamedTuple):
    """The share of targets that each method has reached after so many evaluations, over functions and runs."""

    at: Floats
    cases: tuple[Case, ...]  # the functions on which all methods have runs
    by_case: dict[str, list[Floats]]  # of a method: the shares on each of them

    @property
    def shares(self) -> dict[str, Floats]:
        """Of each method: the mean over the functions."""
        return {method: np.mean(shares, axis=0) for method, shares in self.by_case.items() if shares}


def reached(section: Section) -> Reached:
    """ECDF over targets: for each function 51 values between where runs start and the best that any run found.

    They are even on a logarithmic scale of the distance to the optimum, where it is known and the distance
    positive, and on a linear scale otherwise. Functions on which some method has no runs are left out.
    """
    results, methods = section.results, section.results.methods
    cases = tuple(case for case in section.cases if all(results.records(case, method) for method in methods))
    runs = {(case, m): [history(one) for one in results.records(case, m)] for case in cases for m in methods}
    last = max((run[-1][0] for several in runs.values() for run in several), default=1.0)
    at = np.unique(np.geomspace(1.0, last, 2 * POINTS).round())
    by_case: dict[str, list[Floats]] = {method: [] for method in methods}
    for case in cases:
        goals = targets([run for method in methods for run in runs[case, method]], results.optimum(case))
        for method in methods:
            times = np.array([stats.hits(run, goals) for run in runs[case, method]])
            by_case[method].append(stats.ecdf(times, at))
    return Reached(at, cases, by_case)


def targets(runs: list[list[tuple[float, float]]], optimum: float | None) -> Floats:
    """Values to be reached, from the first of a middling run to the best of all.

    >>> targets([[(1, 101.0), (9, 2.0)]], optimum=1.0)[[0, 25, 50]]
    array([101.,  11.,   2.])
    """
    start = float(np.median([run[0][1] for run in runs]))
    end = min(run[-1][1] for run in runs)
    if not np.isfinite([start, end]).all():
        return np.full(TARGETS, end)
    if optimum is None or start - optimum <= CLOSEST:
        return np.linspace(start, end, TARGETS)
    goals = optimum + np.geomspace(start - optimum, max(end - optimum, CLOSEST), TARGETS)
    goals[-1] = max(end, optimum + CLOSEST)  # to the bit, so that the best run reaches it
    return np.asarray(goals)


def structure(results: Results, case: Case, method: str) -> list[float] | None:
    """How many variables of each of the `KINDS` were found, in the mean; None, if there are no runs."""
    found = [record["decomposition"] for record in results.records(case, method)]
    if not found:
        return None
    return [
        float(np.mean([sum(one["groups"]) if kind == "in groups" else one[kind] for one in found]))
        for kind in KINDS
    ]


def _grid(records: list[Record]) -> Floats:
    ends = {at for record in records for at, _ in record["checkpoints"]}
    last = max(*ends, *(record["nfev"] for record in records))
    even = [np.linspace(end / PANEL_POINTS, end, PANEL_POINTS) for end in ends]
    return np.unique(np.concatenate([np.geomspace(1.0, last, POINTS), *even]).round())
