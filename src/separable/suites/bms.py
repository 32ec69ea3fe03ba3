"""BMS, the paper's own suite: 15 functions that mix kinds of separability.

z = x - o; P is a random permutation of the D variables, and its slices, in the order written below, carry the
basis functions. f1-f9 are fully separable; in f10-f15 the first quarter of P is not. (M. Tian, M. Chen, W. Du,
Y. Tang, Y. Jin, G. G. Yen, "A Composite Decomposition Method for Large-Scale Global Optimization", 2024.)

Our reading: the paper takes its four non-additive basis functions from work that could not be had. With

    prodsqu = exp(mean ln(1 + z^2))       prodras = exp(mean ln(1 + z^2 - 10 cos 2 pi z + 10))
    logabs  = 10 ln(1 + sum |z|)          cone    = sqrt(sum z^2)

the paper's evaluation counts and its optima come out. (The raw products overflow at these sizes, so a scale of
some kind was needed.) The product carries weight 1 in f1, f5, f6, f14 and 100 elsewhere, where the published
optima sit at 100. The box is [-5, 5]^D, o is uniform in 0.8 of it, a rotation is the orthogonal factor of a
Gaussian matrix, one per function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from separable.suites.compose import Part, compose

if TYPE_CHECKING:
    from separable.problems import Problem

DIM_STEP = 200  # the quarters of D are then blocks of 50, its fifths and tenths whole
LIGHT_PRODUCT = {1, 5, 6, 14}

PARTS = {
    1: (Part("rastrigin", 1, 2), Part("prodras", 1, 2)),
    2: (Part("sphere", 1, 2), Part("prodsqu", 1, 2)),
    3: (Part("rastrigin", 1, 2), Part("logabs", 1, 2)),
    4: (Part("sphere", 1, 2), Part("cone", 1, 2)),
    5: (Part("prodsqu", 1, 2), Part("logabs", 1, 2)),
    6: (Part("prodras", 1, 2), Part("cone", 1, 2)),
    7: (Part("rastrigin", 2, 5), Part("prodsqu", 3, 10), Part("logabs", 3, 10)),
    8: (Part("elliptic", 3, 10), Part("prodras", 2, 5), Part("cone", 3, 10)),
    9: (Part("sphere", 3, 10), Part("prodras", 3, 10), Part("logabs", 2, 5)),
    10: (Part("rosenbrock", 1, 4), Part("sphere", 1, 4), Part("prodras", 1, 4), Part("cone", 1, 4)),
    11: (Part("schwefel", 1, 4), Part("rastrigin", 1, 4), Part("prodsqu", 1, 4), Part("logabs", 1, 4)),
    12: (
        Part("rotated rastrigin groups", 1, 4),
        Part("rastrigin", 1, 4),
        Part("prodsqu", 1, 4),
        Part("logabs", 1, 4),
    ),
    13: (Part("schwefel groups", 1, 4), Part("rastrigin", 1, 4), Part("prodsqu", 1, 4), Part("logabs", 1, 4)),
    14: (
        Part("sqrt of rotated rastrigin groups", 1, 4),
        Part("sphere", 1, 4),
        Part("prodras", 1, 4),
        Part("cone", 1, 4),
    ),
    15: (
        Part("log of schwefel groups", 1, 4),
        Part("rastrigin", 1, 4),
        Part("prodsqu", 1, 4),
        Part("logabs", 1, 4),
    ),
}


def problem(function: int, dim: int, instance: int) -> Problem:
    """One function of the suite; all that is random in it comes from (1, function, dim, instance)."""
    weight = 1.0 if function in LIGHT_PRODUCT else 100.0
    return compose(f"bms/f{function}", [1, function, dim, instance], dim, PARTS[function], weight)
