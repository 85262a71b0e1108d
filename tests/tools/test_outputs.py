"""What a record of outputs keeps, and what a comparison says of two."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT
from tests.seeds import soak
from tools import outputs


def recorder(folder: Path, *, full: bool = False) -> outputs.Recorder:
    return outputs.Recorder(ROOT, folder, argparse.Namespace(full=full))


def record(target: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tools.outputs", "record", str(target), *options]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    found: dict[str, Any] = json.loads(target.read_text("utf-8"))
    return found


def test_paths_and_lines_of_code_are_no_output(tmp_path: Path) -> None:
    to = recorder(tmp_path)
    crash = "Traceback (most recent call last):\n"
    place = f'  File "{ROOT}/r4/x.py", line 3\n    f()\n'
    assert to.normal(f"{crash}{place}KeyError: 1\n") == f"{crash}KeyError: 1\n"
    assert to.normal(f"{tmp_path}/a.nq and {ROOT}/b") == "FOLDER/a.nq and TREE/b"
    assert to.normal("8 answers after 1.5 s\n") == "8 answers after N s\n"
    assert to.normal("up to 43200 s behind") == "up to 43200 s behind"


def test_a_command_is_kept_with_the_files_that_it_writes(tmp_path: Path) -> None:
    (tmp_path / "write.py").write_text("open('a.txt', 'w').write('x'); print(input()); exit(3)")
    to = recorder(tmp_path)
    assert to.command("python write.py > out.txt", piped=b"hello\n") == (3, "hello\n", "")
    assert to.entries["$ python write.py > out.txt"] == {
        "case": "",
        "code": 3,
        "out": "hello\n",
        "err": "",
        "files": {"a.txt": "x", "out.txt": "hello\n"},
    }


def test_a_random_case_is_kept_as_hashes_unless_texts_are_wanted(tmp_path: Path) -> None:
    brief, full = recorder(tmp_path), recorder(tmp_path, full=True)
    for to in (brief, full):
        to.keep("7", "the case", [(0, "out", ""), (1, "", "err")])
    assert brief.entries["7"].keys() == {"case", "hash"}
    assert full.entries["7"]["case"] == "the case"
    assert (full.entries["7"]["out"], full.entries["7"]["err 1"]) == ("out", "err")


def test_a_comparison_names_each_case_that_differs() -> None:
    empty: dict[str, str] = {}
    texts = [
        {"case": "", "code": 0, "out": out, "err": "", "files": empty} for out in ("a\n", "b\n")
    ]
    one = {"run": {"1": {"case": "x", "hash": "p"}, "2": {"case": "x", "hash": "p"}}}
    other = {"run": {"1": {"case": "x", "hash": "q"}, "2": {"case": "y", "hash": "p"}}}
    first, second = outputs.differences(one, other)
    assert first.startswith("run 1: another output")
    assert second.startswith("run 2: another case")
    assert list(outputs.differences(one, one)) == []
    [shown] = outputs.differences(
        {"demo": {"$ r4 demo": texts[0]}}, {"demo": {"$ r4 demo": texts[1]}}
    )
    assert '- "out": "a' in shown
    assert '+ "out": "b' in shown
    [gone] = outputs.differences({"help": {"r4 x": texts[0]}}, {"help": {}})
    assert gone == "help r4 x: only before"


@pytest.mark.parametrize(("changed", "code"), [(False, 0), (True, 1)])
def test_the_exit_code_says_whether_two_records_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed, code
) -> None:
    paths = [tmp_path / "before.json", tmp_path / "after.json"]
    for number, path in enumerate(paths):
        entry = {"case": "x", "hash": str(number * changed)}
        path.write_text(json.dumps({"run": {"3": entry}, f"only {number}": {}}))
    assert outputs.main(["compare", *map(str, paths)]) == code
    printed = capsys.readouterr().out
    assert ("run 3" in printed) == changed
    assert "only one record has them: only 0, only 1" in printed


@pytest.mark.slow
@pytest.mark.compiled_only
@pytest.mark.parametrize("part", ["run", *soak("mtl", "shards")])
def test_a_case_alone_gives_what_it_gives_among_others(tmp_path: Path, part: str) -> None:
    some = record(tmp_path / "some.json", "--part", part, "--count", "4")
    alone = record(tmp_path / "one.json", "--part", part, "--only", "3")
    assert alone == {part: {"3": some[part]["3"]}}
    assert record(tmp_path / "one.json", "--part", "help").keys() == {part, "help"}
    assert len({entry["case"] for entry in some[part].values()}) == 4


@pytest.mark.slow
@pytest.mark.compiled_only
def test_another_tree_is_recorded_with_its_own_code(tmp_path: Path) -> None:
    other = tmp_path / "other"
    for name in ("bench", "r4", "rete", "rif", "temporal", "tests"):
        shutil.copytree(ROOT / name, other / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", other)
    main = other / "r4" / "cli" / "__init__.py"
    text = main.read_text("utf-8")
    assert "Run RIF rules over windowed RDF streams." in text
    main.write_text(text.replace("Run RIF rules over windowed", "Walk over windowed"))
    mine = record(tmp_path / "mine.json", "--part", "help")
    its = record(tmp_path / "its.json", "--part", "help", "--tree", str(other))
    assert mine["help"].keys() == its["help"].keys()
    assert [name for name in mine["help"] if mine["help"][name] != its["help"][name]] == [
        "r4 --help"
    ]
