"""What was found out about a function: which variables are separable, which belong together."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from separable.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

FORMAT = 1  # of to_dict; raised whenever an older reader would misunderstand


@dataclass(frozen=True)
class Stage:
    """One stage of a method: the variables it settled, its evaluations, its seconds."""

    name: str
    found: int
    evaluations: int
    seconds: float = field(default=0.0, compare=False)


class Accuracy(NamedTuple):
    """The paper's SA and NA, from 0 to 1; None where there is nothing to find."""

    separable: float | None
    nonseparable: float | None


@dataclass(frozen=True)
class Block:
    """Separable variables under one outer function, and the curve of their effects, as `curves` finds it.

    Args:
        members: the variables.
        kind: "additive", "multiplicative" or "composite".
        scale: of d.
        top, bottom: coefficients, lowest first, of d' / d as a quotient of polynomials in d / scale.

    >>> product = Block((0, 1), "multiplicative", scale=1.0, top=(2.0,), bottom=(1.0, 0.5))
    >>> product.curve([0.0, 1.0, 2.0]).round(3)
    array([0.   , 1.333, 2.   ])
    """

    members: tuple[int, ...]
    kind: str
    scale: float = 1.0
    top: tuple[float, ...] = (1.0,)
    bottom: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", _variables(self.members, "members"))
        for name in ("top", "bottom"):
            object.__setattr__(self, name, tuple(float(c) for c in getattr(self, name)))

    def curve(self, d: ArrayLike) -> NDArray[np.float64]:
        """d', the effect of a step where all variables have moved, from d, that where none has."""
        u = np.asarray(d, dtype=float) / self.scale
        ratio = np.polynomial.polynomial.polyval(u, self.top) / np.polynomial.polynomial.polyval(u, self.bottom)
        return np.asarray(self.scale * u * ratio)


