"""Statistics of repeated runs: pure functions of numbers. Smaller is better, and an infinite value is the worst.

Each says what it cannot show. A test that cannot reject, whatever the numbers are, since there are too few of
them, is not computed: the answer is None, and `silent` or its like says why.

    Wilcoxon's rank-sum test   Wilcoxon (1945); Mann, Whitney (1947); the paper behind `csg` uses it at 0.05
    Holm's correction          Holm: A simple sequentially rejective multiple test procedure (1979)
    Friedman's ranks           Friedman (1937); the critical difference is Nemenyi's, as in Demšar: Statistical
                               comparisons of classifiers over multiple data sets (2006)
    A12                        Vargha, Delaney: A critique and improvement of the CL common language effect size
                               statistics of McGraw and Wong (2000)
"""

from __future__ import annotations

from math import comb, inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from separable.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

ALPHA = 0.05
LEVEL = 0.95  # of intervals
RESAMPLES = 9999  # of a bootstrap
SMALL = 8  # so many values in the smaller sample, and the test is exact; scipy's own bound
ARRANGEMENTS = 20_000  # of ties, enumerated at most: 8 against 8 has 12,870


class Summary(NamedTuple):
    """Of one sample: size, mean, median, standard deviation (n - 1); NaN where too few values leave it open."""

    n: int
    mean: float
    median: float
    std: float


def summary(values: ArrayLike) -> Summary:
    """Describe a sample.

    >>> summary([1.0, 2.0, 6.0])
    Summary(n=3, mean=3.0, median=2.0, std=2.6457513110645907)
    >>> summary([1.0]).std  # one value has no spread that could be seen
    nan
    """
    x = _sample(values)
    if not x.size:
        return Summary(0, np.nan, np.nan, np.nan)
    if (x == x[0]).all():  # so that rounding shows no spread of what is all the same
        return Summary(x.size, float(x[0]), float(x[0]), 0.0 if x.size > 1 and np.isfinite(x[0]) else np.nan)
    spread = float(np.std(x, ddof=1)) if np.isfinite(x).all() else np.nan
    return Summary(x.size, float(np.mean(x)), float(np.median(x)), spread)


def smallest_p(n: int, m: int) -> float:
    """The smallest p that a two-sided rank-sum test of n against m values can have.

    >>> smallest_p(3, 3), round(smallest_p(4, 4), 4)
    (0.1, 0.0286)
    """
    return min(1.0, 2 / comb(n + m, n))


def silent(n: int, m: int, tests: int = 1, alpha: float = ALPHA) -> str | None:
    """Why a rank-sum test, the smallest of so many under Holm's correction, cannot reject; None, if it can.

    >>> silent(3, 3)
    '3 against 3 runs cannot differ significantly: p is at least 0.1'
    >>> silent(5, 5, tests=15)
    '5 against 5 runs cannot differ significantly in any of 15 tests: p is at least 0.119 after correction'
    """
    least = min(1.0, tests * smallest_p(n, m))
    if least <= alpha:
        return None
    among = f" in any of {tests} tests" if tests > 1 else ""
    after = " after correction" if tests > 1 else ""
    return f"{n} against {m} runs cannot differ significantly{among}: p is at least {least:.3g}{after}"


def rank_sum(a: ArrayLike, b: ArrayLike) -> float | None:
    """The two-sided p of Wilcoxon's rank-sum test; None, if so few values can never be below 0.05.

    Exact for small samples, with ties or without; otherwise the normal approximation, corrected for ties.

    >>> rank_sum([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
    0.007936507936507936
    >>> rank_sum([1, 2, 3], [6, 7, 8])
    """
    x, y = _sample(a), _sample(b)
    if silent(x.size, y.size):
        return None
    ranks = stats.rankdata(np.concatenate([x, y]))
    if np.ptp(ranks) == 0.0:  # all the same
        return 1.0
    tied = np.unique(ranks).size < ranks.size
    if tied and min(x.size, y.size) <= SMALL and comb(ranks.size, x.size) <= ARRANGEMENTS:
        exact = stats.permutation_test(
            (ranks[: x.size], ranks[x.size :]),
            lambda first, _second, axis: np.sum(first, axis=axis),
            n_resamples=inf,
            vectorized=True,
        )
        return float(exact.pvalue)
    return float(stats.mannwhitneyu(ranks[: x.size], ranks[x.size :], alternative="two-sided").pvalue)


