"""The statistics of reports, against published numbers and second implementations."""

from __future__ import annotations

from itertools import combinations
from math import comb, inf, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from separable import BadInput
from separable.report import stats

SMALL_SAMPLES = st.lists(st.integers(0, 6), min_size=4, max_size=6)
SAMPLES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)

# Demšar (2006), table 6: four classifiers on 14 data sets; the two .975 are ranked there as if they were not a tie
DEMSAR = """.763 .768 .771 .798  .599 .591 .590 .569  .954 .971 .968 .967  .628 .661 .654 .657  .882 .888 .886 .898
.936 .931 .916 .931  .661 .668 .609 .685  .583 .583 .563 .625  .775 .838 .866 .875  1 1 1 1  .940 .962 .965 .962
.619 .666 .614 .669  .972 .981 .9751 .975  .957 .978 .946 .970"""


def test_the_rank_sum_test_gives_the_p_of_a_textbook():
    """Hollander and Wolfe (1973), page 69: permeability at term and at 12 to 26 weeks; one-sided p = 0.1272."""
    term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    weeks = [1.15, 0.88, 0.90, 0.74, 1.21]
    assert stats.rank_sum(term, weeks) == pytest.approx(0.2544, abs=1e-4)


@given(SMALL_SAMPLES, SMALL_SAMPLES)
def test_small_samples_are_tested_exactly_with_ties_or_without(a, b):
    """A second implementation: every way to deal the ranks out."""
    ranks = scipy_stats.rankdata([*a, *b])
    sums = np.array([ranks[list(chosen)].sum() for chosen in combinations(range(ranks.size), len(a))])
    here = ranks[: len(a)].sum()
    expected = min(1.0, 2 * min((sums <= here + 1e-9).mean(), (sums >= here - 1e-9).mean()))
    assert stats.rank_sum(a, b) == pytest.approx(expected)


@given(st.integers(0, 2**32))
def test_large_samples_agree_with_scipys_other_test(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=25), rng.normal(0.5, size=25)
    assert stats.rank_sum(a, b) == pytest.approx(scipy_stats.ranksums(a, b).pvalue, abs=0.02)


@pytest.mark.parametrize(("n", "m"), [(4, 4), (4, 5), (5, 5), (3, 6)])
def test_false_alarms_are_no_more_than_promised_over_all_arrangements(n, m):
    alarms = 0
    for chosen in combinations(range(n + m), n):
        rest = [k for k in range(n + m) if k not in chosen]
        alarms += stats.rank_sum(chosen, rest) < 0.05
    assert 0 < alarms / comb(n + m, n) <= 0.05


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 3), (2, 5), (1, 30), (0, 25)])
def test_what_can_never_reject_is_not_computed_and_said(n, m):
    assert stats.rank_sum(range(n), range(100, 100 + m)) is None
    assert f"{n} against {m} runs cannot differ" in stats.silent(n, m)


@pytest.mark.parametrize(
    ("n", "tests", "can"), [(4, 1, True), (5, 6, True), (5, 7, False), (6, 15, True), (25, 15, True)]
)
def test_under_holms_correction_more_repeats_are_needed_to_show_anything(n, tests, can):
    best = stats.rank_sum(range(n), range(100, 100 + n))
    assert (min(1.0, tests * best) < 0.05) == can
    assert (stats.silent(n, n, tests) is None) == can


def test_all_the_same_is_no_difference():
    assert stats.rank_sum([1.0] * 5, [1.0] * 5) == 1.0
    assert stats.better([inf] * 5, [inf] * 5) is False


def test_an_infinite_value_is_the_worst():
    assert stats.better([1.0, 2.0, 3.0, 4.0], [inf] * 4)
    assert stats.a12([1.0], [inf]) == 1.0
    assert stats.summary([1.0, inf, 2.0])[:3] == (3, inf, 2.0)
    assert np.isnan(stats.summary([1.0, inf]).std)


@given(SAMPLES, SAMPLES)
def test_a12_counts_pairs(a, b):
    expected = np.mean([(y > x) + 0.5 * (y == x) for x in a for y in b])
    assert stats.a12(a, b) == pytest.approx(expected)
    assert stats.a12(a, b) + stats.a12(b, a) == pytest.approx(1.0)


def test_effects_have_the_names_that_vargha_and_delaney_gave_them():
    sizes = [0.5, 0.55, 0.56, 0.63, 0.64, 0.70, 0.71, 1.0]
    expected = ["negligible"] * 2 + ["small"] * 2 + ["medium"] * 2 + ["large"] * 2
    assert [stats.magnitude(size) for size in sizes] == expected
    assert [stats.magnitude(1.0 - size) for size in sizes] == expected


