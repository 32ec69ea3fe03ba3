"""The cooperation: who is visited, what it costs, what is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separable as sp
from separable.cooperate import RULES, Contribution, Log, RoundRobin, choose_rule, cooperate, subproblems
from separable.errors import BudgetExhausted
from separable.evaluator import Evaluator
from separable.optimizers import OPTIMIZERS


class Recorder:
    """An optimizer that draws at random, and writes down what it was told."""

    log: list[tuple[int, str, object]] = []  # noqa: RUF012 -- of one test

    def __init__(self, lower, upper, points, values, rng, memory):
        self.lower, self.upper, self.rng, self.group = lower, upper, rng, len(memory)
        memory[self.group] = self
        self.log.append((self.group, "made", None if values is None else values.copy()))

    def turn(self, x, *, elsewhere):
        self.log.append((self.group, "turn", (x.copy(), elsewhere)))

    def ask(self):
        self.points = self.rng.uniform(self.lower, self.upper, (4, len(self.lower)))
        return self.points

    def tell(self, values):
        self.log.append((self.group, "tell", values.copy()))


@pytest.fixture
def log():
    Recorder.log = []
    return Recorder.log


def bowl(points):
    return (points**2).sum(axis=1)


def problem(dim=6, fun=bowl):
    return sp.Problem("bowl", fun, [-1.0] * dim, [2.0] * dim, vectorized=True)


def run(budget, groups, method=Recorder, rule=RoundRobin, dim=6, fun=bowl, **more):
    f = Evaluator(problem(dim, fun), budget=budget, nonfinite="worst")
    log = Log()
    rngs = tuple(np.random.default_rng(0).spawn(2))
    with pytest.raises(BudgetExhausted):
        cooperate(f, [np.array(group) for group in groups], method, rule, rngs, log, **more)
    return f, log


GROUPS = [[0, 3], [1], [2, 4, 5]]


def test_groups_take_turns_of_so_many_generations_and_one_to_evaluate_anew(log):
    run(50 + 6 * 4 * 11, GROUPS, generations=10)
    turns = [group for group, what, _ in log if what == "turn"]
    assert turns[:6] == [0, 1, 2, 0, 1, 2]
    assert [sum(g == k and what == "tell" for g, what, _ in log) for k in range(3)] == [22, 22, 22]


def test_the_context_vector_takes_every_improvement_and_never_gets_worse(log):
    f, _ = run(3000, GROUPS)
    contexts = [(k, x) for k, what, rest in log if what == "turn" for x in [rest[0]]]
    assert len(contexts) > 5
    whole = np.empty(6)
    for k, x in contexts[-3:]:
        whole[GROUPS[k]] = x
    assert bowl(whole[None])[0] >= f.best
    assert f.best == min(value for _, value in f.history)


def test_a_group_is_told_that_it_is_another_function_only_when_others_have_moved(log):
    run(50 + 4000, GROUPS, fun=lambda x: np.abs(x[:, 0] - 1.234), generations=10)  # only group 0 ever gains
    turns = [(k, rest[1]) for k, what, rest in log if what == "turn"]
    assert not any(elsewhere for k, elsewhere in turns if k == 0)
    told = [elsewhere for k, elsewhere in turns if k == 1]
    assert any(told)
    assert not all(told)


def test_a_single_group_is_never_left_and_starts_with_its_values(log):
    _, counted = run(5000, [range(6)])
    assert [what for _, what, _ in log].count("turn") == 1
    (_, _, values), *_ = log
    assert len(values) == 50
    assert counted.visits == 0
    assert counted.generations == (5000 - 50) // 4


def test_the_start_holds_x0_and_does_not_evaluate_it_again(log):
    f, _ = run(60, GROUPS, x0=(np.zeros(6), 0.0))
    assert f.evaluations == 60
    first = next(rest for _, what, rest in log if what == "turn")
    assert first[0].tolist() == [0.0, 0.0]
    assert sum(len(rest) for _, what, rest in log if what == "tell") <= 11


def test_a_nan_never_becomes_the_context_vector():
    def half(points):
        return np.where(points[:, 0] > 0.5, np.nan, bowl(points))

    f, _ = run(20_000, GROUPS, method=OPTIMIZERS["sansde"], fun=half)
    assert f.nan_count > 10
    assert f.best < 1e-6


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=7), st.integers(1, 5), st.integers(0, 99))
def test_contribution_starves_nobody(gains, patience, seed):
    """Whoever gains what, and however it changes: nobody waits longer than the rule promises."""
    groups, rng = len(gains), np.random.default_rng(seed)
    rule, last, longest = Contribution(groups, patience), np.zeros(groups), 0
    for visit in range(40 * groups * patience):
        k = rule.next()
        longest = max(longest, visit - last[k])
        last[k] = visit + 1
        rule.tell(k, gains[k] * rng.integers(0, 2), 100)
    assert longest < (patience + 1) * groups
    assert (last > 0).all()


def test_contribution_prefers_whoever_gains_most_per_evaluation():
    rule = Contribution(3)
    visits = []
    for _ in range(300):
        visits.append(rule.next())
        rule.tell(visits[-1], (1.0, 5.0, 10.0)[visits[-1]], (100, 100, 1000)[visits[-1]])
    counts = [visits.count(k) for k in range(3)]
    assert counts[1] > 200
    assert min(counts) > 10


def test_contribution_survives_infinite_gains():
    rule = Contribution(2)
    for _ in range(50):
        k = rule.next()
        rule.tell(k, np.inf if k else 0.0, 100)
    assert rule._rate.max() < np.inf


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_visits_everybody_first(rule):
    turns = choose_rule(rule)(5)
    seen = []
    for _ in range(5):
        seen.append(turns.next())
        turns.tell(seen[-1], 1.0, 10)
    assert sorted(seen) == [0, 1, 2, 3, 4]


def test_separable_variables_go_by_their_numbers_in_chunks_of_fifty():
    d = sp.Decomposition(
        200,
        additive=range(0, 130, 2),
        multiplicative=range(1, 130, 2),
        groups=[range(130, 190)],
        undecided=range(190, 200),
    )
    assert [len(part) for part in subproblems(d)] == [50, 50, 30, 60, 10]
    assert subproblems(d)[0].tolist() == list(range(50))
    assert sorted(i for part in subproblems(d) for i in part.tolist()) == list(range(200))


def test_an_unknown_rule_is_refused():
    with pytest.raises(sp.BadInput, match="did you mean 'round-robin'"):
        choose_rule("roundrobin")
