"""A program: compiled documents, from which networks are built, and the relations known by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from r4.language import LANGUAGE
from r4.program.range_ends import EndValues
from r4.stream.windows import NO_WINDOWS, Windows
from r4.time.ticks import MOST, OutOfRange, TimeScale
from rete.graph.plan import Emit
from rete.nodes.builtin import called_builtins
from rete.nodes.scan import Scan
from rete.nodes.unit import Unit
from rete.terms.relations import TRIPLES, Head, Relation
from rif.errors.base import NOWHERE, Span
from rif.language import Language
from rif.syntax.ast import Document
from temporal.metric_rif.range_ends import EndPattern

BACKGROUND: Final = -1
"""In place of the number of a document: the background, the rules of an entailment regime."""


@dataclass(frozen=True, slots=True)
class ClausePlace:
    """Where a clause stands.

    Attributes:
        document: 0 for the main one, then the imported ones, or `BACKGROUND`.
        span: in its text.
    """

    document: int
    span: Span

    def __str__(self) -> str:
        parts = [] if self.span == NOWHERE else [f"{self.span.line}:{self.span.column}"]
        if self.document == BACKGROUND:
            parts.append("background")
        elif self.document:
            parts.append(f"imported document {self.document}")
        return f" ({', '.join(parts)})" if parts else ""


Ticks: TypeAlias = float
"""A whole number of ticks, or infinity."""


@dataclass(frozen=True, slots=True)
class TimeReach:
    """How far the answers of rules reach in time, in ticks.

    Attributes:
        back: how far they look back; infinite too where a cycle of rules does.
        keeps_for_ever: whether a rule looks back without end, so that facts are kept for ever.
        derives_on: whether a cycle of rules derives later facts from present ones, without end.
        total: the farthest finite ends of all ranges together; a row derived without a cycle lies
            no farther from the facts that it is derived from.
        reads_itself: whether rules read their own earlier answers, so that time moves in steps.
    """

    back: Ticks = 0
    keeps_for_ever: bool = False
    derives_on: bool = False
    total: int = 0
    reads_itself: bool = False


NO_REACH: Final = TimeReach()
"""Of rules without metric operators."""


@dataclass(frozen=True, slots=True)
class ShardContext:
    """How metric operators elsewhere reach into a shard.

    Attributes:
        late: by relation, how many cells before the frontier facts may begin that come from another
            shard; relations that are not listed have no such facts.
        lag: how many cells before the frontier answers are final, in all shards alike.
        needed: by relation, how many cells after their end facts are needed that are derived here.
    """

    late: tuple[tuple[Relation, int], ...] = ()
    lag: int = 0
    needed: tuple[tuple[Relation, int], ...] = ()


NO_OTHER_SHARDS: Final = ShardContext()
"""There are no other shards."""


class Fact(NamedTuple):
    """A fact of the rules: the canonical texts of its arguments, and the number of its clause."""

    relation: Relation
    texts: tuple[str, ...]
    number: int


@dataclass(frozen=True, slots=True)
class OpenEnds:
    """The variables of a program that end ranges, before their values are known.

    Attributes:
        patterns: the static facts that bind them.
        close: the program with their values; raises `RangeEndsRefused`.
    """

    patterns: tuple[EndPattern, ...]
    close: Callable[[EndValues], Program]

    def then(self, change: Callable[[Program], Program]) -> OpenEnds:
        """The open ends of a program that is changed, as the closed one is then."""
        return OpenEnds(self.patterns, lambda values: change(self.close(values)))


@dataclass(frozen=True, slots=True)
class Program:
    """Compiled documents.

    Attributes:
        emits: one for each body of each rule.
        facts: the facts among the clauses; they always hold, and are asserted, not derived.
        labels: per clause, counted from 1, the IRI of its annotation or its number; clauses of
            imported documents come after those of the main one, the background last.
        window: ticks for which an element without an end holds; None: for ever.
        windows: those of sources and predicates, which come before that one.
        background: as ``emits``, of the background rules; their facts are derived.
        unites: whether the background makes terms that are the same stand for each other.
        places: per clause, as ``labels``, where it stands.
        given: rule numbers of answers that are asserted; () if such answers are not emitted, see
            `with_state_output`.
        metric: whether metric operators stand in the documents: then an element without an end, and
            without a window, holds at its instant alone.
        looks_back: whether rules ask for other times: by metric operators, by when facts begin or
            end, by a calendar. Then a fact that is taken back is lost whole, as a part of it may
            have led to what holds on.
        reads_marks: whether rules read a calendar: then answers begin at the first stamp.
        reach: how far its answers reach in time.
        neighbours: how other shards reach into it, if it is a part of a program.
        open_ends: the variables that end ranges; None: there are none, or their values are known.
        end_values: these values; None: there are none.
        language: what the documents are written in: its built-ins are those that the plans name.
    """

    emits: tuple[Emit, ...]
    facts: tuple[Fact, ...]
    labels: tuple[str | int, ...]
    window: int | None
    background: tuple[Emit, ...] = ()
    unites: bool = False
    places: tuple[ClausePlace, ...] = ()
    given: tuple[int, ...] = ()
    metric: bool = False
    looks_back: bool = False
    reads_marks: bool = False
    reach: TimeReach = NO_REACH
    neighbours: ShardContext = NO_OTHER_SHARDS
    windows: Windows = NO_WINDOWS
    open_ends: OpenEnds | None = field(default=None, repr=False, compare=False)
    end_values: EndValues | None = field(default=None, repr=False, compare=False)
    language: Language = field(default=LANGUAGE, repr=False, compare=False)

    def __reduce__(self) -> tuple[type[Program], tuple[object, ...]]:
        """Plans travel to shards; the language, which is code, is there already.

        Raises:
            TypeError: They call a function that a shard cannot find by its name.
        """
        for name in sorted(called_builtins([*self.emits, *self.background])):
            if name not in LANGUAGE.builtins:
                message = (
                    f"the function <{name}> was given as a Python object, which does not travel to "
                    "shards: let a package give it by an entry point r4.functions"
                )
                raise TypeError(message)
        names = [each.name for each in fields(self) if each.name != "language"]
        return Program, tuple(getattr(self, name) for name in names)

    def with_windows(self, window: int | None, windows: Windows) -> Program:
        """The program with another window, and other windows of sources and predicates.

        Raises:
            OutOfRange: from the last stamp, 2^60, a window and the ranges lead to where kernels
                cut cells to infinity; an answer lasts a tick at least.
        """
        if max([window or 0, *windows.lengths]) + self.reach.total >= MOST - 1:
            message = "the window and the ranges of all rules reach 2^60 ticks together"
            raise OutOfRange(message)
        return replace(self, window=window, windows=windows)

    def windows_of(self, predicate: str | None) -> frozenset[int]:
        """The windows that a triple with this predicate may have; None: an atom, or any triple.

        They hang on its source; one of a source without a window may have none.
        """
        own = {f"<{iri}>": ticks for iri, ticks in self.windows.predicates}
        found = {ticks for _, ticks in self.windows.sources}
        if predicate is None:
            found.update(own.values())
        rest = self.window if predicate is None else own.get(predicate, self.window)
        return frozenset(found if rest is None else {*found, rest})

    def in_front(self) -> Program:
        """The same with the background among the rules: what it derives is answers too."""
        changed = replace(self, emits=self.emits + self.background, background=())
        return self.changed_to(changed, Program.in_front)

    def closed(self, documents: Sequence[Document], scale: TimeScale) -> Sequence[Document]:
        """The ``documents`` of which it is made, with the values of variables that end ranges."""
        if self.end_values is None:
            return documents
        return [self.end_values.closed(each, scale) for each in documents]

    def changed_to(self, other: Program, change: Callable[[Program], Program]) -> Program:
        """The ``other`` program, made by ``change``; it is made so again once ends are known."""
        ends = self.open_ends
        return other if ends is None else replace(other, open_ends=ends.then(change))


# Predicates are IRIs in angle brackets, so these are none.
INPUT: Final = Relation("input", 3)
"""Asserted triples, as they were asserted."""
STATE: Final = Relation("state", 3)
"""Triples that hold: the answers."""
COUNTED: Final = Relation("counted", 3)
"""Triples that are derived, beside those that hold: they are counted and not printed."""
SPELLED: Final = Relation("spelled", 3)
"""Asserted triples with terms that are the same as others, as they were asserted.

