"""Reference data of a run: static documents and rules, which may be read again while it goes on.

What is read again is compared with what was read before. The difference is an input event, so that
a run that happens again has it, too: what changes joins and leaves at the frontier.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from r4.answers.output_order import Changes
from r4.engine.assertions import PermanentEquality
from r4.engine.core import Core
from r4.foreign.rule_parser import parse_rules
from r4.imports import Closure
from r4.imports.constant_scopes import ConstantUse, role_clashes
from r4.program.compiler import compile_document
from r4.program.errors import ImmutablePart
from r4.program.program import Program
from r4.program.range_ends import NewRangeEnd
from r4.program.rule_addition import lookback_error
from r4.program.rule_versions import RuleVersions, VersionDifference
from r4.run.driver import Driver, ReferenceChange
from r4.stream.batch import Batch
from r4.stream.input_events import ChangeReferences, DocumentChange
from r4.time.ticks import TimeScale
from rete.arrays.delta import Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.plan import hash_lines
from rif.checks import wellformedness
from rif.checks.document import ParsedDocument
from rif.errors.base import NOWHERE
from rif.errors.report import RuleErrors
from rif.syntax.terms import GroundTerm

_BEGIN_AGAIN: Final = "end the run, and begin it with these rules"
FORGOTTEN: Final = "rules look back, and with --retract-within what they derived is forgotten"
"""Why no rule leaves; see `Core.may_rederive`."""
IMPORTED: Final = 0
"""In place of the number of a document: the graphs that rules import."""


_PackedRows: TypeAlias = Rows | npt.NDArray[np.int32]
"""Triples, (n, 3)."""


class StaleReference(Exception):
    """A document that changed cannot be used; its former content stays."""

    code: ClassVar[str] = "R4603"

    def __init__(self, reason: str) -> None:
        super().__init__(f"{self.code} {reason}; what was read before stays")


@dataclass(frozen=True, slots=True)
class RuleReading:
    """How the rules of a run are read and compiled.

    Attributes:
        closure: the rules that the run began with.
        scale: what a tick is.
        lenient: whether what is against the letter of the standard is read.
        instances: whether answers are instances, not facts.
        by_value: whether literals of equal values are one term.
    """

    closure: Closure
    scale: TimeScale
    lenient: bool = False
    instances: bool = False
    by_value: bool = False

    def parse(self, data: bytes) -> ParsedDocument:
        """The main document as it reads now; raises `RuleErrors` if it is refused."""
        name = self.closure.name
        parsed = parse_rules(data, name=name, lenient=self.lenient, language=self.closure.language)
        known: dict[GroundTerm, ConstantUse] = {}
        for document, source in zip(
            (*self.closure.documents[1:], parsed.document),
            (*self.closure.sources[1:], self.closure.sources[0]),
            strict=True,
        ):
            faults = role_clashes(
                wellformedness.roles(document, self.closure.language), source.name, known
            )
        if faults:
            raise RuleErrors(faults, parsed.source, name)
        return parsed


class ReferenceData:
    """Static documents and rules as they were read last."""

    def __init__(
        self,
        core: Core,
        reading: RuleReading,
        labels: list[str | int],
        say: Callable[[str], object],
    ) -> None:
        """Begin with the rules of ``core``, and no static data.

        Args:
            core: the program that runs.
            reading: how its rules are read.
            labels: the names of its rules; those of rules that join are appended.
            say: called with lines for a person.
        """
        self._core = core
        self._reading = reading
        self._labels = labels
        self._say = say
        self._versions: list[bytes] = []
        self._rows: dict[int, list[_PackedRows]] = {}
        self._changed: set[int] = set()

    @cached_property
    def rules(self) -> RuleVersions:
        """The clauses that run; linear in them when they are asked for first."""
        return RuleVersions(self._reading.closure.documents[0])

    def note(self, number: int, rows: Rows) -> None:
        """Note triples, (n, 3), of a document with this number that was read at the begin.

        A document that is never read again is noted, too: what it has stays when others lose it.
        Its terms stay for ever; those of what is read again have to be held. 12 bytes a triple.
        """
        self._rows.setdefault(number, []).append(_pack(rows))

    def difference(self, number: int, rows: Rows) -> DocumentChange | None:
        """How triples, (n, 3), differ from those that the document had; None: they do not."""
        before, decode = self._document(number), self._core.terms.decode_many
        added, removed = _without(rows, before), _without(before, rows)
        if not len(added) and not len(removed):
            return None
        texts = (tuple(decode(np.ascontiguousarray(each).ravel())) for each in (added, removed))
        return DocumentChange(number, *texts)

    def apply(self, driver: Driver, change: ChangeReferences, batch: Batch) -> list[Changes]:
        """Let a change count from the frontier of a ``batch`` on."""
        changes = [] if self._core.begun else [driver.begin()]
        joined, dropped = None, tuple[int, ...]()
        if change.rules is not None:
            joined, dropped = self._change_rules(change.rules)
        added, removed = self._change_documents(change.documents)
        references = ReferenceChange(
            *(added, lambda: self._encode(removed), batch.needed_ids, joined, dropped)
        )
        return [*changes, *driver.change_references(references, batch.frontier, batch.last)]

    def check_rules(self, data: bytes) -> VersionDifference:
        """How other rules differ from those that run, in the place of which they may come.

        Raises:
            RuleErrors: they may not.
        """
        return self._read_rules(data)[1]

    def _read_rules(self, data: bytes) -> tuple[ParsedDocument, VersionDifference, Program | None]:
        parsed = self._reading.parse(data)
        difference = self.rules.difference(parsed.document)
        if difference.dropped and not self._core.may_rederive:
            message = f"{FORGOTTEN}, so none can leave"
            raise RuleErrors([ImmutablePart(message, NOWHERE)], name=self._reading.closure.name)
        program = self._compile(difference)
        self._check_lookback(program)
        return parsed, difference, program

    def _change_rules(self, data: bytes) -> tuple[Program | None, tuple[int, ...]]:
        name = self._reading.closure.name
        try:
            parsed, difference, program = self._read_rules(data)
        except RuleErrors as errors:
            self._say(errors.report(name))
            self._say(str(StaleReference(f"{name}: it is refused")))
            return None, ()
        if parsed.warnings:
            self._say(parsed.report(name))
        self._follow(data, difference, program)
        count = 0 if program is None else len(program.labels)
        self._say(f"{name} was read again: {count} rule(s) join, {len(difference.dropped)} leave")
        return program, difference.dropped

    def _check_lookback(self, program: Program | None) -> None:
        """Refuse rules that look back on what may have been forgotten.

        Raises:
            RuleErrors: with these some rule does.
        """
        if program is None:
            return
        is_endless = math.isinf(program.reach.back)
        hint = _BEGIN_AGAIN if is_endless else f"{_BEGIN_AGAIN}, or with a longer --lookback"
        if fault := lookback_error(program, self._core.lookback, hint):
            raise RuleErrors([fault], name=self._reading.closure.name)

    def _compile(self, difference: VersionDifference) -> Program | None:
        """The rules that join, compiled; those that leave count no more.

        Raises:
            RuleErrors: they cannot be run, or not with the others.
        """
        if difference.joined is None:
            return None
        running = self._core.program
        stay = tuple(each for each in running.emits if each.rule not in difference.dropped)
        return compile_document(
            difference.joined,
            self._reading.scale,
            running=replace(running, emits=stay),
            instances=self._reading.instances,
            literals_by_value=self._reading.by_value,
        )

    def _follow(self, data: bytes, difference: VersionDifference, program: Program | None) -> None:
        self._versions.append(data)
        self.rules.follow(difference, len(self._core.program.labels) + 1)
        if program is not None:
            self._labels.extend(program.labels)

    def _change_documents(self, documents: Sequence[DocumentChange]) -> tuple[Rows, list[str]]:
        """The triples that join, and the texts of those that leave: no other document has them."""
        some = [
            each
            for each in documents
            if not self._is_permanent(each) and not self._brings_end(each)
        ]
        changes = [(self._encode(each.added), self._encode(each.removed)) for each in some]
        rows = np.unique(_joined([part for change in changes for part in change]), axis=0)
        before = self._holds(rows)
        for each, (added, removed) in zip(some, changes, strict=True):
            parts = [_left(part, removed) for part in self._rows.get(each.number, [])]
            self._rows[each.number] = [_pack(_joined([*parts, added]))]
            self._changed.add(each.number)
        after = self._holds(rows)
        self._hold()
        gone = rows[before & ~after]
        return rows[after & ~before], self._core.terms.decode_many(gone.ravel())

    def _holds(self, rows: Rows) -> Mask:
        """Which distinct rows, (n, 3), any document has: (n,). Costs O(triples of all), no sort."""
        parts = [part for each in self._rows.values() for part in each]
        found = _joined([part[_is_near(part, rows)] for part in parts])
        _, place = np.unique(np.concatenate((rows, found)), axis=0, return_inverse=True)
        place = place.reshape(-1)
        return np.isin(place[: len(rows)], place[len(rows) :])

    def _is_permanent(self, change: DocumentChange) -> bool:
        """Whether a triple that leaves has a term that is equal to another for ever."""
        rows = self._encode(change.removed)
        equal = rows[self._core.layers.classes.are_equal_to_others(rows)]
        if len(equal):
            error = PermanentEquality(self._core.terms.decode_many(equal[0]))
            self._say(str(StaleReference(f"document {change.number}: {error}")))
        return len(equal) > 0

    def _brings_end(self, change: DocumentChange) -> bool:
        """Whether a triple that joins has a value that no range was made with."""
        try:
            self._core.check_range_ends(self._encode(change.added))
        except NewRangeEnd as error:
            self._say(str(StaleReference(f"document {change.number}: {error}")))
            return True
        return False

    def says_same(self, data: bytes, other: bytes) -> bool:
        """Whether two texts of the rules have the same clauses."""
        try:
            versions = RuleVersions(self._reading.parse(data).document)
            return versions.difference(self._reading.parse(other).document).is_empty
        except RuleErrors:
            return False

    def saved(self) -> State:
        """The triples of each document, and all versions of the rules but the first."""
        numbers = sorted(self._rows)
        return {
            "documents": [
                {
                    "number": number,
                    "changed": number in self._changed,
                    "triples": self._document(number),
                }
                for number in numbers
            ],
            "rules": [{"text": data.decode("latin-1")} for data in self._versions],
            "numbering": self._numbering,
        }

    @property
    def _numbering(self) -> str:
        """A hash of the rules that are imported, and of which rule has which number."""
        imported = (each.text for each in self._reading.closure.sources[1:])
        return hash_lines([*imported, ascii(self._core.program.labels)])

    def numbers_alike(self, given: StateReader) -> bool:
        """Whether a state is of a run that imported the same rules, and numbered all alike."""
        return given.text("numbering") == self._numbering

    def joined(self, given: StateReader) -> Iterator[Program]:
        """The rules that joined until a state, compiled as they did; to be taken one by one.

        Raises:
            ValueError: no run can have had them.
        """
        for part in given.parts("rules"):
            data = part.text("text").encode("latin-1")
            try:
                difference = self.rules.difference(self._reading.parse(data).document)
                program = self._compile(difference)
            except RuleErrors:
                part.refuse("text", "is no version of the rules")
            self._follow(data, difference, program)
            if program is not None:
                yield program

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from a state, whose rules have joined."""
        self._rows.clear()
        self._changed.clear()
        for part in given.parts("documents"):
            rows = part.array("triples", np.int64, None, 3)
            part.living("triples", rows, alive)
            number = part.integer("number", 0)
            self._rows[number] = [_pack(rows)]
            if part.flag("changed"):
                self._changed.add(number)
        self._hold()

    def _document(self, number: int) -> Rows:
        return _joined(self._rows.get(number, []))

    def _hold(self) -> None:
        self._core.needed_ids = tuple(map(self._document, sorted(self._changed)))

    def _encode(self, texts: Sequence[str]) -> Rows:
        return self._core.terms.encode_many(list(texts)).reshape(-1, 3)


