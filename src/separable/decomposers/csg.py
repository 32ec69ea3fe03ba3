"""CSG, composite separability grouping.

M. Tian, M. Chen, W. Du, Y. Tang, Y. Jin, G. G. Yen, "A Composite Decomposition Method for Large-Scale Global
Optimization", arXiv 2403.01192, 2024. In four stages: additively separable variables by differences, the
multiplicatively separable ones by differences of logarithms (MSVD), the otherwise separable ones because their
minimum stays where it is whatever the others do (GSS, GSVD), groups of the rest by which group moves whose
minimum (NVG, RGD).

The paper's symbols: lb, ub the box; cv the context vector; C[i] the archive, cv right after the search for the
minimum of x_i; S the variables that failed the first two stages; V the non-separable ones; N their groups;
beta and eps differences and their thresholds. f_ul is f with x_i at ub and all others at lb, f_lu the contrary.

Our reading. The paper leaves its thresholds open and sets the other variables to ub only, once. Here:
* eps1 is the rounding bound of RDG2, eps2 the rounding of f carried into ln|F|, capped.
* ub of the first two stages is drawn in by some hundredths of the range, another share for every variable:
  on the diagonal of a symmetric box interactions of odd and even functions do not show.
* Golden sections go side by side, a few at a time, so that a step of them is one batch (`abreast`).
* A minimum is compared with points that the golden section has already seen to be worse. So "moved", one of them
  being better now, *proves* an interaction: in H(g(x_i) + rest), H increasing, the order of two values of x_i is
  the same whatever the others are. That no point moved proves nothing; more contexts can only remove misses. They
  are spent where something has been seen to interact: if nothing moves at all (f3-f9 of bms), the cost is the
  paper's three evaluations a variable.
* A minimum on a bound has both its worse points on one side, and few contexts lift it off. Such variables are
  asked in more contexts; and the question is turned round: does leaving the bound move somebody's minimum?
* RGD moves the asked groups alone, from where the minima are. At the end one member of every group is asked with
  everything else anywhere: does another group change the order of its values?
"""

from __future__ import annotations

import math
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separable.decomposers import options
from separable.decomposers.batches import by_halves, chunks
from separable.decomposers.golden import gss
from separable.decomposers.rounding import CLOSE, UNIT, gamma, near

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.decomposers.findings import Findings
    from separable.decomposers.golden import Along, Valley
    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray, Mask, Problem

SLIVER = 2.0**-5  # of the range
ASKED, PARTS = 4, 8  # members of a group, and parts of it that each is asked about
POINTS = 8  # at which the order of a variable's values is compared


def csg(
    f: Evaluator,
    findings: Findings,
    rng: np.random.Generator,
    *,
    precision: float = 1e-8,
    step: float = 1e-3,
    product_cap: float = 1e-7,
    looks: int = 2,
    abreast: int = 8,
) -> None:
    """Decompose by CSG.

    Args:
        f, findings, rng: see `decomposers`.
        precision: the bracket at which a golden section ends, as a share of the range (the paper's epsilon).
        step: how near to a minimum its worse points are chosen, as a share of the range (the paper's alpha).
        product_cap: the largest beta2 at which a variable may be called multiplicative.
        looks: further contexts for the variables in doubt.
        abreast: how many minima are searched side by side, a step of all of them in one batch. 1 is the paper's
            order, to the letter; more keeps so many workers busy, and costs nothing until there are dozens.
    """
    shift, moved = separate(f, findings, rng, precision, step, product_cap, looks, abreast)
    with findings.stage("groups"):
        nvg(shift, rng, looks, moved)


def separate(
    f: Evaluator,
    findings: Findings,
    rng: np.random.Generator,
    precision: float,
    step: float,
    product_cap: float,
    looks: int,
    abreast: int,
) -> tuple[ShiftTest, Witnesses]:
    """Stages 1 to 3: all separable variables; what is left has moved, and is to be grouped."""
    for name, value in (("precision", precision), ("step", step), ("product_cap", product_cap)):
        options.share("csg", name, value)
    options.whole("csg", "looks", looks, 0)
    options.whole("csg", "abreast", abreast, 1)
    with findings.stage("additive"):
        corners, rest = additive(f, findings, rng)
    with findings.stage("multiplicative"):
        rest = msvd(f, findings, corners, rest, product_cap)
    minima = Minima(f.problem)
    shift = ShiftTest(f, findings, minima, step)
    with findings.stage("minima"):
        search_minima(shift, rest, precision, abreast)
    return shift, composite(shift, rng, looks)