def a12(a: ArrayLike, b: ArrayLike) -> float:
    """The chance that a run of `a` is better, that is smaller, than one of `b`; a tie counts half.

    >>> a12([1, 2], [2, 3])
    0.875
    """
    x, y = _sample(a), _sample(b)
    if not x.size or not y.size:
        return np.nan
    above = stats.rankdata(np.concatenate([x, y]))[x.size :].sum() - y.size * (y.size + 1) / 2
    return float(above / (x.size * y.size))


def magnitude(effect: float) -> str:
    """What Vargha and Delaney call an effect of that size.

    >>> magnitude(0.5), magnitude(0.3), magnitude(1.0)
    ('negligible', 'medium', 'large')
    """
    away = round(abs(effect - 0.5), 12)
    return "large" if away >= 0.21 else "medium" if away >= 0.14 else "small" if away >= 0.06 else "negligible"


def holm(p: Iterable[float | None]) -> list[float | None]:
    """Holm's adjusted p of a family of tests; what was not computed stays None, and counts as a test all the same.

    >>> holm([0.01, 0.04, None, 0.02])
    [0.04, 0.08, None, 0.06]
    """
    given = list(p)
    adjusted: list[float | None] = [None] * len(given)
    floor = 0.0
    for done, (value, k) in enumerate(sorted((value, k) for k, value in enumerate(given) if value is not None)):
        floor = max(floor, min(1.0, (len(given) - done) * value))
        adjusted[k] = floor
    return adjusted


def better(a: ArrayLike, b: ArrayLike, alpha: float = ALPHA) -> bool | None:
    """Whether `a` is significantly better than `b`; None, if so few runs cannot show it.

    >>> better([1, 2, 3, 4], [5, 6, 7, 8]), better([5, 6, 7, 8], [1, 2, 3, 4]), better([1], [2])
    (True, False, None)
    """
    p = rank_sum(a, b)
    return None if p is None else p < alpha and a12(a, b) > 0.5


def firsts(samples: Sequence[ArrayLike], alpha: float = ALPHA) -> list[bool] | None:
    """Which of these are first, that is: no other is significantly better. None, if that cannot be shown.

    >>> firsts([[1, 2, 3, 4], [1, 2, 3, 5], [5, 6, 7, 8]])
    [True, True, False]
    >>> firsts([[1, 2, 3], [5, 6, 7]])
    """
    first = []
    for k, mine in enumerate(samples):
        beaten = [better(other, mine, alpha) for j, other in enumerate(samples) if j != k]
        if None in beaten:
            return None
        first.append(not any(beaten))
    return first


class Friedman(NamedTuple):
    """Average ranks over functions (1 is the best), and whether they can be told apart.

    p and the critical difference are None where they cannot be computed; `why` says so.
    """

    ranks: tuple[float, ...]
    functions: int
    statistic: float | None
    p: float | None
    difference: float | None
    why: str


