"""Ctrl-C ends a command at once, whatever hostile input it is at."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from random import Random

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
    """Processor time of a process and of those it started that have ended, in seconds."""
    told = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(map(int, told[11:15])) / os.sysconf("SC_CLK_TCK")


def cpu_of_all(process: int) -> float:
    """Processor time of a process and of all that it has started."""
    found = cpu(process)
    for each in children(process):
        with suppress(OSError):  # it has ended
            found += cpu(each)
    return found


def children(process: int) -> list[int]:
    """The processes that a process has started and that have not ended."""
    try:
        told = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    except OSError:
        return []
    return [int(each) for each in told.split()]


def resident(process: int) -> int:
    """Bytes of memory that a process has."""
    return (
        int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    )


def was_read(process: int) -> int:
    """Bytes that a process has read."""
    return int(Path(f"/proc/{process}/io").read_text("ascii").split()[1])


def interrupted(
    args: Sequence[str | Path],
    err: Path,
    is_there: Callable[[int], bool],
    stdin: str = os.devnull,
    number: int = signal.SIGINT,
) -> tuple[int, float, str]:
    """What becomes of a command to which a signal is sent as soon as it ``is_there``.

    Returns:
        Its exit code, the processor time it took from then on, and its errors. A command that has
        ended by then took no more.
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
            if process.returncode is not None:
                return process.returncode, 0, err.read_text("utf-8", "replace")
            used = cpu_of_all(process.pid)
            process.send_signal(number)
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


VALUES = "1," * 5_000_000
"""Twice as many take more than `BYTES` in some seconds."""
TIME = "http://www.w3.org/ns/prov#generatedAtTime"
WHOLE = {
    "d.jsonld": f'{{"@id":"urn:s","urn:t":1,"urn:p":[{VALUES}1]}}',
    "d.rdf": f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:">'
    f'<a><t>1</t><p rdf:parseType="Literal">{"<b/>" * 5_000_000}</p></a></rdf:RDF>',
    "d.ndjsonld": f'{{"@id":"urn:s","{TIME}":1,"urn:p":[{VALUES}1]}}\n',
}
"""Documents, and a line, that keep their parser busy for long, and what reads them as streams."""
OF_STREAMS = {"d.ndjsonld": [], "d.jsonld": ["--time-predicate", "urn:t"]}


def reading(name: str, folder: Path, *, is_static: bool) -> list[str]:
    """A command that reads one of `WHOLE`."""
    rules, data = folder / "rules.rif", folder / name
    rules.write_text(FACT, "utf-8")
    data.write_text(WHOLE[name], "utf-8")
    more = ["--static"] if is_static else OF_STREAMS.get(name, OF_STREAMS["d.jsonld"])
    return ["run", str(rules), *more, str(data)]


def is_parsing(process: int) -> bool:
    """Whether the process of a reader has been at it for some time."""
    try:
        return any(cpu(each) > 1 for each in children(process))
    except OSError:
        return False


@pytest.mark.parametrize(
    ("name", "is_static"),
    [*product(["d.jsonld", "d.rdf"], [True, False]), ("d.ndjsonld", False)],
)
def test_a_parser_that_cannot_be_stopped(name: str, is_static: bool, tmp_path: Path) -> None:
    args = reading(name, tmp_path, is_static=is_static)
    code, seconds, err = interrupted(args, tmp_path / "err", is_parsing)
    assert code == INTERRUPTED, err
    assert seconds < SECONDS
    assert "Traceback" not in err


def test_a_reader_ends_with_the_command_that_is_killed(tmp_path: Path) -> None:
    args = reading("d.jsonld", tmp_path, is_static=True)
    with subprocess.Popen([sys.executable, "-m", "r4", *args]) as process:
        while process.poll() is None and not is_parsing(process.pid):
            time.sleep(0.005)
        started = children(process.pid)
        process.kill()
    assert len(started) == 1
    with suppress(OSError):  # it is gone
        before = cpu(started[0])
        while cpu(started[0]) < before + 1:
            time.sleep(0.005)
        os.kill(started[0], signal.SIGKILL)
        pytest.fail("it goes on")


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(60))
def test_a_signal_at_any_instant_of_reading(seed: int, tmp_path: Path) -> None:
    choose = Random(seed)  # noqa: S311
    name = choose.choice([*WHOLE])
    args = reading(name, tmp_path, is_static=name != "d.ndjsonld" and choose.random() < 0.5)
    at, number = choose.uniform(0.3, 6), choose.choice([signal.SIGINT, signal.SIGTERM])
    code, seconds, err = interrupted(
        args, tmp_path / "err", lambda process: cpu_of_all(process) > at, number=number
    )
    assert code in {0, INTERRUPTED, 128 + number, -number}, err
    assert seconds < SECONDS
    assert "Traceback" not in err