class Corners(NamedTuple):
    """What stage 1 has seen: ub as it took it; f_ll, f_uu; f_ul, f_lu for every variable."""

    ub: Array
    ll: float
    uu: float
    ul: Array
    lu: Array


def additive(f: Evaluator, findings: Findings, rng: np.random.Generator) -> tuple[Corners, IntArray]:
    """Stage 1, CSG lines 3-10: the variables whose effect is the same at the lower and at the upper corner."""
    n, lb, ub = f.problem.dim, f.problem.lower, _upper_corner(f, rng)
    f_ll, f_uu = f(np.stack([lb, ub]))  # line 3
    corners = Corners(ub, f_ll, f_uu, np.empty(n), np.empty(n))
    share = gamma(math.sqrt(n) + 2.0)
    rest = []
    for chunk in chunks(np.arange(n)[::-1], f, 2):  # line 4
        points = np.repeat(np.stack([lb, ub]), len(chunk), axis=0)
        k = np.arange(len(chunk))
        points[k, chunk] = ub[chunk]  # line 7: x_ul
        points[len(chunk) + k, chunk] = lb[chunk]  # line 6: x_lu
        f_ul, f_lu = f(points).reshape(2, -1)
        corners.ul[chunk], corners.lu[chunk] = f_ul, f_lu
        beta1 = np.abs((f_ul - f_ll) - (f_uu - f_lu))  # line 8
        eps1 = share * (abs(f_ll) + np.abs(f_lu) + np.abs(f_ul) + abs(f_uu))
        found = beta1 <= eps1  # lines 9-10; equal, since a function of value 0 has eps1 = 0
        findings.additive += chunk[found].tolist()
        findings.note_close(chunk[near(beta1, eps1)])
        rest.append(chunk[~found])
        findings.progress(n - int(chunk[-1]), n)
    return corners, np.concatenate(rest)


def _upper_corner(f: Evaluator, rng: np.random.Generator) -> Array:
    """ub, but for a sliver, another one for every variable.

    On the diagonal of a symmetric box the effects of x_i in both corners are the same for even and odd functions,
    and x1^2 is x1 x2: interactions would not show.
    """
    lb, ub = f.problem.lower, f.problem.upper
    return ub - SLIVER * rng.uniform(0.5, 1.0, f.problem.dim) * (ub - lb)


def msvd(f: Evaluator, findings: Findings, corners: Corners, rest: IntArray, cap: float) -> IntArray:
    """Stage 2, MSVD: the variables whose effect is a factor; four evaluations each."""
    n, lb, ub = f.problem.dim, f.problem.lower, corners.ub
    quarter = (ub - lb) / 4.0  # on a symmetric box: x_i halved, as in the paper
    left, done = [rest[:0]], 0
    for chunk in chunks(rest, f, 4):
        k = np.arange(len(chunk))
        points = np.repeat(np.stack([lb, lb, ub, ub]), len(chunk), axis=0).reshape(4, len(chunk), n)
        points[0, k, chunk] = points[2, k, chunk] = (lb + quarter)[chunk]
        points[1, k, chunk] = points[3, k, chunk] = (ub - quarter)[chunk]
        moved = f(points.reshape(-1, n)).reshape(4, -1)  # MSVD lines 1-4: f'_ll, f'_ul, f'_lu, f'_uu
        m = len(chunk)
        corner = np.stack([np.full(m, corners.ll), corners.ul[chunk], corners.lu[chunk], np.full(m, corners.uu)])
        found, close = _multiplicative(corner, moved, n, cap)
        findings.multiplicative += chunk[found].tolist()
        findings.note_close(chunk[close])
        left.append(chunk[~found])
        done += m
        findings.progress(done, len(rest))
    return np.concatenate(left)


