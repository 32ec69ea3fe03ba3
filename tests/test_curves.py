"""CURVES: what lies on a curve, what is found, what is certain, and what noise does to it."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separable as sp
from separable.decomposers.curves import blocks, doubt, fit, groups, noise
from separable.decomposers.curves.effects import Pair, are_additive, is_additive
from separable.decomposers.findings import Findings
from separable.decomposition import Block
from separable.evaluator import Evaluator
from structures import HIDING, blocks_and_groups, composition, exact, symmetric

sizes = st.integers(0, 8)
some_groups = st.lists(st.integers(2, 6), max_size=3).map(tuple)


def found_in(problem, **more):
    return sp.decompose(problem, method="curves", **more)


def wrong_and_certain(found, truth):
    """The variables that are called certain, and are not where they belong."""
    separable = set(truth.separable)
    return [i for i in found.certain if (i in separable) != (i in set(found.separable))]


def problem_of(fun, dim, low=-5.0, high=5.0, name="function"):
    return sp.Problem(name, fun, np.full(dim, low), np.full(dim, high), vectorized=True)


def chain(x):
    return (100.0 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1.0 - x[:, :-1]) ** 2).sum(axis=1)


def ackley(x):
    return -20.0 * np.exp(-0.2 * np.sqrt((x * x).mean(axis=1))) - np.exp(np.cos(2.0 * np.pi * x).mean(axis=1))


def schwefel(x):
    return (np.cumsum(x.reshape(len(x), -1, 50), axis=2) ** 2).sum(axis=(1, 2))


# --- the theorem: separable in a block of any monotone H, so on one curve, for any step ---


@given(st.integers(0, 1000), st.sampled_from(["exp", "log", "sqrt", "cube"]), st.floats(0.01, 1.0))
def test_the_effects_of_a_block_lie_on_the_curve_that_its_outer_function_makes(seed, name, step):
    outer, inverse = {
        "exp": (np.exp, np.log),
        "log": (np.log, np.exp),
        "sqrt": (np.sqrt, np.square),
        "cube": (lambda s: s**3, np.cbrt),
    }[name]
    rng = np.random.default_rng(seed)
    a = rng.uniform(1.0, 2.0, 6)
    b = a * (1.0 + step * rng.uniform(-0.5, 0.5, 6))
    sum_a, sum_b = np.log(a).sum() + 9.0, np.log(b).sum() + 9.0
    t = np.log(b / a)
    d, dd = outer(sum_a + t) - outer(sum_a), outer(sum_b) - outer(sum_b - t)
    phi = outer(sum_b) - outer(sum_b - (inverse(outer(sum_a) + d) - sum_a))
    np.testing.assert_allclose(dd, phi, rtol=1e-9, atol=1e-9)


# --- noise ---


@pytest.mark.parametrize("level", [1e-14, 1e-12, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("k", [1, 5, 8, 10, 14])
def test_a_noisy_function_gets_a_warning_with_its_level_and_no_wrong_certainty(level, k):
    clean = sp.problem(f"bms/f{k}", 200, instance=30)
    rng = np.random.default_rng(k)

    def fun(x):
        return clean.fun(x) * (1.0 + level * rng.standard_normal(len(x)))

    noisy = sp.Problem("noisy", fun, clean.lower, clean.upper, vectorized=True)
    with pytest.warns(sp.NoisyFunction, match=r"the function is noisy, by about [\d.e-]+ of its value") as caught:
        found = found_in(noisy)
    told = float(str(caught[0].message).split("about ")[1].split(" of")[0])
    assert level / 3.0 < told < 3.0 * level
    assert found.noise > 0.0
    assert wrong_and_certain(found, clean.truth) == []


@pytest.mark.parametrize("k", range(1, 16))
def test_rounding_is_not_called_noise(k):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found_in(sp.problem(f"bms/f{k}", 200, instance=31), budget=300)


@pytest.mark.parametrize("fun", [np.zeros_like, np.ones_like, lambda x: 1e300 * x, lambda x: 1e-300 * x])
def test_the_noise_of_smooth_values_is_their_rounding(fun):
    values = fun(np.linspace(1.0, 1.0 + 1e-9, 7))
    assert noise.sigma_of(values) <= 2.0 * np.spacing(np.abs(values).max())


# --- curves through clouds ---


def cloud(seed, members, others, curve):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, members + others)
    y = np.concatenate([curve(x[:members]), rng.uniform(0.0, 2.0, others)])
    s = np.full(len(x), 1e-10)
    return x, y + s * rng.standard_normal(len(x)), s, rng


@settings(max_examples=40)
@given(
    st.integers(0, 10_000),
    st.integers(20, 60),
    st.integers(0, 60),
    st.sampled_from(
        [lambda x: 1.0 / (1.0 + 0.3 * x), lambda x: 1.0 + 0.1 * np.exp(0.2 * x), lambda x: np.sqrt(1.0 + 0.1 * x)]
    ),
)
def test_a_curve_is_found_among_as_many_other_points(seed, members, others, curve):
    others = min(others, members)
    x, y, s, rng = cloud(seed, members, others, curve)
    found = fit.find(x, y, s, 8.0, rng)
    assert found is not None
    on = found[1]
    assert on[:members].sum() >= members - 3
    assert on[members:].sum() == 0


@settings(max_examples=100)
@given(st.integers(0, 10_000), st.integers(0, 60), st.sampled_from(["flat", "normal", "cauchy", "two heaps"]))
def test_no_curve_is_found_where_there_is_none(seed, count, kind):
    rng = np.random.default_rng(seed)
    x = rng.standard_cauchy(count)
    y = {
        "flat": rng.uniform(0.0, 1.0, count),
        "normal": rng.standard_normal(count),
        "cauchy": rng.standard_cauchy(count),
        "two heaps": np.where(rng.random(count) < 0.5, 1.0, 2.0) + 0.01 * rng.standard_normal(count),
    }[kind]
    assert fit.find(x, y, np.full(count, 1e-9), 8.0, rng) is None


def test_a_point_far_out_does_not_drag_the_curve_to_itself():
    x, y, s, rng = cloud(3, 40, 0, lambda x: 1.0 / (1.0 + 0.3 * x))
    x, y, s = np.append(x, 1e4), np.append(y, 5.0), np.append(s, 1e-10)
    _, on = fit.find(x, y, s, 8.0, rng)
    assert on[:40].all()
    assert not on[40]


def test_two_curves_that_cross_are_told_apart():
    x, y, s, rng = cloud(
        4, 80, 0, lambda x: np.where(np.arange(80) < 40, 1.0 + 0.2 * x, 1.0 - 0.2 * x + 0.1 * x**2)
    )
    _, first = fit.find(x, y, s, 8.0, rng)
    _, second = fit.find(x[~first], y[~first], s[~first], 8.0, rng)
    assert abs(int(first.sum()) - 40) <= 1
    assert second.sum() >= 39


# --- the whole method ---


@settings(max_examples=40)
@given(st.integers(0, 10_000), sizes, sizes, sizes, some_groups)
def test_a_small_random_composition_is_found_as_far_as_anything_is_certain(
    seed, additive, multiplicative, composite, of_groups
):
    if additive + multiplicative + composite + sum(of_groups) == 0:
        return
    problem = composition(
        seed, additive=additive, multiplicative=multiplicative, composite=composite, groups=of_groups
    )
    assert wrong_and_certain(found_in(problem), problem.truth) == []


def test_random_compositions_are_found_and_nothing_certain_is_wrong():
    missed = []
    for seed in range(20):
        problem = blocks_and_groups(seed)
        found = found_in(problem, seed=seed)
        assert wrong_and_certain(found, problem.truth) == []
        missed += [] if exact(found, problem.truth) else [seed]
    assert len(missed) <= 1


@pytest.mark.slow
def test_of_300_random_compositions_98_in_100_are_found_and_nothing_certain_is_wrong():
    missed = []
    for seed in range(10_000, 10_300):
        problem = blocks_and_groups(seed)
        found = found_in(problem, seed=seed)
        assert wrong_and_certain(found, problem.truth) == [], seed
        missed += [] if exact(found, problem.truth) else [seed]
    assert len(missed) <= 6, missed


@pytest.mark.parametrize("k", range(1, 16))
def test_bms_is_decomposed_exactly_for_a_tenth_of_the_price(k):
    problem = sp.problem(f"bms/f{k}", 1000, instance=33)
    found = found_in(problem)
    assert exact(found, problem.truth)
    assert found.evaluations < (2_100 if k < 10 else 3_700)
    assert wrong_and_certain(found, problem.truth) == []
    assert set(found.certain) >= set(problem.truth.separable)


@pytest.mark.parametrize("k", range(1, 16))
@pytest.mark.parametrize("options", [{"z": 5.0}, {"z": 20.0}, {"step": 0.02}, {"step": 0.2}])
def test_the_answer_does_not_depend_on_the_constants(k, options):
    problem = sp.problem(f"bms/f{k}", 400, instance=34)
    assert exact(found_in(problem, options=options), problem.truth)


@pytest.mark.parametrize("k", range(1, 13))
def test_bns_is_decomposed_exactly(k):
    problem = sp.problem(f"bns/f{k}", 200)
    found = found_in(problem)
    assert exact(found, problem.truth)
    assert wrong_and_certain(found, problem.truth) == []


@pytest.mark.parametrize(
    ("fun", "most", "of_groups"),
    [
        (lambda x: (x**2 - 10.0 * np.cos(6.0 * x)).sum(axis=1), 50, 0),
        (lambda x: ackley(x - 0.3), 3_500, 0),
        (lambda x: chain(x - 0.3), 7_000, 1),
        (schwefel, 4_500, 20),
    ],
    ids=["additive", "ackley", "chain", "schwefel"],
)
def test_what_a_thousand_variables_of_one_kind_may_cost(fun, most, of_groups):
    found = found_in(problem_of(fun, 1000))
    assert found.evaluations <= most
    assert len(found.groups) == of_groups
    assert sum(map(len, found.groups)) in (0, 1000)


def test_the_kinds_of_blocks_and_their_curves_are_handed_over():
    problem = sp.problem("bms/f12", 1000, instance=30)
    found = found_in(problem)
    assert sorted((block.kind, len(block.members)) for block in found.blocks) == [
        ("additive", 250),
        ("composite", 250),
        ("multiplicative", 250),
    ]
    for block in found.blocks:
        d, dd = np.array(found.effects)[list(block.members)].T
        np.testing.assert_allclose(block.curve(d), dd, atol=1e-9)
    assert sp.Decomposition.from_dict(json.loads(json.dumps(found.to_dict()))).blocks == found.blocks


def test_the_picture_of_the_curves_is_drawn(tmp_path):
    found_in(sp.problem("bms/f12", 200)).plot_curves(tmp_path / "c.png")
    assert (tmp_path / "c.png").stat().st_size > 10_000


def test_there_is_no_picture_of_curves_without_effects():
    with pytest.raises(sp.BadInput, match="has no effects"):
        sp.problem("bms/f1", 200).truth.plot_curves()


def test_a_block_without_members_that_move_can_be_drawn():
    d = sp.Decomposition(2, additive=[0, 1], blocks=(Block((0, 1), "additive"),), effects=[(0.0, 0.0)] * 2)
    assert d.plot_curves().get_suptitle()


# --- what might trip it ---


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("fun", [lambda x: 4.0, lambda x: 0.0, lambda x: x.sum(), lambda x: -(x @ x)])
def test_constant_linear_and_square_functions_are_additive_from_one_variable_on(fun, dim):
    assert sp.decompose(fun, [(-2, 3)] * dim, method="curves").additive == tuple(range(dim))


def test_an_outer_function_that_turns_makes_a_group():
    """All lie on one curve, but where the best value of one is depends on the others."""
    found = found_in(problem_of(lambda x: (x[:, :40].sum(axis=1) - 3.0) ** 2 + (x[:, 40:] ** 4).sum(axis=1), 60))
    assert found.groups == (tuple(range(40)),)
    assert found.additive == tuple(range(40, 60))


def test_what_is_additive_near_by_only_is_seen_far_away():
    found = found_in(problem_of(lambda x: np.abs(x[:, :2].sum(axis=1) - 4.0) + np.abs(x).sum(axis=1), 8))
    assert found.groups == ((0, 1),)


def test_a_product_that_changes_sign_is_no_separable_block():
    found = found_in(problem_of(lambda x: np.prod(x, axis=1), 20, -2.0, 3.0))
    assert found.separable == ()


@pytest.mark.parametrize("name", sorted(set(HIDING) - {"absolute"}))
def test_a_group_that_hides_on_a_symmetric_box_is_seen(name):
    weights = np.linspace(0.5, 1.5, 5)
    found = found_in(problem_of(lambda x: HIDING[name](x, weights), 5, -3.0, 3.0))
    assert not set(found.separable) & set(found.certain)


@pytest.mark.slow
def test_on_symmetric_boxes_nearly_all_random_functions_are_found():
    problems = [symmetric(seed) for seed in range(2_000, 2_300)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.NoisyFunction)
        missed = [p.name for p in problems if not exact(found_in(p), p.truth)]
    assert len(missed) <= 15, missed


def test_plateaus_are_no_error():
    found = found_in(
        problem_of(lambda x: np.floor(x).sum(axis=1) + np.sqrt(np.floor(x[:, :4] ** 2).sum(axis=1)), 9)
    )
    assert found.complete


def test_a_needle_on_a_flat_plain_is_decided_without_an_error():
    assert found_in(problem_of(lambda x: (np.abs(x) < 0.01).all(axis=1).astype(float), 5)).complete


@pytest.mark.parametrize("low", [-1e9, 1e6])
def test_a_box_far_from_zero_is_no_trouble(low):
    found = found_in(problem_of(lambda x: np.sqrt(1.0 + ((x - low) ** 2).sum(axis=1)), 30, low, low + 1.0))
    assert len(found.composite) == 30


def test_variables_without_any_effect_are_additive():
    found = found_in(problem_of(lambda x: np.sqrt(1.0 + (x[:, :20] ** 2).sum(axis=1)), 25))
    assert set(found.additive) >= set(range(20, 25))
    assert found.groups == ()


@settings(max_examples=20)
@given(st.integers(0, 99), st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_no_point_lies_outside_the_box_wherever_it_is(seed, low, width):
    high = low + width
    inner = composition(seed, additive=2, multiplicative=5, composite=2, groups=(2,))

    def fun(points):
        assert (points >= low).all()
        assert (points <= high).all()
        return inner.fun(inner.lower + (points - low) / (high - low) * (inner.upper - inner.lower))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.NoisyFunction)  # such a box leaves few digits
        sp.decompose(fun, [(low, high)] * inner.dim, vectorized=True, method="curves")


@settings(max_examples=30)
@given(st.integers(1, 700))
def test_a_budget_is_spent_exactly(budget):
    problem = composition(3, additive=3, multiplicative=6, composite=6, groups=(3, 2))
    full = found_in(problem)
    found = found_in(problem, budget=budget)
    assert found.evaluations == min(budget, full.evaluations)
    assert found.complete == (budget >= full.evaluations)
    assert set(found.certain).isdisjoint(found.undecided)


def test_without_anything_to_spend_on_doubt_nothing_is_asked_again():
    problem = sp.problem("bms/f13", 400, instance=30)
    frugal, usual = found_in(problem, options={"spend": 0}), found_in(problem)
    assert frugal.evaluations < usual.evaluations
    assert [stage.evaluations for stage in frugal.stages if stage.name == "doubt"] == [0]
    assert len(frugal.certain) < len(usual.certain)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"step": 0.0}, "curves: step must be"),
        ({"step": 0.5}, "curves: step must be"),
        ({"z": "8"}, "curves: z must be"),
        ({"z": -1.0}, "curves: z must be"),
        ({"spend": -1}, "curves: spend must be"),
        ({"spend": 1.5}, "curves: spend must be"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, complaint):
    with pytest.raises(sp.BadInput, match=complaint):
        sp.decompose(lambda x: x.sum(), [(0, 1)] * 3, method="curves", options=options)


# --- the parts, each by itself ---


def pair_of(fun, dim, seed=0, sigma=1e-14):
    problem = problem_of(fun, dim)
    rng = np.random.default_rng(seed)
    a = rng.uniform(-3.0, 3.0, dim)
    b = a + rng.uniform(0.2, 0.5, dim)
    f = Evaluator(problem)
    f_a, f_b = f(np.stack([a, b])).tolist()
    pair = Pair(f, a, b, f_a, f_b, sigma * max(abs(f_a), abs(f_b)), 8.0)
    d, dd = np.empty(dim), np.empty(dim)
    for chunk, there, back in pair.both(np.arange(dim)):
        d[chunk], dd[chunk] = there, back
    return pair, d, dd, rng


def test_additive_variables_have_equal_effects_and_others_have_not():
    pair, d, dd, _ = pair_of(lambda x: (x[:, :3] ** 2).sum(axis=1) + x[:, 3] * x[:, 4], 5)
    assert is_additive(pair, d, dd).tolist() == [True] * 3 + [False] * 2


def test_an_interaction_of_two_among_many_is_seen_by_splitting():
    f = Evaluator(problem_of(lambda x: (x**2).sum(axis=1) + 1e-3 * x[:, 3] * x[:, 17], 50))
    start = np.full(50, 0.5)
    value = float(f(start[None])[0])
    rng = np.random.default_rng(0)
    assert not are_additive(f, start, value, np.arange(50), 6, 1e-9, rng)
    assert are_additive(f, start, value, np.arange(10), 6, 1e-9, rng)


@pytest.mark.parametrize("count", [2, 3, 9])
def test_chains_and_dense_groups_are_told_apart(count):
    def fun(x):
        return sum(chain(x[:, 10 * k : 10 * k + 10]) for k in range(count)) + schwefel(x[:, 10 * count :])

    pair, d, dd, rng = pair_of(fun, 10 * count + 50)
    found = groups.find(pair, np.arange(len(d)), d, dd, rng)
    expected = [range(10 * k, 10 * k + 10) for k in range(count)] + [range(10 * count, 10 * count + 50)]
    assert sorted(sorted(group.members.tolist()) for group in found) == [list(one) for one in expected]


def test_groups_under_one_outer_function_are_told_apart():
    pair, d, dd, rng = pair_of(
        lambda x: np.log1p(sum(chain(x[:, 8 * k : 8 * k + 8]) for k in range(1, 5)) ** 0.5), 40
    )
    moving = np.arange(8, 40)
    found = groups.find(pair, moving, d, dd, rng)
    together = [set(group.members.tolist()) for group in found]
    assert set().union(*together) == set(moving.tolist())
    assert all(len({i // 8 for i in group}) == 1 for group in together)


def test_chance_is_the_share_of_what_lies_as_near():
    distances = np.arange(1.0, 1001.0)
    assert blocks.chance(distances, np.array([100.0])) == pytest.approx(0.1)
    assert blocks.chance(distances, np.array([1e-9])) == pytest.approx(1e-12)
    assert blocks.chance(np.empty(0), np.array([1.0])) == 0.0


def test_a_value_that_changes_places_with_another_is_proof():
    pair, *_ = pair_of(lambda x: (x[:, 0] - x[:, 1]) ** 2 + x[:, 2] ** 2, 3)
    proved = doubt.reordered(pair, np.arange(3), np.random.default_rng(0))
    assert proved.tolist() == [True, True, False]


def test_minima_that_move_are_seen_by_csgs_tests():
    problem = problem_of(lambda x: (x[:, 0] - x[:, 1]) ** 2 + x[:, 2] ** 2 + np.exp(x[:, 3]), 4)
    f = Evaluator(problem)
    assert doubt.moved(f, Findings(f), np.arange(4), np.random.default_rng(0)).tolist() == [
        True,
        True,
        False,
        False,
    ]


def test_single_precision_is_called_noise():
    def fun(x):
        z = x.astype(np.float32)
        return ((z**2).sum(axis=1) + z[:, 0] * z[:, 1]).astype(float)

    with pytest.warns(sp.NoisyFunction, match="compute in double precision"):
        assert found_in(problem_of(fun, 40)).noise > 0.0


@pytest.mark.parametrize("factor", [-1.0, 2.0**40, 1e200, 1e-200])
def test_the_scale_of_f_does_not_matter(factor):
    problem = blocks_and_groups(2)
    scaled = problem_of(lambda x: factor * problem.fun(x), problem.dim)
    assert exact(found_in(scaled), found_in(problem))


def test_a_factor_outside_of_a_block_that_changes_sign_is_seen():
    found = found_in(problem_of(lambda x: np.tan(x[:, 1:] / 4.0).sum(axis=1) * x[:, 0], 40))
    assert not set(found.separable) & set(found.certain)


def test_variables_whose_effect_is_sometimes_exactly_zero_are_no_curve():
    found = found_in(problem_of(lambda x: np.abs(x).max(axis=1), 40))
    assert not set(found.separable) & set(found.certain)


def test_a_cloud_that_reaches_far_beyond_a_curve_does_not_hide_it():
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.uniform(-0.03, 0.03, 200), 30.0 * rng.standard_cauchy(200)])
    y = np.concatenate([1.0 / (1.0 + 0.3 * x[:200]), 1.0 + 10.0 * rng.standard_cauchy(200)])
    s = 1e-11 / np.abs(x)
    _, on = fit.find(x, y, s, 8.0, rng)
    assert on[:200].sum() >= 195
    assert on[200:].sum() == 0
