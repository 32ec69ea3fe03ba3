"""What is done about doubt, and when a variable's place is called certain.

* Additive variables are moved far, all over the box: a function that is piecewise linear is additive near by.
* A block is asked whether its outer function is monotone: if the effect of one member changes its sign, as others
  move, its best value does depend on them.
* Doubtful variables get a second look: another base, larger steps, the same question.
* The last word have CSG's tests: does the minimum of a variable move when all others go anywhere? If it does, that
  is proof. Of every group two members are asked, of small groups all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from separable.decomposers.batches import chunks
from separable.decomposers.csg import Minima, ShiftTest, search_minima
from separable.decomposers.curves import blocks, fit
from separable.decomposers.curves.effects import are_additive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from separable.decomposers.curves.blocks import Block
    from separable.decomposers.curves.effects import Pair
    from separable.decomposers.curves.groups import Group
    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray, Mask

FAR_PLACES = 4, 16  # where additive variables are looked at again: at least, at most; more if they are few
FAR_MARGIN = 8.0  # the noise was estimated elsewhere, and need not grow with f alone
TURNS = 6  # random contexts in which a block is asked whether its outer function is monotone
DOWN = 3.0  # steps
PRECISION, STEP, LOOKS = 1e-3, 1e-2, 6  # of CSG's tests; a flip is proof, however coarse the search was
VALUES, CONTEXTS = 3, 6  # of a variable, whose order is compared in so many contexts, or until it changes
ORDER_COST = 12  # evaluations, about
SURFACE_LEAST = 20  # members of a group for which a surface is looked for,
SURFACE_LARGE = 250  # and if that needs an evaluation more of each
SURFACE_DEGREE = 5  # of the polynomial
SURFACE_NEAR = 1e-4  # of the standard deviation: its residuals,
SURFACE_NOISE = 1e-2  # if noise does not make them larger; but then no more than so much of it
GRID, ZOOMS = 48, 3  # values of a variable, to find its best one
EDGE = 0.1  # of the box: what is near a bound
TEST_COST = 28  # evaluations of one such test, about


def are_additive_far_away(pair: Pair, variables: IntArray, rng: np.random.Generator) -> bool:
    """Whether variables that are additive from a to b are so all over the box."""
    f = pair.f
    far = pair.a.copy()
    far[variables] = rng.uniform(f.problem.lower, f.problem.upper)[variables]
    elsewhere = np.where(far == pair.a, pair.b, far)  # all others moved
    beside = np.where(far == pair.a, pair.b, pair.a)
    f_far, f_elsewhere, f_beside = f(np.stack([far, elsewhere, beside])).tolist()
    noise = FAR_MARGIN * pair.limit(4)
    limit = noise * max(1.0, abs(f_far / pair.f_a) if pair.f_a else 1.0)
    if abs((f_far - pair.f_a) - (f_elsewhere - f_beside)) > limit:
        return False
    least, most = FAR_PLACES
    places = min(most, max(least, 200 // len(variables)))
    return len(variables) < 2 or are_additive(f, pair.a, pair.f_a, variables, places, noise, rng)


def is_monotone(pair: Pair, members: IntArray, d: Array, rng: np.random.Generator) -> bool:
    """Whether the strongest member of a block has an effect of the same sign wherever the others are."""
    f, probe = pair.f, members[np.argmax(np.abs(d[members]))]
    uphill = np.sign(d * (pair.b - pair.a))
    bound = np.where(uphill > 0.0, f.problem.upper, f.problem.lower)
    down = pair.a - uphill * DOWN * np.abs(pair.b - pair.a)
    places = [np.clip(down, f.problem.lower, f.problem.upper), bound]
    places += [rng.uniform(f.problem.lower, f.problem.upper) for _ in range(TURNS)]
    points = np.repeat(pair.a[None], 2 * len(places), axis=0)
    for k, place in enumerate(places):
        who = members if k % 2 == 0 else slice(None)  # a factor outside may turn it as well
        points[2 * k : 2 * k + 2, who] = place[who]
        points[2 * k : 2 * k + 2, probe] = pair.a[probe], pair.b[probe]
    low, high = f(points).reshape(-1, 2).T
    noise = pair.limit(2) * np.maximum(1.0, np.abs(low) / max(abs(pair.f_a), 1e-300))
    effect = np.where(np.abs(high - low) <= noise, 0.0, high - low)
    return bool((np.sign(effect) * np.sign(d[probe]) >= 0.0).all())


def off_their_curves(
    pair: Pair,
    found: Sequence[Block],
    doubtful: IntArray,
    witnesses: Sequence[IntArray],
    beside: IntArray,
    d: Array,
    dd: Array,
    chance: Array,
    rng: np.random.Generator,
) -> IntArray:
    """The doubtful members of blocks that do not lie on the block's curve at a second look.

    Args:
        pair: of the second look.
        found: the blocks.
        doubtful: variables, additive ones among them.
        witnesses: of each block members that were looked at as well.
        beside: variables that are left, and were looked at as well.
        d, dd: d and d' at the second look, where they were looked at (n each).
        chance: of every variable, that it only looks separable; of those that stay it is made smaller.
        rng: see `decomposers`.
    """
    off = [doubtful[:0]]
    for block, sure in zip(found, witnesses, strict=True):
        asked = np.union1d(sure, np.intersect1d(block.members, doubtful))
        asked = asked[d[asked] != 0.0]
        x, y = d[asked], dd[asked] / d[asked]
        s = pair.noise_of_ratio(x, y)
        seen = fit.find(x, y, s, pair.z, rng)
        if seen is None:
            continue
        curve, on = seen
        stays = asked[on]
        u = beside[d[beside] != 0.0]
        distances = np.abs(curve(d[u]) - dd[u] / d[u])
        chance[stays] *= blocks.chance(distances, fit.tolerance(curve, d[stays], s[on], pair.z))
        off.append(np.intersect1d(asked[~on], doubtful))
    return np.concatenate(off)


def have_two_inner_sums(pair: Pair, group: Group, d: Array, dd: Array, rng: np.random.Generator) -> bool:
    """Whether the effects in a third context are a smooth function of those in two: H(sum of g_j, sum of h_j).

    Such a function, Ackley's is one, has two unknowns a variable, g_j and h_j, and here are three effects. What it
    does not promise is that the best value of a variable stays where it is; so two members are asked.
    """
    members, third = group.members, group.third
    if len(members) < (SURFACE_LARGE if third is None else SURFACE_LEAST):
        return False
    probes = rng.permutation(members)[:2].tolist()
    if third is None:
        if not all(keeps_its_minimum(pair, i, rng) for i in probes):
            return False
        third, there = _third_effects(pair, members, rng)
        parts = [there, ~there]
    else:
        parts = [np.isfinite(third)]
    if not all(_on_a_surface(pair, d[members[part]], dd[members[part]], third[part]) for part in parts):
        return False
    return group.third is None or all(keeps_its_minimum(pair, i, rng) for i in probes)


def _on_a_surface(pair: Pair, d: Array, dd: Array, third: Array) -> bool:
    """Whether d'' is a polynomial of d and d', but for a small part of it."""
    x, y, z = d, dd - d, third - d  # the effects are much alike
    if len(x) < SURFACE_LEAST or not (np.ptp(y) and np.ptp(z)):
        return False
    u, v, w = x / np.abs(x).max(), y / np.abs(y).max(), z / np.abs(z).max()
    powers = [(i, j) for i in range(SURFACE_DEGREE + 1) for j in range(SURFACE_DEGREE + 1 - i) if i + j]
    powers = sorted(powers, key=sum)[: len(x) // 3]
    columns = np.stack([u**i * v**j for i, j in powers], axis=1)
    misses = columns @ np.linalg.lstsq(columns, w, rcond=1e-12)[0] - w
    size = float(np.std(w))
    noise = pair.limit(4) / float(np.abs(z).max())
    return bool(np.quantile(np.abs(misses), 0.9) <= max(SURFACE_NEAR * size, min(noise, SURFACE_NOISE * size)))


def _third_effects(pair: Pair, members: IntArray, rng: np.random.Generator) -> tuple[Array, Mask]:
    """What the step of each member does where half of the others have made theirs; and who belongs to that half.

    Those have made their own as well, and are seen to go back: another function of the same unknowns.
    """
    there = rng.random(len(members)) < 0.5
    context = pair.a.copy()
    context[members[there]] = pair.b[members[there]]
    (value,) = pair.f(context[None])
    to = np.where(there, pair.a[members], pair.b[members])
    changes = [np.empty(0)]
    for chunk in chunks(np.arange(len(members)), pair.f, 1):
        points = np.repeat(context[None], len(chunk), axis=0)
        points[np.arange(len(chunk)), members[chunk]] = to[chunk]
        changes.append(pair.f(points) - value)
    return np.where(there, -1.0, 1.0) * np.concatenate(changes), there


def keeps_its_minimum(pair: Pair, i: int, rng: np.random.Generator) -> bool:
    """Whether the best value of x_i is the same in two contexts: the definition itself, by brute force."""
    f = pair.f
    lower, upper = float(f.problem.lower[i]), float(f.problem.upper[i])
    x = np.linspace(lower, upper, GRID)
    contexts = [f.restrict(rng.uniform(f.problem.lower, f.problem.upper), [i]) for _ in range(2)]
    best: list[int] = []
    for _ in range(ZOOMS):
        best = []
        for along in contexts:
            best.append(int(np.argmin(along(x[:, None]))))
            if abs(best[-1] - best[0]) > 1:
                return False
        low, high = max(0, min(best) - 1), min(len(x) - 1, max(best) + 1)
        x = np.linspace(x[low], x[high], GRID // 4)
    return True


def reordered(pair: Pair, variables: IntArray, rng: np.random.Generator) -> Mask:
    """Which of these variables have values whose order depends on the others: proof that they interact."""
    f, lower, upper = pair.f, pair.f.problem.lower, pair.f.problem.upper
    x = rng.uniform(lower[variables], upper[variables], (VALUES, len(variables))).T
    answer = np.zeros(len(variables), dtype=bool)
    orders: list[Array] = []
    for look in range(CONTEXTS):
        still = np.flatnonzero(~answer)
        order = np.zeros((len(variables), VALUES, VALUES))
        for chunk in chunks(still, f, VALUES):
            points = np.repeat(_contexts(f, look, len(chunk), rng)[:, None], VALUES, axis=1)
            points[np.arange(len(chunk)), :, variables[chunk]] = x[chunk]
            values = f(points.reshape(-1, len(lower))).reshape(-1, VALUES)
            noise = pair.limit(2) * np.maximum(1.0, np.abs(values).max(axis=1) / max(abs(pair.f_a), 1e-300))
            differences = values[:, :, None] - values[:, None, :]
            order[chunk] = np.where(np.abs(differences) > noise[:, None, None], np.sign(differences), 0.0)
        for before in orders[:look]:
            answer |= (order * before < 0.0).any(axis=(1, 2))
        orders.append(order)
    return answer


def moved(f: Evaluator, findings: Findings, variables: IntArray, rng: np.random.Generator) -> Mask:
    """Which of these variables have a minimum that moves: proof that they interact, by CSG's tests."""
    if not len(variables):
        return np.zeros(0, dtype=bool)
    minima = Minima(f.problem)
    shift = ShiftTest(f, findings, minima, STEP)
    search_minima(shift, variables, PRECISION, abreast=len(variables))
    answer = np.zeros(len(variables), dtype=bool)
    for look in range(LOOKS):
        still = np.flatnonzero(~answer)
        if len(still):
            answer[still] = shift(variables[still].tolist(), _contexts(f, look, len(still), rng))
    return answer


def _contexts(f: Evaluator, look: int, count: int, rng: np.random.Generator) -> Array:
    """Where all variables go at a look: near the lower bounds, near the upper ones, anywhere; a row each."""
    lower, upper = f.problem.lower, f.problem.upper
    share = rng.random((count, len(lower)))
    if look < 2:  # far from each other: a sum of many terms is much the same anywhere
        share = look + (1 - 2 * look) * EDGE * share
    return lower + share * (upper - lower)
