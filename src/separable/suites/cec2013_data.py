"""The official data of CEC'2013 LSGO: where they are found, that they are the official ones, what they say.

They are 75 text files, not ours to hand on: F<k>-xopt (the shift o), -p (the permutation, from 1), -s (the sizes
of the groups), -w (their weights), -R25, -R50, -R100 (the rotations). `cec2013.sha256` holds their checksums, as
`sha256sum` writes and checks them, with lines that end in a line feed alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separable.errors import BadInput

if TYPE_CHECKING:
    from separable.problems import Array, IntArray

VARIABLE = "SEPARABLE_CEC2013_DATA"
PACKAGE = "cec2013lsgo"


class Data(NamedTuple):
    """All that a function of the suite is made of beside its formula."""

    shift: Array  # o, by variable; where every window has its own, one after the other
    permutation: IntArray  # P, from 0
    sizes: tuple[int, ...]  # of the groups
    weights: Array  # theirs
    rotations: dict[int, Array]  # by size; a group is a row vector times it


def load(function: int, folder: str | Path | None = None, *, grouped: bool) -> Data:
    """Read and check the files of one function.

    Args:
        function: its number.
        folder: where the files are; None: where the environment says, or in an installed cec2013lsgo.
        grouped: whether it has groups, or only a shift.
    """
    place = find(folder, f"cec2013/f{function}")
    shift = _numbers(place, f"F{function}-xopt.txt").ravel()
    if not grouped:
        return Data(shift, np.arange(len(shift)), (), np.empty(0), {})
    permutation, sizes, weights = (_numbers(place, f"F{function}-{kind}.txt").ravel() for kind in "psw")
    rotations = {size: _numbers(place, f"F{function}-R{size}.txt").T.copy() for size in (25, 50, 100)}
    return Data(shift, permutation.astype(np.intp) - 1, tuple(sizes.astype(int).tolist()), weights, rotations)


def find(folder: str | Path | None, name: str) -> Path:
    """The folder of the files: the one given, the one the environment names, or that of an installed package."""
    for given, where in ((folder, "data"), (os.environ.get(VARIABLE) or None, VARIABLE)):
        if given is not None:
            if not isinstance(given, str | os.PathLike):
                raise BadInput(f"{name}: data must be a folder, got {given!r}")
            place = Path(given).expanduser()
            if not place.is_dir():
                raise BadInput(f"{name}: {where} must be the folder with the official files; {place} is no folder")
            return place
    package = importlib.util.find_spec(PACKAGE)  # the package need not be imported
    for root in (package.submodule_search_locations or ()) if package else ():
        place = Path(root) / "cdatafiles"
        if place.is_dir():
            return place
    raise BadInput(
        f"{name} needs the official data files of CEC'2013 (F1-xopt.txt and 74 more), which come from you. Either "
        f"name the folder that holds them: {VARIABLE}=folder, or problem(..., data=folder). Or install a package "
        f'that holds them: pip install "setuptools<81" wheel cython numpy, then pip install --no-build-isolation '
        f"{PACKAGE} (it needs a C++ compiler). Without them there is {name.replace('/', '-like/')}, "
        "our own function of the same structure"
    )


def _numbers(place: Path, file: str) -> Array:
    """The numbers in a file that is the official one."""
    path = place / file
    if not path.is_file():
        raise BadInput(f"{path} is missing; expected the 75 official data files of CEC'2013 there")
    text = path.read_bytes().replace(b"\r\n", b"\n")
    digest = hashlib.sha256(text).hexdigest()
    if digest != _checksums()[file]:
        raise BadInput(
            f"{path} is not the official file: its SHA-256 is {digest}, expected {_checksums()[file]}. "
            "Get the files of CEC'2013 LSGO anew"
        )
    return np.loadtxt(text.decode().splitlines(), delimiter=",", ndmin=2)


def _checksums() -> dict[str, str]:
    lines = resources.files("separable.suites").joinpath("cec2013.sha256").read_text().splitlines()
    return {file: digest for digest, file in map(str.split, lines)}