The base table has them of representatives, where two triples of an element may be one.
"""


_ALL_INPUT: Final = Scan(INPUT, (), (), (0, 1, 2))
_AS_STATE: Final = Head(STATE, (0, 1, 2))


def with_state_output(program: Program, *, counts: bool = False) -> Program:
    """The same program with asserted facts among its answers.

    Asserted triples enter the network once more as facts of `INPUT`, a relation that no rule asks
    for; one more rule makes them facts of `STATE`, and so does every rule whose head is a triple.
    Nothing reads `STATE` or `COUNTED`, so no rule derives more than before, nothing becomes
    recursive, and negation keeps its meaning.

    An answer holds as long as it is asserted or derived. It names the least rule that gives it
    where it begins. A fact of the rules names itself; a triple of the data has no rule, and so the
    last number and an empty label. With ``counts``, triples that are derived are facts of `COUNTED`
    too, as one that was asserted before it is derived begins but once.
    """
    number = len(program.labels) + 1
    facts = tuple(
        Emit(Unit(), fact.number, (_state_head(Head(fact.relation, fact.texts)),))
        for fact in program.facts
    )
    changed = replace(
        program,
        emits=(
            *(_with_state_heads(emit, counts=counts) for emit in program.emits),
            *facts,
            Emit(_ALL_INPUT, number, (_AS_STATE,)),
        ),
        labels=(*program.labels, ""),
        given=(*sorted({fact.number for fact in program.facts}), number),
    )
    return program.changed_to(changed, partial(with_state_output, counts=counts))


def _with_state_heads(emit: Emit, *, counts: bool) -> Emit:
    relations = (STATE, COUNTED) if counts else (STATE,)
    triples = [head.args for head in emit.heads if head.relation == TRIPLES]
    heads = tuple(Head(relation, args) for relation in relations for args in triples)
    return replace(emit, heads=emit.heads + heads)


def _state_head(head: Head) -> Head:
    return Head(STATE, head.args) if head.relation == TRIPLES else head
