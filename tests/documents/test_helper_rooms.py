"""What tests/README.md says of the rooms of tests and helpers holds."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.paths import ROOT

ROOMS = ("oracles", "generators", "simulation", "faults")
"""Each imports itself and those before it."""
FOLDERS = sorted(
    path.parent for room in ROOMS for path in ROOT.glob(f"tests/{room}/**/__init__.py")
)
MODULES = [
    path for folder in FOLDERS for path in folder.glob("*.py") if not path.stem.startswith("test_")
]
PACKAGES = ("rif", "rete", "temporal", "r4")
"""Not bench: it is tested by workload."""


def place_of(path: Path) -> str:
    return path.relative_to(ROOT / "tests").as_posix()


def imported(module: Path) -> set[str]:
    """The rooms of tests/ that a module imports."""
    tree = ast.parse(module.read_text("utf-8"))
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names += [
        each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names
    ]
    return {name.split(".")[1] for name in names if name.startswith("tests.")} - {"paths"}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_of_helpers_imports_itself_and_those_before_it(room: str) -> None:
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    modules = [module for module in MODULES if place_of(module).startswith(f"{room}/")]
    others = {place_of(module): imported(module) - allowed for module in modules}
    assert modules
    assert {place: rooms for place, rooms in others.items() if rooms} == {}


@pytest.mark.parametrize("folder", FOLDERS, ids=place_of)
def test_the_docstring_of_a_room_names_what_is_in_it(folder: Path) -> None:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    modules = {path.stem for path in MODULES if path.parent == folder} - {"__init__", "__main__"}
    rooms = {path.name for path in FOLDERS if path.parent == folder}
    assert (modules | rooms) - set(re.findall(r"`+(\w+)", text)) == set()


def test_the_readme_names_every_room_and_no_other() -> None:
    text = (ROOT / "tests/README.md").read_text("utf-8")
    named = {room for rooms in re.findall(r"`((?:\w+/ ?)+)`", text) for room in rooms.split()}
    there = {f"{path.name}/" for path in (ROOT / "tests").glob("**/") if path.is_dir()}
    above = [path for path in (ROOT / "tests").iterdir() if path.is_dir()]
    assert named <= there
    assert {f"{path.name}/" for path in above} - {"__pycache__/"} <= named


def names_of_modules() -> set[str]:
    """The names of all modules and rooms of the packages, without their places."""
    paths = [path for package in PACKAGES for path in ROOT.glob(f"{package}/**/*.py")]
    return {path.parent.name if path.stem == "__init__" else path.stem for path in paths}


def is_misplaced(test: Path, modules: set[str]) -> bool:
    """Whether a file of tests has the name of a module that is in another room, or no room."""
    room = ROOT / test.relative_to(ROOT / "tests").parent
    name = test.stem.removeprefix("test_")
    there = (room / f"{name}.py").exists() or (room / name / "__init__.py").exists()
    if not (room / "__init__.py").exists():
        return True
    return name in modules and not there and name != room.name


def test_tests_of_a_module_stand_in_its_room() -> None:
    modules = names_of_modules()
    tests = [test for package in PACKAGES for test in ROOT.glob(f"tests/{package}/**/test_*.py")]
    assert len(tests) > 100
    assert [place_of(test) for test in tests if is_misplaced(test, modules)] == []


def test_a_file_of_tests_without_its_module_is_misplaced() -> None:
    modules = names_of_modules()
    misplaced = {
        "rete/nodes/test_join.py": False,
        "rete/nodes/test_nodes.py": False,
        "rete/nodes/test_any_subject.py": False,
        "rete/nodes/test_stem.py": True,
        "rete/no_room/test_stem.py": True,
    }
    found = {name: is_misplaced(ROOT / "tests" / name, modules) for name in misplaced}
    assert found == misplaced
