"""CSG-GSG: the first three stages of CSG, then GSG's grouping of the variables that are left.

The comparison with which the paper of CSG (see `csg`) shows what its own grouping saves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from separable.decomposers import csg, gsg

if TYPE_CHECKING:
    import numpy as np

    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator
    from separable.problems import Array


def csg_gsg(
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
    """Decompose by CSG-GSG.

    Args:
        f, findings, rng: see `decomposers`.
        precision, step, product_cap, looks, abreast: as of `csg`.
    """
    shift, moved = csg.separate(f, findings, rng, precision, step, product_cap, looks, abreast)

    def away(i: int) -> Array:
        witness = moved[i]
        return shift.minima.far_from([i])[0] if witness is None else witness

    with findings.stage("groups"):
        alone: list[int] = []
        gsg.group(shift, [i for i in shift.minima.searched if i in moved], away, alone)
        findings.groups += [[i] for i in alone]  # they have been seen to interact, with whomever