def _multiplicative(corner: Array, moved: Array, n: int, cap: float) -> tuple[Mask, Mask]:
    """From f and f' at ll, ul, lu, uu, (4, m) each: which are multiplicative, and which decisions close."""
    F = corner - moved  # MSVD lines 5-6
    known = (F != 0.0).all(axis=0)  # F = 0: cannot tell, so not multiplicative
    safe = np.where(known, F, 1.0)
    ll, ul, lu, uu = np.log(np.abs(safe))
    beta2 = np.abs((ll - ul) - (lu - uu))  # lines 7-9
    rounding = max(4.0, 0.003 * n) * 2.0 * UNIT * ((np.abs(corner) + np.abs(moved)) / np.abs(safe)).sum(axis=0)
    eps2 = np.minimum(cap, rounding)
    # the rest of the product must keep its sign: x1 x2 on [-1, 1] is a product, but not separable
    keeps_sign = (np.sign(F[0]) == np.sign(F[2])) & (np.sign(F[1]) == np.sign(F[3]))
    return known & keeps_sign & (beta2 < eps2), known & near(beta2, eps2)


Beside = tuple[tuple[float, float], tuple[float, float]]  # two points of a variable, each with its value


class Minima:
    """What the searches found: for every searched variable its minimum and the worse points beside it."""

    def __init__(self, problem: Problem) -> None:
        self.lower, self.upper = problem.lower, problem.upper
        self.centre = self.lower + (self.upper - self.lower) / 2.0
        self.cv = self.centre.copy()  # the context vector: minima where they are known, the centre elsewhere
        self.searched: list[int] = []  # S, in the order of the search
        self.turns = 0  # of the search: the variables of one turn go side by side
        self.turn = np.full(problem.dim, problem.dim)
        self.valley: dict[int, Valley] = {}
        self._beside: dict[tuple[int, float], Beside] = {}

    def enter(self, variables: IntArray, valleys: list[Valley]) -> None:
        """The outcome of one turn of the search."""
        for i, valley in zip(variables.tolist(), valleys, strict=True):
            self.cv[i], self.valley[i] = valley.x, valley
        self.searched += variables.tolist()
        self.turn[variables] = self.turns
        self.turns += 1

    def archived(self, which: Sequence[int]) -> Array:
        """C[i], a row each: the variables of earlier turns at their minima, all others still at the centre."""
        return np.where(self.turn < self.turn[which, None], self.cv, self.centre)

    def far_from(self, which: Sequence[int]) -> Array:
        """C[i], a row each, with all of S at the bound farther from where they are; upper, from the centre."""
        x = self.archived(which)
        in_S = self.turn < self.turns
        return np.where(in_S, np.where(x > self.centre, self.lower, self.upper), x)

    def others_at(self, values: Array) -> Array:
        """All of S at these values, the rest at the centre."""
        x = self.centre.copy()
        x[self.searched] = values[self.searched]
        return x

    def on_bound(self, i: int) -> bool:
        """Whether nothing on one side of the minimum was seen to be worse, down to the bound."""
        return not (len(self.valley[i].left.x) and len(self.valley[i].right.x))

    def beside(self, i: int, share: float) -> Beside:
        """Two points seen to be worse, with their values: one on either side, within this share of the range."""
        if (i, share) not in self._beside:
            self._beside[i, share] = self._find_beside(i, share)
        return self._beside[i, share]

    def _find_beside(self, i: int, share: float) -> Beside:
        x, left, right = self.valley[i]
        reach = share * (self.upper[i] - self.lower[i])
        if self.on_bound(i):
            side = left if len(left.x) else right
            second = min(1, len(side.x) - 1)
            return side.within(x, reach), (float(side.x[second]), float(side.value[second]))
        return left.within(x, reach), right.within(x, reach)


def search_minima(shift: ShiftTest, rest: IntArray, precision: float, abreast: int) -> None:
    """CSG lines 16-18: the independent minimum of every variable left, in the context of those already found.

    The pseudocode takes one variable after the other; here so many go side by side, in a common context.
    """
    f, minima = shift.f, shift.minima
    for start in range(0, len(rest), abreast):
        block = rest[start : start + abreast]
        along = _along(f.restrict(minima.cv, block), minima.centre[block])
        valleys = gss(along, minima.lower[block], minima.upper[block], precision, shift.step)
        minima.enter(block, valleys)  # line 17
        shift.findings.progress(min(start + abreast, len(rest)), len(rest))


def _along(block: Callable[[Array], Array], centre: Array) -> Along:
    """The function of a block's variables, asked for one of them at a time, the others at the centre."""

    def along(which: IntArray, x: Array) -> Array:
        points = np.repeat(centre[None], len(x), axis=0)
        points[np.arange(len(x)), which] = x
        return block(points)

    return along


