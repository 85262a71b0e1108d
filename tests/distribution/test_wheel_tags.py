"""A wheel says that it is for one Python and system if it has compiled kernels, and only then."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.paths import ROOT

PROJECT = """
[build-system]
requires = []
build-backend = "setuptools.build_meta"
[project]
name = "some"
version = "1"
[tool.setuptools]
packages = ["rete", "rete.kernels"]
"""
COMPILER = """#!/bin/sh
# An object or a library is an empty file; what FAILS names cannot be compiled.
case "$*" in *"${FAILS:-no such file}"*) echo "error in $FAILS" >&2; exit 1;; esac
while [ $# -gt 0 ]; do [ "$1" = -o ] && : >"$2"; shift; done
"""
KERNELS = ("_first", "_second")
BUILD = "from setuptools import build_meta; build_meta.build_wheel('dist')"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="the compiler here is a shell script"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with R4's setup.py and kernels that cost nothing to translate and compile."""
    tmp_path = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "setup.py", tmp_path)
    (tmp_path / "pyproject.toml").write_text(PROJECT, "utf-8")
    kernels = tmp_path / "rete/kernels"
    kernels.mkdir(parents=True)
    for package in (kernels.parent, kernels):
        (package / "__init__.py").touch()
    for name in KERNELS:
        (kernels / f"{name}.pyx").write_text("VERSION = 1\n", "utf-8")
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER, "utf-8")
    compiler.chmod(0o755)
    return tmp_path


def build(project: Path, *, fails: str = "", kernels: str = "") -> tuple[str, list[str]]:
    """The tag of the wheel that is built, and the stems of the extensions in it."""
    compiler = str(project / "compiler")
    done = subprocess.run(
        [sys.executable, "-c", BUILD],
        cwd=project,
        env=os.environ
        | {"CC": compiler, "LDSHARED": compiler, "FAILS": fails, "R4_KERNELS": kernels},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ChildProcessError(done.stderr)
    (wheel,) = (project / "dist").glob("*.whl")
    with ZipFile(wheel) as archive:
        names = [Path(name).name for name in archive.namelist()]
    wheel.unlink()
    tag = wheel.stem.removeprefix("some-1-")
    return tag, sorted(name.partition(".")[0] for name in names if name.endswith((".so", ".pyd")))


def test_a_wheel_has_all_kernels_or_none(project: Path) -> None:
    tag, kernels = build(project)
    minor = sys.version_info[1]
    assert tag.startswith(f"cp3{minor}-cp3{minor}-")
    assert kernels == list(KERNELS)
    # What the first build left is not taken for the second one's.
    (project / "rete/kernels/_second.pyx").write_text("VERSION = 2\n", "utf-8")
    assert build(project, fails="_second") == ("py3-none-any", [])


def test_a_build_can_leave_kernels_out_or_insist_on_them(project: Path) -> None:
    assert build(project, kernels="pure") == ("py3-none-any", [])
    with pytest.raises(ChildProcessError, match="error in _second"):
        build(project, fails="_second", kernels="compiled")
