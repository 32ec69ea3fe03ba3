"""Cooperation: the groups of a decomposition are optimized in turns, each with all other variables fixed.

M. A. Potter, K. A. De Jong, "A Cooperative Coevolutionary Approach to Function Optimization", PPSN 1994; Z. Yang,
K. Tang, X. Yao, "Large Scale Evolutionary Optimization Using Cooperative Coevolution", Information Sciences 178,
2008: DECC, of which the method of the paper behind `csg` is an instance.

A population of full points is drawn and evaluated; the best of them is the context vector. Then group after group
has a visit: its columns of the population are evaluated in the present context and evolve for some generations; a
point better than the context vector takes its group's part of it.

Our reading: values of a sub-population are not asked for again while no other group has changed the context vector
since its last visit, since they would be the same. A single group is never left, so it is the optimizer alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias

import numpy as np

from separable.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.decomposition import Decomposition
    from separable.evaluator import Evaluator
    from separable.optimizers import Method, Optimizer
    from separable.problems import Array, IntArray

CHUNK = 50  # separable variables that are optimized together
GENERATIONS = 100  # of a visit
POPULATION = 50


class Rule(Protocol):
    """Who is next: asked for a group, then told what its visit brought."""

    def next(self) -> int:
        """The group to visit."""

    def tell(self, group: int, gain: float, evaluations: int) -> None:
        """What its visit brought, and cost."""


class RoundRobin:
    """One group after the other, as in the paper.

    >>> rule = RoundRobin(3)
    >>> [rule.next() for _ in range(5)]
    [0, 1, 2, 0, 1]
    """

    def __init__(self, groups: int) -> None:
        self._groups, self._last = groups, -1

    def next(self) -> int:
        """The group to visit."""
        self._last = (self._last + 1) % self._groups
        return self._last

    def tell(self, group: int, gain: float, evaluations: int) -> None:
        """Nothing is learnt."""


class Contribution:
    """The group that has gained most per evaluation lately; but nobody waits too long.

    Every group is visited once. After that the one with the largest gain per evaluation is next, where a visit
    counts half as much as the one after it; unless some group has waited for `patience` times as many visits as
    there are groups: then the one that has waited longest. So no group ever waits for more than `patience` + 1
    times as many visits as there are groups: those in front of it have waited longer, and each has but one visit.

    >>> rule = Contribution(3, patience=2)
    >>> visits = []
    >>> for _ in range(30):
    ...     visits.append(rule.next())
    ...     rule.tell(visits[-1], gain=1.0 if visits[-1] == 1 else 0.0, evaluations=100)
    >>> visits[:12], visits.count(1)
    ([0, 1, 2, 1, 1, 1, 1, 0, 1, 2, 1, 1], 21)
    """

    def __init__(self, groups: int, patience: int = 4) -> None:
        self._rate = np.full(groups, np.inf)  # of gain; infinite where nothing is known yet
        self._waiting = np.zeros(groups, dtype=int)
        self._patience = patience * groups

    def next(self) -> int:
        """The group to visit."""
        longest = int(self._waiting.argmax())
        group = longest if self._waiting[longest] >= self._patience else int(self._rate.argmax())
        self._waiting += 1
        self._waiting[group] = 0
        return group

    def tell(self, group: int, gain: float, evaluations: int) -> None:
        """What its visit brought, and cost."""
        rate = min(gain, np.finfo(float).max) / evaluations
        known = self._rate[group]
        self._rate[group] = rate if np.isinf(known) else (known + rate) / 2.0


RuleMaker: TypeAlias = "Callable[[int], Rule]"  # of the number of groups

RULES: dict[str, RuleMaker] = {"round-robin": RoundRobin, "contribution": Contribution}


def choose_rule(rule: str | RuleMaker) -> RuleMaker:
    """A rule by name, or one of the caller's."""
    if callable(rule):
        return rule
    if not isinstance(rule, str) or rule not in RULES:
        raise unknown("rule", rule, RULES)
    return RULES[rule]