class ShiftTest:
    """Whether a minimum stays where it is in another context: the comparison behind GSVD and RGD.

    Two points beside it were worse in the context of its search. If one of them is better in another context, x_i
    interacts with what is different there. If only the order of the two has changed, x_i may still be separable:
    in Ackley's function minima stay where they are, but the order of other values changes with the rest. Of
    variables that are known to interact, however, it tells with whom.
    """

    def __init__(self, f: Evaluator, findings: Findings, minima: Minima, step: float) -> None:
        self.f, self.findings, self.minima, self.step = f, findings, minima, step
        self._noise = gamma(math.sqrt(f.problem.dim) + 2.0)

    def __call__(
        self, variables: Sequence[int], contexts: Array, values: Array | None = None, *, by_order: bool = False
    ) -> Mask:
        """Which of the variables move, all else as in their rows of `contexts`.

        `values` are those of the rows with the variables at their minima, where they are known already.
        `by_order`: also those whose two points beside have changed their order.
        """
        n, k = self.f.problem.dim, np.arange(len(variables))
        contexts[k, variables] = self.minima.cv[variables]  # GSVD line 2
        reach = np.full(len(variables), self.step)
        points, before = self._beside(variables, contexts, reach)  # lines 7-8
        if values is None:
            answer = self.f(np.concatenate([contexts, points.reshape(-1, n)]))
            values, sides = answer[: len(k)], answer[len(k) :].reshape(-1, 2)
        else:
            sides = self.f(points.reshape(-1, n)).reshape(-1, 2)
        while True:  # lines 6-13: as long as no difference is seen, ask ten times farther away
            flat = np.flatnonzero((sides == values[:, None]).any(axis=1) & (reach < 1.0))
            if len(flat) == 0:
                moved = self._better(np.array(variables), values, sides)
                return moved | self.another_order(before, sides) if by_order else moved
            reach[flat] *= 10.0
            points, before[flat] = self._beside([variables[j] for j in flat.tolist()], contexts[flat], reach[flat])
            sides[flat] = self.f(points.reshape(-1, n)).reshape(-1, 2)

    def another_order(self, before: Array, after: Array) -> Mask:
        """Whether two of the values (..., k) stand the other way round now, by more than rounding."""
        one, other = _pairs(before.shape[-1])
        then, now = before[..., one] - before[..., other], after[..., one] - after[..., other]
        flipped = ((then < 0.0) != (now < 0.0)) & self._sure(then, before) & self._sure(now, after)
        return np.asarray(flipped.any(axis=-1))

    def _sure(self, differences: Array, values: Array) -> Mask:
        """Which differences of these values are more than rounding."""
        sure: Mask = np.abs(differences) > self._noise * np.abs(values).max(axis=-1)[..., None]
        return sure

    def _beside(self, variables: Sequence[int], contexts: Array, reach: Array) -> tuple[Array, Array]:
        """The contexts twice (k, 2, n), with every variable at its two worse points; and their values then."""
        points = np.repeat(contexts[:, None, :], 2, axis=1)
        before = np.empty((len(variables), 2))
        for k, (i, share) in enumerate(zip(variables, reach, strict=True)):
            (points[k, 0, i], before[k, 0]), (points[k, 1, i], before[k, 1]) = self.minima.beside(i, share)
        return points, before

    def _better(self, variables: IntArray, values: Array, sides: Array) -> Mask:
        """GSVD line 14: one of the points beside is better now."""
        noise = self._noise * np.maximum(np.abs(values), np.abs(sides).max(axis=1))
        lowest = (sides - values[:, None]).min(axis=1)
        self.findings.note_close(variables[np.abs(lowest) <= CLOSE * noise])
        moved: Mask = lowest < -noise
        return moved


Witnesses = dict[int, "Array | None"]  # of a moved variable: where it moved; None: all others at their far bounds


def gsvd(shift: ShiftTest, rng: np.random.Generator, looks: int) -> Witnesses:
    """Stage 3, GSVD: the variables whose minimum moves, each with a context in which it did."""
    minima = shift.minima
    asked = minima.searched
    moved: Witnesses = {}
    done = 0
    for chunk in chunks(asked, shift.f, 3):  # lines 1-4
        hit = shift(chunk, minima.far_from(chunk))
        moved.update(dict.fromkeys(compress(chunk, hit)))
        done += len(chunk)
        shift.findings.progress(done, len(asked))
    shown = [minima.others_at(minima.upper), minima.others_at(minima.lower)]
    for context in shown + [minima.others_at(_anywhere(minima, rng)) for _ in range(looks)]:
        still = [i for i in asked if minima.on_bound(i) and i not in moved]
        for chunk in chunks(still, shift.f, 3):
            hit = shift(chunk, np.repeat(context[None], len(chunk), axis=0), by_order=True)
            moved.update(dict.fromkeys(compress(chunk, hit), context))
    if moved:  # otherwise nothing interacts with anything
        look_again(shift, moved, asked, rng)
    return moved


