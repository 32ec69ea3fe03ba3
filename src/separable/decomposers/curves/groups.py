"""Groups of the variables that lie on no curve: whose effect changes when others move.

Items are sets of variables, single ones to begin with; the effect of an item is what it does to f to move it from
a to b. Two ways lead to the groups.

Where all react to the first representative, its group is told by a curve again: e, the effects with the
representative moved, against d, those without. A whole sum of groups under one outer function, H(F_1 + F_2 + ...),
reacts, but the other groups do so along one curve, e = psi(d), for the same reason as separable variables do. What
leaves it belongs to the representative's group. One scan a group.

Otherwise groups are added, and most items react to few others.
* An independent set R of representatives is grown: an item that does not react to R joins it. So every other item
  is a neighbour of R: one evaluation an item.
* Which of R it is a neighbour of, a code tells (`codes`): all representatives move at once, by small steps, each
  by its own share.
* What the code leaves open is found by halving R, with whole steps.
* Items and their neighbours merge, and are the items of the next round, until nothing merges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separable.decomposers.batches import chunks
from separable.decomposers.components import join, parts
from separable.decomposers.curves import codes, fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from separable.decomposers.curves.effects import Pair
    from separable.problems import Array, IntArray, Mask

LONELY = 4  # variables in a row that share their outer function with others, but no group: then nobody is asked
PROBED = 16  # items that say whether all react to the first representative
REFERENCES = 24  # members of a group found before, which must lie on the curve of the next scan
SMALLEST, LARGEST = 1e-6, 0.3  # small steps, as shares of the whole one
STRONGER = 2.0  # times the step at which noise and curvature would be alike, if one neighbour did it all
CODES = 3  # that are tried, one after the other, for what the one before has left open
FEW = 4  # items are not worth another code
BATCH = 16  # items that are asked about one set of representatives together, at most
HALVED = 32  # items for which R is halved together


class Group(NamedTuple):
    """Variables that belong together; d'', what the step of each does in a third context, where known, or NaN."""

    members: IntArray
    third: Array | None = None


def find(pair: Pair, variables: IntArray, d: Array, dd: Array, rng: np.random.Generator) -> list[Group]:
    """The groups of these variables, whose effects are d and d' (of all variables, n each)."""
    groups: list[Group] = []
    open_sets: list[tuple[IntArray, list[IntArray]]] = [
        (variables, [])
    ]  # and the groups found under the same function
    while open_sets:
        left, found = open_sets.pop()
        left = left[np.argsort(-np.abs(dd[left] - d[left]), kind="stable")]
        if len(left) < 2 or (len(found) >= LONELY and all(len(one) == 1 for one in found[-LONELY:])):
            groups += [Group(left)] if len(left) else []  # or separable, though on no curve that was found
            continue
        answer = _by_curve(pair, left, d, found, rng)
        if answer is not None:
            group, under_the_same, apart = answer
            groups.append(group)
            open_sets += [(under_the_same, [*found, group.members]), (apart, [])]
            continue
        for part, coupled in _by_codes(pair, left, d, dd, rng):
            if coupled:
                open_sets.append((part, []))
            else:
                groups.append(Group(part))
    return groups


def _by_curve(
    pair: Pair, left: IntArray, d: Array, found: list[IntArray], rng: np.random.Generator
) -> tuple[Group, IntArray, IntArray] | None:
    """The group of the first variable, others under the same outer function, others apart; None: not all react."""
    first, others = left[0], left[1:]
    context = pair.a.copy()
    context[first] = pair.b[first]
    value = pair.f_a + d[first]

    def effects(asked: IntArray) -> Array:
        return pair.of_items([asked[k : k + 1] for k in range(len(asked))], context, value)

    order = rng.permutation(len(others))
    sample, rest = others[order[:PROBED]], others[order[PROBED:]]
    e = effects(sample)
    if not (np.abs(e - d[sample]) > pair.limit(4)).all():
        return None
    known = np.concatenate([others[:0], *found])
    references = rng.permutation(known)[:REFERENCES]
    asked = np.concatenate([sample, rest, references])
    e = np.concatenate([e, effects(np.concatenate([rest, references]))])
    reacts = np.abs(e - d[asked]) > pair.limit(4)
    on_curve = _coupled(pair, d[asked], e, reacts, rng)
    mine = ~np.isin(asked, known)
    if not on_curve.any() and not reacts[mine].all():
        return None
    own = mine & reacts & ~on_curve
    group = Group(np.append(asked[own], first), np.append(e[own], np.nan))
    return group, asked[mine & on_curve], asked[mine & ~reacts & ~on_curve]


def _coupled(pair: Pair, d: Array, e: Array, reacts: Mask, rng: np.random.Generator) -> Mask:
    """Which of those that react do so along one curve."""
    answer = np.zeros(len(d), dtype=bool)
    which = np.flatnonzero(reacts & (d != 0.0))
    if not len(which):
        return answer
    y = e[which] / d[which]
    s = pair.noise_of_ratio(d[which], y)
    found = fit.find(d[which], y, s, pair.z, rng)
    if found is None:
        return answer
    curve, members = found
    away = np.abs(curve(d[which]) - y)
    if not members.all():  # two kinds of points, far apart: the border is a third of the way, in decades
        near = max(curve.near, pair.z * float(np.median(s)))
        members |= away <= np.cbrt(near * near * np.median(away[~members]))
    answer[which[members]] = True
    return answer