@dataclass(frozen=True)
class Decomposition:
    """A partition of the variables 0, ..., dim - 1 by how they interact.

    Args:
        dim: the number of variables.
        additive, multiplicative, composite: separable variables, by the kind of separability.
        groups: the non-separable groups.
        undecided: variables about which nothing can be said, since the budget or the caller ended the search.
        evaluations: what it cost.
        stages: what each stage settled and cost.
        close_calls: variables of which some decision was closer to its threshold than a factor of 10.
        method: what found it.
        finished: whether the method ran to its end.
        blocks: separable variables by the outer function that they share, where the method tells.
        certain: variables whose place is certain: separable, or shown themselves to interact. A method that makes
            no such claim leaves it empty.
        effects: for every variable d and d', where the method measures them: what one step of it does to f at two
            places. Blocks are curves in this plane.
        noise: the standard deviation of the values, if the function was found to be noisy.

    >>> d = Decomposition(5, additive=[3], groups=[[4, 0], [2, 1]])
    >>> d.groups, d.separable, d.complete
    (((0, 4), (1, 2)), (3,), True)
    >>> Decomposition(3, additive=[0, 1], groups=[[1, 2]])
    Traceback (most recent call last):
    separable.errors.BadInput: not a partition of 3 variables: more than once 1
    """

    dim: int
    additive: tuple[int, ...] = ()
    multiplicative: tuple[int, ...] = ()
    composite: tuple[int, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    undecided: tuple[int, ...] = ()
    evaluations: int = 0
    stages: tuple[Stage, ...] = ()
    close_calls: tuple[int, ...] = ()
    method: str = ""
    finished: bool = True
    blocks: tuple[Block, ...] = ()
    certain: tuple[int, ...] = ()
    effects: tuple[tuple[float, float], ...] = field(default=(), compare=False)  # their last bits may differ
    noise: float | None = None

    def __post_init__(self) -> None:
        for name in ("additive", "multiplicative", "composite", "undecided", "close_calls", "certain"):
            object.__setattr__(self, name, _variables(getattr(self, name), name))
        groups = sorted(_variables(group, "groups") for group in self.groups)
        object.__setattr__(self, "groups", tuple(groups))
        for name in ("stages", "blocks"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "effects", tuple((float(d), float(dd)) for d, dd in self.effects))
        if () in groups:
            raise BadInput("not a partition: an empty group")
        self._refuse_what_is_not_a_partition()

    def _refuse_what_is_not_a_partition(self) -> None:
        count = Counter(chain(self.separable, self.undecided, *self.groups))
        complaints = {
            "more than once": [i for i, times in count.items() if times > 1],
            "not among them": [i for i in count if not 0 <= i < self.dim],
            "missing": [i for i in range(self.dim) if i not in count],
        }
        wrong = [f"{what} {_some(sorted(which))}" for what, which in complaints.items() if which]
        if wrong:
            raise BadInput(f"not a partition of {self.dim} variables: {'; '.join(wrong)}")

    @property
    def separable(self) -> tuple[int, ...]:
        """All separable variables, of whatever kind."""
        return tuple(sorted(self.additive + self.multiplicative + self.composite))

    @property
    def doubtful(self) -> tuple[int, ...]:
        """The variables whose place is not certain, in a decomposition that says which are."""
        sure = {*self.certain, *self.undecided}
        return tuple(i for i in range(self.dim) if i not in sure)

    @property
    def complete(self) -> bool:
        """Whether every variable was decided, and nothing was left to check."""
        return self.finished and not self.undecided

    def accuracy(self, truth: Decomposition) -> Accuracy:
        """How much of the true structure was found: the paper's SA and NA.

        SA is the share of the truly separable variables that were found separable, of whatever kind. NA is the
        share of the truly non-separable variables that lie in the found group paired with their true group.
        Each found group is paired with at most one true group, and the pairing is the best there is over all of
        them (an assignment problem). The paper's wording, "the group is only checked once", would let the
        order of the groups decide whenever two of them claim the same found group; the best pairing needs no
        order, and ties in it do not change its sum.

        >>> truth = Decomposition(6, additive=[0, 1], groups=[[2, 3], [4, 5]])
        >>> Decomposition(6, additive=[0], composite=[2], groups=[[1, 3, 4, 5]]).accuracy(truth)
        Accuracy(separable=0.5, nonseparable=0.5)
        """
        if truth.dim != self.dim:
            raise BadInput(f"accuracy: the truth has {truth.dim} variables, this decomposition {self.dim}")
        true_separable = set(truth.separable)
        hits = len(true_separable & set(self.separable))
        return Accuracy(
            separable=hits / len(true_separable) if true_separable else None,
            nonseparable=self._best_overlap(truth) if truth.groups else None,
        )

    def _best_overlap(self, truth: Decomposition) -> float:
        found = np.full(self.dim, -1)
        for number, group in enumerate(self.groups):
            found[list(group)] = number
        overlap = np.zeros((len(truth.groups), max(1, len(self.groups))))
        for number, group in enumerate(truth.groups):
            members = found[list(group)]
            np.add.at(overlap[number], members[members >= 0], 1)
        rows, columns = linear_sum_assignment(overlap, maximize=True)
        return float(overlap[rows, columns].sum() / sum(len(group) for group in truth.groups))

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can hold; `from_dict` takes it back.

        >>> d = Decomposition(3, additive=[0], groups=[[1, 2]], evaluations=9)
        >>> Decomposition.from_dict(d.to_dict()) == d
        True
        """
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Decomposition:
        """Take back what `to_dict` gave, through JSON or not; anything else is refused."""
        fields = dict(data)
        if fields.pop("format", None) != FORMAT:
            raise BadInput(f"not a decomposition of format {FORMAT}: {_short_keys(data)}")
        try:
            fields["stages"] = tuple(Stage(**stage) for stage in fields.pop("stages", ()))
            fields["blocks"] = tuple(Block(**block) for block in fields.pop("blocks", ()))
            return cls(**fields)
        except TypeError as error:
            raise BadInput(f"not a decomposition: {error}") from error

    def __str__(self) -> str:
        """One line for people.

        >>> print(Decomposition(7, additive=[0], multiplicative=[1, 2], groups=[[3, 4, 5, 6]], evaluations=40))
        7 variables: 1 additive, 2 multiplicative, 1 group (4); 40 evaluations
        """
        counts = {kind: len(getattr(self, kind)) for kind in ("additive", "multiplicative", "composite")}
        parts = [f"{count} {kind}" for kind, count in counts.items() if count]
        if self.groups:
            sizes = Counter(len(group) for group in self.groups)
            listed = ", ".join(
                f"{many} x {size}" if many > 1 else f"{size}" for size, many in sorted(sizes.items())
            )
            parts.append(f"{_counted(len(self.groups), 'group')} ({listed})")
        if self.undecided:
            parts.append(f"{len(self.undecided)} undecided")
        counted = [_counted(self.evaluations, "evaluation")]
        if self.close_calls:
            counted.append(_counted(len(self.close_calls), "close call"))
        return f"{_counted(self.dim, 'variable')}: {', '.join(parts)}; {', '.join(counted)}"

    def plot(self, path: str | Path | None = None, *, title: str | None = None) -> Figure:
        """A picture of the structure, saved to `path` if one is given. Needs the extra `plots`.

        Above, every variable in its place, coloured by what it belongs to; below, the same variables brought
        into order, so that what interacts stands as one block; at the side, what each stage cost.
        """
        from separable import plots  # noqa: PLC0415 -- matplotlib is an extra, needed only here

        kinds = [(kind, getattr(self, kind)) for kind in ("additive", "multiplicative", "composite", "undecided")]
        costs = [(stage.name, stage.evaluations) for stage in self.stages]
        figure = plots.structure(self.dim, kinds, self.groups, costs, title or str(self))
        if path is not None:
            plots.save(figure, path)
        return figure

    def plot_curves(self, path: str | Path | None = None, *, title: str | None = None) -> Figure:
        """The effects of all variables at two places, and the curves of the blocks. Needs the extra `plots`.

        Only the method `curves` measures them; BadInput if there are none.
        """
        from separable import plots  # noqa: PLC0415 -- as above

        if not self.effects:
            raise BadInput(
                f"plot_curves: {self.method or 'this decomposition'} has no effects; method='curves' has"
            )
        blocks = [(block.kind, block.members, block.curve) for block in self.blocks]
        figure = plots.curves(self.effects, blocks, self.groups, title or str(self))
        if path is not None:
            plots.save(figure, path)
        return figure


def _variables(given: Iterable[Any], name: str) -> tuple[int, ...]:
    """Variables as sorted plain integers."""
    try:
        values = list(given)
        variables = sorted(int(value) for value in values)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{name}: expected variable numbers, got {given!r}") from error
    if any(isinstance(value, bool) or value != int(value) for value in values):
        raise BadInput(f"{name}: expected whole variable numbers, got {given!r}")
    return tuple(variables)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def _some(values: list[int]) -> str:
    return ", ".join(map(str, values[:5])) + (f", ... ({len(values)} in all)" if len(values) > 5 else "")


def _short_keys(data: Mapping[str, Any]) -> str:
    return f"its keys are {', '.join(map(str, list(data)[:8]))}" if data else "it is empty"
