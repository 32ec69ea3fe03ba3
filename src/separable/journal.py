"""A journal: the values of a run, on disk as they come, so that the run can be taken up again.

Given its seed a run is deterministic, so the list of the function's values *is* its state. A run that is started
again with its journal goes through the same algorithm on the recorded values, without calling the function, and
goes on where they end.

The file is a line of text that says which call it belongs to, then records. A record is a kind and a count (five
bytes), so many values (eight bytes each, little-endian), and a checksum (four bytes) of all that and of its place.
Values are written together, some thousand or some tenth of a second's worth, so one takes little more than eight
bytes. What follows the last whole record is a torn tail, and is cut off.
"""

from __future__ import annotations

import json
import os
import struct
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from separable.errors import BadInput, JournalError

try:
    import fcntl
except ImportError:  # on Windows, where two runs with one journal are the user's to avoid
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from separable.problems import Array

FORMAT = "separable 1"  # raised whenever an older journal would be misunderstood
HEAD, CHECK = struct.Struct("<BI"), struct.Struct("<I")
VALUES, FINAL = 1, 2  # kinds of records: what the algorithm asked for; the last word on the best point
TOGETHER = 4096  # values that are written together
SECONDS = 0.25  # or after so long, at the next value


class _Tail(NamedTuple):
    """Where the file ends, how many values it holds, and what waits to be written there."""

    end: int
    values: int
    waiting: list[Array]


class Journal:
    """The values of one run in a file.

    Args:
        path: the file; it is made if there is none.
        call: what the run is, in words and numbers that go into JSON; the journal of another call is refused,
            and left as it is.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> with Journal(folder.name + "/run.journal", {"seed": 0}) as journal:
    ...     journal.append(np.array([3.0, 1.0]))
    >>> with Journal(folder.name + "/run.journal", {"seed": 0}) as journal:
    ...     journal.take(9)
    array([3., 1.])
    >>> Journal(folder.name + "/run.journal", {"seed": 1})
    Traceback (most recent call last):
    separable.errors.BadInput: ... is the journal of another call: there seed is 0, here 1. ...
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], call: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._tail = _Tail(0, 0, [])
        if not self.path.exists() or self.path.stat().st_size == 0:
            _write_new(self.path, call)
        try:
            self._file = open(self.path, "r+b", buffering=0)  # noqa: SIM115 -- open as long as the run; see `close`
        except OSError as error:
            raise BadInput(f"cannot write the journal {str(self.path)!r}: {error.strerror}") from error
        try:
            self._refuse_a_second_run()
            data = self._file.readall()
            self._refuse_another_call(data, call)
            self._read(data)
        except BaseException:
            self._file.close()
            raise
        self._taken = self._waiting = 0
        self._torn = self._tail.end < len(data)
        self._flushed = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def replaying(self) -> bool:
        """Whether there are recorded values yet to be taken."""
        return self._taken < len(self._recorded)

    def take(self, count: int) -> Array:
        """The next recorded values, as many as there are."""
        values = self._recorded[self._taken : self._taken + count]
        self._taken += len(values)
        return values

    def append(self, values: Array) -> None:
        """Record the values that follow."""
        self._tail.waiting.append(values)
        self._waiting += len(values)
        if self._waiting >= TOGETHER or time.perf_counter() - self._flushed >= SECONDS:
            self.flush()

    def final(self, evaluations: int) -> float | None:
        """The value of the best point after so many evaluations, if it was recorded."""
        return self._finals.get(evaluations)

    def append_final(self, value: float) -> None:
        """Record the value of the best point after all values so far."""
        self.flush()
        self._write(_record(FINAL, np.array([value]), self._tail.values), 0)

    def flush(self) -> None:
        """Write what waits."""
        if self._tail.waiting:
            values = np.concatenate(self._tail.waiting)
            self._write(_record(VALUES, values, self._tail.values), len(values))
        self._waiting = 0
        self._flushed = time.perf_counter()

    def close(self) -> None:
        """Write what waits, and let go of the file."""
        if not self._file.closed:
            try:
                self.flush()
            finally:
                self._file.close()

    def _write(self, data: bytes, count: int) -> None:
        """Put bytes with so many values at the end; if that fails, the file stays what it was.

        Where the end is changes in one step and last. So whatever interrupts this, doing it again writes the same
        bytes to the same place.
        """
        end = self._tail.end
        try:
            self._file.seek(end)
            if self._torn:
                self._file.truncate()
                self._torn = False
            done = 0
            while done < len(data):
                done += self._file.write(data[done:])
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(end)
            self._file.close()
            raise JournalError(
                f"cannot write to the journal {str(self.path)!r} ({error.strerror}). It holds the first "
                f"{self._tail.values:,} evaluations; once it can be written again, the same call goes on there"
            ) from error
        self._tail = _Tail(end + len(data), self._tail.values + count, [])

    def _refuse_a_second_run(self) -> None:
        if fcntl is not None:  # a lock that ends with this process, however it ends
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise BadInput(f"the journal {str(self.path)!r} is in use by another run") from error

    def _refuse_another_call(self, data: bytes, call: Mapping[str, Any]) -> None:
        try:
            header = json.loads(data.partition(b"\n")[0])
            known = header["call"] if header["journal"] == FORMAT else None
        except (ValueError, TypeError, KeyError):
            known = None
        if known is None:
            raise BadInput(f"{str(self.path)!r} is no journal of the format {FORMAT!r}; it was left as it is")
        for name in sorted({*call, *known}):
            if known.get(name) != call.get(name):
                raise BadInput(
                    f"{str(self.path)!r} is the journal of another call: there {name} is {known.get(name)}, here "
                    f"{call.get(name)}. It was left as it is; name another file for this call"
                )

    def _read(self, data: bytes) -> None:
        values: list[Array] = [np.empty(0)]
        self._finals: dict[int, float] = {}
        self._tail = _Tail(data.index(b"\n") + 1, 0, [])
        for kind, piece, end in _records(data, self._tail.end):
            if kind == VALUES:
                values.append(piece)
            else:
                self._finals[self._tail.values] = float(piece[0])
            self._tail = _Tail(end, self._tail.values + len(piece) * (kind == VALUES), [])
        self._recorded = np.concatenate(values)


def _write_new(path: Path, call: Mapping[str, Any]) -> None:
    """The first line, whole or not at all."""
    if not path.parent.is_dir():
        raise BadInput(f"cannot write the journal {str(path)!r}: there is no folder {str(path.parent)!r}")
    part = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        part.write_bytes(json.dumps({"journal": FORMAT, "call": call}).encode() + b"\n")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise BadInput(f"cannot write the journal {str(path)!r}: {error.strerror}") from error


def _record(kind: int, values: Array, place: int) -> bytes:
    body = HEAD.pack(kind, len(values)) + values.astype("<f8").tobytes()
    return body + CHECK.pack(zlib.crc32(body, place & 0xFFFFFFFF))


def _records(data: bytes, start: int) -> Iterator[tuple[int, Array, int]]:
    """Whole records, each with its end, up to the first that is not what was written."""
    place = 0
    while start + HEAD.size <= len(data):
        kind, count = HEAD.unpack_from(data, start)
        checked = start + HEAD.size + 8 * count
        if kind not in (VALUES, FINAL) or checked + CHECK.size > len(data):
            return
        if CHECK.unpack_from(data, checked)[0] != zlib.crc32(data[start:checked], place & 0xFFFFFFFF):
            return
        values = np.frombuffer(data, "<f8", count, start + HEAD.size).astype(float)
        start = checked + CHECK.size
        place += count if kind == VALUES else 0
        yield kind, values, start
