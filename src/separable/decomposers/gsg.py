"""GSG, general separability grouping.

M. Chen, W. Du, Y. Tang, Y. Jin, G. G. Yen, "A Decomposition Method for Both Additively and Nonadditively
Separable Problems", IEEE Transactions on Evolutionary Computation 27(6), 2023. First the independent minimum of
every variable by golden section; then, variable by variable, which of the others move that minimum, by halves. The
variables that have moved nobody's minimum, and whose minimum nobody has moved, are separable, in whatever way.

Our reading, as there is no public code: the search for minima and the comparison that says whether one has moved
are those of CSG, which has them from GSG; the bracket of the search ends at 1e-7 of the range. Variable i is asked
about all variables after it that are not yet in its group, with these at the bound farther from their minima (the
upper one, for those not searched yet) and all others where they were when its minimum was found.

One such context cannot show everything: minima on a bound and minima that stay by chance are missed. `looks` adds
CSG's remedies for both, its second looks and its way to group.

The halves of a set are asked whatever the other half answers, so all sets of one depth are one batch.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from separable.decomposers import csg, options
from separable.decomposers.batches import by_halves
from separable.decomposers.components import join, parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray


def gsg(
    f: Evaluator,
    findings: Findings,
    rng: np.random.Generator,
    *,
    precision: float = 1e-7,
    step: float = 1e-3,
    looks: int = 0,
    abreast: int = 24,
) -> None:
    """Decompose by GSG.

    Args:
        f, findings, rng: see `decomposers`.
        precision: the bracket at which a golden section ends, as a share of the range.
        step: how near to a minimum its worse points are chosen, as a share of the range.
        looks: 0 is GSG; more is GSG with CSG's contexts and its rule for minima on a bound, with so many further
            contexts for the variables in doubt.
        abreast: how many minima are searched side by side, a step of all of them in one batch.
    """
    options.share("gsg", "precision", precision)
    options.share("gsg", "step", step)
    options.whole("gsg", "looks", looks, 0)
    options.whole("gsg", "abreast", abreast, 1)
    minima = csg.Minima(f.problem)
    shift = csg.ShiftTest(f, findings, minima, step)
    with findings.stage("minima"):
        csg.search_minima(shift, np.arange(f.problem.dim), precision, abreast)
    if looks:
        moved = csg.composite(shift, rng, looks)
        with findings.stage("groups"):
            csg.nvg(shift, rng, looks, moved)
        return
    with findings.stage("groups"):
        group(shift, minima.searched, lambda i: minima.far_from([i])[0], findings.composite)


def group(shift: csg.ShiftTest, variables: Sequence[int], away: Callable[[int], Array], alone: list[int]) -> None:
    """Stage 2: join every variable with those after it that move its minimum.

    Args:
        shift: what tells whether a minimum has moved.
        variables: those to group.
        away: of a variable, where to put others to see whether they move its minimum.
        alone: takes the variables that are joined with nobody.
    """
    findings = shift.findings
    asked = np.array(variables, dtype=np.intp)
    label = np.arange(shift.f.problem.dim)  # variables of one group have one label
    for k, i in enumerate(asked.tolist()):
        later = asked[k + 1 :]
        rest = later[label[later] != label[i]]
        movers = by_halves(rest, partial(_moving, shift, i, away(i)))
        if movers:
            for j in movers:
                join(label, i, j)
            findings.groups[:] = [part.tolist() for part in parts(label) if len(part) > 1]
        elif (label == label[i]).sum() == 1:
            alone.append(i)
        findings.progress(k + 1, len(asked))


def _moving(shift: csg.ShiftTest, i: int, away: Array, sets: Sequence[IntArray]) -> list[bool]:
    """Which sets of variables move the minimum of x_i when they are put away; three evaluations each."""
    return csg.ask(shift, [(i, others, away) for others in sets])
