"""CSG: the structures it must find, the evaluations it may cost, the functions that might trip it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separable as sp
from separable.decomposers.golden import gss
from separable.errors import FunctionError
from structures import composition, exact, symmetric

sizes = st.integers(0, 8)
groups = st.lists(st.integers(2, 6), max_size=3).map(tuple)


def the_papers_example(x):
    return x[0] + x[1] * x[2] + np.sqrt(x[3] + x[4]) + (x[5] - x[6] - 1) ** 2


def test_the_papers_example_is_decomposed_as_the_paper_says():
    d = sp.decompose(the_papers_example, [(1, 5)] * 7)
    assert (d.additive, d.multiplicative, d.composite, d.groups) == ((0,), (1, 2), (3, 4), ((5, 6),))
    assert d.evaluations <= 348


@settings(max_examples=60)
@given(st.integers(0, 10_000), sizes, sizes, sizes, groups)
def test_any_random_composition_is_found(seed, additive, multiplicative, composite, sizes_of_groups):
    if additive + multiplicative + composite + sum(sizes_of_groups) == 0:
        return
    problem = composition(
        seed, additive=additive, multiplicative=multiplicative, composite=composite, groups=sizes_of_groups
    )
    assert exact(sp.decompose(problem), problem.truth)


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_groups_on_a_symmetric_box_are_found_though_its_centre_and_its_corners_hide_much(seed):
    problem = symmetric(seed)
    found = sp.decompose(problem)
    assert set(found.separable) >= set(problem.truth.separable)
    assert all(any(set(group) <= set(true) for true in problem.truth.groups) for group in found.groups)


@pytest.mark.slow
def test_on_symmetric_boxes_97_of_100_random_functions_are_found_exactly():
    problems = [symmetric(seed) for seed in range(2_000, 3_000)]
    missed = [p.name for p in problems if not exact(sp.decompose(p), p.truth)]
    assert len(missed) <= 30, missed


@pytest.mark.slow
def test_no_random_composition_in_a_thousand_is_missed():
    rng = np.random.default_rng(5)
    missed = []
    for seed in range(1_000):
        shape = rng.integers(0, 20, 3)
        blocks = tuple(rng.integers(2, 12, rng.integers(1, 5)))
        problem = composition(seed, additive=shape[0], multiplicative=shape[1], composite=shape[2], groups=blocks)
        if not exact(sp.decompose(problem), problem.truth):
            missed.append(seed)
    assert missed == []


@settings(max_examples=15)
@given(st.integers(0, 50), st.data())
def test_renaming_the_variables_renames_the_answer(seed, data):
    problem = composition(seed, additive=3, multiplicative=2, composite=3, groups=(3, 2))
    names = np.array(data.draw(st.permutations(range(problem.dim))))
    renamed = sp.Problem(
        "renamed", lambda x: problem.fun(x[:, names]), problem.lower, problem.upper, vectorized=True
    )
    found, other = sp.decompose(problem), sp.decompose(renamed)
    assert other.separable == tuple(sorted(int(names[i]) for i in found.separable))
    assert sorted(other.groups) == sorted(tuple(sorted(int(names[i]) for i in g)) for g in found.groups)


@pytest.mark.parametrize("factor", [2.0, 2.0**-20, 2.0**40])
def test_scaling_f_by_a_power_of_two_changes_nothing(factor):
    problem = composition(1, additive=4, multiplicative=3, composite=4, groups=(4, 3))
    scaled = sp.Problem("scaled", lambda x: factor * problem.fun(x), problem.lower, problem.upper, vectorized=True)
    assert sp.decompose(scaled) == sp.decompose(problem)


# --- the paper's suite; benchmarks/csg.py shows all of it ---


@pytest.mark.parametrize(
    ("k", "count", "slack"),
    [(1, 4002, 0.02), (2, 4002, 0), (5, 28002, 0.003), (7, 17602, 0.003), (9, 22402, 0.003), (12, 30367, 0.04)],
)
def test_bms_is_decomposed_exactly_at_the_papers_cost(k, count, slack):
    problem = sp.problem(f"bms/f{k}")
    found = sp.decompose(problem)
    assert exact(found, problem.truth)
    assert found.evaluations == pytest.approx(count, rel=slack)


@pytest.mark.parametrize("k", range(1, 16))
def test_bms_is_decomposed_exactly_in_200_dimensions(k):
    problem = sp.problem(f"bms/f{k}", 200, instance=3)
    assert exact(sp.decompose(problem), problem.truth)


@pytest.mark.parametrize("k", range(1, 13))
def test_bns_is_decomposed_exactly(k):
    problem = sp.problem(f"bns/f{k}", 200)
    assert exact(sp.decompose(problem), problem.truth)


@pytest.mark.slow
@pytest.mark.parametrize("k", range(10, 16))
def test_bms_is_decomposed_exactly_in_twenty_instances(k):
    for instance in range(50, 70):
        problem = sp.problem(f"bms/f{k}", 1000, instance)
        assert exact(sp.decompose(problem), problem.truth), instance


def test_the_stages_are_booked_as_the_paper_counts_them():
    d = sp.decompose(sp.problem("bms/f5", 200))
    additive, product, minima, composite, grouping = d.stages
    assert [stage.name for stage in d.stages] == ["additive", "multiplicative", "minima", "composite", "groups"]
    assert (additive.evaluations, additive.found) == (2 * 200 + 2, 0)
    assert (product.evaluations, product.found) == (4 * 200, 100)
    assert (minima.evaluations, minima.found) == (41 * 100, 0)
    assert (composite.evaluations, composite.found) == (3 * 100, 100)
    assert (grouping.evaluations, grouping.found) == (0, 0)
    assert d.evaluations == sum(stage.evaluations for stage in d.stages)


# --- functions that might trip it ---


def decomposed(fun, dim, low=-2.0, high=3.0, **more):
    return sp.decompose(fun, [(low, high)] * dim, **more)


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("fun", [lambda x: 4.0, lambda x: 0.0, lambda x: x.sum(), lambda x: -(x @ x)])
def test_constant_linear_and_square_functions_are_additive_from_one_variable_on(fun, dim):
    assert decomposed(fun, dim).additive == tuple(range(dim))


def test_two_variables_that_interact_are_one_group():
    assert decomposed(lambda x: (x[0] - x[1]) ** 2, 2).groups == ((0, 1),)


def test_two_variables_of_a_norm_are_composite():
    assert decomposed(lambda x: float(np.hypot(*x)), 2).composite == (0, 1)


def test_a_product_whose_rest_changes_sign_is_no_separable_product():
    assert decomposed(lambda x: x[0] * x[1], 2).groups == ((0, 1),)


def test_a_product_of_positive_factors_is_multiplicative():
    assert decomposed(lambda x: (x[0] + 3.0) * (5.0 - x[1]), 2).multiplicative == (0, 1)


def test_minima_on_a_bound_do_not_make_monotone_variables_interact():
    d = decomposed(lambda x: np.exp(x[:3].sum()) + np.log(9.0 + x[3:6].sum()) + (x[6] * x[7] - 1) ** 2, 8)
    assert d.separable == (0, 1, 2, 3, 4, 5)
    assert d.groups == ((6, 7),)


def test_an_interaction_of_minima_on_a_bound_is_seen_from_the_other_side():
    """Without x1 off its bound, x0 never moves: one context cannot show it."""
    d = decomposed(lambda x: (x[0] - 3.0 + (x[1] + 2.0) ** 3) ** 2 + 9.0 * x[1] + x[2] ** 2, 3)
    assert d.groups == ((0, 1),)


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: abs(x).sum() + (x[0] * x[1] - 1.0) ** 2,
        lambda x: (x[0] * x[1] - 1.0) ** 2 + x[2] ** 2,
        lambda x: np.cosh(x[0] - x[1]) + x[2] ** 4 + (x[0] * x[1]) ** 2,
        lambda x: (np.tanh(x[0] * 0.3) * x[1] - 0.5) ** 2 + np.abs(x[2]),
    ],
)
def test_an_interaction_is_seen_though_the_centre_of_the_box_is_a_point_of_symmetry(fun):
    assert decomposed(fun, 3, -5.0, 5.0).groups == ((0, 1),)


def test_the_variables_of_ackleys_function_are_composite_though_the_order_of_their_values_changes():
    shift = np.random.default_rng(4).uniform(-20.0, 20.0, 60)

    def ackley(x):
        z = x - shift
        return 20.0 - 20.0 * np.exp(-0.2 * np.sqrt((z * z).mean())) + np.e - np.exp(np.cos(2.0 * np.pi * z).mean())

    assert decomposed(ackley, 60, -32.0, 32.0).composite == tuple(range(60))


@pytest.mark.parametrize("box", [(-2.0, 3.0), (-5.0, 5.0), (0.0, 2.0)])
def test_a_chain_is_one_group(box):
    def rosenbrock(x):
        return float((100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum())

    assert decomposed(rosenbrock, 30, *box).groups == (tuple(range(30)),)


def test_plateaus_are_no_interaction():
    d = decomposed(lambda x: float(np.floor(x[:4]).sum() + np.sqrt(np.floor(x[4:8] ** 2).sum()) + x[8] ** 2), 9)
    assert d.separable == tuple(range(9))


def test_a_needle_on_a_flat_plain_is_decided_without_an_error():
    d = decomposed(lambda x: float((np.abs(x) < 0.01).all()), 5)
    assert d.complete


def test_a_block_that_dwarfs_another_is_reported_as_close_calls():
    def fun(x):
        return 1e13 * x[0] ** 2 + 0.01 * float(np.prod(2.0 + np.sin(x[1:])))

    assert decomposed(fun, 6).close_calls


def test_a_clear_case_has_no_close_calls():
    assert decomposed(the_papers_example, 7, 1.0, 5.0).close_calls == ()


@settings(max_examples=20)
@given(st.integers(0, 99), st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_no_point_lies_outside_the_box_wherever_it_is(seed, low, width):
    high = low + width
    inner = composition(seed, additive=2, multiplicative=2, composite=2, groups=(2,))

    def fun(points):
        assert (points >= low).all()
        assert (points <= high).all()
        return inner.fun(inner.lower + (points - low) / (high - low) * (inner.upper - inner.lower))

    sp.decompose(fun, [(low, high)] * inner.dim, vectorized=True)


# --- budgets, callbacks, errors ---


@settings(max_examples=40)
@given(st.integers(1, 700))
def test_a_budget_is_spent_exactly_and_what_it_allowed_to_decide_is_right(budget):
    problem = composition(3, additive=3, multiplicative=2, composite=3, groups=(3, 2))
    full = sp.decompose(problem)
    d = sp.decompose(problem, budget=budget)
    assert d.evaluations == min(budget, full.evaluations)
    assert d.complete == (budget >= full.evaluations)
    assert set(d.additive) <= set(full.additive)
    assert set(d.multiplicative) <= set(full.multiplicative)
    assert sum(stage.evaluations for stage in d.stages) == d.evaluations


@pytest.mark.parametrize("budget", range(2, 60))
def test_no_evaluation_of_the_first_two_stages_is_spent_without_settling_something(budget):
    """2 for the corners, then 2 a variable, then 4 more for each that is not additive."""
    problem = composition(3, additive=6, multiplicative=8)
    d = sp.decompose(problem, budget=budget)
    assert len(d.additive) + len(d.multiplicative) + len(d.undecided) == problem.dim
    if budget >= 2 + 2 * problem.dim:
        assert len(d.additive) == 6
        assert len(d.multiplicative) == min(8, (budget - 2 - 2 * problem.dim) // 4)


def test_searching_side_by_side_changes_no_answer():
    problem = composition(4, additive=3, multiplicative=2, composite=9, groups=(5, 4))
    answers = [sp.decompose(problem, options={"abreast": abreast}) for abreast in (1, 2, 8, 99)]
    assert all(exact(d, problem.truth) for d in answers)


def test_a_callback_hears_of_every_stage_and_may_end_the_search():
    heard = []

    def callback(intermediate_result):
        heard.append(intermediate_result)
        if intermediate_result.stage == "minima":
            raise StopIteration

    d = sp.decompose(the_papers_example, [(1, 5)] * 7, callback=callback)
    assert [at.stage for at in heard][-1] == "minima"
    assert {"additive", "multiplicative"} <= {at.stage for at in heard}
    assert all(0 <= at.done <= at.total for at in heard)
    assert d.additive == (0,)
    assert d.multiplicative == (1, 2)
    assert d.undecided == (3, 4, 5, 6)


def test_ctrl_c_returns_what_was_settled():
    calls = []

    def fun(x):
        calls.append(x)
        if len(calls) == 45:
            raise KeyboardInterrupt
        return the_papers_example(x)

    d = sp.decompose(fun, [(1, 5)] * 7)
    assert d.additive == (0,)
    assert d.undecided == (3, 4, 5, 6)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_not_finite_stops_the_search_and_names_the_point(value):
    with pytest.raises(FunctionError, match=r"evaluation \d+, at x = \[") as caught:
        decomposed(lambda x: value if x[0] > 2.5 else float(x @ x), 3)
    assert caught.value.point[0] > 2.5


def test_workers_change_nothing_but_the_time():
    problem = sp.problem("bms/f12", 200)
    assert sp.decompose(problem, workers=2) == sp.decompose(problem)


def test_a_function_of_points_one_by_one_gives_the_same_as_a_vectorized_one():
    many = sp.decompose(lambda x: np.sqrt((x**2).sum(axis=1)), [(-1, 2)] * 4, vectorized=True)
    assert many == decomposed(lambda x: np.sqrt((x**2).sum()), 4, -1, 2)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"method": "csgg"}, "did you mean 'csg'"),
        ({"method": 3}, "unknown method 3"),
        ({"method": ["csg"]}, r"unknown method \['csg'\]"),
        ({"options": 3}, "options: expected a dict"),
        ({"options": {"precision": 2.0}}, "csg: precision must be"),
        ({"options": {"step": "wide"}}, "csg: step must be"),
        ({"options": {"product_cap": 0.0}}, "csg: product_cap must be"),
        ({"options": {"looks": 1.5}}, "csg: looks must be"),
        ({"options": {"abreast": 0}}, "csg: abreast must be"),
        ({"options": {"loks": 2}}, "unknown option of csg 'loks'; did you mean 'looks'"),
        ({"seed": "now"}, "seed: expected"),
        ({"callback": 3}, "callback: expected a function"),
        ({"budget": 0}, "budget must be"),
        ({"workers": 0}, "workers must be"),
        ({"bounds": None}, "n pairs"),
        ({"bounds": [(0, 1), (2, 1)]}, "variable 1"),
        ({"fun_or_problem": 3}, "a function or a Problem, got int"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_evaluated(arguments, complaint):
    def fun(_):
        pytest.fail("evaluated")

    with pytest.raises(sp.BadInput, match=complaint):
        sp.decompose(**{"fun_or_problem": fun, "bounds": [(0, 1)] * 3, **arguments})


def test_bounds_beside_a_problem_are_refused():
    with pytest.raises(sp.BadInput, match="own bounds"):
        sp.decompose(sp.problem("bms/f1", 200), [(0, 1)] * 200)


def test_a_method_of_ones_own_is_a_function():
    def all_alone(f, findings, rng, *, bold=True):
        with findings.stage("guess"):
            f(f.problem.lower[None])
            findings.additive += list(range(f.problem.dim)) if bold else []

    d = decomposed(lambda x: x.sum(), 3, method=all_alone)
    assert (d.additive, d.evaluations, d.method) == ((0, 1, 2), 1, "all_alone")
    assert not decomposed(lambda x: x.sum(), 3, method=all_alone, options={"bold": False}).complete


# --- the golden section search by itself ---


def search(fun, low, high, precision=1e-8):
    """One golden section search, and what it asked."""
    asked = []

    def along(which, x):
        asked.extend(x)
        return fun(x)

    (valley,) = gss(along, np.array([low]), np.array([high]), precision, step=1e-3)
    return valley, asked


@pytest.mark.parametrize("minimum", [-1.7, 0.0, 0.3, 2.9999])
def test_golden_section_finds_the_minimum_of_a_valley(minimum):
    valley, _ = search(lambda x: (x - minimum) ** 2, -2.0, 3.0)
    assert valley.x == pytest.approx(minimum, abs=1e-6)
    for seen in (valley.left, valley.right):
        assert (seen.value >= (valley.x - minimum) ** 2).all()


@pytest.mark.parametrize(("slope", "end"), [(1.0, -2.0), (-1.0, 3.0)])
def test_golden_section_of_a_slope_ends_at_the_bound(slope, end):
    valley, _ = search(lambda x: slope * x, -2.0, 3.0)
    assert valley.x == pytest.approx(end, abs=1e-7)
    assert not len((valley.left if slope > 0 else valley.right).x)


def test_golden_section_takes_41_evaluations_to_a_hundred_millionth():
    _, asked = search(lambda x: np.abs(x - 0.123), -2.0, 3.0)
    assert len(asked) == 41


def test_golden_section_of_a_symmetric_function_ends_in_the_middle():
    valley, asked = search(lambda x: x**2, -2.0, 2.0)
    assert valley.x == 0.0
    assert len(asked) == 5
    assert valley.left.x[-1] == -valley.right.x[-1] == -4e-3


@pytest.mark.parametrize(
    ("fun", "end"),
    [
        (lambda x: -(x**2), -2.0),
        (lambda x: (x**2 - 1.0) ** 2, -1.0),
        (lambda x: np.cos(3.0 * x), -np.pi / 3.0),
        (lambda x: np.where(np.abs(x) < 0.4, x, 1.0 + np.abs(x)), -0.4),
        (lambda x: np.where(np.abs(x) < 0.4, -x, 1.0 + np.abs(x)), 0.4),
    ],
)
def test_golden_section_that_starts_with_a_tie_on_a_hill_searches_the_lower_half(fun, end):
    valley, _ = search(fun, -2.0, 2.0)
    assert valley.x == pytest.approx(end, abs=1e-6)


def test_golden_section_of_a_plateau_ends_in_the_middle():
    assert search(np.zeros_like, -2.0, 3.0)[0].x == 0.5


def test_searches_side_by_side_are_those_one_by_one():
    low, high = np.array([-2.0, -1.0, -2.0, 0.0]), np.array([3.0, 1.0, 2.0, 9.0])
    curves = [lambda x: x**2 - x, lambda x: x**2, lambda x: -(x**2), np.floor]

    def along(which, x):
        return np.array([float(curves[k](at)) for k, at in zip(which, x, strict=True)])

    for k, valley in enumerate(gss(along, low, high, 1e-8, 1e-3)):
        alone, _ = search(curves[k], low[k], high[k])
        assert valley.x == alone.x
        np.testing.assert_array_equal(valley.left.x, alone.left.x)
        np.testing.assert_array_equal(valley.right.value, alone.right.value)
