"""CURVES, response-curve grouping: every kind of separability from the first 2n + 2 evaluations.

A method of our own; docs/curves.md derives it. a is a base, b a point to which the variables move. Of every
variable the effect of the step from a_i to b_i is measured twice, where all others are at a, and at b:

    d_i = f(a, but b_i at i) - f(a)          d'_i = f(b) - f(b, but a_i at i)

In a block H(sum of g_j(x_j)) both depend on t_i = g_i(b_i) - g_i(a_i) alone. So all variables of a block lie on
one curve d' = phi(d): additive ones on d' = d, factors of a product on phi(d) = k d / (1 + d / A), the variables
under any other monotone function H on a curve of its own. Variables of non-separable groups lie anywhere.

    noise      sigma, of which all thresholds are multiples
    effects    d and d', and who is additive
    fit        smooth curves through some of many points, a contrario
    blocks     who lies on which curve, and with what chance wrongly so
    groups     who belongs together of those that lie on none
    codes      who reacts to whom, asked of many at once
    doubt      what is done about doubt, down to CSG's own tests
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from separable import decomposition
from separable.decomposers import options
from separable.decomposers.csg import csg
from separable.decomposers.curves import blocks, doubt, groups, noise
from separable.decomposers.curves.effects import Pair, are_additive, is_additive
from separable.errors import NoisyFunction

if TYPE_CHECKING:
    from separable.decomposers.curves.blocks import Block
    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray

MARGIN = 0.15  # of the box, on either side of the base
PLACES = 6  # to which all variables are moved, before a function is called additive
FAR = 0.7  # of the box: the step where what is additive near by is not so far away
LARGER = 3.0  # steps, at the second look
WITNESSES = 24  # members of a block, and variables that are left, for comparison with doubtful ones
ASKED = 1, 3  # members of a group are asked whether others change the order of their values
VISIBLE = 0.01  # of the effect of a variable: interactions that would have been seen
CSG_COST = 45  # evaluations a variable
LARGEST_OWN_CURVE = 40  # members of a group that is searched for a curve by itself: with more it had been seen
MANY = 50  # additive variables, from which the noise is estimated anew


def curves(
    f: Evaluator,
    findings: Findings,
    rng: np.random.Generator,
    *,
    step: float = 0.1,
    z: float = 8.0,
    spend: int | None = None,
) -> None:
    """Decompose by CURVES.

    Args:
        f, findings, rng: see `decomposers`.
        step: how far a variable is moved, half of it at least, as a share of the box.
        z: how many standard deviations of the noise a difference must be off to mean something.
        spend: the evaluations that may be spent on doubt; by default 1000, and 5 more for each variable.
    """
    options.share("curves", "step", step, 0.3)
    options.share("curves", "z", z, 100.0)
    if spend is not None:
        options.whole("curves", "spend", spend, 0)
    _Run(f, findings, rng, step, z, 1000 + 5 * f.problem.dim if spend is None else spend).go()


class _Run:
    """One run, and what it knows: d and d' of every variable, the blocks, what is left."""

    def __init__(
        self, f: Evaluator, findings: Findings, rng: np.random.Generator, step: float, z: float, spend: int
    ) -> None:
        self.f, self.findings, self.rng, self.step, self.z, self.spend = f, findings, rng, step, z, spend
        n = f.problem.dim
        self.d, self.dd = np.zeros(n), np.zeros(n)
        self.everyone = np.arange(n)
        self.blocks: list[Block] = []
        self.chance = np.zeros(n)
        self.tested, self.interacts = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self.astray = False  # whether something has been seen that cannot be

    def go(self) -> None:
        """All of it, stage by stage."""
        findings = self.findings
        with findings.stage("noise"):
            a, f_a, sigma = self.take_a_base()
        with findings.stage("additive"):
            if self.is_additive_at_all(a, f_a, sigma):
                findings.additive = self.everyone.tolist()
                findings.blocks = [decomposition.Block(tuple(findings.additive), "additive")]
                if findings.noise is None:
                    findings.certain.update(findings.additive)
                return
            pair = self.measure(a, f_a, sigma)
        if self.astray and self.can_fall_back():
            self.fall_back()
            return
        with findings.stage("curves"):
            left = self.find_blocks(pair)
            left = self.look_again(pair, left)
        with findings.stage("groups"):
            found = groups.find(pair, left, self.d, self.dd, self.rng)
            findings.groups += [group.members.tolist() for group in found]
        with findings.stage("doubt"):
            self.ask_groups(pair, found)
        # whatever a variable interacts with that is left alone passes for separable
        self.astray |= any(self.interacts[group[0]] for group in findings.groups if len(group) == 1)
        if self.astray and self.can_fall_back():
            self.fall_back()
        else:
            self.close(pair)
            self.describe_blocks()

    # --- the effects ---

    def take_a_base(self) -> tuple[Array, float, float]:
        """a, f there, and the noise."""
        lower, upper = self.f.problem.lower, self.f.problem.upper
        base = lower + (upper - lower) * self.rng.uniform(MARGIN, 1.0 - MARGIN, len(lower))
        a, f_a, sigma, is_noise = noise.estimate(self.f, base, self.rng)
        if is_noise:
            self.findings.noise = sigma
            level = f"{sigma / abs(f_a):.1e} of its value" if f_a else f"{sigma:.1e}"
            warnings.warn(
                NoisyFunction(
                    f"{self.f.problem.name}: the function is noisy, by about {level}. Interactions that are "
                    "weaker cannot be seen. Fix the seed of a simulation; compute in double precision"
                ),
                stacklevel=6,  # who called decompose
            )
        return a, f_a, sigma

    def is_additive_at_all(self, a: Array, f_a: float, sigma: float) -> bool:
        """Whether all variables are additive: no split of them in two shows an interaction."""
        return are_additive(self.f, a, f_a, self.everyone, PLACES, 2.0 * self.z * sigma, self.rng)

    def measure(self, a: Array, f_a: float, sigma: float) -> Pair:
        """D and d' of all variables; additive ones are written down at once.

        If those are so near by only, all is measured again with large steps.
        """
        width = self.f.problem.upper - self.f.problem.lower
        pair = self.pair_from(a, f_a, sigma, self.step * width)
        self.take_effects(pair)
        additive = np.array(self.findings.additive, dtype=np.intp)
        if len(additive) >= MANY:
            seen = 1.4826 * float(np.median(np.abs(self.dd - self.d)[additive])) / 2.0
            pair = replace(pair, sigma=max(pair.sigma, seen))
            self.findings.additive = self.everyone[is_additive(pair, self.d, self.dd)].tolist()
        if len(additive) and not doubt.are_additive_far_away(pair, additive, self.rng):
            self.findings.additive = []
            pair = self.pair_from(a, f_a, sigma, FAR * width)
            self.take_effects(pair)
            additive = np.array(self.findings.additive, dtype=np.intp)
            self.astray = len(additive) > 0 and not doubt.are_additive_far_away(pair, additive, self.rng)
        return pair

    def pair_from(self, a: Array, f_a: float, sigma: float, most: Array) -> Pair:
        """The base and a point that is half of `most` to `most` away from it in every variable, in the box."""
        b = a + self.rng.uniform(0.5, 1.0, len(a)) * most * self.rng.choice([-1.0, 1.0], len(a))
        lower, upper = self.f.problem.lower, self.f.problem.upper
        b = np.where((b < lower) | (b > upper), 2.0 * a - b, b)
        b = np.clip(b, lower, upper)
        f_b = float(self.f(b[None])[0])
        return Pair(self.f, a, b, f_a, f_b, _scaled(sigma, f_b, f_a), self.z)

    def take_effects(self, pair: Pair) -> None:
        """D and d' of everyone."""
        done = 0
        for chunk, d, dd in pair.both(self.everyone):
            self.d[chunk], self.dd[chunk] = d, dd
            self.findings.additive += chunk[is_additive(pair, d, dd)].tolist()
            done += len(chunk)
            self.findings.progress(done, len(self.everyone))

    # --- the curves ---

    def find_blocks(self, pair: Pair) -> IntArray:
        """The blocks among what is not additive; what is left. A block whose outer function turns is a group."""
        rest = np.setdiff1d(self.everyone, self.findings.additive)
        found, left = blocks.find(pair, rest, self.d, self.dd, self.rng)
        for block in found:
            self.take_block(pair, block)
        return left

    def take_block(self, pair: Pair, block: Block) -> None:
        """Write down a block as what it is."""
        members = block.members.tolist()
        if not doubt.is_monotone(pair, block.members, self.d, self.rng):
            self.findings.groups.append(members)
            return
        block.is_product = blocks.is_a_product(pair, block, self.d, self.dd)
        self.blocks.append(block)
        if block.is_product:
            self.findings.multiplicative += members
        else:
            self.findings.composite += members

    def look_again(self, pair: Pair, left: IntArray) -> IntArray:
        """Hold doubtful variables against their curves from another base, with larger steps; what is left now."""
        self.set_chances(pair, left)
        doubtful = self.everyone[self.chance * len(left) > blocks.ALPHA]
        doubtful = doubtful[: self.spend // 4]
        if not len(doubtful):
            return left
        self.spend -= 2 * len(doubtful)
        lower, upper = self.f.problem.lower, self.f.problem.upper
        a = lower + (upper - lower) * self.rng.uniform(MARGIN, 1.0 - MARGIN, len(lower))
        f_a = float(self.f(a[None])[0])
        other = self.pair_from(a, f_a, _scaled(pair.sigma, f_a, pair.f_a), LARGER * self.step * (upper - lower))
        witnesses = [self.rng.permutation(block.members)[:WITNESSES] for block in self.blocks]
        beside = self.rng.permutation(left)[:WITNESSES]
        asked = np.unique(np.concatenate([doubtful, beside, *witnesses]))
        d, dd = np.zeros(len(lower)), np.zeros(len(lower))
        for chunk, there, back in other.both(asked):
            d[chunk], dd[chunk] = there, back
        off = doubt.off_their_curves(other, self.blocks, doubtful, witnesses, beside, d, dd, self.chance, self.rng)
        additive = np.intersect1d(doubtful, np.array(self.findings.additive, dtype=np.intp))
        changed = additive[~is_additive(other, d[additive], dd[additive])]
        still = np.setdiff1d(additive, changed)
        self.chance[still] *= blocks.chance_of_additive(other, still, beside, d, dd)
        return self.let_go(np.concatenate([changed, off]), left)

    def let_go(self, variables: IntArray, left: IntArray) -> IntArray:
        """These are not what they seemed to be, and join what is left."""
        gone = set(variables.tolist())
        for kind in (self.findings.additive, self.findings.multiplicative, self.findings.composite):
            kind[:] = [i for i in kind if i not in gone]
        for block in self.blocks:
            stays = ~np.isin(block.members, variables)
            block.members, block.chance = block.members[stays], block.chance[stays]
        self.blocks = [block for block in self.blocks if len(block.members)]
        return np.concatenate([left, variables])

    def set_chances(self, pair: Pair, left: IntArray) -> None:
        """For every variable that is called separable, the chance that it only happens to look so."""
        self.chance = np.zeros(len(self.everyone))
        additive = np.array(self.findings.additive, dtype=np.intp)
        self.chance[additive] = blocks.chance_of_additive(pair, additive, left, self.d, self.dd)
        for block in self.blocks:
            blocks.set_chances(pair, block, left, self.d, self.dd)
            self.chance[block.members] = block.chance

    # --- groups ---

    def ask_groups(self, pair: Pair, found: list[groups.Group]) -> None:
        """Ask some of every group whether they are separable; what is shown to be no group is taken apart."""
        still: list[IntArray] = []  # groups of which no member has been shown to interact
        for group in found:
            members = group.members
            if len(members) <= LARGEST_OWN_CURVE:
                members = self.find_own_curve(pair, members)
            if doubt.have_two_inner_sums(pair, group, self.d, self.dd, self.rng):
                self.take_apart(members)
            elif len(members):
                still.append(self.rng.permutation(members))
        for few in ASKED:
            asked = np.concatenate([self.everyone[:0], *(members[:few] for members in still)])
            asked = asked[~self.tested[asked]][: max(0, self.spend // doubt.ORDER_COST)]
            self.spend -= doubt.ORDER_COST * len(asked)
            self.interacts[asked] = doubt.reordered(pair, asked, self.rng)
            still = [members for members in still if not self.interacts[members].any()]
        few = max(ASKED)
        while still and self.spend >= doubt.TEST_COST and self.findings.noise is None:
            self.test(np.concatenate([members[:few] for members in still]))
            still = [members for members in still if not self.interacts[members].any()]
            for members in still:
                if self.tested[members].all():
                    self.take_apart(members)
            still = [members for members in still if not self.tested[members].all()]
            few *= 2

    def take_apart(self, members: IntArray) -> None:
        """These are no group: each is separable, though on no curve that was found."""
        self.ungroup(members)
        self.findings.composite += members.tolist()

    def find_own_curve(self, pair: Pair, members: IntArray) -> IntArray:
        """The members of a small group that are left when a curve of its own is taken out."""
        found, rest = blocks.find(pair, members, self.d, self.dd, self.rng)
        for block in found:
            self.ungroup(block.members)
            self.take_block(pair, block)
        return rest

    def test(self, variables: IntArray) -> None:
        """CSG's tests, as long as there is something to spend."""
        new = variables[~self.tested[variables]][: max(0, self.spend // doubt.TEST_COST)]
        self.spend -= doubt.TEST_COST * len(new)
        self.interacts[new] = doubt.moved(self.f, self.findings, new, self.rng)
        self.tested[new] = True

    def ungroup(self, variables: IntArray) -> None:
        gone = set(variables.tolist())
        rest = ([i for i in group if i not in gone] for group in self.findings.groups)
        self.findings.groups[:] = [group for group in rest if group]

    def can_fall_back(self) -> bool:
        """Whether as much may be spent as CSG will cost."""
        return self.findings.noise is None and self.spend >= CSG_COST * len(self.everyone)

    def fall_back(self) -> None:
        """Something is not what this method takes it for: CSG begins anew."""
        findings = self.findings
        for found in (findings.additive, findings.multiplicative, findings.composite, findings.groups):
            found.clear()
        csg(self.f, findings, self.rng)
        grouped = [i for group in findings.groups for i in group]
        findings.certain.update(np.intersect1d(self.everyone[self.interacts], grouped).tolist())

    def close(self, pair: Pair) -> None:
        """Who is certain: shown to interact, or separable with no chance to speak of that it only looks so.

        Nobody is certainly additive of whom an interaction of some size would not have been seen.
        """
        findings = self.findings
        findings.certain.update(self.everyone[self.interacts].tolist())
        if self.astray:
            return
        left = np.array([i for group in findings.groups for i in group], dtype=np.intp)
        safe = self.chance * len(left) <= blocks.ALPHA
        seen = pair.limit(4) <= VISIBLE * np.abs(self.d)
        findings.certain.update(np.intersect1d(findings.additive, self.everyone[safe & seen]).tolist())
        for block in self.blocks:
            if not len(block.chance):  # found in a group
                blocks.set_chances(pair, block, left, self.d, self.dd)
                safe[block.members] = block.chance * len(left) <= blocks.ALPHA
            if block.is_witnessed or not len(left):
                findings.certain.update(block.members[safe[block.members]].tolist())

    def describe_blocks(self) -> None:
        """Hand over the blocks, with their curves, and the effects."""
        findings = self.findings
        findings.effects = tuple(zip(self.d.tolist(), self.dd.tolist(), strict=True))
        findings.blocks = [block.described() for block in self.blocks]
        if findings.additive:
            findings.blocks.append(decomposition.Block(tuple(findings.additive), "additive"))


def _scaled(sigma: float, value: float, base: float) -> float:
    """The noise where f has another value: it grows with it."""
    return sigma * max(1.0, abs(value / base)) if base else sigma
