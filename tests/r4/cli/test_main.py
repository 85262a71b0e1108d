"""The command ``r4`` itself: what it says, and with which exit code it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from weakref import WeakSet

import click
import pytest

import r4
from r4 import cli
from r4.cli import COMMANDS, DONE, LIMIT, main
from r4.cli.terminal.console import USAGE
from rete.kernels import BACKEND
from tests.simulation.command import call


def test_version_tells_the_active_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == DONE
    assert capsys.readouterr().out.startswith(f"r4 {r4.__version__} ({BACKEND} kernels; ")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="nothing tells the threads")
@pytest.mark.parametrize(("given", "told"), [("", "1 1"), ("3", "3 ")])
def test_no_idle_threads_of_numpy_are_started_unless_they_are_asked_for(
    given: str, told: str
) -> None:
    program = (
        "import os, sys; from r4.__main__ import main; main(); import numpy;"
        "sys.stderr.write(f'{os.environ[\"OPENBLAS_NUM_THREADS\"]} ');"
        "sys.stderr.write(str(len(os.listdir('/proc/self/task'))))"
    )
    own = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    own |= {"OPENBLAS_NUM_THREADS": given} if given else {}
    command = [sys.executable, "-c", program, "--version"]
    done = subprocess.run(command, capture_output=True, check=True, env=own, text=True)
    assert done.stderr.startswith(told)


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == DONE
    listed = capsys.readouterr().out.partition("Commands:")[2]
    lines = [line.split(maxsplit=1) for line in listed.strip().splitlines()]
    assert lines == [[name, row.summary] for name, row in COMMANDS.items()]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_that_of_its_module(name: str) -> None:
    """Help names what is not imported."""
    command = import_module(COMMANDS[name].module).command
    assert isinstance(command, click.Command)
    assert command.help


@pytest.mark.parametrize("args", [["no-such-command"], ["--no-such-option"], ["doctor", "--what"]])
def test_wrong_usage_is_said_on_stderr_and_exits_2(
    args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(args) == USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert "No such" in err


def test_a_closed_pipe_is_a_quiet_end() -> None:
    """The reader is gone before the first byte is written."""
    script = "import sys; sys.stdin.read(); from r4.cli import main; sys.exit(main(['doctor']))"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == DONE
        assert process.stderr is not None
        assert process.stderr.read() == b""


ESCAPES = "\x1b[31m\x9b\u202e\x07"


def test_no_message_has_a_character_that_controls_the_terminal(tmp_path: Path) -> None:
    rules = tmp_path / "rules.rif"
    rules.write_text("Document(Group(<urn:h>(1)))", "utf-8")
    wrong = tmp_path / "wrong.rif"
    wrong.write_text(f"Document({ESCAPES} Group(<urn:{ESCAPES}>))", "utf-8")
    data = tmp_path / "data.ttl"
    data.write_text(f"<urn:{ESCAPES}> <urn:p> 1 .\n{ESCAPES}\n", "utf-8")
    quads = tmp_path / "data.nq"
    quads.write_text(f'<urn:a> <urn:{ESCAPES}> "{ESCAPES}" <urn:g> .\n', "utf-8")
    for args in (
        ["check", str(wrong)],
        ["run", str(rules), str(quads)],
        ["run", str(rules), str(quads), "--static", str(data)],
        ["run", str(rules), f"{ESCAPES}.nq"],
        ["run", str(rules), str(quads), "--window", ESCAPES],
        [ESCAPES],
    ):
        output = call(args)
        assert output.err
        assert all(line.isprintable() for line in output.err.split("\n"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_exhausted_memory_is_said_even_without_memory_for_the_message(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Large:
        """What a frame holds."""

    held = WeakSet[Large]()

    def exhaust(*_: object) -> None:
        large = Large()
        held.add(large)
        try:
            raise MemoryError
        finally:
            assert large in held

    def echo(*_: object, **__: object) -> None:
        assert not held
        raise MemoryError

    monkeypatch.setattr(cli.r4, "invoke", exhaust)
    monkeypatch.setattr(click, "echo", echo)
    assert main(["doctor"]) == LIMIT
    assert capfd.readouterr().err.startswith("memory is exhausted; a window bounds what is kept")


def test_exhausted_memory_is_a_limit_and_said_with_what_grew(tmp_path: Path) -> None:
    rules = tmp_path / "rules.rif"
    ones = " ".join(f"ex:one({number})" for number in range(5_000))
    pairs = "Forall ?x ?y (ex:pair(?x ?y) :- And(ex:one(?x) ex:one(?y)))"
    rules.write_text(f"Document(Prefix(ex <urn:ex:>) Group({ones} {pairs}))", "utf-8")
    stream = tmp_path / "stream.nq"
    stream.write_text("", "utf-8")
    script = f"""
import resource, sys
from r4.cli import main
from r4.cli.streams import run  # its libraries have their memory
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (256 << 20), size + (256 << 20)))
sys.exit(main(["run", {str(rules)!r}, {str(stream)!r}]))
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True
    )
    assert ended.returncode == LIMIT
    assert "Traceback" not in ended.stderr
    assert "derived facts of <urn:ex:pair>; --limit bounds" in ended.stderr


INTERRUPTS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.{handler})
class Finder:
    def find_spec(self, name, *_):
        if name == "{name}":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from r4.__main__ import main
sys.exit(main())
"""
"""A command that is interrupted as it imports a module."""


@pytest.mark.parametrize("name", ["click", "r4.cli", "r4.cli.streams.run", "numpy"])
@pytest.mark.parametrize(("handler", "code"), [("default_int_handler", 130), ("SIG_IGN", 0)])
def test_a_command_that_is_interrupted_while_it_is_loaded_says_nothing(
    name: str, handler: str, code: int
) -> None:
    program = INTERRUPTS.format(name=name, handler=handler)
    done = subprocess.run(
        [sys.executable, "-c", program, "run", "--help"], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (code, b"")
