"""Asking together what can be asked together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from separable.evaluator import Evaluator
    from separable.problems import IntArray

Items = TypeVar("Items", "Sequence[Any]", "IntArray")


def chunks(items: Items, f: Evaluator, each: int) -> Iterator[Items]:
    """As many items at a time as `f` wants to be asked about at once, each of so many evaluations."""
    start = 0
    while start < len(items):
        size = max(1, f.chunk // each)
        yield items[start : start + size]
        start += size
