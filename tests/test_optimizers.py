"""The optimizers: the mathematics, the box, the generator; each test holds for every one of them."""

from __future__ import annotations

import sys

import cmaes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separable as sp
from separable import optimizers
from separable.errors import MissingExtra
from separable.optimizers import OPTIMIZERS
from separable.optimizers.variation import crossed, distinct, reflect

EVERY = pytest.mark.parametrize("name", OPTIMIZERS)
EVOLUTIONS = pytest.mark.parametrize("name", ["sansde", "shade", "de"])


def bowl(x):
    return ((x - 0.3) ** 2).sum(axis=1)


def ellipsoid(x):
    return (10.0 ** (4.0 * np.arange(x.shape[1]) / (x.shape[1] - 1)) * (x - 0.3) ** 2).sum(axis=1)


def rastrigin(x):
    z = x - 0.3
    return (z**2 - 10.0 * np.cos(2.0 * np.pi * z) + 10.0).sum(axis=1)


def valley(x):
    return (100.0 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1.0 - x[:, :-1]) ** 2).sum(axis=1)


def run(name, fun, dim, evaluations, seed=0, low=-5.0, high=5.0, members=50, **options):
    """The best value after so many evaluations, and all points."""
    rng = np.random.default_rng(seed)
    lower, upper = np.full(dim, low), np.full(dim, high)
    points = rng.uniform(lower, upper, (members, dim))
    optimizer = OPTIMIZERS[name](lower, upper, points, None, rng, {}, **options)
    optimizer.turn(lower + (upper - lower) / 2.0, elsewhere=False)
    best, seen = np.inf, []
    while sum(map(len, seen)) < evaluations:
        asked = optimizer.ask()
        seen.append(asked.copy())
        values = fun(asked)
        best = min(best, values.min())
        optimizer.tell(values)
    return best, np.concatenate(seen)


# the budgets are about twice what the slowest of the 20 seeds takes
@pytest.mark.parametrize(
    ("name", "fun", "dim", "evaluations"),
    [
        ("sansde", bowl, 10, 40_000),
        ("sansde", ellipsoid, 10, 60_000),
        ("sansde", rastrigin, 6, 50_000),
        ("shade", bowl, 10, 30_000),
        ("shade", ellipsoid, 10, 40_000),
        ("shade", valley, 4, 40_000),
        ("de", bowl, 10, 50_000),
        ("de", ellipsoid, 10, 60_000),
        ("cmaes", bowl, 10, 2_500),
        ("cmaes", ellipsoid, 6, 3_000),
        ("cmaes", valley, 3, 3_000),
    ],
)
def test_the_optimum_is_found_within_the_budget_from_twenty_seeds(name, fun, dim, evaluations):
    assert max(run(name, fun, dim, evaluations, seed)[0] for seed in range(20)) < 1e-8


@EVERY
@pytest.mark.parametrize("dim", [1, 2, 7])
def test_every_point_lies_in_the_box_wherever_it_pulls(name, dim):
    low, high = 0.1, 0.7  # not exact in binary
    _, points = run(name, lambda x: -(x**2).sum(axis=1), dim, 4000, low=low, high=high)
    assert ((points >= low) & (points <= high)).all()


