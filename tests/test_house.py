"""What the tools do not check about how the project is written."""

from __future__ import annotations

import ast
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

import separable as sp

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_asserted_in_the_library(path):
    """An assert vanishes under -O, and tells a user nothing: raise instead."""
    asserts = [node.lineno for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Assert)]
    assert asserts == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_global_random_state_of_numpy_is_never_touched(path):
    allowed = {"default_rng", "Generator", "SeedSequence"}
    used = {
        node.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("np.random", "numpy.random")
    }
    assert used <= allowed


def test_the_version_is_the_same_wherever_it_is_written():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == sp.__version__


def test_everything_that_is_exported_exists_and_says_what_it_is():
    for name in sp.__all__:
        assert getattr(sp, name).__doc__


def test_the_lowest_versions_tested_are_the_lowest_versions_promised():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    promised = dict(
        re.fullmatch(r"([\w-]+)>=([\w.]+)", line).groups()
        for line in chain(project["dependencies"], *extras.values())
        if not line.startswith("separable")
    )
    lines = (ROOT / "tests" / "lowest.txt").read_text().splitlines()
    tested = dict(line.split("==") for line in lines if not line.startswith("#"))
    run_by_users = {name for name in promised if name not in ("ruff", "mypy", "import-linter")}
    assert set(tested) == run_by_users
    for name, version in tested.items():
        assert (version + ".0").startswith(promised[name]), name


def test_the_optimizer_that_contributing_md_shows_works():
    code = re.search(
        r"```python\n(# src/separable/optimizers/.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.S
    )
    module: dict[str, object] = {}
    exec(code[1], module)
    r = sp.minimize(lambda x: float(x @ x), [(-5, 4)] * 6, budget=20_000, optimizer=module["Walk"])
    assert r.fun < 1e-2


def test_the_decomposer_that_contributing_md_shows_works():
    code = re.search(
        r"```python\n(# src/separable/decomposers/.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.S
    )
    module: dict[str, object] = {}
    exec(code[1], module)
    found = sp.decompose(sp.problem("bms/f10", 200), method=module["halves"])
    assert (len(found.additive), [len(group) for group in found.groups]) == (50, [150])
