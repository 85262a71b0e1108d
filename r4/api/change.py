"""What the engine tells: answers that began or ceased to hold, in nodes and points in time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rdflib.term import Node

from r4.answers import INSERTED
from r4.api.course import Course, Instant
from r4.changes import INCONSISTENT, TRIPLE, Changes
from r4.graphs import to_node
from rete.dictionary import Dictionary
from rete.saved import Given, State


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


class Outbox:
    """Changes that wait to be taken out."""

    def __init__(self, terms: Dictionary, course: Course, *, instances: bool) -> None:
        self._terms = terms
        self._course = course
        self._instances = instances
        self._waiting: deque[Change] = deque()

    def put(self, changes: Changes, labels: Sequence[str | int]) -> None:
        """Changes in ids and ticks, by rules with these labels."""
        texts = self._terms.decode_many(changes.triples[changes.kind == TRIPLE].ravel())
        facts = zip(*[iter(texts)] * 3, strict=True)
        instant = self._course.instant
        for i in range(len(changes)):
            inserted = bool(changes.op[i] == INSERTED)
            kind = changes.kind[i]
            open_ended = inserted and not self._instances
            triple, atom = said(next(facts)) if kind == TRIPLE else (None, None)
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
        from r4.snapshot.pending import saved_change  # noqa: PLC0415 - for those who save

        return [saved_change(change) for change in self._waiting]

    def restore(self, given: Sequence[Given]) -> None:
        """Let what was saved wait."""
        from r4.snapshot.pending import change_of  # noqa: PLC0415 - for those who load

        self._waiting.extend(change_of(part) for part in given)


def said(texts: tuple[str, str, str]) -> tuple[tuple[Node, Node, Node] | None, str | None]:
    """A fact of three terms: as nodes, or as text if it is no triple of RDF."""
    s, p, o = map(to_node, texts)
    if s is None or p is None or o is None:
        return None, "{}[{} -> {}]".format(*texts)
    return (s, p, o), None
