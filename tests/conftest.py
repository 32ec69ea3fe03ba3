"""What all tests share."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from separable import cli

if TYPE_CHECKING:
    from pathlib import Path

# a shell that runs the tests in the background has Ctrl-C ignored, and so would the processes that they start
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("here", deadline=None, derandomize=True)  # the same cases on every machine
settings.load_profile("here")


@pytest.fixture(autouse=True)
def _leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def separable(capsys, monkeypatch):
    """Run the command line in this process: its exit code, stdout and stderr."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["separable", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return run
