"""A run over lines, whoever follows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from r4.rdf.files import ByteSource
from r4.run.line_run import LineRun
from rif.errors.base import RuleError, Span
from rif.errors.checks import UndeclaredVariable


class Shouting:
    """Follows words: those that come are told in capitals, numbers are faults."""

    def __init__(self, log: list[str]) -> None:
        self.facts = 0
        self._log = log
        self._faults: list[RuleError] = []

    def read(self, blocks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
        for block in blocks:
            self._log.append("block")
            words = block.decode().split()
            self.facts += len(words)
            self._faults += [
                UndeclaredVariable(f"{word} is no word", Span(1, 1, 1, 2))
                for word in words
                if word.isdigit()
            ]
            told = [word.upper() for word in words if not word.isdigit()]
            yield len(told), "".join(f"{word}\n" for word in told)

    def finish(self) -> Iterator[tuple[int, str]]:
        yield 1, "END\n"

    def faults(self) -> Iterable[RuleError]:
        faults, self._faults = self._faults, []
        return faults


class Listing:
    def __init__(self, log: list[str]) -> None:
        self._log = log

    def write(self, data: bytes) -> None:
        self._log += data.decode().splitlines()


def test_answers_are_written_as_they_come_and_faults_said_before_the_next_block(
    tmp_path: Path,
) -> None:
    path, log, counts = tmp_path / "words", list[str](), list[tuple[int, int]]()
    path.write_text("a 1 b\n")
    reasoner = Shouting(log)
    run = LineRun(reasoner, log.append, lambda run: counts.append((reasoner.facts, run.written)))
    run.execute(ByteSource(str(path)), Listing(log))
    fault = f"{path}:1:1: RIF201 1 is no word\n  hint: add it to the Forall"
    assert log == ["block", "A", "B", fault, "END"]
    assert counts == [(3, 2), (3, 3)]
