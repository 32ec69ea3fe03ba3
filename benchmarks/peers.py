"""Other packages beside ours, on the same functions with the same budgets: the tables in docs/minimize.md.

python benchmarks/peers.py speed                      CPU time an evaluation, on bms/f1 with 1000 variables
python benchmarks/peers.py quality                    values reached on Rastrigin and on hidden rotated blocks
python benchmarks/peers.py quality --budgets 60000 --seeds 1 --only 'separable sansde,pycma diagonal'

Whatever is not installed is left out, and said so; `pip install decc cma pypop7 mealpy nevergrad pygmo` in an
environment of its own brings them all. Every peer runs with its defaults but for what its line below says.
PyPop7's evolution strategies leave the box; the functions are defined there, so they are let.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import time
import warnings
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.optimize import differential_evolution

import separable as sp

if TYPE_CHECKING:
    from collections.abc import Callable

    from separable.problems import Array, IntArray

Run: TypeAlias = "Callable[[Budgeted, int], object]"  # of a function and a seed


class Spent(Exception):
    """The budget is spent; raised inside a peer, since not all of them can stop by themselves."""


class Budgeted:
    """A problem that counts, remembers the best, and ends the run that asks for too much."""

    def __init__(self, problem: sp.Problem, budget: int) -> None:
        self.problem, self.budget = problem, budget
        self.lower, self.upper, self.dim = problem.lower, problem.upper, problem.dim
        self.evaluations, self.best = 0, np.inf
        self.initial = np.random.default_rng(0).uniform(self.lower, self.upper)

    def many(self, points: Array) -> Array:
        """Values at points (m, n)."""
        left = self.budget - self.evaluations
        if left <= 0:
            raise Spent
        values: Array = self.problem.fun(points)
        self.evaluations += len(values)
        self.best = min(self.best, float(values[:left].min()))
        return values

    def one(self, x: Any) -> float:  # noqa: ANN401 -- whatever sequence the peer sends
        """The value at a point."""
        return float(self.many(np.asarray(x, dtype=float)[None])[0])


def ours(f: Budgeted, seed: int, **options: Any) -> None:  # noqa: ANN401 -- of minimize
    """`separable.minimize`."""
    r = sp.minimize(f.problem, budget=f.budget, seed=seed, **options)
    f.evaluations, f.best = r.nfev, r.fun


def scipy_de(f: Budgeted, seed: int) -> None:
    """SciPy's, 50 points a generation."""
    start = np.random.default_rng(seed).uniform(f.lower, f.upper, (50, f.dim))
    bounds = list(zip(f.lower, f.upper, strict=True))
    more = {"vectorized": True, "updating": "deferred", "polish": False, "maxiter": 10**9, "tol": 0.0}
    differential_evolution(lambda x: f.many(x.T), bounds, init=start, seed=seed, **more)


