"""The notebooks of the examples run from the first cell to the last, and show what they tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def executed(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """The outputs of all cells of code, run in a folder of their own."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    notebook = nbformat.read(ROOT / "examples" / name, as_version=4)
    nbformat.validate(notebook)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(
        notebook, timeout=300, startup_timeout=300, kernel_name="python3", resources=resources
    ).execute()
    return [
        output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
    ]


def printed(outputs: list[Any]) -> str:
    return "".join(each.text for each in outputs if each.output_type == "stream")


def shown(outputs: list[Any]) -> list[str]:
    """The HTML that cells show."""
    return [
        each.data["text/html"]
        for each in outputs
        if each.output_type == "execute_result" and "text/html" in each.data
    ]


@pytest.mark.slow
@pytest.mark.compiled_only
def test_alarms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    outputs = executed("alarms.ipynb", monkeypatch, tmp_path)
    assert printed(outputs) == "Gale: 07:00 to 10:00\nStorm: 08:00 to 10:00\n"
    network, table = shown(outputs)
    assert "data:image/svg+xml" in network
    assert table.count("<tr>") == 1 + 4


@pytest.mark.slow
@pytest.mark.compiled_only
def test_why_and_what_if(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    outputs = executed("why-and-what-if.ipynb", monkeypatch, tmp_path)
    first, *rest = printed(outputs).splitlines()
    assert first == "first alarm Leave: if h1 feels Heat, before 12:09:59"
    assert "it held from 2026-06-01T12:04:00Z to 2026-06-01T12:05:00Z" in rest
    before, after = shown(outputs)
    assert "does not hold" in before
    assert "ends first" in after


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert f"def test_{path.stem.replace('-', '_')}(" in Path(__file__).read_text("utf-8")
