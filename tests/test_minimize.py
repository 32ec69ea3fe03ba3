"""minimize: one run from a function to a point."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separable as sp
from separable.cooperate import RULES
from separable.decomposers import DECOMPOSERS
from separable.optimizers import OPTIMIZERS

ASKING = [name for name, method in DECOMPOSERS.items() if method.__module__ != "separable.decomposers.baselines"]
DIM = 12
BOX = [(-3.0, 5.0)] * DIM


def chain(x):
    """Two groups of three, and six separable variables; 0 at 1, ..., 1."""
    x = np.asarray(x)
    pairs = sum((x[k] - x[k + 1]) ** 2 + 0.1 * (x[k + 1] - x[k + 2]) ** 2 for k in (0, 3))
    return float(pairs + 0.1 * ((x - 1.0) ** 2).sum())


def chains(points):
    return np.array([chain(x) for x in points])


def slow_chain(x):
    time.sleep(0.002)
    return chain(x)


def dies(x):
    if x[0] > 4.9:
        os._exit(1)
    return chain(x)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("rule", RULES)
def test_every_choice_of_parts_finds_the_minimum_of_a_simple_function(optimizer, rule):
    r = sp.minimize(chain, BOX, budget=20_000, optimizer=optimizer, rule=rule)
    assert r.fun < 1e-4
    assert np.abs(r.x - 1.0).max() < 0.1
    assert (r.success, r.status, r.nfev) == (True, 0, 20_000)
    assert r.decomposition.groups == ((0, 1, 2), (3, 4, 5))


def test_the_defaults_are_decc_with_csg_and_sansde():
    one = sp.minimize(chain, BOX, budget=5000)
    two = sp.minimize(
        chain,
        BOX,
        budget=5000,
        decomposer="csg",
        optimizer="sansde",
        rule="round-robin",
        population=50,
        generations=100,
        chunk=50,
    )
    assert one.history == two.history


@pytest.mark.parametrize("name", ["bms/f8", "bms/f12", "bms/f15"])
def test_fun_is_the_function_at_x_to_the_bit(name):
    problem = sp.problem(name, 200)
    r = sp.minimize(problem, budget=20_000)
    assert r.fun == problem(r.x)
    assert r.nfev == 20_000


@settings(max_examples=25)
@given(st.integers(1, 900), st.booleans())
def test_exactly_the_budget_is_spent_wherever_it_ends(budget, vectorized):
    asked = []

    def fun(x):
        asked.append(x.reshape(-1, DIM).copy())
        return chains(x) if vectorized else chain(x)

    r = sp.minimize(fun, BOX, budget=budget, vectorized=vectorized)
    points = np.concatenate(asked)
    assert len(points) == r.nfev
    assert r.nfev == budget
    assert ((points >= -3.0) & (points <= 5.0)).all()
    assert r.fun == chain(r.x) <= min(map(chain, points))


def test_the_decomposition_counts_and_is_in_the_result():
    problem = sp.problem("bms/f10", 200)
    r = sp.minimize(problem, budget=10_000)
    assert r.decomposition == sp.decompose(problem)
    assert 0 < r.decomposition.evaluations < r.nfev == 10_000


def test_the_history_holds_every_improvement():
    r = sp.minimize(chain, BOX, budget=3000)
    counts, values = zip(*r.history, strict=True)
    assert list(counts) == sorted(set(counts))
    assert list(values) == sorted(set(values), reverse=True)
    assert (values[-1], counts[-1] <= 3000) == (r.fun, True)


@pytest.mark.parametrize("decomposer", ASKING)
def test_a_budget_below_what_the_decomposition_needs_returns_the_best_so_far_and_says_so(decomposer):
    needed = sp.decompose(chain, BOX, method=decomposer).evaluations
    r = sp.minimize(chain, BOX, budget=needed - 1, decomposer=decomposer)
    assert r.nfev == needed - 1
    assert r.fun == chain(r.x)
    assert "it ended within the decomposition" in r.message
    assert not r.decomposition.complete


def test_a_budget_of_one_is_one_evaluation():
    r = sp.minimize(chain, BOX, budget=1)
    assert (r.nfev, r.fun) == (1, chain(r.x))


def test_a_better_start_is_used():
    x0 = np.full(DIM, 1.001)
    r = sp.minimize(chain, BOX, budget=3000, x0=x0)
    assert r.history[0] == (1, chain(x0))
    assert r.fun < chain(x0)


def test_the_start_does_not_move_the_rest_of_the_first_population():
    """Streams are split: neither the decomposer nor x0 moves the points that a search starts from."""
    starts = []
    for more in ({}, {"x0": [0.0] * DIM}, {"decomposer": None}, {"decomposer_options": {"looks": 5}}):
        asked = []

        def fun(points, asked=asked):
            asked.append(points.copy())
            return chains(points)

        sp.minimize(fun, BOX, budget=3000, vectorized=True, **more)
        starts.append(next(points for points in asked if len(points) in (49, 50))[-49:])
    for start in starts[1:]:
        np.testing.assert_array_equal(start, starts[0])


def test_a_search_may_start_from_the_best_point_found_while_decomposing():
    values = {}
    for start in ("uniform", "found"):
        values[start] = sp.minimize(sp.problem("bms/f10", 200), budget=30_000, start=start).fun
    assert values["found"] < values["uniform"]


def test_a_target_ends_the_run():
    r = sp.minimize(chain, BOX, budget=20_000, target=1e-5, decomposer=None)
    assert r.fun <= 1e-5
    assert (r.success, r.status, r.message) == (True, 1, "the target is reached")
    assert r.nfev < 20_000


@pytest.mark.parametrize("vectorized", [True, False])
def test_a_target_reached_at_x0_costs_no_further_evaluation(vectorized):
    fun = chains if vectorized else chain
    r = sp.minimize(fun, BOX, budget=1000, x0=[1.0] * DIM, target=0.0, vectorized=vectorized)
    assert (r.nfev, r.fun, r.status, r.success) == (1, 0.0, 1, True)


def test_a_target_that_is_not_reached_is_no_success():
    r = sp.minimize(chain, BOX, budget=100, target=-1.0)
    assert (r.success, r.status) == (False, 0)


def test_a_time_limit_ends_the_run():
    start = time.perf_counter()
    r = sp.minimize(slow_chain, BOX, budget=1_000_000, time_limit=1.0)
    assert time.perf_counter() - start < 3.0
    assert (r.status, r.success) == (2, True)
    assert r.fun == chain(r.x)


def test_the_callback_hears_of_both_halves_and_may_end_the_run():
    heard = []

    def callback(at):
        heard.append((at.stage, at.nfev, at.fun))
        if at.stage == "optimizing" and at.nfev > 3000:
            assert 0 <= at.group < at.groups == 3
            raise StopIteration

    r = sp.minimize(chain, BOX, budget=20_000, callback=callback)
    assert {"additive", "optimizing"} <= {stage for stage, _, _ in heard}
    assert (r.status, r.success) == (3, False)
    assert 3000 < r.nfev < 3100


def test_ctrl_c_returns_the_best_so_far_with_a_message():
    calls = 0

    def fun(x):
        nonlocal calls
        calls += 1
        if calls == 2000:
            raise KeyboardInterrupt
        return chain(x)

    r = sp.minimize(fun, BOX, budget=20_000)
    assert (r.status, r.success, "interrupted" in r.message) == (4, False, True)
    assert r.fun == chain(r.x)


def test_what_the_callback_raises_comes_out():
    def callback(at):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        sp.minimize(chain, BOX, budget=2000, callback=callback)


def test_what_the_function_raises_comes_out_with_its_number():
    def fun(x):
        raise LookupError("mine")

    with pytest.raises(sp.FunctionError, match=r"mine.*evaluation 1"):
        sp.minimize(fun, BOX, budget=2000)


def test_a_nan_in_the_search_ranks_worst_and_is_counted():
    def fun(x):
        return np.nan if x[0] > 1.5 else chain(x)

    r = sp.minimize(fun, BOX, budget=20_000, groups=[range(6), range(6, DIM)])
    assert r.nan_count > 50
    assert r.fun < 1e-6
    assert r.success


def test_a_nan_in_the_decomposition_ends_it_and_the_rest_is_optimized_as_if_separable():
    def fun(x):
        return np.nan if x[0] > 4.0 else chain(x)

    r = sp.minimize(fun, BOX, budget=20_000)
    assert "the decomposition ended early" in r.message
    assert "returned nan in evaluation" in r.message
    assert r.decomposition.undecided
    assert r.fun < 1e-2
    assert r.nfev == 20_000


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_function_without_one_finite_value_is_no_success(value):
    r = sp.minimize(lambda x: value, BOX, budget=500)
    assert (r.success, r.x, r.fun, r.nfev) == (False, None, np.inf, 500)
    assert "no value was a finite number" in r.message


def test_minus_infinity_ends_the_search_for_there_is_nothing_below():
    r = sp.minimize(lambda x: -np.inf if x[0] > 4 else chain(x), BOX, budget=5000)
    assert r.fun == -np.inf
    assert r.nfev < 5000


def test_groups_that_are_known_are_not_searched_for():
    r = sp.minimize(chain, BOX, budget=40_000, groups=[range(3), range(3, 6), range(6, DIM)])
    assert r.decomposition.evaluations == 0
    assert r.fun < 1e-6


def test_a_decomposition_may_be_given_and_its_separable_variables_go_in_chunks():
    d = sp.decompose(chain, BOX)
    groups = []
    sp.minimize(chain, BOX, budget=3000, groups=d, chunk=2, callback=lambda at: groups.append(at.groups))
    assert groups[-1] == 5


def test_without_a_decomposer_there_is_one_group():
    r = sp.minimize(chain, BOX, budget=20_000, decomposer=None, optimizer="shade")
    assert r.decomposition.groups == (tuple(range(DIM)),)
    assert r.fun < 1e-6


def test_an_optimizer_and_a_rule_of_ones_own():
    class Random:
        def __init__(self, lower, upper, points, values, rng, memory, *, size=10):
            self.lower, self.upper, self.rng, self.size = lower, upper, rng, size

        def turn(self, x, *, elsewhere):
            pass

        def ask(self):
            return self.rng.uniform(self.lower, self.upper, (self.size, len(self.lower)))

        def tell(self, values):
            pass

    class Last:
        def __init__(self, groups):
            self.groups = groups

        def next(self):
            return self.groups - 1

        def tell(self, group, gain, evaluations):
            pass

    r = sp.minimize(
        chain, BOX, budget=3000, optimizer=Random, optimizer_options={"size": 3}, rule=Last, decomposer=None
    )
    assert r.nfev == 3000


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_workers_change_nothing_but_the_time(optimizer):
    alone = sp.minimize(chain, BOX, budget=2000, optimizer=optimizer)
    shared = sp.minimize(chain, BOX, budget=2000, optimizer=optimizer, workers=2)
    assert alone.history == shared.history
    np.testing.assert_array_equal(alone.x, shared.x)


def test_workers_that_die_end_the_run_with_an_error():
    with pytest.raises(sp.FunctionError, match="worker process died"):
        sp.minimize(dies, BOX, budget=5000, workers=2)


def test_the_callers_arrays_are_never_touched():
    lower, x0 = np.full(DIM, -3.0), np.ones(DIM)
    groups = [list(range(6)), list(range(6, DIM))]
    box = np.stack([lower, np.full(DIM, 5.0)], axis=1)
    kept = box.copy()
    r = sp.minimize(chain, box, budget=1000, x0=x0, groups=groups)
    r.x[:] = 7.0
    np.testing.assert_array_equal(box, kept)
    assert (x0 == 1.0).all()
    assert groups == [list(range(6)), list(range(6, DIM))]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"budget": 0}, "budget must be a whole number"),
        ({"budget": -5}, "budget must be a whole number"),
        ({"budget": 2.5}, "budget must be a whole number"),
        ({"budget": None}, "budget"),
        ({"decomposer": "csgg"}, "did you mean 'csg'"),
        ({"decomposer_options": {"stepp": 1}}, "did you mean 'step'"),
        ({"optimizer": "sand"}, "unknown optimizer 'sand'"),
        ({"optimizer_options": {"F": 1}}, "unknown option of sansde 'F'"),
        ({"optimizer": "de", "optimizer_options": {"scale": "x"}}, "scale must be a number"),
        ({"rule": "best"}, "unknown rule 'best'"),
        ({"start": "best"}, "unknown start 'best'"),
        ({"groups": [[0, 1], [1, 2]]}, r"more than once 1; missing 3, 4, 5, 6, 7"),
        ({"groups": [range(DIM + 1)]}, "not among them 12"),
        ({"groups": 3}, "expected groups of variable numbers"),
        ({"groups": [["a"]]}, "expected variable numbers"),
        ({"groups": sp.Decomposition(2, groups=[[0, 1]])}, "12 variables, got one of 2"),
        ({"x0": [0.0] * 11}, r"x0: expected shape \(12,\), got \(11,\)"),
        ({"x0": [0.0] * 10 + [9.0, -4.0]}, "x0: outside the box in variables 10, 11; variable 10 is 9"),
        ({"x0": [np.nan] + [0.0] * 11}, "variable 0 is nan"),
        ({"x0": "here"}, "x0: expected 12 numbers"),
        ({"target": np.nan}, "target: expected a finite number"),
        ({"target": "low"}, "target: expected a finite number"),
        ({"time_limit": 0}, "time_limit: expected a finite number above 0"),
        ({"workers": 0}, "workers must be"),
        ({"seed": -1}, "seed: expected"),
        ({"callback": 3}, "callback: expected a function"),
        ({"population": 7}, "population: expected a whole number, 8 or more"),
        ({"generations": 0}, "generations: expected"),
        ({"chunk": 1.5}, "chunk: expected"),
        ({"journal": "j", "seed": None}, "whole number as seed"),
        ({"journal": "j", "seed": np.random.default_rng(0)}, "whole number as seed"),
        ({"journal": "nowhere/j"}, "there is no folder 'nowhere'"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_evaluated(arguments, complaint, tmp_path):
    asked = []

    def fun(x):
        asked.append(x)
        return 0.0

    with pytest.raises(sp.BadInput, match=complaint):
        sp.minimize(fun, BOX, **{"budget": 100, **arguments})
    assert asked == []
    assert list(tmp_path.iterdir()) == []


def test_budget_is_required_and_options_are_named():
    with pytest.raises(TypeError):
        sp.minimize(chain, BOX)
    with pytest.raises(TypeError):
        sp.minimize(chain, BOX, 100)
