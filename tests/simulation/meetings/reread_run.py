"""A history for ``r4 run`` whose static data and rules are read again where they change."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING
from unittest.mock import patch

from r4.errors import Counters
from r4.rdf.documents import Format, RdfDocument, read_static
from r4.rdf.files import ByteSource
from r4.run import stream_run
from r4.stream.input_events import ChangeReferences, DocumentChange, InputEvent, ReadSource
from rete.terms.dictionary import Dictionary
from rif.syntax.ast import Document, Group, Rule
from rif.syntax.traversal import rules
from tests.generators.meetings.text import rules_text, source_text, triples_text
from tests.generators.rules.parsers import parse_bytes, unparse
from tests.oracles.streams.history import (
    FrontierMove,
    HistoryElement,
    HistoryItem,
    ReferenceEnds,
    ReferenceTriples,
    RuleLeaves,
    RulesJoin,
    SaveAndLoad,
)
from tests.oracles.streams.history_answers import in_one_form
from tests.simulation.command import CommandOutput, call, small_batches
from tests.simulation.meetings.command_run import command_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from r4.stream.source_buffer import SourceBuffer
    from tests.generators.meetings.histories import Meeting
    from tests.oracles.streams.run import Triple

LONG = "1000000"
"""A duration in ticks, longer than any history."""
_STATIC = 2
"""The number of the static document: the stream is the first."""


def rereading(case: Meeting) -> Meeting | None:
    """The case without what a command cannot be told; None: nothing is read again in it."""
    (items,) = case.history.sources[:1]
    kept: tuple[HistoryItem, ...] = tuple(
        each for each in items if not isinstance(each, FrontierMove | SaveAndLoad)
    )
    if case.history.semantics == "instances":
        alike = in_one_form if case.history.by_value else None
        kept = tuple(_as_read(kept, {*case.history.statics}, alike))
    changes = [each for each in kept if not isinstance(each, HistoryElement)]
    clauses = [*rules(case.history.document)]
    is_open = len({*clauses}) < len(clauses)  # which one of two that say the same leaves
    unfit = len(case.history.sources) > 1 or case.history.regime == "rdf"
    if unfit or is_open or not changes:
        return None
    return replace(case, history=replace(case.history, sources=(kept,)))


def _as_read(
    items: Iterable[HistoryItem],
    static: set[Triple],
    alike: Callable[[Triple], Triple] | None,
) -> Iterator[HistoryItem]:
    """``items`` as files say them: what a document has it does not gain, so it is no instance.

    Args:
        items: without what a command cannot be told.
        static: what the document has.
        alike: the one form of equal triples; None: each stands for itself.
    """
    held = {each if alike is None else alike(each) for each in static}
    for each in items:
        if isinstance(each, ReferenceTriples):
            forms = {one: one if alike is None else alike(one) for one in each.triples}
            new = tuple(one for one, form in forms.items() if form not in held)
            held.update(forms.values())
            if new:
                yield ReferenceTriples(new)
            continue
        if isinstance(each, ReferenceEnds):
            held.difference_update(one if alike is None else alike(one) for one in each.triples)
        yield each


def reread_output(case: Meeting, folder: Path) -> CommandOutput:
    """What the command prints."""
    script = _Script(case, folder)
    with ExitStack() as stack:
        if case.small:
            stack.enter_context(small_batches(1 + case.style % 60))
        read = ByteSource.read
        stack.enter_context(
            patch.object(ByteSource, "read", lambda source: script.read(source) or read(source))
        )
        stack.enter_context(patch.object(stream_run, "schedule_of", lambda *_, **__: script))
        lookback = ["--lookback", LONG] if case.history.metric or case.style % 2 else []
        return call(["run", *script.files, *command_options(case), *lookback])


class _Script:
    """A schedule: elements are read, and reference data change between them."""

    def __init__(self, case: Meeting, folder: Path) -> None:
        given = case.history
        self._style = case.style
        self._form = "patch" if "patch" in case.forms else "nquads"
        self._folder = folder
        self._document = self._written(given.document)
        self._clauses: dict[int, Rule] = dict(enumerate(rules(self._document), 1))
        self._count = len(self._clauses)
        self._static = set(given.statics)
        self._items = list(given.sources[0])
        self._pieces: list[bytes] = []
        self._stream = str(folder / ("stream.rdfp" if self._form == "patch" else "stream.nq"))
        texts = {
            "rules.rif": rules_text(given.document, case.style),
            self._stream: "",
            "static.nt": triples_text(given.statics),
        }
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
        static = str(folder / "static.nt")
        self.files = [str(folder / "rules.rif"), self._stream, "--static", static]

    def next_event(self, sources: Sequence[SourceBuffer], least: int) -> InputEvent:
        del sources, least
        if not self._items:
            return ReadSource(0)
        item = self._items.pop(0)
        match item:
            case ReferenceTriples(triples):
                return self._change({*self._static, *triples})
            case ReferenceEnds(triples):
                return self._change(self._static - {*triples})
            case RulesJoin(document):
                for rule in rules(self._written(document)):
                    self._count += 1
                    self._clauses[self._count] = rule
                return self._rules()
            case RuleLeaves(number):
                self._clauses.pop(number, None)
                return self._rules()
        text = source_text([item], self._form, self._style)
        self._pieces.append((text if self._form == "patch" else f"{text}\n").encode())
        return ReadSource(0)

    def read(self, source: ByteSource) -> bytes | None:
        """What arrives; None: nothing does, or it is another file."""
        return self._pieces.pop(0) if source.name == self._stream and self._pieces else None

    def _change(self, static: set[Triple]) -> ChangeReferences:
        added, removed = static - self._static, self._static - static
        self._static = static
        return ChangeReferences(
            (DocumentChange(_STATIC, self._texts(added), self._texts(removed)),)
        )

    def _texts(self, triples: set[Triple]) -> tuple[str, ...]:
        path = self._folder / "some.nt"
        path.write_text(triples_text(sorted(triples, key=str)), encoding="utf-8", newline="")
        terms = Dictionary()
        found = read_static(RdfDocument(str(path), _STATIC, Format.N_TRIPLES), terms, Counters())
        return tuple(text for rows in found for text in terms.decode_many(rows.ravel()))

    def _written(self, document: Document) -> Document:
        """A document as it is read: the clauses that stay are to be the same."""
        return parse_bytes(rules_text(document, self._style).encode()).document

    def _rules(self) -> ChangeReferences:
        document = replace(self._document, group=Group(tuple(self._clauses.values())))
        return ChangeReferences(rules=unparse(document).encode())
