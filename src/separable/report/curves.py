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
        best = min(best, value) if value == value else best  # NaN never is
        falling.append((float(at), best))
    return falling


class Reached(NamedTuple):
    """The share of targets that each method has reached after so many evaluations, over functions and runs."""

    at: Floats
    shares: dict[str, Floats]
    functions: int


def reached(section: Section) -> Reached:
    """ECDF over targets: for each function 51 values between where runs start and the best that any run found.

    They are even on a logarithmic scale of the distance to the optimum, where it is known and the distance
    positive, and on a linear scale otherwise. Functions on which some method has no runs are left out.
    """
    results = section.results
    cases = [case for case in section.cases if all(results.records(case, method) for method in results.methods)]
    times: dict[str, list[Floats]] = {method: [] for method in results.methods}
    last = 1.0
    for case in cases:
        runs = {method: [history(one) for one in results.records(case, method)] for method in results.methods}
        goals = targets([run for several in runs.values() for run in several], results.optimum(case))
        for method, several in runs.items():
            times[method] += [stats.hits(run, goals) for run in several]
            last = max(last, *(run[-1][0] for run in several))
    at = np.unique(np.geomspace(1.0, last, 2 * POINTS).round())
    shares = {method: stats.ecdf(np.array(found), at) for method, found in times.items() if found}
    return Reached(at, shares, len(cases))


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
    return np.asarray(optimum + np.geomspace(start - optimum, max(end - optimum, CLOSEST), TARGETS))


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
    last = max(max(record["nfev"] for record in records), *ends)
    even = [np.linspace(end / PANEL_POINTS, end, PANEL_POINTS) for end in ends]
    return np.unique(np.concatenate([np.geomspace(1.0, last, POINTS), *even]).round())
