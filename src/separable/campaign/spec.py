"""A campaign is data: a TOML file, and the cells that it stands for.

    name = "paper-1000"              what reports call it
    repeats = 25                     runs of every method on every problem
    budget = 3e6                     evaluations of a run, the decomposition included
    checkpoints = [1.2e5, 6e5, 3e6]  where values are reported; the budget alone, if left out
    counting = "all"                 which points a value may come from; "optimization": not the decomposition's,
                                     though its evaluations count, as in the paper

    [[problems]]                     as many of these as there are sets of problems
    suite = "bms"
    functions = "1-15"               or a list of numbers; all, if left out
    dims = [1000]                    the suite's usual one, if left out
    instances = [0]                  likewise 0

    [methods.csg]                    as many of these as there are methods; all keys may be left out
    decomposer = "csg"
    optimizer = "sansde"
    rule = "round-robin"
    population = 50
    generations = 100
    chunk = 50
    decomposer_options = {}
    optimizer_options = {}

What is unknown, or makes no sense, is refused with the number of its line.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from separable import decomposers, optimizers
from separable.cooperate import CHUNK, GENERATIONS, POPULATION, choose_rule
from separable.errors import BadInput, unknown
from separable.suites import SUITES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


COUNTING = ("all", "optimization")


@dataclass(frozen=True)
class Method:
    """A choice of parts, under the name that reports give it; see `minimize` for each."""

    name: str
    decomposer: str = "csg"
    optimizer: str = "sansde"
    rule: str = "round-robin"
    population: int = POPULATION
    generations: int = GENERATIONS
    chunk: int = CHUNK
    decomposer_options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    optimizer_options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def parts(self) -> dict[str, Any]:
        """What `minimize` is told of it."""
        return {key: value for key, value in asdict(self).items() if key != "name"}


@dataclass(frozen=True)
class Cell:
    """One run: all that decides what comes out of it.

    >>> cell = Cell("bms/f1", 200, 0, 0, Method("csg"), 10_000, (10_000,))
    >>> cell.name, cell.seed == Cell("bms/f1", 200, 0, 0, Method("other"), 50_000, (50_000,)).seed
    ('bms-f1-d200-i0-csg-r0', True)
    """

    problem: str
    dim: int
    instance: int
    repeat: int
    method: Method
    budget: int
    checkpoints: tuple[int, ...]
    counting: str = "all"

    @property
    def name(self) -> str:
        """For people, and for files."""
        problem = self.problem.replace("/", "-")
        return f"{problem}-d{self.dim}-i{self.instance}-{self.method.name}-r{self.repeat}"

    @property
    def seed(self) -> int:
        """Of all randomness of the run. Methods share it, so all start from the same points."""
        return int(_digest([self.problem, self.dim, self.instance, self.repeat]), 16)

    @cached_property
    def identity(self) -> str:
        """A number for all that decides what comes out."""
        return _digest(asdict(self))


@dataclass(frozen=True)
class Campaign:
    """Which problems, by which methods, how often, and how far."""

    name: str
    problems: tuple[tuple[str, int, int], ...]  # name, dimension, instance
    methods: tuple[Method, ...]
    repeats: int
    budget: int
    checkpoints: tuple[int, ...]
    counting: str = "all"
    text: str = field(default="", repr=False, compare=False)  # of the file

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All runs: repeat after repeat, so that an early end leaves something to compare."""
        return tuple(
            Cell(problem, dim, instance, repeat, method, self.budget, self.checkpoints, self.counting)
            for repeat in range(self.repeats)
            for problem, dim, instance in self.problems
            for method in self.methods
        )


def load(path: str | Path) -> Campaign:
    """The campaign in a file, or one that comes with the package, by its name."""
    name = str(path)
    if name in shipped():
        return parse(resources.files(__package__).joinpath("files", f"{name}.toml").read_text(), name)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(shipped())
        raise BadInput(
            f"cannot read the campaign {name!r}: {error}. Expected a TOML file, or one of {known}"
        ) from error
    return parse(text, name)


