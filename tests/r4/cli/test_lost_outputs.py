"""Standard output and error that take nothing: the exit code says how the command ended."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from r4.cli import LOST, main
from r4.cli.terminal.console import RULES_REFUSED, USAGE
from r4.cli.terminal.terminal_output import forgiving_errors

RULES = """
Document( Prefix(ex <urn:ex:>) Group( Forall ?s ?o ( ?s[ex:q -> ?o] :- ?s[ex:p -> ?o] ) ) )
"""
FILES = {
    "r.rif": RULES,
    "wrong.rif": "Document(Group(<urn:p>(?x)))",
    "no.rif": "<urn:a>[<urn:ex:none> -> 1]",
    "d.nt": "no triple\n<urn:a> <urn:ex:p> <urn:b> .\n",
    "p.txt": "A(X) :- Diamondminus[0,1]Z(X)\n",
    "z.txt": "Z(a)@0\n",
    "h.txt": "Goal(X,T) :- Temp(X,high,T), Temp(X,high,T+1)\n",
    "h-facts.txt": "@0 Temp(a,high,0)\n",
}
PRINTING = (
    "--version",
    "--help",
    "run --help",
    "run r.rif --static d.nt",
    "run r.rif --static d.nt --print-config",
    "run r.rif --static d.nt --as csv",
    "run r.rif --static d.nt --state state",
    "check r.rif",
    "check r.rif --as sarif",
    "check wrong.rif --as json",
    "convert r.rif -",
    "entails r.rif no.rif",
    "plan r.rif",
    "plan r.rif --as svg",
    "plan r.rif --as json",
    "plan r.rif --shards 2",
    "explain r.rif --static d.nt --fact <urn:a>␣ex:q␣<urn:b>",
    "mtl --help",
    "mtl check p.txt",
    "mtl materialise p.txt z.txt",
    "mtl materialise p.txt z.txt --as svg",
    "mtl update p.txt z.txt",
    "mtl entails p.txt z.txt A(b)@0",
    "mtl explain p.txt z.txt A(a)@0",
    "mtl stream p.txt z.txt --query A",
    "hypothesise h.txt --query Goal(X,T) h-facts.txt",
    "completion bash",
)


class Refusing(io.RawIOBase):
    """Takes nothing, as the system does for some reason."""

    def __init__(self, error: int) -> None:
        super().__init__()
        self._error = error

    def writable(self) -> bool:
        return True

    def write(self, _: object) -> int:
        raise OSError(self._error, os.strerror(self._error))


def refusing(error: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(Refusing(error)), "utf-8", line_buffering=True)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)


def words(command: str) -> list[str]:
    return [word.replace("␣", " ") for word in command.split()]


@pytest.mark.parametrize("command", PRINTING)
def test_a_standard_output_that_is_full_is_a_lost_sink(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 1 would say "no"."""
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", refusing(errno.ENOSPC))
        assert main(words(command)) == LOST
    assert f"<stdout>: {os.strerror(errno.ENOSPC)}\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("run r.rif --static d.nt --output out", 0),
        ("run wrong.rif --static d.nt --output out", RULES_REFUSED),
        ("run r.rif --static no.nt --output out", USAGE),
        ("run r.rif --static d.nt --output out --strict", 4),
        ("check wrong.rif", RULES_REFUSED),
        ("convert wrong no.rif", USAGE),
        ("entails r.rif wrong.rif", RULES_REFUSED),
        ("mtl check no.txt", USAGE),
        ("no-such-command", USAGE),
    ],
)
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EPIPE, errno.EIO])
def test_messages_that_nobody_takes_change_neither_answers_nor_exit_code(
    command: str, code: int, error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if code == 0:
        assert main(words(command.replace(" out", " wanted"))) == 0
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", refusing(error))
        assert main(words(command)) == code
    if code == 0:
        assert Path("out").read_bytes() == Path("wanted").read_bytes() != b""


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is there on Linux")
@pytest.mark.parametrize(("stream", "code"), [("stdout", LOST), ("stderr", RULES_REFUSED)])
def test_the_process_ends_with_the_same_code(stream: str, code: int) -> None:
    """What stays in a buffer would be written by the interpreter at its end, with exit 120."""
    command = [sys.executable, "-m", "r4", "--version"]
    if stream == "stderr":
        command[-1:] = ["check", "wrong.rif"]
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - nothing but written to
        ended = subprocess.run(
            command,
            stdout=full if stream == "stdout" else subprocess.DEVNULL,
            stderr=full if stream == "stderr" else subprocess.DEVNULL,
            check=False,
        )
    assert ended.returncode == code


def test_a_message_that_a_signal_cuts_short_is_not_written_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Interrupted(io.BytesIO):
        def write(self, data: object) -> int:
            super().write(data)  # type: ignore[arg-type]
            raise KeyboardInterrupt

    taken = Interrupted()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(taken, "utf-8", write_through=True))
    with pytest.raises(KeyboardInterrupt), forgiving_errors():
        sys.stderr.write("it ends\n")
    assert taken.getvalue().count(b"it ends") == 1
