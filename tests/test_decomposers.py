"""The decomposers beside CSG: what each must find, at which cost; and what holds for all of them."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separable as sp
from separable.decomposers import DECOMPOSERS
from separable.decomposers.batches import side_by_side
from structures import composition, exact, product, rename, renamed, whole_numbers

ADDITIVE = ["rdg", "rdg2", "rdg3", "erdg", "dg", "xdg", "gdg", "ddg", "mdg"]
INDIRECT = ["rdg", "rdg2", "rdg3", "erdg", "dg2", "xdg", "gdg", "mdg"]
SCALE_FREE = ["csg", "gsg", "csg-gsg", "rdg", "rdg2", "rdg3", "erdg", "mdg", "dg2", "gdg"]
ASKS_NOTHING = ["random", "one-group", "singletons", "truth", "partition"]
ASKS = [name for name in DECOMPOSERS if name not in ASKS_NOTHING]
OPTIONS = {"partition": {"groups": [[0, 1], [3, 2]]}}

seeds = st.integers(0, 10_000)
few = st.integers(0, 7)
groups = st.lists(st.integers(2, 5), max_size=3).map(tuple)


def decomposed(problem, method, **more):
    return sp.decompose(problem, method=method, **{"options": OPTIONS.get(method), **more})


def mixed(seed=3):
    return composition(seed, additive=3, multiplicative=2, composite=3, groups=(3, 2))


# --- what they must find ---


@pytest.mark.parametrize("method", ADDITIVE)
@settings(max_examples=25)
@given(seeds, few, groups)
def test_any_random_sum_is_found_by_every_additive_method(method, seed, separable, sizes):
    if separable + sum(sizes):
        problem = composition(seed, additive=separable, groups=sizes)
        assert exact(decomposed(problem, method), problem.truth)


@pytest.mark.parametrize("method", ["dg", *INDIRECT])  # for ddg, whole numbers are products too often
@settings(max_examples=25)
@given(seeds, few, groups)
def test_any_random_sum_without_rounding_is_found(method, seed, separable, sizes):
    if separable + sum(sizes):
        problem = whole_numbers(seed, separable=separable, groups=sizes)
        found = decomposed(problem, method)
        assert exact(found, problem.truth)
        assert found.additive == problem.truth.additive


@pytest.mark.parametrize("method", INDIRECT)
@settings(max_examples=25)
@given(seeds, few, st.lists(st.integers(2, 9), min_size=1, max_size=3).map(tuple))
def test_interactions_through_others_join_a_group(method, seed, separable, sizes):
    problem = whole_numbers(seed, separable=separable, groups=sizes, chain=True)
    assert exact(decomposed(problem, method), problem.truth)


def test_dg_leaves_apart_what_interacts_only_through_others():
    problem = whole_numbers(1, separable=0, groups=(3,), chain=True)
    assert not exact(decomposed(problem, "dg"), problem.truth)


def test_an_interaction_below_the_absolute_threshold_of_dg_and_xdg_is_none():
    def fun(x):
        return 1e-6 * x[0] * x[1]

    for method, seen in (("dg", False), ("xdg", False), ("rdg2", True), ("mdg", True), ("dg2", True)):
        assert (sp.decompose(fun, [(0, 1)] * 2, method=method).groups == ((0, 1),)) is seen


@settings(max_examples=40)
@given(seeds, few, groups)
def test_any_random_product_is_found_by_ddg(seed, single, sizes):
    if single + sum(sizes) > 1:
        problem = product(seed, single=single, groups=sizes)
        found = decomposed(problem, "ddg")
        assert exact(found, problem.truth)
        assert found.multiplicative == problem.truth.multiplicative


def test_ddg_takes_a_product_that_changes_sign_for_one_and_values_of_zero_for_none():
    assert sp.decompose(lambda x: x[0] * x[1], [(-1, 2)] * 2, method="ddg").multiplicative == (0, 1)
    assert sp.decompose(lambda x: x[0] * x[1], [(0, 2)] * 2, method="ddg").groups == ((0, 1),)


@settings(max_examples=25)
@given(seeds, few, few, few, groups)
def test_gsg_with_further_looks_finds_any_random_composition(seed, additive, multiplicative, composite, sizes):
    if additive + multiplicative + composite + sum(sizes):
        problem = composition(
            seed, additive=additive, multiplicative=multiplicative, composite=composite, groups=sizes
        )
        assert exact(decomposed(problem, "gsg", options={"looks": 2}), problem.truth)


@pytest.mark.parametrize("method", ["gsg", "csg-gsg"])
@settings(max_examples=25)
@given(seeds, few, few, few, groups)
def test_gsg_finds_everything_separable_and_joins_nothing_that_is_apart(
    method, seed, additive, multiplicative, composite, sizes
):
    if additive + multiplicative + composite + sum(sizes):
        problem = composition(
            seed, additive=additive, multiplicative=multiplicative, composite=composite, groups=sizes
        )
        found = decomposed(problem, method)
        assert set(found.separable) >= set(problem.truth.separable)
        assert all(any(set(group) <= set(true) for true in problem.truth.groups) for group in found.groups)


def test_csg_gsg_tells_the_kinds_of_separability_apart_and_gsg_does_not():
    problem = mixed()
    one, other = decomposed(problem, "csg-gsg"), decomposed(problem, "gsg")
    assert (one.additive, one.multiplicative) == (problem.truth.additive, problem.truth.multiplicative)
    assert other.composite == other.separable == problem.truth.separable


def test_rdg3_closes_a_group_that_has_grown_to_its_limit():
    problem = whole_numbers(2, separable=0, groups=(40,), chain=True)
    assert [len(group) for group in decomposed(problem, "rdg3").groups] == [40]
    cut = decomposed(problem, "rdg3", options={"full": 10})
    assert max(len(group) for group in cut.groups) < 40
    assert all(len(group) >= 10 for group in cut.groups[:1])


def test_rdg3_joins_separable_variables_in_chunks_if_asked_to():
    found = decomposed(whole_numbers(2, separable=25, groups=()), "rdg3", options={"chunk": 10})
    assert (found.separable, [len(group) for group in found.groups]) == ((), [10, 10, 5])


@pytest.mark.parametrize("method", ASKS)
@pytest.mark.parametrize("dim", [1, 2])
def test_one_or_two_variables_are_enough(method, dim):
    found = sp.decompose(lambda x: float((x**2).sum()), [(-1, 2)] * dim, method=method)
    assert found.separable == tuple(range(dim))
    assert found.complete


@pytest.mark.parametrize("method", ASKS)
@pytest.mark.parametrize("value", [0.0, -7.5])
def test_a_constant_function_is_separable(method, value):
    assert sp.decompose(lambda _: value, [(-1, 2)] * 5, method=method).separable == (0, 1, 2, 3, 4)


# --- symmetries ---


@pytest.mark.parametrize("method", ["csg", "gsg", "csg-gsg", "dg", *INDIRECT])
@settings(max_examples=10)
@given(seeds, st.data())
def test_renaming_the_variables_renames_the_answer(method, seed, data):
    problem = whole_numbers(seed, separable=3, groups=(4, 3))
    names = data.draw(st.permutations(range(problem.dim)))
    options = {"looks": 2} if method == "gsg" else None
    found = decomposed(problem, method, options=options)
    other = decomposed(renamed(problem, names), method, options=options)
    assert (other.separable, sorted(other.groups)) == rename(found, names)


@pytest.mark.parametrize("method", SCALE_FREE)
@pytest.mark.parametrize("factor", [2.0, 2.0**-30])
def test_scaling_f_by_a_power_of_two_changes_nothing(method, factor):
    problem = mixed()
    scaled = replace(problem, fun=lambda x: factor * problem.fun(x))
    assert decomposed(scaled, method) == decomposed(problem, method)


# --- what they cost ---


def bowl(dim):
    return sp.Problem("bowl", lambda x: (x**2).sum(axis=1), np.full(dim, -4.0), np.full(dim, 6.0), vectorized=True)


@pytest.mark.parametrize(
    ("method", "dim", "count"),
    [
        ("rdg2", 1000, 2998),
        ("rdg3", 1000, 2998),
        ("erdg", 1000, 2998),
        ("rdg", 1000, 2998 + 10),
        ("mdg", 1000, 2002),
        ("dg2", 1000, 500_501),
        ("ddg", 60, 1 + 60 + 30 * 59),
        ("gdg", 60, 1 + 2 * 60 + 30 * 59 + 10),
        ("dg", 60, 60 * 61),
        ("xdg", 60, 60 * 61),
        ("csg-gsg", 60, 122),
    ],
)
def test_a_fully_separable_function_costs_what_was_published(method, dim, count):
    found = decomposed(bowl(dim), method)
    assert found.additive == tuple(range(dim))
    assert found.evaluations == count


def test_where_all_interact_dg_asks_the_first_variable_only_and_xdg_two_more_for_every_other():
    problem = whole_numbers(5, separable=0, groups=(30,))
    assert decomposed(problem, "dg").evaluations == 2 * 30
    assert decomposed(problem, "xdg").evaluations == 4 * 30 - 2


def test_mdg_takes_one_evaluation_for_every_node_of_its_tree_if_there_is_one_group():
    problem = whole_numbers(5, separable=20, groups=(30,))
    assert decomposed(problem, "mdg").evaluations == 2 * 50 + 2 + 29


def test_gsg_takes_three_evaluations_a_variable_but_one_where_nothing_moves():
    found = decomposed(sp.problem("bms/f3", 200), "gsg")
    minima, grouping = found.stages
    assert (minima.name, grouping.name) == ("minima", "groups")
    assert minima.evaluations <= 36 * 200
    assert grouping.evaluations == 3 * 199


@settings(max_examples=20)
@given(seeds, few, groups)
def test_erdg_finds_what_rdg2_finds_and_asks_no_more(seed, separable, sizes):
    if separable + sum(sizes):
        problem = whole_numbers(seed, separable=separable, groups=sizes)
        saving, plain = decomposed(problem, "erdg"), decomposed(problem, "rdg2")
        assert exact(saving, plain)
        assert saving.evaluations <= plain.evaluations


@pytest.mark.parametrize(
    ("method", "k", "count", "slack", "nonseparable"),
    [
        ("rdg2", 1, 6610, 0.05, None),
        ("rdg2", 10, 20590, 0.05, 1.0),
        ("rdg2", 14, 11137, 0.1, 0.2),
        ("mdg", 1, 2501, 0, None),
        ("mdg", 2, 2501, 0, None),
        ("mdg", 5, 6178, 0.1, None),
        ("mdg", 12, 7086, 0.1, 1.0),
        ("gsg", 3, 38989, 0.05, None),
        ("gsg", 12, 44458, 0.05, 1.0),
    ],
)
def test_bms_costs_and_shows_what_the_paper_says(method, k, count, slack, nonseparable):
    problem = sp.problem(f"bms/f{k}")
    found = decomposed(problem, method)
    separable = 1.0 if method == "gsg" else len(problem.truth.additive) / len(problem.truth.separable)
    assert found.evaluations == pytest.approx(count, rel=slack)
    assert found.accuracy(problem.truth).separable == pytest.approx(separable, abs=0.005)
    assert found.accuracy(problem.truth).nonseparable == nonseparable


@pytest.mark.parametrize("k", range(10, 16))
def test_csgs_own_grouping_takes_fewer_evaluations_than_gsgs_after_the_same_stages(k):
    problem = sp.problem(f"bms/f{k}", 600)
    own, other = decomposed(problem, "csg"), decomposed(problem, "csg-gsg")
    assert own.stages[:4] == other.stages[:4]
    assert own.stages[4].evaluations < other.stages[4].evaluations


# --- baselines ---


def test_baselines_ask_nothing():
    problem = mixed()
    for method in ASKS_NOTHING:
        assert decomposed(problem, method).evaluations == 0


def test_random_groups_have_the_size_that_was_asked_for_and_come_from_the_seed():
    one, same, other = (decomposed(bowl(95), "random", options={"size": 20}, seed=seed) for seed in (1, 1, 2))
    assert sorted(len(group) for group in one.groups) == [15, 20, 20, 20, 20]
    assert one == same != other


def test_one_group_and_singletons_are_what_they_say():
    assert decomposed(bowl(4), "one-group").groups == ((0, 1, 2, 3),)
    assert decomposed(bowl(4), "singletons").separable == (0, 1, 2, 3)


def test_the_truth_is_that_of_the_problem():
    problem = sp.problem("bms/f12", 200)
    found = decomposed(problem, "truth")
    assert (found.additive, found.composite) == (problem.truth.additive, problem.truth.composite)
    assert found.accuracy(problem.truth) == (1.0, 1.0)


def test_a_given_partition_is_taken_and_what_it_leaves_out_is_separable():
    found = decomposed(bowl(6), "partition", options={"groups": [(4, 1), [2, 3]]})
    assert (found.groups, found.separable) == (((1, 4), (2, 3)), (0, 5))


@pytest.mark.parametrize(
    ("method", "options", "complaint"),
    [
        ("truth", {}, "nobody knows the structure of bowl"),
        ("partition", {}, "which groups"),
        ("partition", {"groups": 3}, "lists of variables, got 3"),
        ("partition", {"groups": [3]}, "lists of variables"),
        ("partition", {"groups": [[0, 1], [1, 2]]}, "more than once 1"),
        ("partition", {"groups": [[0, 9]]}, "not among them 9"),
        ("partition", {"groups": [[0, 1.5]]}, "whole variable numbers"),
        ("partition", {"groups": [[]]}, "empty group"),
        ("random", {"size": 0}, "size must be a whole number, 1 or more"),
        ("random", {"size": True}, "size must be"),
        ("rdg", {"alpha": 0.0}, "alpha must be a number above 0"),
        ("rdg", {"samples": 1.5}, "samples must be"),
        ("rdg3", {"full": 1}, "full must be"),
        ("rdg3", {"chunk": -1}, "chunk must be"),
        ("dg", {"epsilon": -1.0}, "epsilon must be a finite number above 0, got -1.0"),
        ("xdg", {"epsilon": "small"}, "epsilon must be"),
        ("dg", {"epsilon": float("nan")}, "epsilon must be"),
        ("gdg", {"alpha": 2.0}, "alpha must be"),
        ("mdg", {"theta": 0}, "theta must be"),
        ("gsg", {"precision": 0.5}, "precision must be"),
        ("gsg", {"looks": -1}, "looks must be"),
        ("gsg", {"abreast": 0}, "abreast must be"),
        ("csg-gsg", {"looks": None}, "looks must be"),
        ("rdg2", {"alpha": 1.0}, "unknown option of rdg2 'alpha'"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_is_evaluated(method, options, complaint):
    def fun(_):
        pytest.fail("evaluated")

    with pytest.raises(sp.BadInput, match=complaint):
        sp.decompose(replace(bowl(5), fun=fun), method=method, options=options)


# --- what holds for all ---


@pytest.mark.parametrize("method", DECOMPOSERS)
def test_a_seed_fixes_everything(method):
    assert decomposed(mixed(), method, seed=5) == decomposed(mixed(), method, seed=5)


@pytest.mark.parametrize("method", ASKS)
def test_no_point_lies_outside_the_box(method):
    problem = mixed()

    def fun(points):
        assert ((points >= problem.lower) & (points <= problem.upper)).all()
        return problem.fun(points)

    decomposed(replace(problem, fun=fun), method)


@pytest.mark.parametrize("method", ASKS)
@pytest.mark.parametrize("share", [0.01, 0.3, 0.7, 0.99])
def test_a_budget_is_spent_exactly_and_leaves_a_partition(method, share):
    problem = mixed()
    full = decomposed(problem, method)
    budget = max(1, int(share * full.evaluations))
    found = decomposed(problem, method, budget=budget)
    assert found.evaluations == budget
    assert not found.complete
    assert sum(stage.evaluations for stage in found.stages) == budget
    assert decomposed(problem, method, budget=full.evaluations) == full


@pytest.mark.parametrize("method", ASKS)
def test_a_callback_hears_of_the_progress_and_may_end_it(method):
    heard = []

    def callback(intermediate_result):
        heard.append(intermediate_result)
        if len(heard) == 3:
            raise StopIteration

    found = decomposed(mixed(), method, callback=callback)
    assert not found.finished
    assert all(0 <= at.done <= at.total for at in heard)


@pytest.mark.parametrize("method", ASKS)
def test_workers_and_one_by_one_functions_change_nothing(method):
    problem = whole_numbers(3, separable=5, groups=(3, 4))  # whose values do not depend on the batch
    alone = sp.Problem("alone", lambda x: float(problem.fun(x[None])[0]), problem.lower, problem.upper)
    assert decomposed(alone, method) == decomposed(problem, method)
    assert decomposed(problem, method, workers=map) == decomposed(problem, method)


@pytest.mark.parametrize("method", ASKS)
def test_a_value_that_is_not_finite_is_refused(method):
    with pytest.raises(sp.FunctionError, match="returned nan in evaluation"):
        sp.decompose(lambda _: float("nan"), [(0, 1)] * 4, method=method)


@pytest.mark.parametrize(("name", "method"), DECOMPOSERS.items())
def test_every_decomposer_says_what_it_is_and_explains_its_options(name, method):
    assert method.__doc__
    assert inspect.getmodule(method).__doc__
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            assert parameter.name in method.__doc__
            assert parameter.default is not parameter.empty


def test_searches_side_by_side_ask_together_and_none_waits_for_a_longer_one():
    asked = []

    def search(steps):
        total = 0.0
        for step in range(steps):
            answers = yield [step] * (step + 1)
            total += answers.sum()
        return total

    def ask(questions):
        asked.append(list(questions))
        return np.array(questions, dtype=float)

    assert side_by_side([search(2), search(0), search(3)], ask) == [2.0, 0, 8.0]
    assert asked == [[0, 0], [1, 1, 1, 1], [2, 2, 2]]
