"""Ctrl-C ends a command at once, whatever hostile input it is at."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes as Linux shows them"),
]

INTERRUPTED = 130
SECONDS = 3.0
"""Processor time that a command may take after the signal."""
BYTES = 4 << 30
"""Address space of a command, so that one that goes on does not end in swapping."""
FACT = "Document(Group(<urn:p>(1)))"


def cpu(process: int) -> float:
    """Processor time of a process, in seconds."""
    told = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> int:
    """Bytes of memory that a process has."""
    return (
        int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    )


def was_read(process: int) -> int:
    """Bytes that a process has read."""
    return int(Path(f"/proc/{process}/io").read_text("ascii").split()[1])


def interrupted(
    args: Sequence[str | Path], err: Path, is_there: Callable[[int], bool], stdin: str = os.devnull
) -> tuple[int, float, str]:
    """What becomes of a command to which SIGINT is sent as soon as it ``is_there``.

    Returns:
        Its exit code, the processor time it took from then on, and its errors.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with (
        err.open("wb") as file,
        open(stdin, "rb") as given,  # noqa: PTH123 - a path that is text
        subprocess.Popen(
            [sys.executable, "-m", "r4", *args],
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=file,
        ) as process,
    ):
        resource.prlimit(process.pid, resource.RLIMIT_AS, (BYTES, BYTES))
        try:
            while process.poll() is None and not is_there(process.pid):
                time.sleep(0.005)
            used = cpu(process.pid)
            process.send_signal(signal.SIGINT)
            code = process.wait(60)
        finally:
            process.kill()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return code, spent - used, err.read_text("utf-8", "replace")


def test_a_cross_join(tmp_path: Path) -> None:
    rules, data = tmp_path / "rules.rif", tmp_path / "data.nt"
    pairs = "<urn:pair>(?x ?y) :- And(?x[<urn:p> -> ?a] ?y[<urn:q> -> ?b])"
    rules.write_text(f"Document(Group(Forall ?x ?y ?a ?b ({pairs})))", "utf-8")
    lines = (f'<urn:a{n}> <urn:p> "" .\n<urn:b{n}> <urn:q> "" .\n' for n in range(100_000))
    data.write_text("".join(lines), "utf-8")
    code, seconds, err = interrupted(
        ["run", rules, "--static", data],
        tmp_path / "err",
        lambda process: resident(process) > 400 << 20,
    )
    assert code == INTERRUPTED, err
    assert seconds < SECONDS
    assert "Traceback" not in err


@pytest.mark.parametrize("args", [["-"], ["zero.nq"], ["--static", "zero.nq"]])
def test_a_line_without_an_end(args: list[str], tmp_path: Path) -> None:
    """It is said what is wrong, before the signal."""
    rules, zero, said = tmp_path / "rules.rif", tmp_path / "zero.nq", tmp_path / "err"
    rules.write_text(FACT, "utf-8")
    zero.symlink_to("/dev/zero")
    most = 0

    def is_there(process: int) -> bool:
        nonlocal most
        most = max(most, resident(process))
        assert was_read(process) < 10 << 30
        return b"1: DAT101 a line of more than 67108864 bytes\n" in said.read_bytes()

    named = [str(zero) if each == "zero.nq" else each for each in args]
    code, seconds, err = interrupted(["run", rules, *named], said, is_there, "/dev/zero")
    assert code == INTERRUPTED, err
    assert seconds < SECONDS
    assert most < 500 << 20
    assert "Traceback" not in err


def test_the_gate_of_xml(tmp_path: Path) -> None:
    rules, data = tmp_path / "rules.rif", tmp_path / "data.rdf"
    rules.write_text(FACT, "utf-8")
    root = 'rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:"'
    data.write_text(f"<{root}><a>{'<p>a</p>' * 20_000_000}</a></rdf:RDF>", "utf-8")
    size, at_gate = data.stat().st_size, float("inf")

    def is_there(process: int) -> bool:
        nonlocal at_gate
        if was_read(process) >= size:
            at_gate = min(at_gate, cpu(process))
        return cpu(process) > at_gate + 0.5

    code, seconds, err = interrupted(["run", rules, "--static", data], tmp_path / "err", is_there)
    assert (code, err) == (INTERRUPTED, "interrupted\n")
    assert seconds < SECONDS
