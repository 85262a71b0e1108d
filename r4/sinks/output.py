"""The output of a run: which answers are written, in which form, and which make the run fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from r4.answers.output_order import COUNTED_TRIPLE, INCONSISTENT, MARK, TRIPLE, Changes, Ops
from r4.answers.periodic_report import PeriodicReport
from r4.sinks.file import ByteWriter
from r4.time.ticks import NEG_INF, StampFormat, Tick
from rete.arrays.delta import Column
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import IRI, RDF_TYPE

if TYPE_CHECKING:
    from temporal.hypothetical.rif_rules.reports.status_reports import StatusReports

Mask: TypeAlias = npt.NDArray[np.bool_]
NO_IDS: Final = np.empty(0, np.int64)
"""No ids."""


@dataclass(frozen=True, slots=True)
class SinkContext:
    """The run that a sink is made for.

    Attributes:
        terms: the dictionary of the ids of answers.
        labels: the names of rules, by number from 1; it grows when rules join.
        clock: how stamps are written; its kind is settled by the first stamp that is read.
        instances: whether answers are instances, not facts.
        prefixes: the namespaces of prefixes that may be used.
        marks: whether answers are those of a `PeriodicReport`.
    """

    terms: Dictionary
    labels: Sequence[str | int]
    clock: StampFormat
    instances: bool
    prefixes: Mapping[str, str] = field(default_factory=dict)
    marks: bool = False


class Sink(Protocol):
    """A form that answers are written in."""

    @property
    def left_out(self) -> int:
        """How many answers it cannot express."""
        ...

    def render(self, changes: Changes) -> bytes:
        """The bytes of ``changes``; a sink may keep some back until `finish`."""
        ...

    def finish(self) -> bytes:
        """The bytes that are left; called once, last."""
        ...


@runtime_checkable
class FrontierSink(Sink, Protocol):
    """A sink that learns when time moves, also if no answer comes, so what holds then is known."""

    def advance(self, frontier: Tick) -> bytes:
        """The bytes to write now that all answers at instants before ``frontier`` were rendered.

        Called with ever later frontiers, last at the end of the run. How often depends on how input
        comes, so what is written should depend on instants alone. With ``--order arrival`` answers
        from ``frontier`` on may have been rendered, too, and be undone later.
        """
        ...


class PossibleSink(Protocol):
    """A form that possible answers are written in."""

    def lines(self, reports: StatusReports) -> list[str]:
        """A text for each report about possible answers."""
        ...


@dataclass(slots=True)
class Output:
    """Writes the answers of a run, and counts them.

    Attributes:
        to: where bytes go.
        sink: renders answers.
        terms: the dictionary of their ids.
        only: IRIs; only answers with such a predicate or class are written. None: all are.
        fail_on: ``error``, ``answer`` for any, or an IRI as in ``only``.
        given: numbers of the rules that output asserted facts. If there are any, triples count for
            ``fail_on`` where they are derived, of which `COUNTED_TRIPLE` tells.
        possible_sink: renders reports about possible answers, if they are written.
        periodic: makes answers at marks of time of those that are wanted; None: these are written.
        ops: ``+`` or ``-``: only such answers are written; ``both``.
        says_empty: whether marks without an answer are written, not only noted.
        empty_marks: the marks without an answer, if these are only noted.
        written: number of answers written.
        unseen: number of those that were wanted, but came between two marks, or ``ops`` left out.
        unwanted: number of those that ``only`` left out, in this process.
        failing: number of answers of ``--fail-on``, less those that were undone.
        frontier: what the sink learned last of time, if it is a `FrontierSink`.
    """

    to: ByteWriter
    sink: Sink
    terms: Dictionary
    only: tuple[str, ...]
    fail_on: str | None
    given: tuple[int, ...] = ()
    possible_sink: PossibleSink | None = None
    periodic: PeriodicReport | None = None
    ops: Ops = "both"
    says_empty: bool = True
    empty_marks: list[Tick] = field(default_factory=list)
    written: int = 0
    unseen: int = 0
    unwanted: int = 0
    failing: int = 0
    frontier: Tick = NEG_INF
    _type: int = field(init=False)
    _follows: FrontierSink | None = field(init=False)
    _waiting: list[tuple[Tick, bytes]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self._type = self.terms.encode(str(IRI(RDF_TYPE)))
        self.terms.pin(np.array([self._type]))
        self._follows = self.sink if isinstance(self.sink, FrontierSink) else None

    def changes(self, changes: Changes, before: Tick | None = None) -> None:
        """Write those of ``changes`` that are wanted, at once.

        If reports of stamps ``before`` one come later, with these, in front of the others.
        """
        if self.fail_on is not None:
            fails = self._fails(changes)
            undone = int(np.count_nonzero(fails[: changes.undone]))
            self.failing += int(np.count_nonzero(fails)) - 2 * undone
            if self.given:
                changes = changes.take(np.flatnonzero(changes.kind != COUNTED_TRIPLE))
        if self.only:
            before_only = len(changes)
            changes = changes.take(np.flatnonzero(self._about(changes, self.only)))
            self.unwanted += before_only - len(changes)
        if self.periodic is None:
            self._write(changes, before)
            return
        self.unseen += len(changes)
        for found in self.periodic.changes(changes):
            self._write(found, before)

    def advance(self, frontier: Tick, before: Tick | None = None) -> None:
        """Let the sink know that all answers before ``frontier`` are there; ``before`` as above.

        Write those at the marks before it, if there are marks.
        """
        if self.periodic is not None:
            for found in self.periodic.advance(frontier):
                self._write(found, before)
        if self._follows is not None and frontier > self.frontier:
            self.frontier = frontier
            if text := self._follows.advance(frontier):
                self._put(text, before)

    def _write(self, changes: Changes, before: Tick | None) -> None:
        self.unseen += len(changes)
        changes = changes.of_ops(self.ops)
        self.unseen -= len(changes)
        if not self.says_empty and MARK in changes.kind:
            self.empty_marks += changes.at.tolist()
            return
        if len(changes):
            self.written += int(np.count_nonzero(changes.kind != MARK))
            self._put(self.sink.render(changes), before)

    @property
    def needed_ids(self) -> Column:
        """The ids that it needs after a step."""
        return NO_IDS if self.periodic is None else self.periodic.needed_ids

    def _put(self, text: bytes, before: Tick | None) -> None:
        if before is None:
            self.to.write(text)
        else:
            self._waiting.append((before, text))

    def possible(self, reports: StatusReports) -> None:
        """Write those reports about possible answers that are wanted, and what waits for them."""
        assert self.possible_sink is not None
        if self.only:
            reports = reports.about(self.only)
        lines, parts, begin = self.possible_sink.lines(reports), list[bytes](), 0
        ends = np.searchsorted(reports.at, [before for before, _ in self._waiting]).tolist()
        for end, text in zip(
            [*ends, len(lines)], [*(t for _, t in self._waiting), b""], strict=True
        ):
            parts += "".join(lines[begin:end]).encode(), text
            begin = end
        self._waiting.clear()
        if any(parts):
            self.to.write(b"".join(parts))

    def finish(self) -> None:
        """Write what the sink kept back; called once, last."""
        if rest := self.sink.finish():
            self.to.write(rest)

    @property
    def failed(self) -> bool:
        """Whether an answer of ``--fail-on`` was written or left out, and not undone."""
        return self.failing > 0

    def _fails(self, changes: Changes) -> Mask:
        errors: Mask = changes.kind == INCONSISTENT
        if self.fail_on == "error":
            return errors
        derived: Mask = ~np.isin(changes.rule, self.given)
        if self.given:
            derived &= changes.kind != TRIPLE
        if self.fail_on in {"answer", "any"}:
            return derived
        assert self.fail_on is not None
        return self._about(changes, (self.fail_on,)) & ~errors & derived

    def _about(self, changes: Changes, iris: Sequence[str]) -> Mask:
        """Which changes have a predicate, or an object of rdf:type, among ``iris``; errors all."""
        ids = np.array([self.terms.lookup(f"<{iri}>") or -1 for iri in iris], np.int64)
        triples = changes.triples
        typed = (triples[:, 1] == self._type) & np.isin(triples[:, 2], ids)
        about: Mask = np.isin(triples[:, 1], ids) | typed | (changes.kind == INCONSISTENT)
        if changes.atoms:
            heads = tuple(f"<{iri}>(" for iri in iris)
            about |= np.array([atom.startswith(heads) for atom in changes.atoms], np.bool_)
        return about
