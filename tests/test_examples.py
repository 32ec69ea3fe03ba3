"""The examples: what their texts say is what is found."""

from __future__ import annotations

import os
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


@pytest.mark.skipif(os.name != "posix", reason="Slurm runs on Unix")
def test_the_slurm_example_prints_its_job_script():
    pytest.importorskip("dask_jobqueue")
    command = [sys.executable, EXAMPLES / "slurm.py", "paper-1000", "r", "--partition", "short", "--print"]
    script = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert script.startswith("#!")
    assert "#SBATCH -p short" in script
    assert "export OPENBLAS_NUM_THREADS=1" in script


SLURM_WITHOUT_SLURM = """
import sys
sys.path.insert(0, sys.argv[1])
import slurm
from dask_jobqueue.local import LocalCluster
if __name__ == "__main__":
    slurm.run(LocalCluster(cores=1, processes=1, memory="1 GB"), "tiny.toml", "results", 2)
"""


def test_the_slurm_example_runs_a_campaign_on_a_queue_of_jobs(tmp_path):
    pytest.importorskip("dask_jobqueue")
    (tmp_path / "tiny.toml").write_text(
        'name = "tiny"\nbudget = 1e3\n[[problems]]\nsuite = "bms"\nfunctions = "1-3"\ndims = [200]\n'
        "[methods.csg]\n"
    )
    script = tmp_path / "main.py"
    script.write_text(SLURM_WITHOUT_SLURM)
    command = [sys.executable, script, EXAMPLES]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "3 of 3: bms-f3-d200-i0-csg-r0" in done.stdout
    assert len(list((tmp_path / "results" / "records").iterdir())) == 3
