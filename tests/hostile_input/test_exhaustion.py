"""Rules that would take all memory or time end with exit 5 and a sentence that says what grew."""

from __future__ import annotations

import os
import re
import resource
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import pytest

from r4.cli import COMMANDS, LIMIT, main
from r4.cli.mtl import COMMANDS as MTL
from rete.inference.agenda import Agenda
from rete.inference.errors import MemoryExhausted
from rete.memory_limit import resident_bytes
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import Dataset
from temporal.model.materialisation import materialise
from temporal.text.program_parser import parse_program
from tests.hostile_input.exhaustion import SHAPES, exhausting
from tests.hostile_input.monitor import NOT_LOADED
from tests.simulation.command import call

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")

MEGABYTES = 192
"""What a command may take beside what its process has."""
SECONDS = 120
"""Processor time, after which a command hangs."""
PER_SHAPE = 17
"""Programs of each shape: 204 in all."""


def _in_fork(args: list[str], err: int, megabytes: int) -> None:
    code = 70
    try:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.dup2(err, 2)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")
        size = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most = size * resource.getpagesize() + (megabytes << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        code = main(args)
    except BaseException:  # noqa: BLE001 - whatever it is, it is to be seen
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stderr.flush()
        os._exit(code)


def ended(args: list[str], err: Path, megabytes: int = MEGABYTES) -> tuple[int, str]:
    """Exit code, below 0 a signal, and errors of a command with little memory."""
    commands = [each.module for each in (*COMMANDS.values(), *MTL.values())]
    for module in (*commands, "r4.imports", "r4.program.regimes"):
        if module not in NOT_LOADED:
            import_module(module)
    with err.open("w+b") as file:
        child = os.fork()
        if child == 0:
            _in_fork(args, file.fileno(), megabytes)
        _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), err.read_text("utf-8", "replace")


def check(seed: int, folder: Path) -> None:
    code, err = ended(exhausting(seed).command(folder), folder / "err")
    said = f"{SHAPES[seed % len(SHAPES)].__name__} {seed}: {code} {err[-2000:]}"
    assert code == LIMIT, said
    assert "Traceback" not in err, said
    assert err.strip(), said
    assert any(word in err for word in ("memory is exhausted", "were derived", "stopped,")), said


@pytest.mark.parametrize(
    ("reason", "error"),
    [("error return without exception set", MemoryExhausted), ("another", SystemError)],
)
def test_an_error_of_numpy_without_a_reason_says_that_memory_is_exhausted(
    reason: str, error: type[Exception]
) -> None:
    program = parse_program("A :- B")
    with patch.object(Agenda, "_run", side_effect=SystemError(reason)), pytest.raises(error):
        materialise(program, Dataset(1, {}), Dictionary())


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(len(SHAPES) * PER_SHAPE))
def test_programs_that_exhaust_memory_or_time(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 2, 10])
def test_some_of_them(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)


@pytest.mark.parametrize("is_limited", [False, True], ids=["system", "option"])
def test_a_cross_join_of_many_rows_ends_with_what_grew(is_limited: bool, tmp_path: Path) -> None:
    """100,000 × 100,000 pairs: the system gives no more memory, or --memory allows no more."""
    rules, data = tmp_path / "rules.rif", tmp_path / "data.nt"
    pairs = "<urn:pair>(?x ?y) :- And(?x[<urn:p> -> ?a] ?y[<urn:q> -> ?b])"
    rules.write_text(f"Document(Group(Forall ?x ?y ?a ?b ({pairs})))", "utf-8")
    lines = (f'<urn:a{n}> <urn:p> "" .\n<urn:b{n}> <urn:q> "" .\n' for n in range(100_000))
    data.write_text("".join(lines), "utf-8")
    args = ["run", str(rules), "--static", str(data)]
    if is_limited:
        most = int(1.1 * (resident_bytes() or 0)) + (MEGABYTES << 20)  # 5 % of it are kept free
        args += ["--memory", f"{most}B"]
    code, err = ended(args, tmp_path / "err", 2_000 if is_limited else MEGABYTES)
    assert code == LIMIT, err
    assert "Traceback" not in err, err
    assert (" bytes of memory are in use" if is_limited else "memory is exhausted") in err, err
    assert re.search(r"held by [\d,]+ derived facts of <urn:pair>", err), err


@pytest.mark.parametrize(
    "args",
    [
        ("entails", "{rules_rif}", "{other_rif}"),
        ("run", "{rules_rif}", "--static", "{data_nt}"),
        ("mtl", "materialise", "{rules_txt}", "{facts_txt}"),
        ("mtl", "entails", "{rules_txt}", "{facts_txt}", "A(b)@1"),
    ],
)
def test_what_was_lost_with_memory_is_never_taken_for_all_that_follows(
    args: tuple[str, ...], tmp_path: Path
) -> None:
    """Memory is there again after the error; but what was being derived is not."""
    files = {
        "rules_rif": "Document(Group(<urn:p>(1) Forall ?x (<urn:q>(?x) :- <urn:p>(?x))))",
        "other_rif": "Document(Group(<urn:q>(1)))",
        "data_nt": "",
        "rules_txt": "A(X) :- Z(X)\n",
        "facts_txt": "Z(b)@1\n",
    }
    paths = {name: tmp_path / name.replace("_", ".") for name in files}
    for name, text in files.items():
        paths[name].write_text(text, "utf-8")
    right = Agenda._absorb
    failed: list[bool] = []

    def absorb(agenda: Agenda, table: object) -> None:
        if not failed:
            failed.append(True)
            raise MemoryError
        right(agenda, table)  # type: ignore[arg-type]

    with patch.object(Agenda, "_absorb", absorb):
        found = call([each.format(**paths) for each in args])
    assert failed
    assert (found.code, found.out) == (LIMIT, "")
    assert "memory is exhausted; most of it is held by" in found.err
