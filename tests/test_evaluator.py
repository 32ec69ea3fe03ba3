"""The evaluator: counts, budget, best point, workers, values that are no numbers."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separable as sp
from separable.errors import BudgetExhausted, FunctionError
from separable.evaluator import Evaluator


def bowl(x):
    return float(x @ x)


def raises_at_two(x):
    if x[0] == 2.0:
        raise OSError("no file")
    return 0.0


def dies(x):
    os._exit(1)


def problem(fun=bowl, dim=2, **more):
    return sp.Problem("bowl", fun, [-9.0] * dim, [9.0] * dim, **more)


@given(st.lists(st.integers(0, 7), max_size=12), st.integers(1, 30))
def test_exactly_the_budget_is_spent_and_never_one_more(batches, budget):
    seen = []

    def fun(x):
        seen.append(x)
        return 0.0

    f = Evaluator(problem(fun), budget=budget)
    wanted = 0
    for size in batches:
        wanted += size
        if wanted > budget:
            with pytest.raises(BudgetExhausted):
                f(np.zeros((size, 2)))
            break
        assert len(f(np.zeros((size, 2)))) == size
    assert f.evaluations == len(seen) == min(wanted, budget)


def test_what_is_left_of_the_budget_is_evaluated_before_it_ends():
    f = Evaluator(problem(), budget=3)
    with pytest.raises(BudgetExhausted):
        f(np.array([[3.0, 0], [2, 0], [1, 0], [0, 0]]))
    assert (f.evaluations, f.best, f.best_x.tolist()) == (3, 1.0, [1.0, 0.0])


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=20), st.integers(1, 5))
def test_the_history_holds_every_improvement_wherever_batches_end(values, size):
    f = Evaluator(problem(lambda x: float(x[0]), dim=1))
    for start in range(0, len(values), size):
        f(np.array(values[start : start + size], dtype=float)[:, None])
    expected = [(k + 1, v) for k, v in enumerate(values) if v < min(values[:k], default=np.inf)]
    assert f.history == expected
    assert f.best == min(values) == f.best_x[0]


def test_a_restricted_evaluation_counts_and_can_be_the_best():
    f = Evaluator(problem(dim=3))
    f(np.array([[1.0, 1.0, 1.0]]))
    values = f.restrict([1.0, 1.0, 1.0], [2])(np.array([[2.0], [0.0]]))
    assert values.tolist() == [6.0, 2.0]
    assert f.evaluations == 3
    assert f.best_x.tolist() == [1.0, 1.0, 0.0]


def test_the_callers_points_are_never_touched():
    def vandal(x):
        x[:] = 7.0
        return 0.0

    points = np.ones((3, 2))
    f = Evaluator(problem(vandal))
    f(points)
    np.testing.assert_array_equal(points, 1.0)
    np.testing.assert_array_equal(f.best_x, 1.0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused_with_its_point(value):
    f = Evaluator(problem(lambda x: value if x[0] == 2.0 else 0.0))
    with pytest.raises(FunctionError, match=r"evaluation 2, at x = \[2. 5.\]") as caught:
        f(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]))
    assert caught.value.evaluation == 2
    assert caught.value.point.tolist() == [2.0, 5.0]


def test_the_point_of_a_restricted_evaluation_is_named_whole():
    f = Evaluator(problem(lambda x: np.nan if x[1] else 0.0))
    with pytest.raises(FunctionError, match=r"x = \[8. 1.\]"):
        f.restrict([8.0, 0.0], [1])(np.array([[1.0]]))


def test_where_it_is_to_rank_worst_a_nan_is_counted_and_never_the_best():
    f = Evaluator(problem(lambda x: np.nan if x[0] < 2 else x[0]), nonfinite="worst")
    values = f(np.array([[1.0, 0], [3.0, 0], [0.0, 0], [2.0, 0]]))
    assert values.tolist() == [np.inf, 3.0, np.inf, 2.0]
    assert (f.nan_count, f.best, f.evaluations) == (2, 2.0, 4)


def test_a_large_batch_goes_to_the_function_in_chunks():
    sizes = []

    def fun(points):
        sizes.append(len(points))
        return points[:, 0]

    dim = 2**15
    f = Evaluator(problem(fun, dim, vectorized=True))
    assert f.chunk == 32
    values = f(np.broadcast_to(np.arange(80.0)[:, None], (80, dim)))
    assert values.tolist() == list(range(80))
    assert sizes == [32, 32, 16]


def test_workers_give_the_same_values_in_order():
    points = np.random.default_rng(0).normal(size=(50, 2))
    alone = Evaluator(problem())
    expected, part = alone(points), alone.restrict([1.0, 2.0], [0])(points[:, :1])
    with Evaluator(problem(), workers=2) as f:
        np.testing.assert_array_equal(f(points), expected)
        np.testing.assert_array_equal(f.restrict([1.0, 2.0], [0])(points[:, :1]), part)
        assert f.history == alone.history
        assert f.evaluations == 100


def test_any_map_will_do_as_workers():
    threads = set()

    def fun(x):
        threads.add(threading.get_ident())
        return bowl(x)

    points = np.random.default_rng(0).normal(size=(40, 2))
    with ThreadPoolExecutor(2) as pool, Evaluator(problem(fun), workers=pool.map) as f:
        np.testing.assert_array_equal(f(points), problem()(points))
    assert threading.get_ident() not in threads


def test_an_error_in_a_worker_comes_back_with_its_evaluation():
    points = np.arange(20.0).reshape(10, 2)
    with (
        Evaluator(problem(raises_at_two), workers=2) as f,
        pytest.raises(FunctionError, match="no file") as caught,
    ):
        f(points)
    assert caught.value.evaluation == 2


def test_a_worker_that_dies_is_an_error_and_not_a_hang():
    with Evaluator(problem(dies), workers=2) as f, pytest.raises(FunctionError, match="worker process died"):
        f(np.zeros((4, 2)))


def test_a_function_that_cannot_be_sent_to_workers_is_refused_at_once():
    with pytest.raises(sp.BadInput, match="top level of a module"):
        Evaluator(problem(lambda x: 0.0), workers=2)


@pytest.mark.parametrize("workers", [0, -2, 1.5, True, "2", None])
def test_workers_must_be_a_number_or_a_map(workers):
    with pytest.raises(sp.BadInput, match="workers must be"):
        Evaluator(problem(), workers=workers)


@pytest.mark.parametrize("budget", [0, -1, 1.5, "9", True, np.nan, np.inf, [1]])
def test_a_budget_must_be_a_whole_number(budget):
    with pytest.raises(sp.BadInput, match="whole number of evaluations"):
        Evaluator(problem(), budget=budget)


def test_a_budget_may_be_written_as_a_float():
    assert Evaluator(problem(), budget=3e5).budget == 300_000


def test_nonfinite_takes_two_words_only():
    with pytest.raises(sp.BadInput, match="'refuse' or 'worst'"):
        Evaluator(problem(), nonfinite="ignore")


def test_word_comes_in_the_middle_of_a_slow_batch():
    counts = []
    f = Evaluator(problem(lambda x: time.sleep(0.02) or 0.0))
    f.watch = lambda: counts.append(f.evaluations)
    f(np.zeros((25, 2)))
    assert len(counts) > 2
    assert counts == sorted(counts)
    assert counts[-1] == 25
