"""BNS: 12 functions with one kind of non-additive separability each; our own design.

The suite of this name comes from the paper on general separability grouping, which says that it has 12 functions
made from four non-additive basis functions; their composition could not be had. So this is ours, for the same
purpose. Each basis function b of `bms` plays three roles, over D variables:

    f1-f4    b over all D: fully separable
    f5-f8    b over D/2, and groups of 50, summed, over the other half
    f9-f12   groups of 50 joined by b's outer rule: a product of the groups, or a monotone function of their sum
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from separable.suites.compose import Part, compose

if TYPE_CHECKING:
    from separable.problems import Problem

DIM_STEP = 100  # half of it are blocks of 50

PARTS = {
    1: (Part("prodsqu"),),
    2: (Part("prodras"),),
    3: (Part("logabs"),),
    4: (Part("cone"),),
    5: (Part("prodsqu", 1, 2), Part("rotated rastrigin groups", 1, 2)),
    6: (Part("prodras", 1, 2), Part("schwefel groups", 1, 2)),
    7: (Part("logabs", 1, 2), Part("rotated rastrigin groups", 1, 2)),
    8: (Part("cone", 1, 2), Part("schwefel groups", 1, 2)),
    9: (Part("product of schwefel groups"),),
    10: (Part("product of rotated rastrigin groups"),),
    11: (Part("10 log of schwefel groups"),),
    12: (Part("sqrt of rotated rastrigin groups"),),
}


def problem(function: int, dim: int, instance: int) -> Problem:
    """One function of the suite; all that is random in it comes from (2, function, dim, instance)."""
    return compose(f"bns/f{function}", [2, function, dim, instance], dim, PARTS[function], 100.0)