def _by_codes(
    pair: Pair, left: IntArray, d: Array, dd: Array, rng: np.random.Generator
) -> list[tuple[IntArray, bool]]:
    """Groups that are added; with whether a group looks like several under one outer function."""
    items = [left[k : k + 1] for k in range(len(left))]
    effects, strength = d[left], np.abs(dd[left] - d[left])
    steps = np.clip(STRONGER * np.sqrt(pair.limit(4) / np.maximum(strength, 1e-300)), SMALLEST, LARGEST)
    coupled: dict[int, bool] = {}  # by the first variable of a part
    whole = False
    first = True
    while True:
        together, responses = _round(pair, items, effects, np.ones(len(items)) if whole else steps, rng)
        merged = [np.concatenate([items[i] for i in part]) for part in together]
        if first:  # later rounds only merge
            coupled = {
                int(item[0]): _is_coupled(pair, effects[part], responses[part], rng)
                for item, part in zip(merged, together, strict=True)
            }
        if len(together) == 1 or (
            whole and len(together) == len(items)
        ):  # nothing has merged by whole steps either
            return [(item, coupled.get(int(item[0]), False)) for item in merged]
        steps = np.array([np.median(steps[part]) for part in together])
        items, whole, first = merged, len(together) == len(items) or len(together) < PROBED, False
        effects = pair.of_items(items, pair.a, pair.f_a)


def _is_coupled(pair: Pair, effects: Array, responses: Array, rng: np.random.Generator) -> bool:
    """Whether most of these items respond along a curve: they are groups under one outer function."""
    asked = np.flatnonzero(responses)
    if len(asked) <= 2 * fit.LEAST:
        return False
    d = effects[asked]
    on_curve = _coupled(pair, d, d + responses[asked], np.ones(len(asked), dtype=bool), rng)
    return bool(2 * on_curve.sum() > len(asked))


def _round(
    pair: Pair, items: list[IntArray], effects: Array, steps: Array, rng: np.random.Generator
) -> tuple[list[IntArray], Array]:
    """One round: the items in parts that hang together, and the response of each to the representatives."""
    grown = _grow(pair, items, effects, steps)
    chosen, unknown = grown.chosen, np.array(grown.neighbours, dtype=np.intp)
    count = len(chosen)
    r = codes.Representatives(
        pair, [items[g] for g in chosen], [float(steps[g]) for g in chosen], codes.code_of(count, rng)
    )
    links: list[tuple[int, int]] = []  # an item, and the place of its neighbour in R
    if count > 1 and (steps < 1.0).all() and len(unknown) > FEW:
        bend = codes.curvature(r, items, effects, unknown)
        for _ in range(CODES):
            found, rest = codes.decode(r, items, effects, grown.responses, grown.seen, bend, unknown)
            links += found
            is_of_use = 4 * len(rest) < len(unknown)
            unknown, r.code = rest, codes.code_of(count, rng)
            if len(unknown) <= FEW or not is_of_use:
                break
    label = np.arange(len(items))
    for i, g in links:
        join(label, i, chosen[g])
    _by_halves(r, items, effects, unknown, np.array(chosen), label)
    return parts(label), grown.responses


class _Independent:
    """The set R while it grows: its items, and f where all of them have made their steps."""

    def __init__(self, pair: Pair, items: list[IntArray], effects: Array, steps: Array) -> None:
        self.pair, self.items, self.effects, self.steps = pair, items, effects, steps
        self.chosen: list[int] = []
        self.context, self.value = pair.a, pair.f_a
        self.neighbours: list[int] = []
        self.responses, self.seen = np.zeros(len(items)), np.zeros(len(items), dtype=np.intp)
        self._join([0], pair.f_a + float(effects[0]))

    def offer(self, batch: list[int]) -> bool:
        """Ask a batch of items whether they react to R; those that do not join it. Whether they all could."""
        effects = self._effects(batch)
        response = effects - self.effects[batch]
        largest = float(np.abs(effects + self.value).max())
        reacts = np.abs(response) > self.pair.limit(4, max(largest, abs(self.value)))
        self._note(np.array(batch)[reacts], response[reacts])
        before, quiet = len(self.chosen), np.array(batch)[~reacts].tolist()
        if len(quiet) == 1:
            self._join(quiet, self.value + float(effects[~reacts][0]))
        elif quiet:
            self._absorb(quiet)
        return len(self.chosen) - before == len(quiet)

    def _absorb(self, quiet: list[int]) -> None:
        """Let these join, if moving them together does what it does to move them one by one; else half of them."""
        together = self._with(quiet)
        (after,) = self.pair.f(together[None]).tolist()
        surplus = after - self.value - float(self.effects[quiet].sum())
        if abs(surplus) <= self.pair.limit(4 * len(quiet), max(abs(after), abs(self.value))):
            self._join(quiet, after)
        elif len(quiet) == 1:
            self._note(np.array(quiet), np.array([surplus]))
        else:
            half = len(quiet) // 2
            self._absorb(quiet[:half])
            self._absorb(quiet[half:])

    def _join(self, new: list[int], value: float) -> None:
        """These join; `value` is f where they have moved all the way."""
        self.chosen += new
        if (self.steps[new] == 1.0).all():
            self.context, self.value = self._with(new), value
        else:
            self.context, way = self.context.copy(), self.pair.b - self.pair.a
            for i in new:
                item = self.items[i]
                self.context[item] += self.steps[i] * way[item]
            self.value = float(self.pair.f(self.context[None])[0])

    def _note(self, which: IntArray, response: Array) -> None:
        self.neighbours += which.tolist()
        self.responses[which], self.seen[which] = response, len(self.chosen)

    def _with(self, moved: list[int]) -> Array:
        x = self.context.copy()
        for i in moved:
            x[self.items[i]] = self.pair.b[self.items[i]]
        return x

    def _effects(self, batch: list[int]) -> Array:
        return self.pair.of_items([self.items[i] for i in batch], self.context, self.value)


