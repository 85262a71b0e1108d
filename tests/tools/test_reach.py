"""Which test files a change can reach: in a small project, and in this one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths import ROOT
from tools import reach
from tools.reach import Tree

FILES = {
    "pack/__init__.py": "def __getattr__(name):\n    from pack import late\n",
    "pack/base.py": "",
    "pack/late.py": "from . import lazy\n",
    "pack/lazy.py": "",
    "pack/named.py": '"""Its test.\n\n>>> 1\n1\n"""\nNAMES = {"x": "pack.base"}\n',
    "pack/kernels/__init__.py": "load = lambda name: import_module(f'{__name__}.{name}')\n",
    "pack/kernels/add.py": "",
    "pack/kernels/_add.pyx": "",
    "pack/user.py": "import pack.kernels\n\ndef run():\n    import pack.base\n",
    "tests/__init__.py": "",
    "tests/conftest.py": "def header():\n    import pack.late\n",
    "tests/paths.py": "ROOT = None\n",
    "tests/test_user.py": "from pack.user import run\n",
    "tests/test_lazy.py": "from pack import lazy\n",
    "tests/test_whole.py": "import pack\n",
    "tests/test_command.py": "import subprocess\n",
    "tests/test_texts.py": "from tests.paths import ROOT\n",
    "tests/room/helper.py": "import pack.base\n",
    "tests/room/conftest.py": "",
    "tests/room/data/cases.txt": "",
    "tests/room/test_helper.py": "from tests.room.helper import base\n",
    "docs/page.md": ">>> import pack\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Tree.read(tmp_path)


def names(tree: Tree, *paths: str) -> set[str] | None:
    """The names of the files that a change reaches, but for those that always run."""
    changed = tree.changed(paths)
    if changed is None:
        return None
    found = {path.name for path in tree.reached(changed)}
    assert "test_texts.py" in found
    return found - {"test_texts.py"}


@pytest.mark.parametrize(
    ("path", "reached"),
    [
        ("pack/base.py", {"test_user.py", "test_helper.py", "named.py"}),  # within a function
        ("pack/lazy.py", {"test_lazy.py", "test_whole.py"}),  # as the package offers it
        ("pack/user.py", {"test_user.py"}),
        ("pack/kernels/add.py", {"test_user.py"}),  # by a name that is computed
        ("pack/kernels/_add.pyx", {"test_user.py"}),  # is no module
        ("pack/named.py", {"named.py"}),  # a doctest
        (
            "pack/gone.py",
            {"test_user.py", "test_lazy.py", "test_whole.py", "named.py", "test_helper.py"},
        ),
        ("tests/room/data/cases.txt", {"test_helper.py"}),
        ("tests/room/conftest.py", {"test_helper.py"}),
        ("tests/test_lazy.py", {"test_lazy.py"}),
        ("tests/test_gone.py", set()),
        ("tests/README.md", set()),
        ("docs/page.md", {"page.md"}),
        ("docs/other.md", set()),
        ("README.md", set()),
    ],
)
def test_a_change_reaches_what_imports_it(tree: Tree, path: str, reached: set[str]) -> None:
    runs_commands = {"test_command.py"} if path.startswith("pack/") else set()
    assert names(tree, path) == reached | runs_commands


@pytest.mark.parametrize("path", ["pyproject.toml", "Makefile", "tests/conftest.py", "setup.py"])
def test_of_some_files_the_reach_is_not_known(tree: Tree, path: str) -> None:
    assert names(tree, "pack/user.py", path) is None


def test_several_changes_reach_what_each_of_them_does(tree: Tree) -> None:
    assert names(tree, "tests/test_lazy.py", "tests/test_user.py") == {
        "test_lazy.py",
        "test_user.py",
    }


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """What is printed of this project, if these files differ."""

    def run(*paths: str) -> list[str]:
        monkeypatch.delenv("CI", raising=False)
        monkeypatch.setattr(reach, "differing", lambda _base: list(paths))
        reach.main()
        return capsys.readouterr().out.splitlines()

    return run


@pytest.mark.slow
def test_in_this_project_the_tests_beside_a_module_are_among_those_it_reaches(printed) -> None:
    found = printed("temporal/periods/period_search.py")
    assert "tests/temporal/periods/test_period_search.py" in found
    assert "tests/r4/cli/test_main.py" in found  # through the names of commands
    assert "tests/rete/nodes/test_join.py" not in found
    assert all((ROOT / path).is_file() for path in found)


def test_without_a_change_or_in_ci_nothing_is_printed_so_that_all_run(
    printed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed() == []
    monkeypatch.setattr(reach, "differing", lambda _base: ["r4/cli/__init__.py"])
    monkeypatch.setenv("CI", "true")
    reach.main()
    assert capsys.readouterr().out == ""


def test_without_git_nothing_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PATH", "")
    reach.main()
    assert capsys.readouterr().out == ""
