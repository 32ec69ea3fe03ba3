"""A folder of records: one JSON file for each finished run, written whole or not at all.

    results/
      campaign.toml          what is run here
      records/               one file a run; its name says which, and ends in a digest of what decides it
      set-aside/             files that could not be read, and failures that were tried again

Merging the results of several machines is copying the files of their `records` into one folder.

A record holds

    format, cell             what was run, as in `spec.Cell`, and its seed
    status                   "done" or "failed"; a failure has error: type, message, traceback
    checkpoints              [[evaluations, best value so far], ...]
    fun, nfev, nit, message  of the result of `minimize`; also nan_count
    history                  [[evaluations, value], ...]: improvements, thinned to some 200
    decomposition            evaluations, stages, variables of each kind, sizes of groups, close calls, accuracy
    seconds, cpu_seconds     of the run
    versions, machine        of the code, NumPy, SciPy, Python; where it was run
    identity, check          digests of all that decides the outcome, and of all that is in the record
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from separable.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from separable.campaign.spec import Campaign, Cell

FORMAT = 1  # of a record; raised whenever an older reader would misunderstand

Record = dict[str, Any]


class Store:
    """The records of a campaign in a folder; one process at a time may write there.

    Args:
        folder: made, if it is not there; one that holds another campaign, or anything else, is refused.
        campaign: what is run here. None: whatever is there, to be read only.
    """

    def __init__(self, folder: str | Path, campaign: Campaign | None = None) -> None:
        self.folder = Path(folder)
        self.records = self.folder / "records"
        self.aside = self.folder / "set-aside"
        self._plan = self.folder / "campaign.toml"
        self.moved: list[Path] = []  # where files went that are no records
        self._lock: int | None = None
        if campaign is None:
            if not self.records.is_dir():
                raise BadInput(f"{str(folder)!r} holds no results: there is no folder 'records' in it")
        else:
            self._adopt(campaign)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def text(self) -> str:
        """The campaign file of this folder."""
        return self._plan.read_text(encoding="utf-8")

    def path(self, cell: Cell) -> Path:
        """Where the record of a cell belongs."""
        return self.records / f"{cell.name}-{cell.identity}.json"

    def find(self, cells: Iterable[Cell]) -> dict[Cell, Record]:
        """The records there are of these cells; what cannot be read is set aside, and noted in `moved`."""
        found = {}
        for cell in cells:
            path = self.path(cell)
            if path.exists():
                record = _parsed(path)
                if record is None:
                    self.moved.append(self.set_aside(path))
                else:
                    found[cell] = record
        return found

    def all(self) -> Iterator[Record]:
        """Every record that can be read, whichever campaign it belongs to; nothing is moved."""
        for path in sorted(self.records.glob("*.json")):
            record = _parsed(path)
            if record is not None:
                yield record

    def unreadable(self) -> list[Path]:
        """The files among the records that are none; nothing is moved."""
        return [path for path in sorted(self.records.glob("*.json")) if _parsed(path) is None]

    def write(self, cell: Cell, record: Record) -> None:
        """Keep a record: whole, or not at all."""
        write_whole(self.path(cell), as_text(record))

    def set_aside(self, path: Path) -> Path:
        """Move a file out of the way, where nothing is overwritten."""
        self.aside.mkdir(exist_ok=True)
        number = 0
        while (target := self.aside / f"{path.name}.{number}").exists():
            number += 1
        path.rename(target)
        return target

    def _adopt(self, campaign: Campaign) -> None:
        """Make the folder this campaign's, unless it is another's."""
        from separable.campaign.spec import parse  # noqa: PLC0415 -- spec imports the suites; a reader needs none

        if self.folder.exists() and not self.folder.is_dir():
            raise BadInput(f"{str(self.folder)!r} is a file; results need a folder")
        if self._plan.exists():
            there = parse(self.text(), str(self._plan))
            missing = set(there.cells) - set(campaign.cells)
            if there.name != campaign.name or missing:
                what = f"the campaign {there.name!r}" if there.name != campaign.name else "other runs of that name"
                raise BadInput(
                    f"{str(self.folder)!r} holds {what}; choose another folder for {campaign.name!r}, "
                    f"or describe in the file all that is there ({str(self._plan)!r} has it)"
                )
        elif self.folder.exists() and any(self.folder.iterdir()):
            raise BadInput(f"{str(self.folder)!r} is not empty, and no folder of results; choose another one")
        try:
            self.records.mkdir(parents=True, exist_ok=True)
            self._lock_folder()
            write_whole(self._plan, campaign.text)
        except PermissionError as error:
            raise BadInput(f"cannot write to {str(self.folder)!r}: {error.strerror}") from error

    def _lock_folder(self) -> None:
        try:
            import fcntl  # noqa: PLC0415 -- not on every system
        except ImportError:
            return
        self._lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(
                self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB
            )  # released when the process ends, however it does
        except BlockingIOError:
            os.close(self._lock)
            self._lock = None
            raise BadInput(
                f"another process is running a campaign in {str(self.folder)!r}; wait for it, "
                "or use another folder and copy its records here afterwards"
            ) from None


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all, whatever happens meanwhile."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def as_text(record: Record) -> str:
    """A record as its file holds it, with a check of its content."""
    return json.dumps({**record, "check": _check(record)}) + "\n"


def _check(record: Record) -> str:
    content = {key: value for key, value in record.items() if key != "check"}
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def cell_data(cell: Cell) -> dict[str, Any]:
    """A cell as a record holds it."""
    return {**asdict(cell), "checkpoints": list(cell.checkpoints), "seed": cell.seed}


def _parsed(path: Path) -> Record | None:
    """The record in a file; None, if it is none, or none of its name."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    sound = isinstance(record, dict) and record.get("format") == FORMAT and record.get("check") == _check(record)
    return record if sound and path.stem.endswith(f"-{record['identity']}") else None
