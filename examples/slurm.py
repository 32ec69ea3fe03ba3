"""A campaign on a Slurm cluster: its runs are tasks of workers that Slurm starts and ends as they are needed.

On the login node, in an environment with `pip install 'separable[cli,dask]' dask-jobqueue` that the nodes see too:

    python examples/slurm.py paper-1000 results/paper-1000 --jobs 100 --partition short

It may be killed, and started again with the same words: only what is missing is run. Records are written here, on
the login node; workers that Slurm ends early lose the run in progress, which goes to another one. The options of
SLURMCluster below are those that clusters differ in; `--print` shows the job script, and submits nothing.
"""

from __future__ import annotations

import argparse

from dask_jobqueue.slurm import SLURMCluster
from distributed import Client

from separable import campaign


def main() -> None:
    """Ask Slurm for workers, and run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", help="a TOML file, or the name of a shipped campaign")
    parser.add_argument("out", help="folder of the results")
    parser.add_argument("--jobs", type=int, default=20, help="workers at most")
    parser.add_argument("--partition", help="where Slurm is to queue them")
    parser.add_argument("--account", help="who pays")
    parser.add_argument("--walltime", default="04:00:00", help="of a worker; others take over after it")
    parser.add_argument("--print", action="store_true", help="only show the job script")
    given = parser.parse_args()
    cluster = SLURMCluster(
        queue=given.partition,
        account=given.account,
        walltime=given.walltime,
        cores=1,
        processes=1,
        memory="2 GB",
        job_script_prologue=["export OPENBLAS_NUM_THREADS=1"],  # a run uses one core
    )
    if given.print:
        print(cluster.job_script())
        return
    run(cluster, given.campaign, given.out, given.jobs)


def run(cluster: SLURMCluster, name: str, out: str, jobs: int) -> campaign.Progress:
    """Run what is missing of a campaign on a cluster that grows to so many jobs, and shrinks again."""
    plan = campaign.load(name)
    cluster.adapt(minimum_jobs=0, maximum_jobs=jobs)
    with campaign.Store(out, plan) as store, Client(cluster) as client:
        return campaign.run(plan, store, executor=client.get_executor(), callback=say)


def say(at: campaign.Progress) -> None:
    """A line for every run that ends."""
    if at.cell is not None:
        print(f"{at.before + at.done + at.failed} of {at.total}: {at.cell.name}", flush=True)


if __name__ == "__main__":
    main()
