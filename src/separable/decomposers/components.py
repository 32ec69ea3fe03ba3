"""Whatever hangs together directly or through others: connected components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from separable.decomposers.findings import Findings
    from separable.problems import IntArray


def components(count: int, pairs: Sequence[tuple[int, int]] | IntArray) -> list[IntArray]:
    """The numbers 0, ..., count - 1 in parts, as these pairs join them.

    >>> [part.tolist() for part in components(5, [(0, 3), (3, 2)])]
    [[0, 2, 3], [1], [4]]
    """
    one, other = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    joined = coo_array((np.ones(len(one)), (one, other)), shape=(count, count))
    label = connected_components(joined, directed=False)[1]
    order = np.argsort(label, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)


def book(findings: Findings, parts: Iterable[IntArray]) -> None:
    """Write down parts as additive methods do: a variable by itself is additively separable."""
    for part in parts:
        if len(part) == 1:
            findings.additive += part.tolist()
        else:
            findings.groups.append(part.tolist())
