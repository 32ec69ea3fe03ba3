"""RDG3, recursive differential grouping for overlapping components.

Y. Sun, X. Li, A. Ernst, M. N. Omidvar, "Decomposition for Large-Scale Optimization Problems with Overlapping
Components", IEEE Congress on Evolutionary Computation, 2019. It is RDG2, but a group that has grown to eps_n
variables is closed: a chain of shared variables breaks where it is long enough. The optimizer of the paper takes
separable variables eps_s at a time.

Our reading: the separable variables are reported as such, so that they count as found. `chunk` joins them into
groups as the paper's optimizer had them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from separable.decomposers import options
from separable.decomposers.rdg import Interaction, recursive
from separable.decomposers.rdg2 import rounding_bound

if TYPE_CHECKING:
    import numpy as np

    from separable.decomposers.findings import Findings
    from separable.evaluator import Evaluator


def rdg3(
    f: Evaluator,
    findings: Findings,
    rng: np.random.Generator,  # noqa: ARG001 -- nothing is random
    *,
    full: int = 50,
    chunk: int = 0,
) -> None:
    """Decompose by RDG3.

    Args:
        f, findings, rng: see `decomposers`.
        full: the size at which a group is closed (the paper's eps_n).
        chunk: 0 reports separable variables one by one; more joins so many to a group (the paper's eps_s, 100).
    """
    options.whole("rdg3", "full", full, 2)
    options.whole("rdg3", "chunk", chunk, 0)
    with findings.stage("groups"):
        recursive(f, findings, Interaction(f, findings, rounding_bound(f.problem.dim)).partners, full)
    if chunk:
        alone, findings.additive = findings.additive, []
        findings.groups += [alone[start : start + chunk] for start in range(0, len(alone), chunk)]