@EVERY
def test_a_seed_fixes_the_trace_and_another_one_changes_it(name):
    one, again, other = (run(name, rastrigin, 4, 1500, seed)[1] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert len(one) != len(other) or (one != other).any()


@EVERY
def test_nothing_but_the_order_of_values_or_of_improvements_matters(name):
    """Twice the values, plus a constant, is the same problem; exactly so, since both are exact here."""
    _, one = run(name, lambda x: np.rint(1e6 * bowl(x)), 4, 3000)
    _, two = run(name, lambda x: 2.0 * np.rint(1e6 * bowl(x)) + 1024.0, 4, 3000)
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", ["shade", "de", "cmaes"])
def test_the_place_of_the_box_does_not_matter(name):
    """Moved and widened by powers of two everything is moved and widened, up to rounding."""
    _, one = run(name, lambda x: np.rint(1e3 * bowl(x)), 3, 600, low=-4.0, high=4.0)
    _, two = run(name, lambda x: np.rint(1e3 * bowl(x / 4.0 - 4.0)), 3, 600, low=0.0, high=32.0)
    np.testing.assert_allclose(two / 4.0 - 4.0, one, atol=1e-9)


# every hundredth point of a run, in its first coordinate: only a change of the algorithm may change them
TRACES = {
    "sansde": (1.3696, 2.3049, 1.5263, 2.3049, -0.6397, 3.4935, -0.7533, 2.2471, 3.675, -0.7533),
    "shade": (1.3696, 1.3696, 1.3696, 1.2521, -0.5294, 1.0638, -0.9163, 1.1037, -1.1387, 0.2359),
    "de": (1.3696, 2.8663, -3.1045, 0.9919, 3.9233, 0.8727, -0.4015, 3.3062, 3.1609, -1.7973),
}


@EVOLUTIONS
def test_the_recorded_trace_is_repeated(name):
    _, points = run(name, lambda x: np.rint(1e6 * rastrigin(x)), 5, 1000)
    np.testing.assert_allclose(points[::100, 0], TRACES[name], atol=1e-4)


@EVERY
def test_infinite_values_are_survived_and_the_rest_is_found(name):
    def half(x):
        return np.where(x[:, 0] > 0.5, np.inf, bowl(x))

    assert run(name, half, 3, 20_000)[0] < 1e-6


@EVERY
@pytest.mark.parametrize("value", [3.0, np.inf])
def test_a_function_without_any_differences_is_survived(name, value):
    best, _ = run(name, lambda x: np.full(len(x), value), 3, 3000)
    assert best == value


@EVOLUTIONS
def test_values_are_asked_for_again_only_when_the_others_have_moved(name):
    rng = np.random.default_rng(0)
    points = rng.random((20, 3))
    optimizer = OPTIMIZERS[name](np.zeros(3), np.ones(3), points.copy(), bowl(points), rng, {})
    optimizer.turn(points[0], elsewhere=False)
    assert (optimizer.ask() != points).any()
    optimizer.tell(np.full(20, 99.0))
    optimizer.turn(points[0], elsewhere=True)
    np.testing.assert_array_equal(optimizer.ask(), points)


@EVOLUTIONS
def test_the_best_member_is_never_lost(name):
    rng = np.random.default_rng(0)
    points = rng.random((20, 3))
    optimizer = OPTIMIZERS[name](np.zeros(3), np.ones(3), points, None, rng, {})
    lowest = np.inf
    for turn in range(3):
        optimizer.turn(points[0], elsewhere=True)
        for generation in range(40):
            asked = optimizer.ask()
            values = rastrigin(asked)
            if generation == 0 and turn > 0:
                assert values.min() == lowest
            lowest = min(lowest, values.min())
            optimizer.tell(values)


def test_crm_lives_on_from_group_to_group_and_the_shares_do_not():
    memory, rng = {}, np.random.default_rng(0)
    first, second = (
        OPTIMIZERS["sansde"](np.zeros(4), np.ones(4), rng.random((50, 4)), None, rng, memory) for _ in range(2)
    )
    assert memory["CRm"] == 0.5
    first.turn(np.zeros(4), elsewhere=True)
    for _ in range(101):
        first.tell(ellipsoid(first.ask()))
    learnt = memory["CRm"]
    assert learnt != 0.5
    assert first._p != 0.5
    second.turn(np.zeros(4), elsewhere=True)
    second.tell(ellipsoid(second.ask()))
    second.ask()
    assert abs(np.mean(second._CR) - learnt) < 0.02
    assert second._p == second._f_p == 0.5


def test_sansde_learns_that_a_rotated_valley_wants_high_crossover():
    def crm(fun):
        memory, rng = {}, np.random.default_rng(0)
        optimizer = OPTIMIZERS["sansde"](
            np.full(10, -5.0), np.full(10, 5.0), rng.uniform(-5, 5, (50, 10)), None, rng, memory
        )
        optimizer.turn(np.zeros(10), elsewhere=True)
        for _ in range(400):
            optimizer.tell(fun(optimizer.ask()))
        return memory["CRm"]

    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(10, 10)))[0]
    assert crm(lambda x: ellipsoid((x - 0.3) @ rotation + 0.3)) > 0.6
    assert crm(rastrigin) < 0.4


