"""Asking together what can be asked together."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from separable.evaluator import Evaluator
    from separable.problems import Array, IntArray

Items = TypeVar("Items", "Sequence[Any]", "IntArray")
Question = TypeVar("Question")
Found = TypeVar("Found")


def chunks(items: Items, f: Evaluator, each: int) -> Iterator[Items]:
    """As many items at a time as `f` wants to be asked about at once, each of so many evaluations."""
    start = 0
    while start < len(items):
        size = max(1, f.chunk // each)
        yield items[start : start + size]
        start += size


def by_halves(items: Items, hit: Callable[[list[Items]], Iterable[bool]], first: bool | None = None) -> list[Any]:
    """The items that count, found from which sets hold some that do.

    Both halves of a set that does are asked, whatever the other one answers; so all sets of one depth are asked
    together. `first` is the answer for all items, where it is known.

    >>> by_halves(range(9), lambda sets: [bool({3, 7} & set(one)) for one in sets])
    [3, 7]
    """
    found = []
    asked = [items] if len(items) else []
    answers = None if first is None else [first]
    while asked:
        hits = list(compress(asked, hit(asked) if answers is None else answers))
        found += [one[0] for one in hits if len(one) == 1]
        asked = [half for one in hits if len(one) > 1 for half in (one[: len(one) // 2], one[len(one) // 2 :])]
        answers = None
    return found


def side_by_side(
    searches: Sequence[Generator[list[Question], Array, Found]], ask: Callable[[list[Question]], Array]
) -> list[Found]:
    """Run searches together: what all of them want to know next is one question.

    A search is a generator: it yields a list of questions, gets an array of answers, and returns what it found.

    >>> import numpy as np
    >>> def bisect(low, high):
    ...     while high - low > 1:
    ...         (too_small,) = yield [(low + high) // 2]
    ...         low, high = ((low + high) // 2, high) if too_small else (low, (low + high) // 2)
    ...     return high
    >>> side_by_side([bisect(0, 100), bisect(20, 30)], lambda asked: np.array(asked) < 27)
    [27, 27]
    """
    search = together(searches)
    try:
        questions = next(search)
        while True:
            questions = search.send(ask(questions))
    except StopIteration as end:
        found: list[Found] = end.value
        return found


def together(
    searches: Sequence[Generator[list[Question], Array, Found]],
) -> Generator[list[Question], Array, list[Found]]:
    """Several searches as one, which finds what each of them does."""
    found: dict[int, Found] = {}
    waiting: dict[int, list[Question]] = {}
    answers: dict[int, Array | None] = dict.fromkeys(range(len(searches)))
    while True:
        for k, answer in answers.items():
            try:
                waiting[k] = searches[k].send(answer)  # type: ignore[arg-type] # None starts a generator
            except StopIteration as end:
                waiting.pop(k, None)
                found[k] = end.value
        answers = {}
        if not waiting:
            return [found[k] for k in range(len(searches))]
        values = yield [question for questions in waiting.values() for question in questions]
        start = 0
        for k, questions in waiting.items():
            answers[k] = values[start : start + len(questions)]
            start += len(questions)