def composite(shift: ShiftTest, rng: np.random.Generator, looks: int) -> Witnesses:
    """Stage 3: book the variables that have not moved; the others are returned."""
    with shift.findings.stage("composite"):
        moved = gsvd(shift, rng, looks)
        shift.findings.composite = [i for i in shift.minima.searched if i not in moved]
    return moved


def look_again(shift: ShiftTest, moved: Witnesses, asked: Sequence[int], rng: np.random.Generator) -> list[int]:
    """Ask those that have not moved in one context more, a common one: two evaluations each."""
    minima = shift.minima
    asked = [i for i in asked if i not in moved]
    if not asked:
        return []
    context = minima.cv.copy()
    known = sorted(moved)
    context[known] = _anywhere(minima, rng)[known]
    value = shift.f(context[None])
    new: list[int] = []
    for chunk in chunks(asked, shift.f, 3):
        hit = shift(chunk, np.repeat(context[None], len(chunk), axis=0), np.repeat(value, len(chunk)))
        new += compress(chunk, hit)
    moved.update(dict.fromkeys(new, context))
    return new


def nvg(shift: ShiftTest, rng: np.random.Generator, looks: int, moved: Witnesses) -> None:
    """Stage 4, NVG: variable by variable, join the groups that it interacts with."""
    minima, findings = shift.minima, shift.findings
    groups = findings.groups
    known = [i for i in minima.searched if i in moved]
    known.sort(key=minima.on_bound)  # minima on a bound are harder to tell, so they come last
    # RGD's first question is about all before x_i, however they will be grouped: it is asked of everybody at once
    first = ask(shift, [(i, known[:k], moved[i]) for k, i in enumerate(known) if k], by_order=True)
    started = 0
    for i, hit in zip(known, [False, *first], strict=bool(known)):  # lines 1-3
        started += _join(i, rgd(shift, i, groups, moved[i], first=hit), groups)
        findings.progress(sum(map(len, groups)), len(known))
    # a chain, in which every link had but one chance to be seen
    sparse = started > 2 * len(groups) or (len(groups) > 1 and has_few_partners(shift, rng))
    for _ in range(looks if sparse else 0):
        for i in look_again(shift, moved, minima.searched, rng):
            findings.composite.remove(i)
            _join(i, rgd(shift, i, groups, moved[i]), groups)
    find_partners(shift, moved, [i for i in minima.searched if i not in moved and minima.on_bound(i)])
    quiet = 0
    while len(groups) > 1 and quiet < looks:  # until so many looks in a row have joined nothing
        context, before = minima.others_at(_anywhere(minima, rng)), len(groups)
        for i in [i for i in moved if sparse or minima.on_bound(i) or [i] in groups]:
            _join(i, rgd(shift, i, [group for group in groups if i not in group], context), groups)
        reorder(shift, rng)
        quiet = 0 if len(groups) < before else quiet + 1
    find_partners(shift, moved, _alone(groups))
    for i in _alone(groups):  # proved to interact, and none of those that moved is its partner
        passed = [[j] for j in minima.searched if j not in moved]
        _adopt(i, rgd(shift, i, passed, moved[i], by_order=False), moved, findings)


def has_few_partners(shift: ShiftTest, rng: np.random.Generator) -> bool:
    """Whether variables interact with few of their own group, as in a chain; some of the largest one are asked."""
    group = np.array(max(shift.findings.groups, key=len))
    away = _anywhere(shift.minima, rng)
    asked = rng.choice(group, min(ASKED, len(group)), replace=False).tolist()
    parts = [(i, part) for i in asked for part in np.array_split(rng.permutation(group[group != i]), PARTS)]
    hits = ask(shift, [(i, part, away) for i, part in parts if len(part)], by_order=True)
    return 2 * sum(hits) < len(hits)


