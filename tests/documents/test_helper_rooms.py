"""What tests/README.md says of the rooms of helpers holds."""

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
