"""Changes: answers that began or ceased to hold, in nodes and points in time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from r4.answers.ledger import DELETED
from r4.answers.output_order import ATOM, INCONSISTENT, MARK, TRIPLE, Changes, Ops
from r4.api.values.event_clock import EventClock, Instant
from r4.markup import table
from rete.arrays.state_codec import State, StateReader
from rete.kernels.single.interface import RowAnswer
from rete.memo import Memo
from rete.terms.dictionary import Dictionary

if TYPE_CHECKING:
    from rdflib.term import Node

CELLS: Final = ("op", "at", "fact", "from", "until", "rule")
"""The headings of a table of changes for people."""

_MOST_NODES: Final = 1 << 12
"""So many nodes of rdflib are kept to be used again."""
_Item = TypeVar("_Item")
Op: TypeAlias = Literal["+", "-", "="]
_OPS: Final[tuple[Op, ...]] = ("-", "+", "=")
"""By the ``op`` of `Changes`."""


@dataclass(frozen=True, slots=True)
class Change:
    """An answer that began (``+``) or ceased (``-``) to hold, or holds at a mark (``=``).

    Attributes:
        op: ``+`` or ``-``; ``=`` in a report of what holds.
        at: When; None for what follows from static data alone. A text where a datetime cannot say
            it: nanoseconds, or a year beyond 9999.
        triple: The fact, if it is a triple.
        atom: Its text, if it is none: an atom, ``<p>(…)``, or one with a list, which no RDF graph
            has as a term, ``<s>[<p> -> List(…)]``.
        error: Whether it is ``rif:error()``: the state is inconsistent.
        start: When the answer began.
        until: When it ends; of a ``+`` under ``facts`` and a ``=`` None, as it is not known yet.
        rule: IRI, or number, of the least rule that gives it; ``""`` where nothing holds at a mark,
            of which a report of ``state+empty`` says nothing else.
        undone: Whether it takes an early result back, which proved untrue; all else is as in that.
        seq: Its number, from 1, of an engine with a ``state``; else None. Equal changes may have
            different ones.
    """

    op: Op
    at: Instant | str | None
    triple: tuple[Node, Node, Node] | None
    atom: str | None
    error: bool
    start: Instant | str | None
    until: Instant | str | None
    rule: str | int
    undone: bool = False
    seq: int | None = field(default=None, compare=False)

    def cells(self) -> tuple[str, ...]:
        """Its texts under the headings `CELLS`, for people."""
        if self.error:
            fact = "rif:error()"
        elif self.triple is not None:
            from r4.api.values.rdflib_terms import to_text  # noqa: PLC0415 - rdflib is slow to load

            fact = " ".join(map(to_text, self.triple))
        else:
            fact = self.atom or ""  # of a mark where nothing holds
        op = f"{self.op} undone" if self.undone else self.op
        times = ("" if time is None else str(time) for time in (self.at, self.start, self.until))
        at, start, until = times
        return op, at, fact, start, until, str(self.rule)

    def _repr_html_(self) -> str:
        return table(CELLS, [self.cells()])


class _Waiting(NamedTuple):
    """A change that is made when it is asked for: most are never looked into."""

    answer: RowAnswer
    rule: str | int
    seq: int | None


class ChangeQueue:
    """Changes that the user has not taken out yet.

    Attributes:
        count: how many there were in all; None: they have no numbers.
        added: how many were added by this process.
    """

    def __init__(
        self, terms: Dictionary, event_clock: EventClock, *, instances: bool, ops: Ops = "both"
    ) -> None:
        """Begin; of changes only those of ``ops`` are added."""
        self._ops = ops
        self._terms = terms
        self._event_clock = event_clock
        self._instances = instances
        self.count: int | None = None
        self.added = 0
        self._queued: deque[Change | _Waiting] = deque()
        self._nodes: Memo[str, Node | None] = Memo(_node)

    def put_rows(self, answers: Sequence[RowAnswer], labels: Sequence[str | int]) -> None:
        """Add answers that are triples, in ticks and texts; see `put`."""
        for answer in answers:
            if self._ops == "both" or self._ops == "-+"[answer[0]]:
                self.added += 1
                if self.count is not None:
                    self.count += 1
                self._queued.append(_Waiting(answer, labels[answer[4] - 1], self.count))

    def _change(self, waiting: _Waiting) -> Change:
        """The change that waits to be asked for."""
        (op, at, start, end, _, s, p, o), rule, seq = waiting
        instant, nodes = self._event_clock.instant, self._nodes
        if len(nodes) > _MOST_NODES:
            nodes.clear()
        triple = nodes[s], nodes[p], nodes[o]
        is_triple = None not in triple
        when = instant(at)
        return Change(
            _OPS[op],
            when,
            cast("tuple[Node, Node, Node]", triple) if is_triple else None,
            None if is_triple else _frame(s, p, o),
            False,  # noqa: FBT003 - by place, which takes half the time
            when if start == at else instant(start),
            None if op != DELETED and not self._instances else instant(end),
            rule,
            False,  # noqa: FBT003
            seq,
        )

    def put(self, changes: Changes, labels: Sequence[str | int]) -> None:
        """Add changes, which are in ids and ticks; ``labels`` are those of the rules, from 1."""
        changes = changes.of_ops(self._ops)
        self.added += int(np.count_nonzero(changes.kind != MARK))
        texts = self._terms.decode_many(changes.triples[changes.kind == TRIPLE].ravel())
        facts = zip(*[iter(texts)] * 3, strict=True)
        instant = self._event_clock.instant
        columns = (changes.op, changes.kind, changes.at, changes.start, changes.end, changes.rule)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for place, (op, kind, at, start, end, rule) in enumerate(rows):
            if self.count is not None:
                self.count += 1
            open_ended = op != DELETED and not self._instances
            when = instant(at)
            triple, atom = fact_terms(next(facts)) if kind == TRIPLE else (None, None)
            if kind == ATOM:
                atom = changes.atoms[place]
            self._queued.append(
                Change(
                    op=_OPS[op],
                    at=when,
                    triple=triple,
                    atom=atom,
                    error=kind == INCONSISTENT,
                    start=when if start == at else instant(start),
                    until=None if open_ended else when if end == at else instant(end),
                    rule=labels[rule - 1] if rule else "",
                    undone=place < changes.undone,
                    seq=self.count,
                )
            )

    def number(self, count: int, numbers: Sequence[int] = ()) -> None:
        """Give changes numbers behind ``count`` from now on; ``numbers`` are of those in it."""
        pairs = zip(self.queued, numbers, strict=True)
        self._queued = deque(replace(each, seq=seq) for each, seq in pairs)
        self.count = count

    def __len__(self) -> int:
        return len(self._queued)

    def take(self) -> Iterator[Change]:
        """Take out all changes, in order."""
        for each in take_all(self._queued):
            yield each if isinstance(each, Change) else self._change(each)

    @property
    def queued(self) -> Sequence[Change]:
        """The changes in it."""
        some = tuple(self._queued)  # others may take
        return tuple(each if isinstance(each, Change) else self._change(each) for each in some)

    def restore(self, saved: Sequence[StateReader]) -> None:
        """Add the changes that were saved."""
        self._queued.extend(change_of(part) for part in saved)


def take_all(queue: deque[_Item]) -> Iterator[_Item]:
    """Take out all of ``queue``, in order; of several threads each item comes to one.

    It takes no lock, so whoever takes never waits for a call of the engine.
    """
    while True:
        try:
            item = queue.popleft()
        except IndexError:
            return
        yield item


def fact_terms(texts: tuple[str, str, str]) -> tuple[tuple[Node, Node, Node] | None, str | None]:
    """A fact of three terms: as nodes, or as text if it is no triple of RDF."""
    from r4.api.values.rdflib_terms import to_node  # noqa: PLC0415 - rdflib is slow to load

    s, p, o = map(to_node, texts)
    if s is None or p is None or o is None:
        return None, _frame(*texts)
    return (s, p, o), None


def _node(text: str) -> Node | None:
    from r4.api.values.rdflib_terms import to_node  # noqa: PLC0415 - rdflib is slow to load

    return to_node(text)


def _frame(s: str, p: str, o: str) -> str:
    """A fact with a list, which is no triple of RDF."""
    return f"{s}[{p} -> {o}]"


def saved_change(change: Change) -> State:
    """The saved form of a change."""
    from r4.api.values.rdflib_terms import to_text  # noqa: PLC0415 - rdflib is slow to load

    triple = change.triple
    return {
        "op": change.op,
        "undone": change.undone,
        "error": change.error,
        "atom": change.atom,
        "triple": None if triple is None else [to_text(node) for node in triple],
        "rule": {"iri" if isinstance(change.rule, str) else "number": change.rule},
        "at": _saved_time(change.at),
        "start": _saved_time(change.start),
        "until": _saved_time(change.until),
    }


def change_of(saved: StateReader) -> Change:
    """The change of a saved form."""
    rule = saved.part("rule")
    return Change(
        op=_op(saved),
        at=_time(saved, "at"),
        triple=_triple(saved) if "triple" in saved else None,
        atom=saved.maybe_text("atom"),
        error=saved.flag("error"),
        start=_time(saved, "start"),
        until=_time(saved, "until"),
        rule=rule.text("iri") if "iri" in rule else rule.integer("number"),
        undone=saved.flag("undone"),
    )


def _op(saved: StateReader) -> Op:
    found = next((op for op in _OPS if op == saved.text("op")), None)
    if found is None:
        saved.refuse("op", "is none")
    return found


def _saved_time(when: Instant | str | None) -> State | None:
    match when:
        case datetime():
            return {"datetime": when.astimezone(UTC).isoformat()}
        case str():
            return {"text": when}  # as no datetime can say it
        case None:
            return None
    return {"tick": when}


def _time(saved: StateReader, name: str) -> Instant | str | None:
    when = saved.maybe(name)
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


def _triple(saved: StateReader) -> tuple[Node, Node, Node]:
    from r4.api.values.rdflib_terms import to_node  # noqa: PLC0415 - rdflib is slow to load

    try:
        s, p, o = map(to_node, saved.texts("triple"))
    except ValueError:
        s = p = o = None
    if s is None or p is None or o is None:
        saved.refuse("triple", "is none")
    return s, p, o
