"""The examples: what their texts say is what is found."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import separable as sp

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_machine_falls_into_its_subsystems(seed):
    machine = runpy.run_path(str(EXAMPLES / "reliability.py"))
    d = sp.decompose(machine["season"], machine["BOUNDS"], seed=seed)
    assert (d.additive, d.multiplicative) == (tuple(range(6)), tuple(range(6, 14)))
    assert d.composite == tuple(range(14, 18))
    assert d.groups == ((18, 19), (20, 21), (22, 23), (24, 25, 26, 27))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_network_falls_into_its_towers(seed):
    network = runpy.run_path(str(EXAMPLES / "network.py"))
    d = sp.decompose(network["loss"], network["BOUNDS"], vectorized=True, seed=seed)
    assert d.additive == tuple(range(26, 39))
    assert d.groups == (tuple(range(13)), tuple(range(13, 26)))


@pytest.mark.parametrize("name", ["reliability", "network"])
def test_an_example_runs_and_draws(name, tmp_path):
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, check=True)
    assert "group" in done.stdout
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
