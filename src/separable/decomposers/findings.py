"""What a decomposer has settled so far: it writes here as it goes, so that an early end loses nothing."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scipy.optimize import OptimizeResult

from separable.decomposition import Decomposition, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from separable.decomposition import Block
    from separable.evaluator import Evaluator


class Findings:
    """The notebook of one run of a decomposer; `freeze` turns it into a `Decomposition` at any moment."""

    def __init__(self, f: Evaluator, callback: Callable[..., object] | None = None) -> None:
        self.additive: list[int] = []
        self.multiplicative: list[int] = []
        self.composite: list[int] = []
        self.groups: list[list[int]] = []
        self.close_calls: set[int] = set()
        self.certain: set[int] = set()
        self.blocks: list[Block] = []
        self.effects: tuple[tuple[float, float], ...] = ()
        self.noise: float | None = None
        self._f = f
        self._callback = callback
        self._stages: list[Stage] = []
        self._stage, self._done, self._total = "", 0, f.problem.dim
        self._before, self._start = f.evaluations, time.perf_counter()
        if callback is not None:
            f.watch = self.tell  # so that word comes also from within a long batch

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Book what is settled and spent inside under this name, even if it ends early."""
        evaluations, settled, start = self._f.evaluations, self._settled(), time.perf_counter()
        self._stage, self._done, self._total = name, 0, self._f.problem.dim
        try:
            yield
        finally:
            self._stages.append(
                Stage(
                    name,
                    self._settled() - settled,
                    self._f.evaluations - evaluations,
                    time.perf_counter() - start,
                )
            )

    def progress(self, done: int, total: int) -> None:
        """Note how far the present stage is, and tell the caller."""
        self._done, self._total = done, total
        self.tell()

    def tell(self) -> None:
        """Tell the caller how things stand; a callback may raise StopIteration to end the run."""
        if self._callback is None:
            return
        self._callback(
            OptimizeResult(
                stage=self._stage,
                done=self._done,
                total=self._total,
                nfev=self._f.evaluations,
                x=self._f.best_x,
                fun=self._f.best,
                seconds=time.perf_counter() - self._start,
            )
        )

    def freeze(self, method: str, *, finished: bool) -> Decomposition:
        """All that has been settled; what has not is undecided."""
        settled = {*self.additive, *self.multiplicative, *self.composite}.union(*self.groups)
        return Decomposition(
            dim=self._f.problem.dim,
            additive=tuple(self.additive),
            multiplicative=tuple(self.multiplicative),
            composite=tuple(self.composite),
            groups=tuple(map(tuple, self.groups)),
            undecided=tuple(i for i in range(self._f.problem.dim) if i not in settled),
            evaluations=self._f.evaluations - self._before,
            stages=tuple(self._stages),
            close_calls=tuple(sorted(self.close_calls)),
            method=method,
            finished=finished,
            blocks=tuple(self.blocks),
            certain=tuple(i for i in sorted(self.certain) if i in settled),
            effects=self.effects,
            noise=self.noise,
        )

    def note_close(self, variables: Iterable[int]) -> None:
        """Some decision about these was closer to its threshold than a factor of 10."""
        self.close_calls.update(int(i) for i in variables)

    def _settled(self) -> int:
        kinds = len(self.additive) + len(self.multiplicative) + len(self.composite)
        return kinds + sum(map(len, self.groups))
