"""Problems, their boxes, and their restriction to a group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds

import separable as sp
from separable.errors import FunctionError
from separable.problems import box_from_bounds


def bowl(x):
    return float(x @ x)


def problem(fun=bowl, dim=3, **more):
    return sp.Problem("bowl", fun, [-1.0] * dim, [2.0] * dim, **more)


def test_a_point_gives_a_number_and_points_give_values():
    p = problem()
    assert isinstance(p([1, 1, 0]), float)
    np.testing.assert_array_equal(p([[1, 1, 0], [0, 0, 2]]), [2.0, 4.0])


def test_the_box_may_be_pairs_or_scipys_bounds():
    for bounds in ([(0, 1), (-2, 2)], np.array([[0, 1], [-2, 2]]), Bounds([0, -2], [1, 2])):
        lower, upper = box_from_bounds(bounds)
        assert lower.tolist() == [0, -2]
        assert upper.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("bounds", "complaint"),
    [
        ([(0, 1, 2)] * 3, r"shape \(3, 3\)"),
        ((0, 1), r"\[\(lower, upper\)\] \* n"),
        ([], "pairs"),
        ("abc", "got 'abc'"),
        (None, "pairs"),
        ([(0, 1), (1, 1), (2, 1)], "variables 1, 2 "),
        ([(0, 1), (0, np.nan)], "variable 1$"),
        ([(-np.inf, 1), (0, 1)], "variable 0$"),
        ([(-1e308, 1e308)], "overflows for variable 0"),
        (Bounds([0, 0], [1, 0]), "variable 1 "),
    ],
)
def test_a_box_that_is_none_is_refused_and_the_variable_named(bounds, complaint):
    with pytest.raises(sp.BadInput, match=complaint):
        box_from_bounds(bounds)


def test_a_problem_keeps_no_array_that_its_caller_can_still_change():
    lower = np.zeros(2)
    p = sp.Problem("bowl", bowl, lower, np.ones(2))
    lower[0] = 99.0
    assert p.lower[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        p.lower[0] = 1.0


@pytest.mark.parametrize("points", [[1, 2], [[1, 2]], 3.0, [[[1, 2, 3]]], "abc"])
def test_points_of_another_shape_are_refused(points):
    with pytest.raises(sp.BadInput, match="expected"):
        problem()(points)


def test_what_cannot_be_called_is_no_function():
    with pytest.raises(sp.BadInput, match="callable, got int"):
        problem(fun=3)


@pytest.mark.parametrize("vectorized", [False, True])
def test_a_function_that_writes_into_its_argument_harms_nobody(vectorized):
    def vandal(x):
        value = (x**2).sum(axis=-1)
        x[...] = 99.0
        return value

    p, points = problem(vandal, vectorized=vectorized), np.ones((2, 3))
    np.testing.assert_array_equal(p(points), [3.0, 3.0])
    np.testing.assert_array_equal(points, 1.0)
    part, inner = p.restrict(np.ones(3), [1]), np.zeros((2, 1))
    np.testing.assert_array_equal(part(inner), [2.0, 2.0])
    np.testing.assert_array_equal(part(inner), [2.0, 2.0])
    np.testing.assert_array_equal(inner, 0.0)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (None, "NoneType"),
        (1j, "complex"),
        ("1.0", "<U3"),
        ([1.0, 2.0], r"float64 of shape \(2,\)"),
        (object(), "object"),
    ],
)
def test_an_answer_that_is_no_real_number_is_refused(answer, complaint):
    with pytest.raises(FunctionError, match=complaint) as caught:
        problem(lambda _: answer)([0, 0, 0])
    assert caught.value.evaluation == 1


@pytest.mark.parametrize("answer", [2, np.float32(2), np.array(2.0), np.array([2.0]), True + 1])
def test_any_real_number_of_numpy_or_python_is_an_answer(answer):
    assert problem(lambda _: answer)([0, 0, 0]) == 2.0


@pytest.mark.parametrize("answer", [None, 1.0, np.zeros(5), np.zeros((2, 1)), np.zeros(2, complex)])
def test_a_vectorized_function_must_return_one_number_a_point(answer):
    with pytest.raises(FunctionError, match="must return 2 real numbers"):
        problem(lambda _: answer, vectorized=True)(np.zeros((2, 3)))


def test_what_a_function_raises_is_chained_and_its_evaluation_numbered():
    calls = []

    def breaks(x):
        calls.append(x)
        if len(calls) == 3:
            raise ZeroDivisionError("seven")
        return 0.0

    with pytest.raises(FunctionError, match=r"ZeroDivisionError.*seven.*evaluation 3") as caught:
        problem(breaks)(np.zeros((5, 3)))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.evaluation == 3


@given(st.data())
def test_a_restriction_is_the_full_function_with_the_rest_held(data):
    dim = data.draw(st.integers(1, 8))
    group = data.draw(st.lists(st.integers(0, dim - 1), min_size=1, unique=True))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p = problem(lambda x: float(np.sin(x).sum() * x[0]), dim)
    context, points = rng.normal(size=dim), rng.normal(size=(4, len(group)))
    whole = np.repeat(context[None], 4, axis=0)
    whole[:, group] = points
    part = p.restrict(context, group)
    np.testing.assert_array_equal(part.whole(points), whole)
    np.testing.assert_array_equal(part(points), p(whole))


def test_a_partial_of_the_users_own_is_what_a_restriction_calls():
    def partial(context, group):
        rest = float(context @ context - context[group] @ context[group])
        return lambda points: (points**2).sum(axis=1) + rest

    p = problem(lambda x: pytest.fail("the whole function was called"), partial=partial)
    assert p.restrict([1, 2, 3], [1])(np.array([[5.0]])).tolist() == [35.0]


def test_a_partial_that_writes_into_its_argument_is_stopped():
    def partial(context, group):
        def vandal(points):
            points[...] = 99.0

        return vandal

    points = np.ones((2, 1))
    with pytest.raises(FunctionError, match="read-only"):
        problem(partial=partial).restrict([1, 2, 3], [1])(points)
    np.testing.assert_array_equal(points, 1.0)


@pytest.mark.parametrize(
    ("context", "group", "complaint"),
    [
        ([0, 0], [0], "context of shape"),
        ([0, 0, 0], [3], "from 0 to 2"),
        ([0, 0, 0], [-1], "from 0 to 2"),
        ([0, 0, 0], [], "group of variables"),
        ([0, 0, 0], [[0]], "group of variables"),
    ],
)
def test_a_restriction_to_what_does_not_exist_is_refused(context, group, complaint):
    with pytest.raises(sp.BadInput, match=complaint):
        problem().restrict(context, group)