def _joined(parts: Sequence[_PackedRows]) -> Rows:
    """The rows of all parts."""
    return np.concatenate([np.empty((0, 3), np.int64), *parts])


def _is_near(rows: _PackedRows, few: Rows) -> Mask:
    """Which rows, (n, 3), have each a subject, predicate and object that few ones have: (n,)."""
    near = np.ones(len(rows), np.bool_)
    for place in (0, 2, 1):
        near[near] = np.isin(rows[near, place], few[:, place])
    return near


def _left(rows: _PackedRows, few: Rows) -> Rows:
    """The rows, (n, 3), that are none of few ones."""
    near = _is_near(rows, few)
    return _joined([rows[~near], _without(_joined([rows[near]]), few)])


def _pack(rows: Rows) -> _PackedRows:
    """The rows in half the memory, if all ids fit: there may be very many, and few ever change."""
    fits = len(rows) == 0 or int(rows.max()) <= np.iinfo(np.int32).max
    return rows.astype(np.int32) if fits else rows


def _without(rows: Rows, others: Rows) -> Rows:
    """The rows, (n, 3), that are none of ``others``, (m, 3), each once. O((n + m) log (n + m))."""
    both = np.concatenate((rows, others))
    order = np.lexsort((both[:, 2], both[:, 1], both[:, 0]))  # of equal rows, ``rows`` come first
    both = both[order]
    begins = np.ones(len(both), np.bool_)
    begins[1:] = (both[1:] != both[:-1]).any(axis=1)
    ends = np.roll(begins, -1)
    return both[begins][(order[begins] < len(rows)) & (order[ends] < len(rows))]
