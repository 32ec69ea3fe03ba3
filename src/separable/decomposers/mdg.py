"""MDG, merged differential grouping.

X. Ma, Z. Huang, X. Li, L. Wang, Y. Qi, Z. Zhu, "Merged Differential Grouping for Large-Scale Global
Optimization", IEEE Transactions on Evolutionary Computation 26(6), 2022. First the additively separable
variables, two evaluations each; then the groups of the others, from the leaves of a binary tree upwards: what two
halves have found is merged wherever a group on the left interacts with one on the right.

Symbols: b the base, b + sigma the point where all variables are moved; f(S) the value with the variables of S
moved, f() that of b. Sets L and R interact if |(f(L) - f()) - (f(L + R) - f(R))| > eps, where eps is
theta 2 u n max |f| over these four.

Our reading: b lies an eighth of the range below the middle of the box, b + sigma as much above; theta = 0.003, and
fewer than 1000 variables have the threshold of 1000. At an inner node of the tree f(L), f(R) and f(L + R) are
known. If both sides are one group each, they decide. Otherwise a search by halves, breadth first, finds which
groups of L interact with R, another which groups of R interact with L; then it is asked which of the former
interact with which of the latter. Of two halves one is evaluated and the other deduced, since groups of one side
do not interact: f(second) = f(both) - f(first) + f(). Hence two evaluations for every halving. A deduced value has
the rounding of all that it was deduced from, and eps grows with their number.

All values of the tree are independent, so they are one batch; the searches of one level go side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from separable.decomposers import options
from separable.decomposers.batches import chunks, side_by_side, together
from separable.decomposers.components import join, parts
from separable.decomposers.rounding import UNIT, near, smaller

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray

    Groups: TypeAlias = list[IntArray]
    Span: TypeAlias = tuple[int, int]  # a node of the tree: its variables, from and to
    Touching: TypeAlias = list[tuple["Moved", "Value"]]  # one group each, and the value with the other side moved

LEAST = 1000  # variables; the threshold of fewer is that of so many


def mdg(
    f: Evaluator,
    findings: Findings,
    rng: np.random.Generator,  # noqa: ARG001 -- nothing is random
    *,
    theta: float = 0.003,
) -> None:
    """Decompose by MDG.

    Args:
        f, findings, rng: see `decomposers`.
        theta: the threshold, in roundings a variable.
    """
    options.share("mdg", "theta", theta, 1.0)
    moves = Moves(f, findings, theta)
    with findings.stage("additive"):
        variables, values = additive(moves)
    with findings.stage("groups"):
        grow(moves, variables, values)


class Moves:
    """Values of f with some variables moved, and whether two sets of them interact."""

    def __init__(self, f: Evaluator, findings: Findings, theta: float) -> None:
        self.f, self.findings = f, findings
        lower, upper = f.problem.lower, f.problem.upper
        sigma = (upper - lower) / 4.0
        self.b = lower + (upper - lower) / 2.0 - sigma / 2.0
        self.away = self.b + sigma
        self.share = theta * 2.0 * UNIT * max(f.problem.dim, LEAST)
        self.nothing = Value(float("nan"))  # f(), once stage 1 has it

    def values(self, sets: Sequence[IntArray]) -> Array:
        """The values of f with the variables of each of these sets moved."""
        found = [np.empty(0)]
        for chunk in chunks(sets, self.f, 1):
            points = np.repeat(self.b[None], len(chunk), axis=0)
            for point, variables in zip(points, chunk, strict=True):
                point[variables] = self.away[variables]
            found.append(self.f(points))
        return np.concatenate(found)

    def interact(self, left: Moved, right: Moved, both: Value) -> bool:
        """Whether two sets do, given the value with both moved."""
        (zero, _), (one, its_terms), (other, others_terms), (two, both_terms) = (
            self.nothing,
            left.value,
            right.value,
            both,
        )
        difference = abs((one - zero) - (two - other))
        terms = 1 + its_terms + others_terms + both_terms
        eps = self.share * max(abs(zero), abs(one), abs(other), abs(two)) * terms / 4.0
        if near(difference, eps):
            self.findings.note_close(smaller(left.variables, right.variables).tolist())
        return difference > eps


class Value(NamedTuple):
    """A value of f, or one that was deduced from so many."""

    number: float
    terms: int = 1

    def __add__(self, other: Value) -> Value:  # type: ignore[override] # not the sum of two tuples
        return Value(self.number + other.number, self.terms + other.terms)

    def __sub__(self, other: Value) -> Value:
        return Value(self.number - other.number, self.terms + other.terms)


class Moved(NamedTuple):
    """Groups that do not interact with each other, and the value with all of them moved."""

    groups: Groups
    value: Value

    @property
    def variables(self) -> IntArray:
        """Of all the groups."""
        return np.concatenate(self.groups)


def additive(moves: Moves) -> tuple[IntArray, Array]:
    """Stage 1: the variables whose effect depends on where the others are, and the value with each moved alone."""
    f, findings, n = moves.f, moves.findings, moves.f.problem.dim
    f1, f4 = f(np.stack([moves.b, moves.away])).tolist()
    moves.nothing = Value(f1)
    alone, rest = np.empty(n), np.ones(n, dtype=bool)
    for chunk in chunks(np.arange(n), f, 2):
        k = np.arange(len(chunk))
        points = np.repeat(np.stack([moves.b, moves.away]), len(chunk), axis=0).reshape(2, len(chunk), n)
        points[0, k, chunk], points[1, k, chunk] = moves.away[chunk], moves.b[chunk]
        f2, f3 = f(points.reshape(-1, n)).reshape(2, -1)
        difference = np.abs((f2 - f1) - (f4 - f3))
        eps = moves.share * np.maximum(np.maximum(np.abs(f2), np.abs(f3)), max(abs(f1), abs(f4)))
        alone[chunk], rest[chunk] = f2, difference > eps
        findings.additive += chunk[difference <= eps].tolist()
        findings.note_close(chunk[near(difference, eps)])
        findings.progress(int(chunk[-1]) + 1, n)
    return np.flatnonzero(rest), alone[rest]


def grow(moves: Moves, variables: IntArray, values: Array) -> None:
    """Stage 2: merge groups from the leaves upwards, the nodes of one level side by side."""
    findings, done = moves.findings, 0
    levels = tree(len(variables))
    inner = [span for level in levels for span in level if span[1] - span[0] > 1]
    totals = moves.values([variables[slice(*span)] for span in inner]).tolist()
    known = dict(zip(inner, map(Value, totals), strict=True))
    node = {(k, k + 1): Moved([variables[k : k + 1]], Value(value)) for k, value in enumerate(values.tolist())}
    complete: list[Span] = []
    try:
        for level in reversed(levels):
            spans = [span for span in level if span in known]
            searches = {}
            for span, both in ((span, known[span]) for span in spans):
                left, right = (node[half] for half in below(span))
                groups = left.groups + right.groups
                if not moves.interact(left, right, both):
                    node[span] = Moved(groups, both)
                elif len(groups) == 2:
                    node[span] = Moved([np.concatenate(groups)], both)
                else:
                    searches[span] = merge(moves, left, right, both)
            found = side_by_side(list(searches.values()), moves.values)
            node.update((span, Moved(groups, known[span])) for span, groups in zip(searches, found, strict=True))
            complete = level
            done += len(spans)
            findings.progress(done, len(inner))
    finally:  # also at an early end
        merged = [group for span in complete for group in node[span].groups]
        findings.groups += [group.tolist() for group in merged if len(group) > 1]
    # whoever has merged with nobody does not interact by more than rounding
    findings.additive += [int(group[0]) for group in merged if len(group) == 1]


def tree(leaves: int) -> list[list[Span]]:
    """The nodes of every level, from the root downwards.

    >>> tree(3)
    [[(0, 3)], [(0, 1), (1, 3)], [(1, 2), (2, 3)]]
    """
    levels = [[(0, leaves)]] if leaves else []
    while lower := [half for span in levels[-1:] for one in span if one[1] - one[0] > 1 for half in below(one)]:
        levels.append(lower)
    return levels


def below(span: Span) -> tuple[Span, Span]:
    """The two nodes below a node."""
    middle = (span[0] + span[1]) // 2
    return (span[0], middle), (middle, span[1])


def merge(moves: Moves, left: Moved, right: Moved, both: Value) -> Generator[Groups, Array, Groups]:
    """The groups of two nodes of the tree together, which interact, and are more than two."""
    groups = left.groups + right.groups
    ones, others = yield from together([touching(moves, left, right, both), touching(moves, right, left, both)])
    if len(ones) > 1 and len(others) > 1:
        pairs = yield from matching(moves, ones, others, right)
    else:  # one group touches all of the other side that is touched
        pairs = [(one.groups[0], other.groups[0]) for one, _ in ones for other, _ in others]
    place, label = {int(group[0]): k for k, group in enumerate(groups)}, np.arange(len(groups))
    for one, other in pairs:
        join(label, place[int(one[0])], place[int(other[0])])
    return [np.concatenate([groups[k] for k in part]) for part in parts(label)]


def matching(
    moves: Moves, ones: Touching, others: Touching, right: Moved
) -> Generator[Groups, Array, list[tuple[IntArray, IntArray]]]:
    """Which of the groups that touch the other side touch which of those there."""
    asked = Moved([other.groups[0] for other, _ in others], right.value)
    with_asked = [with_right for _, with_right in ones]
    if len(asked.groups) < len(right.groups):  # leave out what touches nothing
        them = asked.variables
        answers = yield [them] + [np.concatenate([one.variables, them]) for one, _ in ones]
        asked, *with_asked = Moved(asked.groups, Value(answers[0])), *map(Value, answers[1:].tolist())
    found = yield from together(
        [touching(moves, asked, one, with_them) for (one, _), with_them in zip(ones, with_asked, strict=True)]
    )
    return [
        (one.groups[0], other.groups[0])
        for (one, _), touched in zip(ones, found, strict=True)
        for other, _ in touched
    ]


def touching(moves: Moves, asked: Moved, other: Moved, both: Value) -> Generator[Groups, Array, Touching]:
    """Which groups interact with `other`, as all of them together do; each with the value with both moved."""
    level, found, others = [(asked, both)], [], other.variables
    while level:
        found += [one for one in level if len(one[0].groups) == 1]
        split = [one for one in level if len(one[0].groups) > 1]
        firsts = [whole.groups[: len(whole.groups) // 2] for whole, _ in split]
        alone = [np.concatenate(groups) for groups in firsts]
        answers = yield alone + [np.concatenate([first, others]) for first in alone]
        values = [Value(one) for one in answers.tolist()]
        level = []
        for k, (whole, with_whole) in enumerate(split):
            value, with_first = values[k], values[len(split) + k]
            first = Moved(firsts[k], value)
            second = Moved(whole.groups[len(firsts[k]) :], whole.value - value + moves.nothing)
            for half, with_half in ((first, with_first), (second, with_whole - with_first + other.value)):
                if moves.interact(half, other, with_half):
                    level.append((half, with_half))
    return found
