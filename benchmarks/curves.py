"""What CURVES finds and what it costs: the tables in docs/curves.md.

python benchmarks/curves.py bms                              1000-D, instances 0-9
python benchmarks/curves.py bms --dim 5000 --instances 0-1
python benchmarks/curves.py bms --instances 200-209          the blind test
python benchmarks/curves.py kinds                            a thousand variables of one kind
python benchmarks/curves.py thresholds                       other constants, the same answers
python benchmarks/curves.py compositions                     300 random functions
python benchmarks/curves.py noise                            a noisy function
python benchmarks/curves.py suites                           bns, cec2010, cec2013-like beside csg
python benchmarks/curves.py time                             beside evaluating the same points
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import importlib
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import separable as sp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from separable.problems import Array, IntArray

FUNCTIONS = range(1, 16)
SEEDS = range(20_000, 20_300)  # of the random compositions


class Run(NamedTuple):
    """What one decomposition came to."""

    exact: bool
    accuracy: sp.Accuracy
    evaluations: int
    certain: float  # share of the variables
    wrong: int  # certain, and not where they belong
    noise: float | None


def run(problem: sp.Problem, seed: int = 0, method: str = "curves", options: dict[str, Any] | None = None) -> Run:
    """Decompose a problem whose structure is known."""
    truth = problem.truth
    if truth is None:
        raise RuntimeError("its structure is not known")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.NoisyFunction)
        found = sp.decompose(problem, method=method, seed=seed, options=options)
    separable = set(truth.separable)
    wrong = sum((i in separable) != (i in set(found.separable)) for i in found.certain)
    exact = found.separable == truth.separable and found.groups == truth.groups
    certain = len(found.certain) / found.dim
    return Run(exact, found.accuracy(truth), found.evaluations, certain, wrong, found.noise)


def of_suite(job: tuple[str, int | None, int, str, dict[str, Any]]) -> Run:
    """Decompose a benchmark problem: its name, dimension, instance; method, options."""
    name, dim, instance, method, options = job
    return run(sp.problem(name, dim, instance), 0, method, options)


def bms(dim: int, instances: Sequence[int], workers: int) -> None:
    """All functions of bms."""
    print(f"\n### bms, {dim}-D, instances {instances[0]}-{instances[-1]}\n")
    print("| f | exact | SA | NA | evaluations | least | most | certain | certain and wrong |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    everything: list[Run] = []
    with ProcessPoolExecutor(workers) as pool:
        for k in FUNCTIONS:
            jobs: list[Any] = [(f"bms/f{k}", dim, instance, "curves", {}) for instance in instances]
            row = list(pool.map(of_suite, jobs))
            everything += row
            print(f"| f{k} {_row(row)}", flush=True)
    print(f"| all {_row(everything)}")


def _row(runs: list[Run]) -> str:
    spent = [one.evaluations for one in runs]
    shares = []
    for k in range(2):
        values = [share for share in (one.accuracy[k] for one in runs) if share is not None]
        shares.append(f"{100 * mean(values):.4g} %" if values else "")
    return (
        f"| {sum(one.exact for one in runs)} of {len(runs)} | {shares[0]} | {shares[1]} | {mean(spent):,.1f} "
        f"| {min(spent):,} | {max(spent):,} | {100 * mean(one.certain for one in runs):.1f} % "
        f"| {sum(one.wrong for one in runs)} |"
    )


def additive(x: Array) -> Array:
    """Rastrigin."""
    return np.asarray((x**2 - 10.0 * np.cos(2.0 * np.pi * x)).sum(axis=1))


def ackley(x: Array) -> Array:
    """Ackley, less a constant."""
    waves = np.exp(np.cos(2.0 * np.pi * x).mean(axis=1))
    return np.asarray(-20.0 * np.exp(-0.2 * np.sqrt((x * x).mean(axis=1))) - waves)


def chain(x: Array) -> Array:
    """Rosenbrock."""
    return np.asarray((100.0 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1.0 - x[:, :-1]) ** 2).sum(axis=1))


def schwefel(x: Array) -> Array:
    """Schwefel's 1.2, in groups of 50."""
    return np.asarray((np.cumsum(x.reshape(len(x), -1, 50), axis=2) ** 2).sum(axis=(1, 2)))


def _moved(fun: Callable[[Array], Array], shift: Array, place: IntArray, x: Array) -> Array:
    """Variable j of the function is variable place[j] of the points."""
    return fun(x[:, place] - shift)


