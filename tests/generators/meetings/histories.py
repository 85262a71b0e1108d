"""Histories over the rules of `programs`, and how they are run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rif.syntax.terms import IRI
from tests.generators.draw import from_seed
from tests.generators.meetings.dimensions import COMMAND, LIBRARY, draw_dimensions
from tests.generators.meetings.programs import (
    CLASSES,
    DATA,
    DERIVED,
    NODES,
    clauses,
    joining,
    program,
)
from tests.generators.vocabulary import EX, NUMBERS, TYPE
from tests.oracles.metric.dependencies import is_metric
from tests.oracles.rdf.schema_rules import DOMAIN, INVERSE, SUB_CLASS, SUB_PROPERTY, SYMMETRIC
from tests.oracles.streams.history import (
    FrontierMove,
    History,
    HistoryElement,
    HistoryItem,
    ReferenceEnds,
    ReferenceTriples,
    RuleLeaves,
    RulesJoin,
    SaveAndLoad,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rif.syntax.ast import Document
    from rif.syntax.terms import GroundTerm
    from tests.generators.draw import Draw
    from tests.oracles.streams.run import Triple

GRAPHS = "http://g/"
SCHEMA: tuple[Triple, ...] = (
    (DATA[0], SUB_PROPERTY, DATA[1]),
    (DATA[1], SUB_PROPERTY, DATA[0]),
    (DERIVED[0], SUB_PROPERTY, DATA[1]),
    (IRI(EX + "r"), SUB_PROPERTY, DATA[0]),
    (CLASSES[0], SUB_CLASS, CLASSES[1]),
    (DATA[0], DOMAIN, CLASSES[0]),
    (DATA[1], DOMAIN, CLASSES[1]),
    (DATA[0], INVERSE, DATA[1]),
    (DATA[1], TYPE, SYMMETRIC),
)


@dataclass(frozen=True, slots=True)
class Meeting:
    """A history, and how it is run.

    Attributes:
        way: ``library``, ``command``, or ``shards``.
        forms: the format of each source.
        arrival: changes come out as soon as time reaches them.
        small: input is read in small pieces; stores are tiny, and terms are forgotten at once.
        style: how texts are written, a seed.
    """

    history: History
    way: str
    forms: tuple[str, ...]
    arrival: bool
    small: bool
    style: int


@dataclass(frozen=True, slots=True)
class Given:
    """What a meeting does not draw itself.

    Attributes:
        document: the rules; None: it draws some.
        fillers: the objects of triples; (): it draws some.
        unit: how many ticks a step of time has.
        begin: the first time; None: it draws one.
        clock: as `History` has it.
    """

    document: Document | None = None
    fillers: tuple[GroundTerm, ...] = ()
    unit: int = 1
    begin: int | None = None
    clock: str = "integer"


def meeting(draw: Draw, *, pending: bool = False) -> Meeting:
    """A case; with ``pending`` of dimensions too at whose meeting the engine is wrong."""
    wanted = draw_dimensions(draw, pending=pending)
    command = bool(wanted.intersection(COMMAND)) or not (
        wanted.intersection(LIBRARY) or draw.chance(50)
    )
    return meeting_of(draw, wanted, command=command)


def meeting_of(
    draw: Draw, wanted: frozenset[str], *, command: bool = False, given: Given | None = None
) -> Meeting:
    """A case of these dimensions, which can meet."""
    return _Maker(draw, wanted, given or Given(), command=command).made()


def random_meeting(seed: int, *, pending: bool = False) -> Meeting:
    """The case of a seed."""
    return meeting(from_seed(seed), pending=pending)


class _Maker:
    """Elements over few terms; it remembers what it asserted, to retract it."""

    def __init__(self, draw: Draw, wanted: frozenset[str], given: Given, *, command: bool) -> None:
        self._draw = draw
        self._unit, self._clock = given.unit, given.clock
        self._wanted = wanted
        self._command = command
        self._document = given.document or program(draw, wanted)
        literals = () if "entailment" in wanted and draw.chance(50) else NUMBERS[:4]
        self._fillers = (*NODES, *literals)
        if literals and "literals by value" in wanted:
            self._fillers = (*NODES[:2], *literals[:1], *literals[2:4])
        self._fillers = given.fillers or self._fillers
        self._schema = self._draw_schema(has_literals=bool(literals))
        self._asserted: list[tuple[Triple, str]] = []
        self._reference: list[Triple] = []
        self._now = draw.weighted((60, 0), (20, 7), (10, -9), (10, 10**12))
        self._now = self._now if given.begin is None else given.begin
        self._delay = draw.integer(1, 4) * self._unit if "delay" in wanted else 0
        self._number = 0
        self._rows = "triple retracted" in wanted
        self._forms: tuple[str, ...] = ()

    def made(self) -> Meeting:
        draw, wanted = self._draw, self._wanted
        sources = draw.integer(2, 3) if "several sources" in wanted else 1
        self._forms = tuple(self._form(number) for number in range(sources))
        history = History(
            self._document,
            (*self._schema, *self._statics()),
            self._sources(sources),
            semantics="instances" if "instances" in wanted else "facts",
            window=self._window(),
            metric=is_metric(self._document),
            delay=self._delay,
            drain=draw.integer(1, 9) * self._unit if "drain" in wanted else 0,
            regime=self._regime if "entailment" in wanted else "none",
            by_value="literals by value" in wanted,
            clock=self._clock,
        )
        way = ("shards" if "shards" in wanted else "command") if self._command else "library"
        style = draw.integer(0, 999)
        return Meeting(
            self._with_own_windows(history, sources) if "window" in wanted else history,
            way,
            self._forms,
            arrival="order of arrival" in wanted,
            small="small batches" in wanted,
            style=style,
        )

    def _with_own_windows(self, history: History, sources: int) -> History:
        """With windows of predicates and, of a command, of sources; maybe with no other."""
        draw, unit = self._draw, self._unit
        if not draw.chance(50):
            return history
        keys = draw.some((*DATA, DERIVED[0]), 1, 2)
        numbers = draw.some(range(sources), 0, 1) if self._command else []
        if draw.chance(35):
            document = replace(history.document, window=None)
            history = replace(history, document=document, window=None)
        return replace(
            history,
            predicate_windows=tuple((key, draw.integer(0, 6) * unit) for key in keys),
            source_windows=tuple((number, draw.integer(0, 6) * unit) for number in numbers),
        )

    def _window(self) -> int | None:
        draw = self._draw
        if "window" in self._wanted and draw.chance(15):
            return draw.integer(1, 5) * self._unit
        return None

    def _form(self, number: int) -> str:
        wanted = self._wanted
        if "RDF Patch" in wanted and (number == 0 or "TriG" not in wanted):
            return "patch"
        if self._rows:
            return "patch"
        return "trig" if "TriG" in wanted else "nquads"

    def _draw_schema(self, *, has_literals: bool) -> tuple[Triple, ...]:
        if "entailment" not in self._wanted:
            return ()
        regimes = ((70, "rdfs"), (20, "owl-rl"), (0 if self._command else 20, "rdf"))
        self._regime = self._draw.weighted(*regimes)
        some = SCHEMA[:7] if has_literals else SCHEMA
        return tuple(self._draw.some(some, 1, 3))

    def _statics(self) -> tuple[Triple, ...]:
        if not {"static data", "reference data end"} & self._wanted:
            return ()
        count = self._draw.integer(1, 3)
        self._reference = [self._triple(static=True) for _ in range(count)]
        return tuple(self._reference)

    def _triple(self, *, static: bool = False) -> Triple:
        draw = self._draw
        if self._asserted and not static and draw.chance(45):
            s, p, o = draw.choice(self._asserted)[0]
            if p == TYPE or draw.chance(60):
                return s, p, o
            return s, draw.choice((*DATA, DERIVED[0])), o
        if "entailment" in self._wanted and draw.chance(25):
            return draw.choice(NODES), TYPE, draw.choice(CLASSES)
        key = draw.weighted((55, DATA[0]), (35, DATA[1]), (10, DERIVED[0]))
        return draw.choice(NODES[:2]), key, draw.choice(self._fillers)

    def _sources(self, count: int) -> tuple[tuple[HistoryItem, ...], ...]:
        draw = self._draw
        found: list[list[HistoryItem]] = [[] for _ in range(count)]
        documents = [self._document]
        left = {*range(1, len(clauses(self._document)) + 1)}
        for step in range(draw.integer(3, 9)):
            source = draw.integer(0, count - 1)
            items = found[source]
            if step and self._may_retract and draw.chance(35):
                items.append(SaveAndLoad())
                items.append(self._retraction())
                continue
            if step:
                units = draw.weighted((35, 1), (20, 0), (25, 2), (12, 3), (8, 6))
                self._now += units * self._unit
                self._between(items, documents, left)
            form = self._forms[source]
            items.append(self._element(_last_name(items) if form == "trig" else "", first=not step))
        if "order of arrival" in self._wanted or draw.chance(40):
            found[draw.integer(0, count - 1)].append(
                HistoryElement(
                    f"{GRAPHS}end", self._now + draw.integer(1, 8) * self._unit, None, ()
                )
            )
        return tuple(map(tuple, found))

    @property
    def _may_retract(self) -> bool:
        """Whether something can be retracted as soon as an engine is loaded."""
        kinds = {"element retracted", "triple retracted"}
        saves = "saved and loaded" in self._wanted and not self._command
        return saves and bool(self._asserted) and bool(kinds & self._wanted)

    def _retraction(self) -> HistoryElement:
        """An element that retracts, at the stamp of the last one, mostly what that asserted."""
        draw = self._draw
        triple, name = self._asserted[-1] if draw.chance(70) else draw.choice(self._asserted)
        self._number += 1
        own = f"{GRAPHS}{self._number}"
        if "element retracted" in self._wanted:
            return HistoryElement(own, self._now, None, (), (name,))
        return HistoryElement(own, self._now, None, (), (), ((triple, name),))

    def _between(self, items: list[HistoryItem], documents: list[Document], left: set[int]) -> None:
        """What happens between two elements."""
        draw, wanted = self._draw, self._wanted
        if "reference data" in wanted and items and draw.chance(30):
            self._reference.append(self._triple())
            items.append(ReferenceTriples((self._reference[-1],)))
        if "reference data end" in wanted and self._reference and draw.chance(60):
            items.append(ReferenceEnds((draw.choice(self._reference),)))
        if "frontier moved" in wanted and draw.chance(50):
            items.append(FrontierMove(self._now - draw.integer(1, 3) * self._unit))
        saves = "saved and loaded" in wanted
        if saves and draw.chance(35):
            items.append(SaveAndLoad())
        before = len(items)
        if "rules join" in wanted and draw.chance(35):
            name = f"joined{len(documents)}"
            if (more := joining(draw, wanted, documents, name)) is not None:
                left.add(sum(len(clauses(one)) for one in documents) + 1)
                documents.append(more)
                items.append(RulesJoin(more))
        if "rules leave" in wanted and left and draw.chance(30):
            number = draw.choice(sorted(left))
            left.discard(number)
            items.append(RuleLeaves(number))
        # Looking ahead, other rules wait until time comes to them.
        if saves and len(items) > before and "future operator" in wanted:
            items.append(SaveAndLoad())

    def _element(self, last: str, *, first: bool) -> HistoryElement:
        """An element of any name but the ``last`` one."""
        draw, wanted, retracts = self._draw, self._wanted, not first
        self._number += 1
        name = f"{GRAPHS}{draw.integer(1, 3) if draw.chance(30) else self._number}"
        if name == last:
            name = f"{GRAPHS}another{self._number}"
        start = self._now - (draw.integer(0, self._delay) if draw.chance(40) else 0)
        if "late element" in wanted and retracts and draw.chance(30):
            far = draw.integer(1, 4 if len(self._forms) == 1 else 12)
            start -= self._delay + far * self._unit
        names: tuple[str, ...] = ()
        rows: tuple[tuple[Triple, str], ...] = ()
        if retracts and self._asserted:
            if "element retracted" in wanted and draw.chance(55):
                names = (draw.choice(self._asserted)[1],)
            if self._rows and draw.chance(45):
                rows = (draw.choice(self._asserted),)
                if self._command:
                    name = rows[0][1]
                    names = ()
        count = draw.weighted((40, 1), (35, 2), (15, 3), (10, 0))
        if (names or rows) and draw.chance(60):
            count = 0
        some = [self._triple() for _ in range(count)]
        if some and "negation" in wanted and draw.chance(40):
            s, _, o = some[0]
            some.append((s, DATA[1], o))
        triples = tuple(dict.fromkeys(some))
        if self._command:
            triples = tuple(one for one in triples if (one, name) not in rows)
        length = (
            draw.integer(1, 8) * self._unit if "own ends" in wanted and draw.chance(50) else None
        )
        end = None if length is None else start + length
        self._asserted += [(triple, name) for triple in triples]
        return HistoryElement(name, start, end, triples, names, rows)


def _last_name(items: Sequence[HistoryItem]) -> str:
    names = [item.name for item in items if isinstance(item, HistoryElement)]
    return names[-1] if names else ""