def subproblems(found: Decomposition, chunk: int = CHUNK) -> list[IntArray]:
    """The groups to optimize: separable variables in chunks, then the non-separable groups.

    The paper says that chunks have 50 variables, not which. Here they go by their numbers, whatever their kind;
    in a chunk of several kinds some settle early, and leave the population to the rest. Undecided variables are
    treated as separable, in chunks of their own, since nothing is known of them.

    >>> from separable.decomposition import Decomposition
    >>> d = Decomposition(7, additive=[3], composite=[0, 5], groups=[[1, 2]], undecided=[4, 6])
    >>> [part.tolist() for part in subproblems(d, chunk=2)]
    [[0, 3], [5], [1, 2], [4, 6]]
    """
    parts = [*_chunks(found.separable, chunk), *found.groups, *_chunks(found.undecided, chunk)]
    return [np.array(part, dtype=np.intp) for part in parts]


def _chunks(variables: Sequence[int], size: int) -> list[Sequence[int]]:
    return [variables[k : k + size] for k in range(0, len(variables), size)]


@dataclass
class Log:
    """How far a cooperation is, for whoever watches."""

    groups: int = 0
    group: int = 0  # that is visited now
    visits: int = 0
    generations: int = 0


def cooperate(
    f: Evaluator,
    groups: Sequence[IntArray],
    method: Method,
    rule: RuleMaker,
    rngs: tuple[np.random.Generator, np.random.Generator],
    log: Log,
    *,
    x0: tuple[Array, float] | None = None,
    population: int = POPULATION,
    generations: int = GENERATIONS,
) -> NoReturn:
    """Optimize group by group until `f` raises the end of the run; the best point is in `f`.

    Args:
        f: the evaluator.
        groups: a partition of the variables.
        method: makes an optimizer; see `optimizers`.
        rule: makes the rule that says who is next.
        rngs: one stream for the start, and one for the optimizers.
        log: is kept up to date.
        x0: a point that is to be in the first population, and its value.
        population: how many points the first population has.
        generations: of a visit.
    """
    starting, optimizing = rngs
    lower, upper = f.problem.lower, f.problem.upper
    points, values = _start(f, starting, population, x0)
    best = int(values.argmin())
    context, value = points[best].copy(), float(values[best])
    alone = len(groups) == 1
    streams, memory = optimizing.spawn(len(groups)), dict[str, Any]()
    optimizers = [
        method(lower[group], upper[group], points.take(group, axis=1), values if alone else None, stream, memory)
        for group, stream in zip(groups, streams, strict=True)
    ]
    turns = rule(len(groups))
    visited, changed = np.full(len(groups), -1), np.full(len(groups), -1)  # at which visit
    log.groups = len(groups)
    while True:
        log.group = k = turns.next()
        elsewhere = bool((np.delete(changed, k) > visited[k]).any())
        before, spent = value, f.evaluations
        optimizers[k].turn(context[groups[k]], elsewhere=elsewhere)
        value = _visit(f, groups[k], optimizers[k], context, value, log, None if alone else generations)
        better = value < before
        if better:
            changed[k] = log.visits
        visited[k] = log.visits
        log.visits += 1
        turns.tell(k, before - value if better else 0.0, f.evaluations - spent)


def _start(
    f: Evaluator, rng: np.random.Generator, population: int, x0: tuple[Array, float] | None
) -> tuple[Array, Array]:
    """The first population, uniform in the box, and its values."""
    points = rng.uniform(f.problem.lower, f.problem.upper, (population, f.problem.dim))
    if x0 is None:
        return points, f(points)
    points[0] = x0[0]
    return points, np.concatenate([[x0[1]], f(points[1:])])


def _visit(
    f: Evaluator,
    group: IntArray,
    optimizer: Optimizer,
    context: Array,
    value: float,
    log: Log,
    generations: int | None,
) -> float:
    """Let a group evolve for some generations, or for ever; what it finds goes into the context vector."""
    part = f.restrict(context, group)
    for _ in repeat(None) if generations is None else repeat(None, generations + 1):
        points = optimizer.ask()
        values = part(points)
        best = values.argmin()
        if values[best] < value:
            context[group], value = points[best], float(values[best])
        optimizer.tell(values)
        log.generations += 1
    return value
