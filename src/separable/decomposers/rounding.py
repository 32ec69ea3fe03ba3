"""What rounding can do to a difference of values, and when a decision was a close one."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from separable.problems import Array, IntArray, Mask

UNIT = 2.0**-53  # u, the unit roundoff
CLOSE = 10.0  # a decision nearer to its threshold than this factor is a close call


def gamma(k: float) -> float:
    """The largest relative error of k roundings in a row: k u / (1 - k u)."""
    return k * UNIT / (1.0 - k * UNIT)


@overload
def near(value: float, threshold: float) -> bool: ...
@overload
def near(value: Array, threshold: Array | float) -> Mask: ...
def near(value: Array | float, threshold: Array | float) -> Mask | bool:
    """Which values are close calls."""
    return (value > threshold / CLOSE) & (value < threshold * CLOSE)


def smaller(one: IntArray, other: IntArray) -> IntArray:
    """The set whose members a close call between two sets is about."""
    return one if len(one) <= len(other) else other
