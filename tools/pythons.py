"""The Pythons of this machine for which kernels can be compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MINORS: Final = range(11, 15)
"""Python 3.11 to 3.14."""

EXAMINE: Final = """
import os.path, sys, sysconfig, ensurepip, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
if not sysconfig.get_config_var("Py_GIL_DISABLED") and os.path.exists(header):
    print("3.%d" % sys.version_info[1])
"""
"""Prints the version of a Python that has headers, venv, pip and the global interpreter lock."""


def pythons() -> dict[str, str]:
    """Version, such as ``3.12`` → interpreter; this one if it can, then the first that is found."""
    found: dict[str, str] = {}
    for place in (sys.executable, *_candidates()):
        command = [place, "-c", EXAMINE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        version = done.stdout.strip()
        if done.returncode == 0 and version in {f"3.{minor}" for minor in MINORS}:
            found.setdefault(version, place)
    return found


def _candidates() -> Iterator[str]:
    """Of each version the command of the path, then Pythons of pyenv and of uv."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
    uv = Path.home() / ".local/share/uv/python"
    for minor in MINORS:
        if command := shutil.which(f"python3.{minor}"):
            yield command
        for folder in (*pyenv.glob(f"3.{minor}.*"), *uv.glob(f"cpython-3.{minor}.*")):
            yield str(folder / "bin" / "python3")
