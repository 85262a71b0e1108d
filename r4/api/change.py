"""What the engine tells: answers that began or ceased to hold, in nodes and points in time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from rdflib.term import Node

from r4.answers.ledger import INSERTED
from r4.answers.output_order import INCONSISTENT, TRIPLE, Changes
from r4.api.event_clock import EventClock, Instant
from r4.api.graph_terms import to_node, to_text
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary


@dataclass(frozen=True, slots=True)
class Change:
    """An answer that began (``+``) or ceased (``-``) to hold.

    Attributes:
        op: ``+`` or ``-``.
        at: When; None for what follows from static data alone. A text where a datetime cannot say
            it: nanoseconds, or a year beyond 9999.
        triple: The fact, if it is a triple.
        atom: Its text, if it is none: an atom, ``<p>(…)``, or one with a list, which no RDF graph
            has as a term, ``<s>[<p> -> List(…)]``.
        error: Whether it is ``rif:error()``: the state is inconsistent.
        start: When the answer began.
        until: When it ends; of a ``+`` under ``facts`` None, as it is not known yet.
        rule: IRI, or number, of the least rule that gives it.
        undone: Whether it was told before and proved untrue; then all else is as it was told.
    """

    op: Literal["+", "-"]
    at: Instant | str | None
    triple: tuple[Node, Node, Node] | None
    atom: str | None
    error: bool
    start: Instant | str | None
    until: Instant | str | None
    rule: str | int
    undone: bool = False


class ChangeQueue:
    """Changes that wait to be taken out."""

    def __init__(self, terms: Dictionary, event_clock: EventClock, *, instances: bool) -> None:
        self._terms = terms
        self._event_clock = event_clock
        self._instances = instances
        self._waiting: deque[Change] = deque()

    def put(self, changes: Changes, labels: Sequence[str | int]) -> None:
        """Changes in ids and ticks, by rules with these labels."""
        texts = self._terms.decode_many(changes.triples[changes.kind == TRIPLE].ravel())
        facts = zip(*[iter(texts)] * 3, strict=True)
        instant = self._event_clock.instant
        for i in range(len(changes)):
            inserted = bool(changes.op[i] == INSERTED)
            kind = changes.kind[i]
            open_ended = inserted and not self._instances
            triple, atom = fact_terms(next(facts)) if kind == TRIPLE else (None, None)
            if kind not in {TRIPLE, INCONSISTENT}:
                atom = changes.atoms[i]
            self._waiting.append(
                Change(
                    op="+" if inserted else "-",
                    at=instant(int(changes.at[i])),
                    triple=triple,
                    atom=atom,
                    error=bool(kind == INCONSISTENT),
                    start=instant(int(changes.start[i])),
                    until=None if open_ended else instant(int(changes.end[i])),
                    rule=labels[int(changes.rule[i]) - 1],
                    undone=i < changes.undone,
                )
            )

    def take(self) -> Iterator[Change]:
        """What waits, in order; each is taken once."""
        while self._waiting:
            yield self._waiting.popleft()

    def saved(self) -> list[State]:
        """What waits."""
        from r4.api.change import saved_change  # noqa: PLC0415 - for those who save

        return [saved_change(change) for change in self._waiting]

    def restore(self, given: Sequence[StateReader]) -> None:
        """Let what was saved wait."""
        from r4.api.change import change_of  # noqa: PLC0415 - for those who load

        self._waiting.extend(change_of(part) for part in given)


def fact_terms(texts: tuple[str, str, str]) -> tuple[tuple[Node, Node, Node] | None, str | None]:
    """A fact of three terms: as nodes, or as text if it is no triple of RDF."""
    s, p, o = map(to_node, texts)
    if s is None or p is None or o is None:
        return None, "{}[{} -> {}]".format(*texts)
    return (s, p, o), None


def saved_change(change: Change) -> State:
    """A change as it is saved."""
    triple = change.triple
    return {
        "inserted": change.op == "+",
        "undone": change.undone,
        "error": change.error,
        "atom": change.atom,
        "triple": None if triple is None else [to_text(node) for node in triple],
        "rule": {"iri" if isinstance(change.rule, str) else "number": change.rule},
        "at": _saved_time(change.at),
        "start": _saved_time(change.start),
        "until": _saved_time(change.until),
    }


def change_of(given: StateReader) -> Change:
    """It, read back."""
    rule = given.part("rule")
    return Change(
        op="+" if given.flag("inserted") else "-",
        at=_time(given, "at"),
        triple=_triple(given) if "triple" in given else None,
        atom=given.maybe_text("atom"),
        error=given.flag("error"),
        start=_time(given, "start"),
        until=_time(given, "until"),
        rule=rule.text("iri") if "iri" in rule else rule.integer("number"),
        undone=given.flag("undone"),
    )


def _saved_time(when: Instant | str | None) -> State | None:
    match when:
        case datetime():
            return {"datetime": when.astimezone(UTC).isoformat()}
        case str():
            return {"text": when}  # as no datetime can say it
        case None:
            return None
    return {"tick": when}


def _time(given: StateReader, name: str) -> Instant | str | None:
    when = given.maybe(name)
    if when is None:
        return None
    if "tick" in when:
        return when.integer("tick")
    if "text" in when:
        return when.text("text")
    try:
        return datetime.fromisoformat(when.text("datetime"))
    except ValueError:
        when.refuse("datetime", "is none")


def _triple(given: StateReader) -> tuple[Node, Node, Node]:
    try:
        s, p, o = map(to_node, given.texts("triple"))
    except ValueError:
        s = p = o = None
    if s is None or p is None or o is None:
        given.refuse("triple", "is none")
    return s, p, o
