"""The suites: the optimum is one, restriction is the function; the structure of BMS and BNS is true."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import separable as sp
from separable.suites import SUITES, terms

NAMES = [f"{suite}/f{k}" for suite in ("bms", "bns") for k in SUITES[suite].functions]
LSGO = [f"{suite}/f{k}" for suite in ("cec2010", "cec2013-like") for k in SUITES[suite].functions]
PAPER_OPTIMA = {1: 1, 2: 100, 3: 0, 4: 0, 5: 1, 6: 1, **dict.fromkeys(range(7, 14), 100), 14: 1, 15: 100}


def smallest(name, instance=0):
    """The problem with 200 variables, or as many as it has."""
    return sp.problem(name, None if name.startswith("cec2010") else 200, instance)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dim", [200, 1000])
def test_the_optimum_is_taken_where_it_is_said_to_be(name, dim):
    p = sp.problem(name, dim)
    assert p(p.minimizer) == pytest.approx(p.optimum, abs=1e-9)
    assert ((p.lower < p.minimizer) & (p.minimizer < p.upper)).all()


@pytest.mark.parametrize("name", NAMES + [name for name in LSGO if name != "cec2013-like/f14"])
def test_no_better_value_is_found_at_random_or_along_a_coordinate(name):
    p = smallest(name)
    rng = np.random.default_rng(7)
    assert p(rng.uniform(p.lower, p.upper, (2_000, p.dim))).min() > p.optimum
    near = p.minimizer + rng.normal(0.0, 0.01, (1_000, p.dim))
    assert p(near).min() > p.optimum
    steps = np.concatenate([np.linspace(-1, 1, 41), [-1e-2, -1e-4, 1e-4, 1e-2]])
    for i in range(0, p.dim, p.dim // 200):
        line = np.repeat(p.minimizer[None], len(steps), axis=0)
        line[:, i] = np.where(np.abs(steps) < 0.02, p.minimizer[i] + steps, p.upper[i] * steps)
        assert p(line).min() >= p.optimum - 1e-9


@pytest.mark.parametrize("k", range(1, 16))
def test_the_optima_of_bms_are_those_that_the_paper_prints(k):
    assert sp.problem(f"bms/f{k}", 1000).optimum == PAPER_OPTIMA[k]


@pytest.mark.parametrize(
    ("k", "shares"),
    {
        1: (1 / 2, 1 / 2, 0),
        2: (1 / 2, 1 / 2, 0),
        3: (1 / 2, 0, 1 / 2),
        4: (1 / 2, 0, 1 / 2),
        5: (0, 1 / 2, 1 / 2),
        6: (0, 1 / 2, 1 / 2),
        7: (2 / 5, 3 / 10, 3 / 10),
        8: (3 / 10, 2 / 5, 3 / 10),
        9: (3 / 10, 3 / 10, 2 / 5),
        **dict.fromkeys(range(10, 16), (1 / 4, 1 / 4, 1 / 4)),
    }.items(),
)
@pytest.mark.parametrize("dim", [200, 1000, 5000])
def test_the_slices_of_bms_are_the_papers(k, shares, dim):
    truth = sp.problem(f"bms/f{k}", dim).truth
    counts = tuple(len(part) for part in (truth.additive, truth.multiplicative, truth.composite))
    assert counts == tuple(round(share * dim) for share in shares)
    sizes = [] if k < 10 else [dim // 4] if k in (10, 11) else [50] * (dim // 200)
    assert [len(group) for group in truth.groups] == sizes


def differences(p, i, j):
    """f(a, b) - f(a', b) - f(a, b') + f(a', b') for random a, b of variables i, j, against the size of f."""
    rng = np.random.default_rng(i + j)
    base = rng.uniform(p.lower, p.upper)
    points = np.repeat(base[None], 4, axis=0)
    points[[1, 3], i] = rng.uniform(-5, 5)
    points[[2, 3], j] = rng.uniform(-5, 5)
    values = p(points)
    return abs(values[0] - values[1] - values[2] + values[3]) / np.abs(values).max()


@pytest.mark.parametrize("name", NAMES)
def test_variables_interact_as_the_truth_says(name):
    p = sp.problem(name, 200)
    truth = p.truth
    for i in truth.additive[:3]:
        assert all(differences(p, i, j) < 1e-13 for j in range(200) if j != i)
    chosen = [group[:2] for group in truth.groups] + [truth.multiplicative[:2], truth.composite[:2]]
    assert all(differences(p, *pair) > 1e-13 for pair in chosen if len(pair) == 2)


@pytest.mark.parametrize("name", [name for name in NAMES if sp.problem(name, 200).truth.separable])
def test_the_order_of_a_separable_variables_values_is_the_same_everywhere(name):
    """The definition itself: f(u, rest) < f(v, rest) does not depend on the rest."""
    p = sp.problem(name, 200)
    rng = np.random.default_rng(0)
    for i in p.truth.separable[::7]:
        pairs = np.empty((20, 2, 200))
        pairs[:] = rng.uniform(p.lower, p.upper, (20, 1, 200))
        pairs[:, 0, i], pairs[:, 1, i] = rng.uniform(-5, 5, 2)
        values = p(pairs.reshape(-1, 200)).reshape(20, 2)
        signs = np.sign(values[:, 0] - values[:, 1])
        assert abs(signs.sum()) == 20


@settings(max_examples=80)
@given(name=st.sampled_from(NAMES + LSGO), data=st.data())
def test_a_restriction_is_the_full_function_to_rounding(name, data):
    p = smallest(name, 0 if name.startswith("cec2010") else data.draw(st.integers(0, 3)))
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    kind = data.draw(st.sampled_from(["random", "group", "separable", "shuffled group", "all"]))
    if kind == "all":
        group = np.arange(p.dim)
    elif kind == "separable" and p.truth.separable:
        group = np.array(p.truth.separable)
    elif kind.endswith("group") and p.truth.groups:
        group = np.array(data.draw(st.sampled_from(p.windows or p.truth.groups)))
        if kind == "shuffled group":
            group = rng.permutation(group)
    else:
        group = rng.permutation(p.dim)[: data.draw(st.integers(1, 60))]
    context = rng.uniform(p.lower, p.upper)
    points = rng.uniform(p.lower[group], p.upper[group], (data.draw(st.integers(1, 70)), len(group)))
    part = p.restrict(context, group)
    np.testing.assert_allclose(part(points), p(part.whole(points)), rtol=1e-12)


def test_rastrigin_is_what_its_formula_says_and_exact_where_it_is_least():
    z = np.concatenate([np.random.default_rng(0).uniform(-6.0, 6.0, 10_000), np.arange(-6.0, 6.5, 0.5)])
    formula = z**2 - 10.0 * np.cos(2.0 * np.pi * z) + 10.0
    value = terms.rastrigin(z[:, None, None], np.arange(1))[:, 0]
    np.testing.assert_allclose(value, formula, rtol=1e-14, atol=2e-14)
    near = np.array([0.0, 1e-3, 1e-9, 1e-150])
    exactly = near**2 + 20.0 * np.sin(np.pi * near) ** 2
    np.testing.assert_allclose(terms.rastrigin(near[:, None, None], np.arange(1))[:, 0], exactly, rtol=1e-15)


@pytest.mark.parametrize("name", NAMES + LSGO)
def test_a_value_does_not_depend_on_the_batch_it_came_in(name):
    p = smallest(name)
    rng = np.random.default_rng(1)
    points = rng.uniform(p.lower, p.upper, (90, p.dim))
    expected = p(points)
    for size in (1, 2, 3, 8, 33, 64, 65):
        start = int(rng.integers(0, 91 - size))
        np.testing.assert_array_equal(p(points[start : start + size]), expected[start : start + size])


@pytest.mark.parametrize("name", NAMES + LSGO)
def test_a_problem_can_be_sent_to_another_process(name):
    p = smallest(name)
    x = np.random.default_rng(0).uniform(p.lower, p.upper, (3, p.dim))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(p))(x), p(x))


def test_the_same_instance_is_the_same_function_and_another_is_not():
    x = np.zeros(200)
    assert sp.problem("bms/f14", 200, 3)(x) == sp.problem("bms/f14", 200, 3)(x)
    values = {sp.problem("bms/f14", 200, instance)(x) for instance in range(5)}
    assert len(values) == 5


# values at the centre of the box, so that no change of a suite goes unnoticed; instance 0
RECORDED = {
    "bms/f1": 7442.718193832807,
    "bms/f2": 3176.4937261450054,
    "bms/f3": 7481.893081600059,
    "bms/f4": 2904.031334929941,
    "bms/f5": 73.88382240412547,
    "bms/f6": 65.33878372381541,
    "bms/f7": 6510.527250250827,
    "bms/f8": 118847597.80873922,
    "bms/f9": 3145.4220073959905,
    "bms/f10": 1449272.539770019,
    "bms/f11": 34715.10786429436,
    "bms/f12": 8153.90603359464,
    "bms/f13": 34967.146569056385,
    "bms/f14": 1440.1408512617907,
    "bms/f15": 4275.624129193452,
    "bns/f1": 440.9913142734775,
    "bns/f2": 1304.2761989520552,
    "bns/f3": 75.87182180809806,
    "bns/f4": 74.28697490187915,
    "bns/f5": 8078.666259377757,
    "bns/f6": 94226.1172881307,
    "bns/f7": 7424.064904608795,
    "bns/f8": 45685.86484987499,
    "bns/f9": 311271.8361900839,
    "bns/f10": 76846.57095816944,
    "bns/f11": 119.78874905251072,
    "bns/f12": 122.44598451540548,
    "cec2013-like/f1": 145666186964.64526,
    "cec2013-like/f2": 35209.8575618143,
    "cec2013-like/f3": 21.762552542905198,
    "cec2013-like/f4": 2015481292053582.2,
    "cec2013-like/f5": 7895277.729019078,
    "cec2013-like/f6": 913.2245964872668,
    "cec2013-like/f7": 179526896761918.4,
    "cec2013-like/f8": 2196453378968742.5,
    "cec2013-like/f9": 141822106.1328619,
    "cec2013-like/f10": 9060460136.735306,
    "cec2013-like/f11": 2.061820572337658e18,
    "cec2013-like/f12": 819224087654.6482,
    "cec2013-like/f13": 1.2231739740934803e22,
    "cec2013-like/f14": 6.498186755053539e19,
    "cec2013-like/f15": 375908367805935.25,
}


@pytest.mark.parametrize(("name", "value"), RECORDED.items())
def test_no_function_of_a_suite_has_changed(name, value):
    p = sp.problem(name)
    assert p(np.zeros(p.dim)) == pytest.approx(value, rel=1e-11 if name.startswith("cec") else 1e-12)


@pytest.mark.parametrize(
    ("name", "dim", "instance", "complaint"),
    [
        ("bms/f1", 77, 0, "multiple of 200, got 77"),
        ("bms/f1", 0, 0, "multiple of 200, got 0"),
        ("bms/f1", -200, 0, "multiple of 200"),
        ("bns/f1", 50, 0, "multiple of 100"),
        ("bms/f1", "many", 0, "dim: expected a whole number"),
        ("bms/f0", None, 0, "f1 to f15"),
        ("bms/f16", None, 0, "f1 to f15"),
        ("bmz/f1", None, 0, "did you mean 'bms'"),
        ("bms", None, 0, "suite/f<number>"),
        (3, None, 0, "suite/f<number>"),
        ("bms/f1", None, -1, "instance must be 0 or more"),
        ("bms/f1", None, 0.5, "instance: expected a whole number"),
    ],
)
def test_a_problem_that_there_is_not_is_refused(name, dim, instance, complaint):
    with pytest.raises(sp.BadInput, match=complaint):
        sp.problem(name, dim, instance)
