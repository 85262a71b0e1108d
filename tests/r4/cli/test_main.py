"""The command ``r4`` itself: what it says, and with which exit code it ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

import r4
from r4.cli import COMMANDS, DONE, main
from r4.cli.terminal.console import USAGE
from rete.kernels import BACKEND


def test_version_tells_the_active_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == DONE
    assert capsys.readouterr().out.startswith(f"r4 {r4.__version__} ({BACKEND} kernels; ")


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == DONE
    listed = capsys.readouterr().out.partition("Commands:")[2]
    assert [line.split()[0] for line in listed.strip().splitlines()] == list(COMMANDS)


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