def kinds(dim: int = 1000, seeds: int = 10) -> None:
    """A thousand variables of one kind; the shift and the order of the variables change with the seed."""
    print(f"\n### {dim} variables of one kind, {seeds} seeds\n")
    print("| function | exact | evaluations | least | most | at most |")
    print("|---|---|---|---|---|---|")
    everyone = range(dim)
    fifties = [range(k, k + 50) for k in range(0, dim, 50)]
    cases: list[tuple[str, Callable[[Array], Array], dict[str, Any], int]] = [
        ("fully additive", additive, {"additive": everyone}, 50),
        ("Ackley", ackley, {"composite": everyone}, 3_500),
        ("chain", chain, {"groups": [everyone]}, 7_000),
        ("20 Schwefel groups of 50", schwefel, {"groups": fifties}, 4_500),
    ]
    for name, fun, parts, most in cases:
        runs = []
        for seed in range(seeds):
            rng = np.random.default_rng([7, seed])
            shift, order = rng.uniform(-4.0, 4.0, dim), rng.permutation(dim)
            place = np.argsort(order)
            truth = sp.Decomposition(
                dim,
                additive=tuple(place[list(parts.get("additive", ()))].tolist()),
                composite=tuple(place[list(parts.get("composite", ()))].tolist()),
                groups=tuple(tuple(place[list(group)].tolist()) for group in parts.get("groups", ())),
            )
            problem = sp.Problem(
                name,
                partial(_moved, fun, shift, place),
                np.full(dim, -5.0),
                np.full(dim, 5.0),
                vectorized=True,
                truth=truth,
            )
            runs.append(run(problem, seed))
        spent = [one.evaluations for one in runs]
        exact = sum(one.exact for one in runs)
        print(
            f"| {name} | {exact} of {seeds} | {mean(spent):,.1f} | {min(spent):,} | {max(spent):,} | {most:,} |",
            flush=True,
        )


def thresholds(dim: int, instances: Sequence[int], workers: int) -> None:
    """Bms with other constants than the usual ones."""
    print(f"\n### bms, {dim}-D, instances {instances[0]}-{instances[-1]}, with other constants\n")
    print("| z | step | exact | evaluations | certain and wrong |")
    print("|---|---|---|---|---|", flush=True)
    settings = [(z, 0.1) for z in (5.0, 8.0, 12.0, 20.0)] + [(8.0, step) for step in (0.02, 0.05, 0.2)]
    with ProcessPoolExecutor(workers) as pool:
        for z, step in settings:
            jobs: list[Any] = [
                (f"bms/f{k}", dim, instance, "curves", {"z": z, "step": step})
                for k in FUNCTIONS
                for instance in instances
            ]
            runs = list(pool.map(of_suite, jobs))
            spent = mean(one.evaluations for one in runs)
            wrong = sum(one.wrong for one in runs)
            exact = f"{sum(one.exact for one in runs)} of {len(runs)}"
            print(f"| {z:g} | {100 * step:g} % | {exact} | {spent:,.1f} | {wrong} |", flush=True)


