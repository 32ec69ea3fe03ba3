"""Whatever hangs together directly or through others: connected components."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from collections.abc import Iterable

    from separable.decomposers.findings import Findings
    from separable.problems import IntArray


def join(label: IntArray, one: int, other: int) -> None:
    """Merge two parts, given by a label for every item: that of `other` takes the label of `one`."""
    label[label == label[other]] = label[one]


def parts(label: IntArray) -> list[IntArray]:
    """The items of every label.

    >>> [part.tolist() for part in parts(np.array([0, 4, 0, 0, 2]))]
    [[0, 2, 3], [4], [1]]
    """
    order = np.argsort(label, kind="stable")
    cuts = [0, *(np.flatnonzero(np.diff(label[order])) + 1).tolist(), len(label)]
    return [order[start:end] for start, end in pairwise(cuts)]


def components(count: int, one: IntArray, other: IntArray) -> list[IntArray]:
    """The numbers 0, ..., count - 1 in parts, as pairs of `one` and `other` join them, all at once.

    >>> [part.tolist() for part in components(5, np.array([0, 3]), np.array([3, 2]))]
    [[0, 2, 3], [1], [4]]
    """
    places = one.astype(np.int32), other.astype(np.int32)  # older versions of SciPy know no others here
    joined = coo_array((np.ones(len(one)), places), shape=(count, count))
    return parts(connected_components(joined, directed=False)[1])


def book(findings: Findings, parts: Iterable[IntArray]) -> None:
    """Write down parts as additive methods do: a variable by itself is additively separable."""
    for part in parts:
        if len(part) == 1:
            findings.additive += part.tolist()
        else:
            findings.groups.append(part.tolist())
