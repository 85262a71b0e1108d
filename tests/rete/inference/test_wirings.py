"""Networks are wired in one module, so that nothing else knows what a plan needs to run."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.paths import ROOT

PARTS = {"Agenda", "Layers", "Network"}


def called(module: Path) -> set[str]:
    """The parts of an engine that a module makes."""
    calls = [
        node.func for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call)
    ]
    names = {each.id for each in calls if isinstance(each, ast.Name)}
    return (names | {each.attr for each in calls if isinstance(each, ast.Attribute)}) & PARTS


def test_only_the_inference_engine_wires_networks() -> None:
    rooms = ("rif", "rete", "temporal", "r4")
    modules = [path for room in rooms for path in ROOT.glob(f"{room}/**/*.py")]
    found = {path.relative_to(ROOT).as_posix(): called(path) for path in modules}
    assert {place: names for place, names in found.items() if names} == {
        "rete/inference/inference_engine.py": {"Layers", "Network"}
    }
