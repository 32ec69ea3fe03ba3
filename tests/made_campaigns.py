"""Folders of results for tests, made from numbers instead of runs: as fast to make as they are to read."""

from __future__ import annotations

import numpy as np

from separable.campaign import Store, parse
from separable.campaign.store import FORMAT, cell_data

VERSIONS = {"separable": "0.1.0", "code": "c0ffee000000", "numpy": "2.0.0", "scipy": "1.14.0", "python": "3.12.0"}
MACHINE = {"system": "Linux", "processor": "x86_64", "cores": 2}


def plan(
    methods=("CSG", "GSG", "MDG"), functions="1-3", repeats=5, dims="[200]", checkpoints="[1e3, 1e4]", **more
):
    """A campaign file."""
    lines = [f'name = "{more.get("name", "made")}"', f"repeats = {repeats}", "budget = 1e4"]
    lines += [f"checkpoints = {checkpoints}", "[[problems]]", 'suite = "bms"', f'functions = "{functions}"']
    lines += [f"dims = {dims}", f"instances = {more.get('instances', '[0]')}"]
    for k, method in enumerate(methods):  # names stand for others' methods; all that is read of them is the name
        lines += [f'[methods."{method}"]', f"population = {50 + k}"]
    return "\n".join([*lines, ""])


def falling(cell, level=None):
    """A history that falls from 1000 to about 100 times the place of the method."""
    rng = np.random.default_rng(cell.seed + cell.method.population)
    level = 100.0 * (cell.method.population - 49) if level is None else level
    at = np.unique(np.geomspace(1, cell.budget, 60).round()).astype(int)
    drop = np.sort(rng.uniform(0.0, 1.0, at.size - 1))[::-1]
    end = level * rng.uniform(0.9, 1.1)
    values = [1000.0 + level, *(end + (1000.0 - level) * drop[:-1] ** 2), end]
    return [[int(a), float(v)] for a, v in zip(at, values, strict=True)]


def record(cell, history=None, **more):
    """The record of a run that finished."""
    steps = falling(cell) if history is None else history
    best = {at: min((v for a, v in steps if a <= at), default=float("inf")) for at in cell.checkpoints}
    return {
        "format": FORMAT,
        "identity": cell.identity,
        "cell": cell_data(cell),
        "status": "done",
        "checkpoints": [[at, value] for at, value in best.items()],
        "fun": steps[-1][1],
        "optimum": 1.0,
        "nfev": cell.budget,
        "nit": 7,
        "nan_count": 0,
        "message": "the budget is spent",
        "history": steps,
        "decomposition": {
            "evaluations": 600 + cell.method.population,
            "stages": [["additive", 100, 402], ["groups", 100, 200 + cell.method.population]],
            "additive": 100,
            "multiplicative": 0,
            "composite": 0,
            "undecided": 0,
            "groups": [50, 50],
            "close_calls": 0,
            "accuracy": {"separable": 1.0, "nonseparable": 0.5},
        },
        **about(),
        **more,
    }


def failure(cell, message="no more memory"):
    """The record of one that did not."""
    error = {"type": "MemoryError", "message": message, "traceback": "Traceback ..."}
    head = {"format": FORMAT, "identity": cell.identity, "cell": cell_data(cell)}
    return {**head, "status": "failed", "error": error, **about()}


def about():
    """What every record ends with."""
    return {"seconds": 1.5, "cpu_seconds": 1.25, "versions": dict(VERSIONS), "machine": dict(MACHINE)}


def folder(path, text, make=record, *, campaign_file=True):
    """A folder of results; `make` gives the record of each cell, or None where there is to be none."""
    campaign = parse(text)
    with Store(path, campaign) as store:
        for cell in campaign.cells:
            made = make(cell)
            if made is not None:
                store.write(cell, made)
    if not campaign_file:
        (path / "campaign.toml").unlink()
    return path