def decc_g(f: Budgeted, seed: int) -> None:
    """Decc's DECC-G: SaNSDE on random groups of 50, 100 generations a group."""
    from decc import Problem
    from decc.optimizers.decc_g import DECCGOptimizer

    problem = Problem(f.many, f.dim, f.lower, f.upper)
    DECCGOptimizer(problem, seed, 50, f.dim // 50, 5000, 5000, max_fn=f.budget).optimize()


def decc_o(f: Budgeted, seed: int) -> None:
    """Decc's DECC-O: groups of one variable."""
    from decc import Problem
    from decc.optimizers.decc import DECCOptimizer

    problem = Problem(f.many, f.dim, f.lower, f.upper)
    DECCOptimizer(problem, seed, 5, max_fn=f.budget, grouping="dims").optimize()


def pycma(f: Budgeted, seed: int, **options: Any) -> None:  # noqa: ANN401 -- of pycma
    """Pycma, with bounds."""
    import cma

    more = {"bounds": [f.lower, f.upper], "seed": seed + 1, "verbose": -9, **options}
    es = cma.CMAEvolutionStrategy(f.initial, 0.3 * (f.upper[0] - f.lower[0]), more)
    while True:
        points = es.ask()
        es.tell(points, f.many(np.array(points)))


def pypop7(module: str, name: str, f: Budgeted, seed: int, **options: Any) -> None:  # noqa: ANN401 -- of pypop7
    """One of PyPop7's."""
    from importlib import import_module

    method = getattr(import_module(f"pypop7.optimizers.{module}"), name)
    problem = {
        "fitness_function": f.one,
        "ndim_problem": f.dim,
        "lower_boundary": f.lower,
        "upper_boundary": f.upper,
    }
    more = {"max_function_evaluations": f.budget, "seed_rng": seed, "verbose": 0, **options}
    method(problem, more).optimize()


def mealpy(f: Budgeted, seed: int) -> None:
    """Mealpy's L-SHADE."""
    from mealpy import SHADE, FloatVar

    problem = {"bounds": FloatVar(lb=f.lower, ub=f.upper), "obj_func": f.one, "minmax": "min", "log_to": None}
    SHADE.L_SHADE(epoch=100_000, pop_size=50).solve(problem, seed=seed)


def nevergrad(name: str, f: Budgeted, seed: int) -> None:
    """One of Nevergrad's."""
    import nevergrad as ng

    space = ng.p.Array(init=f.initial).set_bounds(f.lower, f.upper)
    space.random_state.seed(seed)
    ng.optimizers.registry[name](parametrization=space, budget=f.budget).minimize(f.one)


def pygmo(f: Budgeted, seed: int) -> None:
    """Pygmo's SaDE, jDE's rule."""
    import pygmo as pg

    class Subject:
        def fitness(self, x: Array) -> list[float]:
            return [f.one(x)]

        def get_bounds(self) -> tuple[Array, Array]:
            return f.lower, f.upper

    population = pg.population(pg.problem(Subject()), 50, seed=seed)
    pg.algorithm(pg.sade(gen=f.budget // 50 - 1, ftol=0.0, xtol=0.0, seed=seed)).evolve(population)


PEERS: dict[str, Run] = {
    "decc DECC-G": decc_g,
    "decc DECC-O": decc_o,
    "scipy differential_evolution": scipy_de,
    "pycma diagonal": partial(pycma, CMA_diagonal=True),
    "pypop7 COCMA": partial(pypop7, "cc.cocma", "COCMA"),
    "pypop7 COEA": partial(pypop7, "cc.coea", "COEA"),
    "pypop7 CCPSO2": partial(pypop7, "pso.ccpso2", "CCPSO2"),
    "pypop7 LMCMA": partial(pypop7, "es.lmcma", "LMCMA", sigma=3.0),
    "pypop7 MMES": partial(pypop7, "es.mmes", "MMES", sigma=3.0),
    "mealpy L-SHADE": mealpy,
    "nevergrad DE": partial(nevergrad, "TwoPointsDE"),
    "pygmo SaDE": pygmo,
}
OPTIMIZERS = ("sansde", "shade", "de", "cmaes")
RULES = ("round-robin", "contribution")
OURS: dict[str, Run] = {
    f"separable {optimizer} {rule}{' found' * (start == 'found')}": partial(
        ours, optimizer=optimizer, rule=rule, start=start
    )
    for optimizer in OPTIMIZERS
    for rule in RULES
    for start in ("uniform", "found")
}
OURS["separable curves cmaes contribution found"] = partial(
    ours, decomposer="curves", optimizer="cmaes", rule="contribution", start="found"
)


def singles(f: Budgeted, seed: int, optimizer: str) -> None:
    """Separable variables one at a time, so many generations each that every one has its turn.

    The sizes of the populations were chosen on another instance of Rastrigin, of 200 variables.
    """
    population = 20 if f.budget >= 200 * f.dim else 10
    generations = max(1, f.budget // (f.dim * population) - 2)
    ours(f, seed, optimizer=optimizer, chunk=1, population=population, generations=generations)


SINGLES: dict[str, Run] = {
    f"separable {optimizer} singles": partial(singles, optimizer=optimizer)
    for optimizer in ("sansde", "shade", "de")
}


def rastrigin(dim: int = 1000) -> sp.Problem:
    """Shifted Rastrigin in [-5, 5]."""
    shift = np.random.default_rng(77).uniform(-4.0, 4.0, dim)

    def values(z: Array) -> Array:
        total: Array = (z * z - 10.0 * np.cos(2.0 * np.pi * z) + 10.0).sum(axis=1)
        return total

    def restricted(context: Array, group: IntArray) -> Callable[[Array], Array]:
        rest = np.delete(context - shift, group)[None]
        constant = float(values(rest)[0]) if rest.size else 0.0
        return lambda points: values(points - shift[group]) + constant

    box = np.full(dim, -5.0), np.full(dim, 5.0)
    return sp.Problem("rastrigin", lambda x: values(x - shift), *box, vectorized=True, partial=restricted)


def blocks(count: int = 20, size: int = 50) -> sp.Problem:
    """Hidden rotated blocks: half elliptic with condition 1e6, half Rastrigin, the variables permuted."""
    rng = np.random.default_rng(78)
    dim = count * size
    shift, order = rng.uniform(-4.0, 4.0, dim), rng.permutation(dim)
    parts = [
        (order[size * k : size * (k + 1)], np.linalg.qr(rng.normal(size=(size, size)))[0], k < count // 2)
        for k in range(count)
    ]
    scales = 10.0 ** (6.0 * np.arange(size) / (size - 1))

    def value(k: int, z: Array) -> Array:
        _, rotation, is_elliptic = parts[k]
        y = z @ rotation
        total: Array = (
            (y * y) @ scales if is_elliptic else (y * y - 10.0 * np.cos(2.0 * np.pi * y) + 10.0).sum(axis=1)
        )
        return total

    def fun(x: Array) -> Array:
        z = x - shift
        total: Array = np.sum([value(k, z[:, parts[k][0]]) for k in range(count)], axis=0)
        return total

    def restricted(context: Array, group: IntArray) -> Callable[[Array], Array]:
        place = np.full(dim, -1)
        place[group] = np.arange(len(group))
        touched = [k for k in range(count) if (place[parts[k][0]] >= 0).any()]
        z = (context - shift)[None]
        constant = sum(float(value(k, z[:, parts[k][0]])[0]) for k in range(count) if k not in touched)

        def part(points: Array) -> Array:
            total = np.full(len(points), constant)
            for k in touched:
                members = parts[k][0]
                block = np.repeat(z[:, members], len(points), axis=0)
                moving = np.flatnonzero(place[members] >= 0)
                block[:, moving] = points[:, place[members[moving]]] - shift[members[moving]]
                total += value(k, block)
            return total

        return part

    box = np.full(dim, -5.0), np.full(dim, 5.0)
    return sp.Problem("blocks", fun, *box, vectorized=True, partial=restricted)


def measured(run: Run, problem: sp.Problem, budget: int, seed: int) -> tuple[float, float] | str:
    """The best value, and CPU seconds an evaluation; or why there are none."""
    f = Budgeted(problem, budget)
    start = time.process_time()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            run(f, seed)
    except Spent:
        pass
    except ImportError as error:
        return f"not installed ({error.name})"
    return f.best, (time.process_time() - start) / f.evaluations


def speed(only: list[str]) -> None:
    """CPU time an evaluation; the slow ones get fewer, since it hardly depends on how many there are."""
    print("\n### CPU time of a whole run on bms/f1, 1000 variables, per evaluation\n")
    print("| | evaluations | µs an evaluation | times ours (of 300,000, in turns, the shortest of three) |")
    print("|---|---|---|---|", flush=True)
    problem = sp.problem("bms/f1")
    runs: dict[str, Run] = {"separable csg + sansde": ours, **PEERS}
    for name, run in _chosen(runs, only).items():
        budget = 3_000_000 if run is ours else 60_000
        shortest, own, missing = np.inf, np.inf, ""
        for _ in range(1 if run is ours else 3):  # in turns, so that whatever else the machine does hits both
            got = measured(run, problem, budget, 0)
            if isinstance(got, str):
                missing = got
                break
            shortest = min(shortest, got[1])
            beside = measured(ours, problem, 300_000, 0)
            own = min(own, np.inf if isinstance(beside, str) else beside[1])
        if missing:
            print(f"| {name} | {missing} | | |", flush=True)
        else:
            print(f"| {name} | {budget:,} | {1e6 * shortest:.2f} | {shortest / own:.1f} |", flush=True)


def quality(problems: list[str], budgets: list[int], seeds: int, only: list[str]) -> None:
    """Median values over the seeds."""
    for problem in [rastrigin() if name == "rastrigin" else blocks() for name in problems]:
        print(f"\n### {problem.name}, 1000 variables, median of {seeds}\n")
        print("| | " + " | ".join(f"{budget:,}" for budget in budgets) + " | CPU s, of all |")
        print("|" + "---|" * (len(budgets) + 2), flush=True)
        for name, run in _chosen({**OURS, **SINGLES, **PEERS}, only).items():
            start = time.process_time()
            row = [[measured(run, problem, budget, seed) for seed in range(seeds)] for budget in budgets]
            cells = [_median(results) for results in row]
            print(f"| {name} | {' | '.join(cells)} | {time.process_time() - start:.0f} |", flush=True)


def _median(results: list[tuple[float, float] | str]) -> str:
    missing = [one for one in results if isinstance(one, str)]
    return missing[0] if missing else f"{median(one[0] for one in results if not isinstance(one, str)):.4g}"


def _chosen(runs: dict[str, Run], only: list[str]) -> dict[str, Run]:
    return {name: run for name, run in runs.items() if not only or any(word in name for word in only)}


def main() -> None:
    """Parse, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "quality"))
    parser.add_argument("--problems", default="rastrigin,blocks", help="either or both")
    parser.add_argument("--budgets", default="60000,300000")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="parts of names, with commas")
    given = parser.parse_args()
    only = [word for word in given.only.split(",") if word]
    if given.what == "speed":
        speed(only)
    else:
        quality(
            given.problems.split(","),
            [int(float(budget)) for budget in given.budgets.split(",")],
            given.seeds,
            only,
        )


if __name__ == "__main__":
    main()
