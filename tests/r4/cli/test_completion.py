"""Completion in shells: what is offered, and that the script of bash offers it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from r4.cli import COMMANDS, main
from r4.cli.completion import SHELLS
from r4.cli.terminal.console import USAGE
from tests.simulation.command import call


def offered(line: str, monkeypatch: pytest.MonkeyPatch, shell: str = "bash") -> list[str]:
    """What is offered for the last word of a line, each with its type."""
    words = line.split(" ")
    monkeypatch.setenv("_R4_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1) if shell != "fish" else words[-1])
    done = call([])
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


def test_commands_are_offered_without_loading_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered("r4 ", monkeypatch) == [f"plain,{name}" for name in COMMANDS]
    assert offered("r4 re", monkeypatch) == ["plain,replay"]
    assert "plain,materialise" in offered("r4 mtl m", monkeypatch)
    code = (
        "import sys; from r4.cli import main\n"
        "assert not main([]); print({'rdflib', 'numpy', 'rich'} & {*sys.modules})"
    )
    ran = subprocess.run(
        (sys.executable, "-c", code),
        env={
            **os.environ,
            "_R4_COMPLETE": "bash_complete",
            "COMP_WORDS": "r4 ",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.endswith("set()\n")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("r4 run --strict --sem", ["plain,--semantics"]),
        ("r4 run --semantics ", ["plain,facts", "plain,instances"]),
        ("r4 run --as p", ["plain,patch", "plain,parquet"]),
        ("r4 run ", ["file,"]),
        ("r4 run rules", ["file,rules"]),
        ("r4 run r.rif --static d/", ["file,d/"]),
        ("r4 run r.rif --strict s", ["file,s"]),
        ("r4 run r.rif --state ", ["dir,"]),
        ("r4 run r.rif --window ", ["file,"]),
        ("r4 run r.rif --no-such", []),
        ("r4 mtl entails p", ["file,p"]),
        ("r4 no-such", []),
        ("r4 mtl no-such", []),
        ("r4 completion ", ["plain,bash", "plain,zsh", "plain,fish"]),
    ],
)
def test_what_is_offered(line: str, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(line, monkeypatch) == found


def test_zsh_and_fish_are_offered_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered("r4 run ", monkeypatch, "zsh") == ["file", "", "_"]
    assert offered("r4 run r", monkeypatch, "fish") == ["file,r"]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_calls_r4(shell: str) -> None:
    done = call(["completion", shell])
    assert (done.code, done.err) == (0, "")
    assert f"_R4_COMPLETE={shell}_complete" in done.out
    if (path := shutil.which(shell)) is not None:
        subprocess.run((path, "-n"), input=done.out, text=True, check=True)


def test_a_variable_that_no_script_sets_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("bash_source", "bash_complete", "sh_complete", "1"):
        monkeypatch.setenv("_R4_COMPLETE", value)
        assert main([]) == USAGE


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_with_the_script(tmp_path: Path) -> None:
    program = tmp_path / "r4"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m r4 "$@"\n')
    program.chmod(0o755)
    script = call(["completion", "bash"]).out.replace("_r4_completion_setup;\n", "")
    asked = (
        "COMP_WORDS=(r4 run --ord); COMP_CWORD=2; _r4_completion r4\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    ran = subprocess.run(
        ("bash", "--norc", "-c", script + asked),
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "--order\n"


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["rnu"], "'rnu'. Did you mean run?"),
        (["mtl", "entials"], "'entials'. Did you mean entails?"),
        (["xyzzy"], "'xyzzy'.\n"),
    ],
)
def test_a_misspelled_command_has_its_nearest(args: list[str], hint: str) -> None:
    done = call(args)
    assert (done.code, done.out) == (USAGE, "")
    assert f"No such command {hint}" in done.err