def test_holms_adjusted_p_are_those_of_r():
    """p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")"""
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12))
def test_holm_rejects_what_his_procedure_rejects(p):
    """A second implementation, by the paper: step through the ordered p until one is too large."""
    rejected = set()
    for k, which in enumerate(np.argsort(p, kind="stable")):
        if p[which] * (len(p) - k) > 0.05:
            break
        rejected.add(int(which))
    assert {k for k, value in enumerate(stats.holm(p)) if value <= 0.05} == rejected


def test_friedmans_ranks_are_those_of_demsars_example():
    accuracy = np.array(DEMSAR.split(), dtype=float).reshape(14, 4)
    found = stats.friedman(-accuracy)
    assert found.ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    # the statistic printed there, 9.28, is not corrected for ties, and scipy's is
    ties = sum(int(count) ** 3 - int(count) for row in accuracy for count in np.unique(row, return_counts=True)[1])
    assert found.statistic * (1 - ties / (14 * 4 * 15)) == pytest.approx(9.28, abs=5e-3)
    assert found.difference == pytest.approx(1.25, abs=5e-3)


def test_critical_differences_are_those_of_demsars_table():
    q = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
    for methods, value in q.items():
        assert stats.difference(methods, 10) == pytest.approx(value * sqrt(methods * (methods + 1) / 60), abs=1e-3)


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ([[1, 2], [1, 2]], "3 methods or more"),
        ([[1, 2, 3]], "1 functions"),
        ([[1, 1, 1]] * 9, "the same on every"),
    ],
)
def test_friedmans_test_says_why_it_shows_nothing(table, why):
    found = stats.friedman(table)
    assert why in found.why
    assert found.difference is None


def test_a_bootstrap_interval_agrees_with_scipys():
    values = np.random.default_rng(1).lognormal(size=25)
    ours = stats.median_interval(values, np.random.default_rng(0))
    other = scipy_stats.bootstrap((values,), np.median, method="percentile", n_resamples=9999, batch=500)
    assert ours == pytest.approx(tuple(other.confidence_interval), rel=0.15)
    assert ours == stats.median_interval(values, np.random.default_rng(0))


@pytest.mark.parametrize("n", [0, 1, 5])
def test_there_is_no_interval_of_too_few_values(n):
    assert stats.median_interval(np.arange(n), np.random.default_rng(0)) is None


def test_an_interval_may_be_infinite():
    low, high = stats.median_interval([1.0] * 4 + [inf] * 3, np.random.default_rng(0))
    assert (low, high) == (1.0, inf)


@pytest.mark.slow
def test_the_interval_holds_the_median_as_often_as_promised():
    """2000 samples of 25 from a skewed distribution with the median 1; at least 0.93, at a level of 0.95."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(2000):
        low, high = stats.median_interval(rng.lognormal(size=25), rng, resamples=999)
        hits += low <= 1.0 <= high
    assert hits / 2000 > 0.93


@given(
    st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.lists(st.floats(-120, 120), min_size=1, max_size=9)
)
def test_times_of_targets_agree_with_looking_through_the_history(values, targets):
    history = [(3 * k + 1, value) for k, value in enumerate(np.minimum.accumulate(values))]
    expected = [next((at for at, value in history if value <= target), inf) for target in targets]
    assert stats.hits(history, targets).tolist() == expected


@given(SAMPLES, SAMPLES)
def test_an_ecdf_counts(times, at):
    assert stats.ecdf(times, at) == pytest.approx([np.mean([time <= one for time in times]) for one in at])


def test_identical_values_have_no_spread_whatever_rounding_makes_of_their_mean():
    assert stats.summary([1664.1] * 5).std == 0.0


@pytest.mark.parametrize("call", [stats.summary, lambda x: stats.rank_sum(x, [1]), lambda x: stats.a12([1], x)])
@pytest.mark.parametrize("bad", [[1.0, nan], [[1.0, 2.0]]])
def test_nan_and_tables_are_refused(call, bad):
    with pytest.raises(BadInput, match="expected a list of numbers"):
        call(bad)


@pytest.mark.parametrize("bad", [[], [1.0, 2.0], [[1.0, nan]]])
def test_friedman_refuses_what_is_no_table(bad):
    with pytest.raises(BadInput, match="a row for each function"):
        stats.friedman(bad)