def test_cmaes_begins_anew_when_it_has_converged():
    _, points = run("cmaes", bowl, 2, 6000)
    spread = [np.ptp(part, axis=0).max() for part in np.array_split(points, 60)]
    converged = next(k for k, width in enumerate(spread) if width < 1e-4)
    assert max(spread[converged:]) > 1.0


def test_cmaes_is_separable_above_the_size_it_is_told():
    rng = np.random.default_rng(0)
    kinds = []
    for dim in (3, 4):
        one = OPTIMIZERS["cmaes"](np.zeros(dim), np.ones(dim), rng.random((8, dim)), None, rng, {}, full=3)
        one.turn(np.full(dim, 0.5), elsewhere=True)
        kinds.append(type(one._cma))
    assert kinds == [cmaes.CMA, cmaes.SepCMA]


def test_without_its_package_cmaes_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(MissingExtra, match=r"pip install 'separable\[cmaes\]'"):
        optimizers.choose("cmaes")


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("sansd", {}, "did you mean 'sansde'"),
        ("sansde", {"scale": 1}, "unknown option of sansde 'scale'"),
        ("de", {"scal": 1}, "did you mean 'scale'"),
        ("de", {"scale": 0}, "above 0"),
        ("de", {"rate": "much"}, "must be a number"),
        ("shade", {"history": 0}, "1 or more"),
        ("cmaes", {"sigma": -1}, "sigma must be"),
        ("cmaes", {"population": 2}, "5 or more"),
        ("cmaes", {"population": 2.5}, "whole number"),
        ("cmaes", {"restart": 0.5}, "restart must be"),
    ],
)
def test_unknown_optimizers_and_options_that_make_no_sense_are_refused(name, options, complaint):
    with pytest.raises(sp.BadInput, match=complaint):
        optimizers.choose(name, options)


@given(st.integers(2, 6), st.integers(0, 9))
def test_distinct_numbers_are_distinct_and_in_range(count, seed):
    size = count + seed % 3
    chosen = np.stack(distinct(np.random.default_rng(seed), (40,), count, size))
    assert all(len(set(column)) == count for column in chosen.T.tolist())
    assert (chosen.min(), chosen.max() < size) == (0, True)


def test_every_choice_of_distinct_numbers_is_as_likely():
    chosen = np.stack(distinct(np.random.default_rng(0), (240_000,), 3, 4))
    counts = np.unique(chosen, axis=1, return_counts=True)[1]
    assert len(counts) == 24
    assert abs(counts - 10_000).max() < 500  # five standard deviations


def test_crossover_takes_the_share_it_is_told_and_at_least_one():
    taken = crossed(np.random.default_rng(0), np.full(4000, 0.25), 100)
    assert abs(taken.mean() - (0.25 + 0.75 / 100)) < 0.005
    assert crossed(np.random.default_rng(0), np.zeros(1000), 7).sum(axis=1).tolist() == [1] * 1000
    assert crossed(np.random.default_rng(0), np.ones(10), 7).all()


@given(st.floats(-1e9, 1e9), st.floats(0.001, 1e3), st.floats(-1e12, 1e12))
def test_a_reflected_point_is_in_the_box_and_one_inside_does_not_move(low, width, x):
    lower, upper = np.array([[low]]), np.array([[low + width]])
    points = np.array([[x]])
    reflect(points, lower, upper)
    assert lower <= points <= upper
    if lower <= x <= upper:
        assert points == x


def test_a_reflection_goes_back_by_the_overshoot():
    points = np.array([[5.5, -6.0, 16.0, -26.5]])
    reflect(points, np.full((1, 4), -5.0), np.full((1, 4), 5.0))
    assert points.tolist() == [[4.5, -4.0, 4.0, -3.5]]