def _grow(pair: Pair, items: list[IntArray], effects: Array, steps: Array) -> _Independent:
    """An independent set that cannot grow any more."""
    r = _Independent(pair, items, effects, steps)
    start, size = 1, 4
    while start < len(items):
        peaceful = r.offer(list(range(start, min(start + size, len(items)))))
        start += size
        size = min(BATCH, 2 * size) if peaceful else max(2, size // 2)
    return r


def _by_halves(
    r: codes.Representatives,
    items: list[IntArray],
    effects: Array,
    unknown: IntArray,
    chosen: IntArray,
    label: IntArray,
) -> None:
    """Join items to their neighbours, found by halving R, with whole steps: questions of a depth are one batch.

    `label` says what hangs together already. Representatives that do so are asked about as one; so a dense part is
    asked about only until it hangs together.
    """
    for start in range(0, len(unknown), HALVED):
        some = unknown[start : start + HALVED]
        labels = label[chosen]
        of_part = [np.flatnonzero(labels == one) for one in np.unique(labels)]
        units = [np.concatenate([r.items[g] for g in part]) for part in of_part]
        heads = [int(chosen[part[0]]) for part in of_part]
        for i, unit in _neighbours(r.pair, items, effects, some, units):
            join(label, heads[unit], i)


def _neighbours(
    pair: Pair, items: list[IntArray], effects: Array, some: IntArray, units: list[IntArray]
) -> list[tuple[int, int]]:
    """Which of these units, sets of variables, items react to; they do to some."""
    links: list[tuple[int, int]] = []
    known = [(int(i), 0, len(units)) for i in some]  # an item that reacts to some of these units
    values: dict[tuple[int, int], float] = {}
    asked: list[tuple[int, int, int]] = []
    while known or asked:
        links += [(i, low) for i, low, high in known if high - low == 1]
        halved = [(i, low, high) for i, low, high in known if high - low > 1]
        asked += [(i, low, (low + high) // 2) for i, low, high in halved]
        answers = _reactions(pair, items, effects, units, asked, values)
        hits = {(i, low): hit for (i, low, _), hit in zip(asked, answers, strict=True)}
        known = [question for question, hit in zip(asked, answers, strict=True) if hit]
        asked = []
        for i, low, high in halved:
            other = (i, (low + high) // 2, high)
            if hits[i, low]:
                asked.append(other)
            else:
                known.append(other)  # if not to the first half, then to the second
    return links


def _reactions(
    pair: Pair,
    items: list[IntArray],
    effects: Array,
    units: list[IntArray],
    asked: Sequence[tuple[int, int, int]],
    values: dict[tuple[int, int], float],
) -> list[bool]:
    """Whether items react to units low, ..., high - 1; `values` keeps f where these have moved."""
    contexts: dict[tuple[int, int], Array] = {}
    for _, low, high in asked:
        if (low, high) not in contexts:
            x = pair.a.copy()
            moved = np.concatenate(units[low:high])
            x[moved] = pair.b[moved]
            contexts[low, high] = x
    new = [key for key in contexts if key not in values]
    if new:
        values.update(zip(new, pair.f(np.stack([contexts[key] for key in new])).tolist(), strict=True))
    answers: list[bool] = []
    for chunk in chunks(asked, pair.f, 1):
        points = np.stack([contexts[low, high] for _, low, high in chunk])
        for point, (i, _, _) in zip(points, chunk, strict=True):
            point[items[i]] = pair.b[items[i]]
        before, after = np.array([values[low, high] for _, low, high in chunk]), pair.f(points)
        responses = after - before - effects[[i for i, _, _ in chunk]]
        largest = float(max(np.abs(before).max(), np.abs(after).max()))
        answers += (np.abs(responses) > pair.limit(4, largest)).tolist()
    return answers
