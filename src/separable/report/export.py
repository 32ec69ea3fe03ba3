"""Results for others' tools: IOHanalyzer's format, and Parquet."""

from __future__ import annotations

import json
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Any

from separable.errors import MissingExtra
from separable.report import curves

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from separable.campaign.store import Record
    from separable.report.results import Case, Results, Run


IOH_FORMAT = "1.0.0"  # readers ask for 0.3.3 or later, older ones for 1.0.0 or later


def iohprofiler(results: Results, folder: Path) -> None:
    """The finished runs as IOHprofiler writes them (its format of JSON and .dat); IOHanalyzer reads it.

    A folder for each suite, in it one for each method, in it a .json file for each function and, for each
    dimension, a .dat file with the improvements of all runs. The histories are thinned, the last value is exact.
    """
    for case, method, records in _by_problem(results):
        home = folder / case.suite / method
        number, name = _number(case, results), case.problem.partition("/")[2] or case.problem
        index = home / f"IOHprofiler_f{number}_{name}.json"
        data = f"data_f{number}_{name}/IOHprofiler_f{number}_DIM{case.dim}.dat"
        known = (
            json.loads(index.read_text(encoding="utf-8"))
            if index.exists()
            else _index(case, number, name, records)
        )
        runs = [_improvements(record) for record in records]
        scenario = {
            "dimension": case.dim,
            "path": data,
            "runs": [_ioh_run(record, steps) for record, steps in zip(records, runs, strict=True)],
        }
        (home / data).parent.mkdir(parents=True, exist_ok=True)
        lines = [
            line
            for steps in runs
            for line in ("evaluations raw_y", *(f"{at} {value:.17g}" for at, value in steps))
        ]
        (home / data).write_text("\n".join([*lines, ""]), encoding="utf-8")
        known["scenarios"].append(scenario)
        index.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def parquet(results: Results, path: Path) -> None:
    """All runs that have a record, a row each, finished or failed; needs the extra `parquet`."""
    try:
        import pyarrow as pa  # noqa: PLC0415 -- an extra, needed only here
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("Parquet", "pyarrow", "parquet") from error

    steps = pa.list_(pa.struct([("evaluations", pa.int64()), ("value", pa.float64())]))
    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), list: pa.list_(pa.int64()), tuple: steps}
    schema = pa.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    rows = [_row(run, record) for run, record in sorted({**results.done, **results.failed}.items())]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)


COLUMNS: dict[str, type] = {
    "problem": str,
    "dim": int,
    "instance": int,
    "method": str,
    "repeat": int,
    "decomposer": str,
    "optimizer": str,
    "options": str,  # of the method, all of them, as JSON
    "seed": str,  # whole numbers of 48 bits, kept exact wherever they are read
    "budget": int,
    "status": str,
    "error": str,
    "fun": float,
    "optimum": float,
    "nfev": int,
    "nit": int,
    "nan_count": int,
    "decomposition_evaluations": int,
    "separable_accuracy": float,
    "nonseparable_accuracy": float,
    "groups": list,  # their sizes
    "additive": int,
    "multiplicative": int,
    "composite": int,
    "undecided": int,
    "close_calls": int,
    "seconds": float,
    "cpu_seconds": float,
    "code": str,
    "versions": str,
    "machine": str,
    "checkpoints": tuple,
    "history": tuple,
}


def _row(run: Run, record: Record) -> dict[str, Any]:
    cell, found = record["cell"], record.get("decomposition", {})
    accuracy = found.get("accuracy") or {}
    return {
        **{name: record.get(name, found.get(name)) for name in COLUMNS},
        "problem": run.case.problem,
        "dim": run.case.dim,
        "instance": run.case.instance,
        "method": run.method,
        "repeat": run.repeat,
        "decomposer": cell["method"]["decomposer"],
        "optimizer": cell["method"]["optimizer"],
        "options": json.dumps(cell["method"]),
        "seed": str(cell["seed"]),
        "budget": cell["budget"],
        "error": f"{record['error']['type']}: {record['error']['message']}" if "error" in record else None,
        "decomposition_evaluations": found.get("evaluations"),
        "separable_accuracy": accuracy.get("separable"),
        "nonseparable_accuracy": accuracy.get("nonseparable"),
        "code": record["versions"]["code"],
        "versions": json.dumps(record["versions"]),
        "machine": json.dumps(record["machine"]),
        "checkpoints": _steps(record.get("checkpoints")),
        "history": _steps(record.get("history")),
    }


def _steps(pairs: Sequence[Sequence[float]] | None) -> list[dict[str, float]] | None:
    return None if pairs is None else [{"evaluations": at, "value": value} for at, value in pairs]


def _by_problem(results: Results) -> Iterator[tuple[Case, str, list[Record]]]:
    """The runs of each method on each problem; instances of a problem go together, as IOHprofiler has them."""
    for method in results.methods:
        for _, cases in groupby(sorted(results.cases), key=lambda case: case[:2]):
            same = list(cases)
            records = [record for case in same for record in results.records(case, method)]
            if records:
                yield same[0], method, records


def _number(case: Case, results: Results) -> int:
    """The number of the function; its place among the problems, if its name has none."""
    digits = case.problem.partition("/")[2].removeprefix("f")
    problems = list(dict.fromkeys(one.problem for one in results.cases))
    return int(digits) if digits.isdecimal() else 1 + problems.index(case.problem)


def _index(case: Case, number: int, name: str, records: Sequence[Record]) -> dict[str, Any]:
    method = records[0]["cell"]["method"]
    return {
        "version": IOH_FORMAT,
        "suite": case.suite,
        "function_id": number,
        "function_name": name,
        "maximization": False,
        "algorithm": {"name": method["name"], "info": json.dumps(method)},
        "run_attributes": ["repeat", "seed"],
        "attributes": ["evaluations", "raw_y"],
        "scenarios": [],
    }


def _improvements(record: Record) -> list[tuple[int, float]]:
    """The history, with the exact values at the checkpoints, and a line for the end."""
    steps = [(int(at), value) for at, value in curves.history(record) if isfinite(value)]
    if steps and steps[-1][0] < record["nfev"]:
        steps.append((record["nfev"], steps[-1][1]))
    return steps


def _ioh_run(record: Record, steps: Sequence[tuple[int, float]]) -> dict[str, Any]:
    best = min((value for _, value in steps), default=None)
    at = next((at for at, value in steps if value == best), 0)
    cell = record["cell"]
    return {
        "instance": cell["instance"],
        "repeat": cell["repeat"],
        "seed": cell["seed"],
        "evals": record["nfev"],
        "best": {"evals": at, "y": best, "x": []},  # the points themselves are not recorded
    }