def compositions() -> None:
    """Random functions of the tests: blocks under many outer functions, and rotated groups."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    structures = importlib.import_module("structures")

    print(f"\n### {len(SEEDS)} random compositions, 30 to 300 variables; and of 2 to 20\n")
    print("| what | exact | evaluations a variable | certain | certain and wrong |")
    print("|---|---|---|---|---|", flush=True)
    cases: dict[str, Callable[[int], sp.Problem]] = {
        "monotone inner functions as well": structures.blocks_and_groups,
        "with a minimum inside only": partial(structures.blocks_and_groups, monotone=False),
        "few variables, groups that hide, kinks": structures.symmetric,
    }
    for name, build in cases.items():
        problems = [build(seed) for seed in SEEDS]
        runs = [run(problem, seed) for seed, problem in zip(SEEDS, problems, strict=True)]
        spent = sum(one.evaluations for one in runs) / sum(problem.dim for problem in problems)
        exact = f"{sum(one.exact for one in runs)} of {len(runs)}"
        certain = 100 * mean(one.certain for one in runs)
        print(
            f"| {name} | {exact} | {spent:.2f} | {certain:.1f} % | {sum(one.wrong for one in runs)} |", flush=True
        )


def noise(dim: int, instances: Sequence[int]) -> None:
    """Bms with noise: the level that is told, as a multiple of the true one."""
    print(f"\n### bms, {dim}-D, instances {instances[0]}-{instances[-1]}, with noise\n")
    print("| relative noise | runs | warned | least told / true | most | certain | certain and wrong |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for level in 10.0 ** np.arange(-14.0, -2.0):
        runs, told = [], []
        for k in FUNCTIONS:
            for instance in instances:
                clean = sp.problem(f"bms/f{k}", dim, instance)
                rng = np.random.default_rng([k, instance])

                def fun(x: Array, clean: sp.Problem = clean, rng: np.random.Generator = rng) -> Array:
                    values: Array = clean.fun(x) * (1.0 + level * rng.standard_normal(len(x)))  # noqa: B023 -- called in this turn
                    return values

                noisy = sp.Problem("noisy", fun, clean.lower, clean.upper, vectorized=True, truth=clean.truth)
                runs.append(run(noisy, instance))
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    sp.decompose(noisy, method="curves", seed=instance, budget=60)
                text = str(caught[0].message) if caught else "about nan of"
                told.append(float(text.split("about ")[1].split(" of")[0]) / level)
        warned = sum(one.noise is not None for one in runs)
        certain, wrong = 100 * mean(one.certain for one in runs), sum(one.wrong for one in runs)
        levels = f"{min(told):.2f} | {max(told):.2f}"
        print(f"| {level:.0e} | {len(runs)} | {warned} | {levels} | {certain:.1f} % | {wrong} |", flush=True)


def suites(names: Sequence[str], workers: int) -> None:
    """Beside csg on the other suites."""
    print("\n### Other suites, beside csg\n")
    print("| function | curves SA | NA | evaluations | csg SA | NA | evaluations | certain | and wrong |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    from separable.suites import SUITES  # noqa: PLC0415 -- only here

    jobs: list[Any] = [
        (f"{name}/f{k}", 1000 if name == "bns" else None, 0, method, {})
        for name in names
        for k in SUITES[name].functions
        for method in ("curves", "csg")
    ]
    with ProcessPoolExecutor(workers) as pool:
        runs = list(pool.map(of_suite, jobs))
    for job, ours, csg in zip(jobs[::2], runs[::2], runs[1::2], strict=True):
        cells = []
        for one in (ours, csg):
            cells += ["" if share is None else f"{share:.4g}" for share in one.accuracy] + [f"{one.evaluations:,}"]
        print(f"| {job[0]} | {' | '.join(cells)} | {100 * ours.certain:.0f} % | {ours.wrong} |", flush=True)


def own_time(repeats: int = 25) -> None:
    """A whole decomposition beside evaluating as many points in batches of 1000, in turns."""
    print("\n### Own time\n")
    print("| f | evaluations | curves, ms | points alone, ms | ratio |")
    print("|---|---|---|---|---|", flush=True)
    ratios = []
    for k in FUNCTIONS:
        problem = sp.problem(f"bms/f{k}")
        points = np.random.default_rng(k).uniform(-5.0, 5.0, (1000, 1000))
        count = sp.decompose(problem, method="curves").evaluations
        own = alone = float("inf")
        for _ in range(repeats):
            start = time.perf_counter()
            sp.decompose(problem, method="curves")
            middle = time.perf_counter()
            problem(points)
            own, alone = min(own, middle - start), min(alone, time.perf_counter() - middle)
        alone *= count / 1000
        ratios.append(own / alone)
        print(f"| f{k} | {count:,} | {1e3 * own:.1f} | {1e3 * alone:.1f} | {own / alone:.2f} |", flush=True)
    print(f"| median | | | | {median(ratios):.2f} |")


def _numbers(text: str) -> list[int]:
    """The numbers in "1-3,7"."""
    spans = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return [k for span in spans for k in range(span[0], span[-1] + 1)]


def main() -> None:
    """Parse, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tables = ("bms", "kinds", "thresholds", "compositions", "noise", "suites", "time")
    parser.add_argument("table", choices=tables)
    parser.add_argument("--dim", type=int, default=1000)
    parser.add_argument("--instances", type=_numbers)
    parser.add_argument("--suites", default="bns,cec2010,cec2013-like")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    run_table: dict[str, Callable[[], None]] = {
        "bms": lambda: bms(given.dim, given.instances or range(10), given.workers),
        "kinds": kinds,
        "thresholds": lambda: thresholds(given.dim, given.instances or range(2), given.workers),
        "compositions": compositions,
        "noise": lambda: noise(min(given.dim, 200), given.instances or range(4)),
        "suites": lambda: suites(given.suites.split(","), given.workers),
        "time": own_time,
    }
    run_table[given.table]()


if __name__ == "__main__":
    main()