def friedman(values: ArrayLike, alpha: float = ALPHA) -> Friedman:
    """Friedman's test on a table with a row for each function and a column for each method.

    >>> friedman([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]]).ranks
    (1.25, 2.0, 2.75)
    >>> friedman([[1, 2, 3], [1, 3, 2]]).why
    '2 functions and 3 methods are too few for a significant difference: p is at least 0.135'
    """
    x = np.array(values, dtype=float)
    if x.ndim != 2 or 0 in x.shape or np.isnan(x).any():
        raise BadInput(f"friedman: expected a row for each function and no NaN, got an array of shape {x.shape}")
    functions, methods = x.shape
    table = stats.rankdata(x, axis=1)
    ranks = tuple(float(rank) for rank in table.mean(axis=0))
    least = float(stats.chi2.sf(functions * (methods - 1), methods - 1))
    if methods < 3:
        return Friedman(ranks, functions, None, None, None, "Friedman's test needs 3 methods or more")
    if least > alpha:
        few = f"{functions} functions and {methods} methods are too few for a significant difference"
        return Friedman(ranks, functions, None, None, None, f"{few}: p is at least {least:.3g}")
    if np.ptp(table) == 0.0:
        return Friedman(ranks, functions, 0.0, 1.0, None, "all methods are the same on every function")
    found = stats.friedmanchisquare(*table.T)
    return Friedman(
        ranks, functions, float(found.statistic), float(found.pvalue), difference(methods, functions, alpha), ""
    )


def difference(methods: int, functions: int, alpha: float = ALPHA) -> float:
    """Nemenyi's critical difference: average ranks further apart than this differ significantly.

    >>> round(difference(4, 14), 2)  # Demšar's example
    1.25
    """
    q = float(stats.studentized_range.ppf(1.0 - alpha, methods, inf)) / sqrt(2.0)
    return q * sqrt(methods * (methods + 1) / (6.0 * functions))


def median_interval(
    values: ArrayLike, rng: np.random.Generator, level: float = LEVEL, resamples: int = RESAMPLES
) -> tuple[float, float] | None:
    """A bootstrap interval of the median (percentiles); None, if there are too few values for one of that level.

    Of n values even the whole range holds the true median with a chance of 1 - 2^(1 - n) only; 0.95 needs 6.

    >>> median_interval([1, 2, 3, 4, 5, 6, 7], np.random.default_rng(0))
    (2.0, 6.0)
    >>> median_interval([1, 2, 3, 4, 5], np.random.default_rng(0))
    """
    x = _sample(values)
    if 1.0 - 2.0 ** (1 - x.size) < level:
        return None
    medians = np.median(x[rng.integers(0, x.size, (resamples, x.size))], axis=1)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(medians, (tail, 1.0 - tail), method="inverted_cdf")  # no differences of infinities
    return float(low), float(high)


def value_at(history: Sequence[Sequence[float]], evaluations: ArrayLike) -> Floats:
    """The best values after so many evaluations each; infinite before the first.

    >>> value_at([(1, 9.0), (5, 3.0)], [0, 4, 5])
    array([inf,  9.,  3.])
    """
    steps = np.array(history, dtype=float).reshape(-1, 2)
    at = np.searchsorted(steps[:, 0], np.asarray(evaluations, dtype=float), side="right")
    return np.concatenate([[inf], steps[:, 1]])[at]


def hits(history: Sequence[Sequence[float]], targets: ArrayLike) -> Floats:
    """After how many evaluations each target was reached; infinite, if it never was.

    >>> hits([(1, 9.0), (5, 3.0)], [10, 8, 3, 2])
    array([ 1.,  5.,  5., inf])
    """
    steps = np.array(history, dtype=float).reshape(-1, 2)
    reached = np.searchsorted(-steps[:, 1], -np.asarray(targets, dtype=float), side="left")
    return np.concatenate([steps[:, 0], [inf]])[reached]


def ecdf(times: ArrayLike, at: ArrayLike) -> Floats:
    """The share of these times that have passed, at each of some moments; what is infinite never passes.

    >>> ecdf([1, 5, float("inf"), float("inf")], [0, 1, 10])
    array([0.  , 0.25, 0.5 ])
    """
    passed = np.sort(np.asarray(times, dtype=float).ravel())
    moments = np.asarray(at, dtype=float)
    return np.searchsorted(passed, moments, side="right") / max(1, passed.size)


def _sample(values: ArrayLike) -> Floats:
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or np.isnan(x).any():
        raise BadInput(f"expected a list of numbers, none of them NaN, got {values!r}")
    return x