def reorder(shift: ShiftTest, rng: np.random.Generator) -> None:
    """Ask one member of every group whether other groups change the order of its values, all else anywhere.

    RGD asks beside the minimum, with nothing but the asked groups away from theirs. In x1 x2 x3 around 0 nobody
    sees anybody like that: each needs two others away.
    """
    f, minima, groups = shift.f, shift.minima, shift.findings.groups
    base, away = (minima.others_at(_anywhere(minima, rng)) for _ in range(2))

    def values(i: int, x: Array, members: list[int]) -> Array:
        points = np.repeat(base[None], POINTS, axis=0)
        points[:, members] = away[members]
        points[:, i] = x
        return f(points)

    def reordered(i: int, x: Array, before: Array, asked: list[list[int]]) -> list[list[int]]:
        if not asked or not shift.another_order(before, values(i, x, [j for group in asked for j in group])):
            return []
        half = len(asked) // 2
        return reordered(i, x, before, asked[:half]) + reordered(i, x, before, asked[half:]) if half else asked

    for i in [int(rng.choice(group)) for group in groups]:
        x = rng.uniform(minima.lower[i], minima.upper[i], POINTS)
        others = [group for group in groups if i not in group]
        _join(i, reordered(i, x, values(i, x, []), others), groups)


def find_partners(shift: ShiftTest, moved: Witnesses, asked: Sequence[int]) -> None:
    """Turn the question round: does a step of these move the minimum of another?

    Few contexts lift a minimum off a bound, but any step away from the bound shows in whoever interacts with it.
    """
    minima, groups = shift.minima, shift.findings.groups
    away = minima.others_at(np.where(minima.cv > minima.centre, minima.lower, minima.upper))
    for i in list(moved) if asked else ():
        own = next(group for group in groups if i in group)
        _adopt(i, rgd(shift, i, [[j] for j in asked if j not in own], away, by_order=False), moved, shift.findings)


def _alone(groups: list[list[int]]) -> list[int]:
    return [group[0] for group in groups if len(group) == 1]


def _adopt(i: int, hit: list[list[int]], moved: Witnesses, findings: Findings) -> None:
    """The variables hit have moved the minimum of x_i: they belong to its group, though they had passed."""
    for (j,) in hit:
        if j not in moved:
            moved[j] = None
            findings.composite.remove(j)
        _join(j, [group for group in findings.groups if i in group], findings.groups)


def _join(i: int, hit: list[list[int]], groups: list[list[int]]) -> bool:
    """Merge x_i, with the group it may have, and the groups it hit; whether x_i is a new group of its own."""
    merged = [group for group in groups if group in hit or i in group]  # NVG lines 5-13
    groups[:] = [group for group in groups if group not in merged]
    groups.append(sorted({i}.union(*merged)))
    return not merged


def rgd(
    shift: ShiftTest,
    i: int,
    groups: list[list[int]],
    witness: Array | None,
    *,
    first: bool | None = None,
    by_order: bool = True,
) -> list[list[int]]:
    """RGD: the groups whose variables, put to the context where x_i moved, move its minimum.

    Both halves of what was hit are always asked, so the halvings of one depth are one batch. `first` is the answer
    for all groups together, where it is known. `by_order`: see `ShiftTest`; not if the groups may be separable.
    """
    away = shift.minima.far_from([i])[0] if witness is None else witness  # lines 13-19: by halves
    return by_halves(
        groups,
        lambda parts: ask(
            shift, [(i, [j for group in part for j in group], away) for part in parts], by_order=by_order
        ),
        first,
    )


Question = tuple[
    int, "Sequence[int] | IntArray", "Array | None"
]  # a variable; others; the context where they are put


def ask(shift: ShiftTest, questions: Sequence[Question], *, by_order: bool = False) -> list[bool]:
    """RGD lines 1-12: whether x_i moves if those others, and nobody else, go to that context."""
    answers: list[bool] = []
    for chunk in chunks(questions, shift.f, 3):
        which = [i for i, _, _ in chunk]
        contexts = shift.minima.archived(which)  # line 1
        for context, (i, others, witness) in zip(contexts, chunk, strict=True):
            away = shift.minima.far_from([i])[0] if witness is None else witness
            context[others] = away[others]  # line 2
        answers += shift(which, contexts, by_order=by_order).tolist()  # lines 3-12
    return answers


@cache
def _pairs(count: int) -> tuple[IntArray, ...]:
    """The first and the second of every two of so many."""
    return np.triu_indices(count, 1)


def _anywhere(minima: Minima, rng: np.random.Generator) -> Array:
    return rng.uniform(minima.lower, minima.upper)
