"""What a wheel consists of: the four packages of the product."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase

from tests.paths import ROOT


def test_the_benchmarks_and_the_tests_are_in_no_wheel():
    described = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = described["tool"]["setuptools"]["packages"]["find"]["include"]
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages >= {"bench", "tests"}
    found = {name for name in packages for part in included if fnmatchcase(name, part)}
    assert found == {"rif", "rete", "temporal", "r4"}