def shipped() -> list[str]:
    """The campaigns that come with the package."""
    files = resources.files(__package__).joinpath("files").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def parse(text: str, source: str = "campaign") -> Campaign:
    """The campaign that a text describes; `source` is what errors call it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{source}: {error}") from error
    return _Reader(text, source).campaign(data)


class _Reader:
    """Turns what TOML holds into a campaign, and names the line of whatever is wrong with it."""

    def __init__(self, text: str, source: str) -> None:
        self._text, self._source = text, source

    def campaign(self, data: dict[str, Any]) -> Campaign:
        known = ("name", "repeats", "budget", "checkpoints", "counting", "problems", "methods")
        self._only(data, known, ())
        for key in ("name", "budget", "problems", "methods"):
            if key not in data:
                raise BadInput(f"{self._source}: {key} is missing")
        name = data["name"]
        if not isinstance(name, str) or not re.fullmatch(r"[\w.-]+", name):
            raise self._wrong(("name",), f"name must be made of letters, digits, . _ and -, got {name!r}")
        budget = self._whole(data["budget"], ("budget",), 1)
        checkpoints = self._checkpoints(data.get("checkpoints", [budget]), budget)
        repeats = self._whole(data.get("repeats", 1), ("repeats",), 1)
        counting = data.get("counting", "all")
        if counting not in COUNTING:
            raise self._wrong(("counting",), str(unknown("counting", counting, COUNTING)))
        return Campaign(
            name,
            tuple(dict.fromkeys(self._problems(data["problems"]))),
            tuple(self._methods(data["methods"])),
            repeats,
            budget,
            checkpoints,
            counting,
            self._text,
        )

    def _checkpoints(self, values: object, budget: int) -> tuple[int, ...]:
        where = ("checkpoints",)
        if not isinstance(values, list) or not values:
            raise self._wrong(where, f"checkpoints must be a list of numbers of evaluations, got {values!r}")
        points = tuple(self._whole(value, where, 1) for value in values)
        if list(points) != sorted(set(points)) or points[-1] > budget:
            raise self._wrong(where, f"checkpoints must grow, and not beyond the budget of {budget}, got {values}")
        return points

    def _problems(self, tables: object) -> Iterator[tuple[str, int, int]]:
        if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
            raise self._wrong(("problems",), "problems must be tables, each under a line [[problems]]")
        for number, table in enumerate(tables):
            where = ("problems", number)
            self._only(table, ("suite", "functions", "dims", "instances"), where)
            if "suite" not in table:
                raise self._wrong(where, "suite is missing")
            name = table["suite"]
            if name not in SUITES:
                raise self._wrong((*where, "suite"), str(unknown("suite", name, SUITES)))
            suite = SUITES[name]
            functions = self._numbers(table.get("functions", list(suite.functions)), (*where, "functions"), 1)
            for k in functions:
                if k not in suite.functions:
                    text = f"{name} has no f{k}; it has f{min(suite.functions)} to f{max(suite.functions)}"
                    raise self._wrong((*where, "functions"), text)
            instances = self._numbers(table.get("instances", [0]), (*where, "instances"), 0)
            for dim in self._numbers(table.get("dims", [suite.default_dim]), (*where, "dims"), 1):
                if not suite.allows(dim):
                    raise self._wrong((*where, "dims"), f"a dimension of {name} must be {suite.dims}, got {dim}")
                yield from ((f"{name}/f{k}", dim, i) for k in functions for i in instances)

    def _methods(self, tables: object) -> Iterator[Method]:
        if not isinstance(tables, dict) or not tables or not all(isinstance(one, dict) for one in tables.values()):
            raise self._wrong(("methods",), "methods must be tables, each under a line such as [methods.csg]")
        for name, table in tables.items():
            where = ("methods", name)
            if not re.fullmatch(r"[\w.+]+(-[\w.+]+)*", name):
                raise self._wrong(where, f"a method's name must be made of letters, digits, . _ + -, got {name!r}")
            self._only(table, tuple(Method("").parts), where)
            method = Method(name, **table)
            try:
                decomposers.choose(method.decomposer, method.decomposer_options)
                optimizers.choose(method.optimizer, method.optimizer_options)
                choose_rule(method.rule)
            except (BadInput, ImportError) as error:
                raise self._wrong(where, str(error)) from error
            for key, least in (("population", 8), ("generations", 1), ("chunk", 1)):
                self._whole(getattr(method, key), (*where, key), least)
            yield method

    def _numbers(self, given: object, where: tuple[str | int, ...], least: int) -> list[int]:
        """A list of numbers, a single one, or a text such as "1-3,7"."""
        if isinstance(given, str):
            if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", given):
                raise self._wrong(where, f'{where[-1]} must be numbers such as [1, 2] or "1-3,7", got {given!r}')
            ends = [[int(end) for end in part.split("-")] for part in given.split(",")]
            return [k for span in ends for k in range(span[0], span[-1] + 1)]
        values = given if isinstance(given, list) else [given]
        return [self._whole(value, where, least) for value in values]

    def _whole(self, value: object, where: tuple[str | int, ...], least: int) -> int:
        number = 0.5 if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
        if not number.is_integer() or number < least:
            raise self._wrong(where, f"{where[-1]} must be a whole number, {least} or more, got {value!r}")
        return int(number)

    def _only(self, table: Mapping[str, object], known: Sequence[str], where: tuple[str | int, ...]) -> None:
        for key in table:
            if key not in known:
                raise self._wrong((*where, key), str(unknown("key", key, known)))

    def _wrong(self, where: tuple[str | int, ...], text: str) -> BadInput:
        line = line_of(self._text, where)
        return BadInput(f"{self._source}{f', line {line}' if line else ''}: {text}")


def line_of(text: str, where: tuple[str | int, ...]) -> int | None:
    """The line of a key, or of the header of its table, where the key is not written out on a line of its own.

    >>> line_of('''a = 1
    ... [[problems]]
    ... suite = "bms"
    ... [[problems]]
    ... suite = "bns"
    ... ''', ("problems", 1, "suite"))
    5
    """
    table: tuple[str | int, ...] = ()
    count: dict[str, int] = {}
    nearest, depth = None, 0
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]", line)
        key = re.match(r"\s*([\w-]+|\"[^\"]*\")\s*[.=]", line)
        if header:
            names = tuple(part.strip().strip("\"'") for part in header[2].split("."))
            if header[1] == "[[":
                count[names[0]] = count.get(names[0], -1) + 1
                table = (*names, count[names[0]])
            else:
                table = names
            here = table
        elif key:
            here = (*table, key[1].strip('"'))
        else:
            continue
        if here == where[: len(here)] and len(here) > depth:
            nearest, depth = number, len(here)
    return nearest


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
