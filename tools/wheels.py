"""Write the distribution into dist/: an sdist, and what pip makes of it.

Wheels are built from the sdist, so that the sdist is known to build: one with compiled kernels for
each Python that is found, and one without for every Python. With ``R4_KERNELS=compiled`` in the
environment a kernel that cannot be compiled is an error; else that Python has no wheel of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tools.pythons import pythons
from tools.requires import requires

ROOT: Final = Path(__file__).parents[1]
TARGET: Final = ROOT / "dist"
WORK: Final = ROOT / "build" / "wheels"
SDIST: Final = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


def main() -> None:
    """Build all, in place of what is there."""
    for old in TARGET.glob("r4_reasoner-*"):
        old.unlink()
    _call(sys.executable, "-c", SDIST, str(TARGET))
    # Left there, they would be taken for those of what is installed, whatever becomes of that.
    shutil.rmtree(ROOT / "r4_reasoner.egg-info")
    (sdist,) = TARGET.glob("*.tar.gz")
    plain = _wheel(sdist, sys.executable, kernels="pure")
    made = [sdist, plain]
    for version, python in pythons().items():
        builder = python if python == sys.executable else _builder(version, python)
        wheel = _wheel(sdist, builder, kernels=os.environ.get("R4_KERNELS", ""))
        if wheel == plain:
            print(f"no wheel for Python {version}: its kernels cannot be compiled", flush=True)
        else:
            made.append(wheel)
    for path in made:
        print(f"dist/{path.name}: {path.stat().st_size // 1024} KiB", flush=True)


def _builder(version: str, python: str) -> str:
    """The interpreter of an environment of another Python, with what a build needs."""
    folder = WORK / f"build-{version}"
    interpreter = str(folder / "bin" / "python")
    _call(python, "-m", "venv", str(folder))
    _call(interpreter, "-m", "pip", "-qq", "install", *requires("build"))
    return interpreter


def _wheel(sdist: Path, python: str, *, kernels: str) -> Path:
    """The wheel that a Python builds from the sdist, in `TARGET`."""
    made = WORK / "made"
    shutil.rmtree(made, ignore_errors=True)
    pip = (python, "-m", "pip", "-qq", "wheel", "--no-deps", "--no-build-isolation")
    _call(*pip, "--wheel-dir", str(made), str(sdist), kernels=kernels)
    (wheel,) = made.glob("*.whl")
    return wheel.replace(TARGET / wheel.name)


def _call(*command: str, kernels: str = "") -> None:
    settings = os.environ | {"R4_KERNELS": kernels, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    subprocess.run(command, cwd=ROOT, env=settings, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
