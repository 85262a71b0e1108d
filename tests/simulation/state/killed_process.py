"""`r4` in a process of its own that kills itself: ``python -m …killed_process AT SIZE ARGUMENT…``.

SIGKILL comes in the operation AT of the file system, which a forked child counts on its own; files
are read SIZE bytes at once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch

from r4.cli import main as r4
from r4.rdf.files import ByteSource
from r4.state import folder as state_folder
from tests.generators.draw import from_seed
from tests.simulation.state.crashing_files import CrashingFiles

ROOT = Path(__file__).parents[3]


class _KillingFiles(CrashingFiles):
    """Files whose process is killed."""

    def crash(self) -> NoReturn:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def run_killed(at: int, size: int, args: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """``r4`` with these arguments, killed in the operation ``at``, if it comes so far."""
    command = [sys.executable, "-m", __name__, str(at), str(size), *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def main(at: str, size: str, *args: str) -> int:
    """Run ``r4``."""
    files = _KillingFiles(from_seed(int(at)), int(at), power=False)
    opened = ByteSource.__init__

    def open_small(source: ByteSource, path: str, *_: int) -> None:
        opened(source, path, int(size))

    with (
        patch.object(ByteSource, "__init__", open_small),
        patch.object(state_folder, "SystemFiles", lambda: files),
    ):
        return r4(args)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
