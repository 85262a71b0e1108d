"""Meetings as texts: rules, and the streams in their formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.generators.draw import Draw, from_seed
from tests.generators.rules.event_text import EventWriter
from tests.generators.streams.text import PROV
from tests.oracles.rules.formulas import text
from tests.oracles.streams.history import (
    HistoryElement,
    HistoryItem,
    ReferenceEnds,
    ReferenceTriples,
    RulesJoin,
)
from tests.oracles.streams.output_lines import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rif.syntax.ast import Document
    from tests.generators.meetings.histories import Meeting
    from tests.oracles.streams.run import Triple

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
DATE_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"
RETRACTS = "<urn:r4:retracts>"
SUFFIXES = {"nquads": "nq", "trig": "trig", "patch": "rdfp"}


def rules_text(document: Document, style: int) -> str:
    """A document in presentation syntax."""
    return EventWriter(from_seed(style), document.prefixes).document(document)


def triples_text(triples: Iterable[Triple]) -> str:
    return "".join(f"{_spo(triple)} .\n" for triple in triples)


def source_text(items: Sequence[HistoryItem], form: str, style: int, clock: str = "integer") -> str:
    """A source in a format, of which a reader makes just these items, completed in this order."""
    draw = from_seed(style)
    if form == "patch":
        return "".join(f"TX .\n{_transaction(draw, item, clock)}TC .\n" for item in items)
    if form == "trig":
        return _trig(items, clock)
    return "\n".join(_lines(draw, item, clock) for item in items)


def meeting_text(case: Meeting) -> str:
    """Everything that is needed to see it fail by hand."""
    given = case.history
    options = (
        f"{case.way} semantics={given.semantics} window={given.window} delay={given.delay}"
        f" windows={[*given.source_windows, *given.predicate_windows]}"
        f" drain={given.drain} entailment={given.regime} by_value={given.by_value}"
        f" numbers={given.numbers}"
        f" arrival={case.arrival} small={case.small} clock={given.clock}"
    )
    found = [options, rules_text(given.document, case.style)]
    found += [f"static {_spo(triple)}" for triple in given.statics]
    for number, items in enumerate(given.sources):
        found.append(f"source {number} {case.forms[number]}")
        for item in items:
            match item:
                case HistoryElement(name, start, end, triples, names, rows):
                    found.append(f"  <{name}> at {start} until {end} {list(map(_spo, triples))}")
                    found += [f"      retracts <{one}>" for one in names]
                    found += [f"      retracts {_spo(row)} of <{one}>" for row, one in rows]
                case ReferenceTriples(triples):
                    found.append(f"  reference {list(map(_spo, triples))}")
                case ReferenceEnds(triples):
                    found.append(f"  reference ends {list(map(_spo, triples))}")
                case RulesJoin(document):
                    found.append(f"  join {rules_text(document, case.style)}")
                case _:
                    found.append(f"  {item}")
    return "\n".join(found)


def _spo(triple: Triple) -> str:
    return " ".join(map(text, triple))


def _statements(item: HistoryItem, clock: str) -> tuple[list[str], list[str]]:
    """Statements of the default graph, and of the graph of an element."""
    if isinstance(item, ReferenceTriples):
        return list(map(_spo, item.triples)), []
    assert isinstance(item, HistoryElement)
    stamps = [("generatedAtTime", item.start)]
    stamps += [] if item.end is None else [("invalidatedAtTime", item.end)]
    kind = INTEGER if clock == "integer" else DATE_TIME
    found = [f'<{item.name}> <{PROV}{key}> "{stamp(at, clock)}"^^<{kind}>' for key, at in stamps]
    found += [f"<{item.name}> {RETRACTS} <{name}>" for name in item.names]
    return found, list(map(_spo, item.triples))


def _lines(draw: Draw, item: HistoryItem, clock: str) -> str:
    """N-Quads; an empty line after them completes an element."""
    plain, own = _statements(item, clock)
    if isinstance(item, HistoryElement):
        own = [f"{one} <{item.name}>" for one in own]
    if draw.chance(40):
        plain, own = own, plain
    return "".join(f"{one} .\n" for one in (*plain, *own))


def _transaction(draw: Draw, item: HistoryItem, clock: str) -> str:
    plain, own = _statements(item, clock)
    lines = [f"A {one} .\n" for one in plain]
    if isinstance(item, HistoryElement):
        more = [f"D {_spo(row)} <{name}> .\n" for row, name in item.rows]
        more += [f"A {one} <{item.name}> .\n" for one in own]
        lines = [*lines, *more] if draw.chance(60) else [*more, *lines]
    return "".join(lines)


def _trig(items: Sequence[HistoryItem], clock: str) -> str:
    """TriG has no empty lines that count: the stamp of an element completes the one before it.

    What follows the stamp, a triple of the default graph included, is read after that.
    """
    found: list[str] = []
    loose: list[str] = []
    last = ""
    for item in items:
        plain, own = _statements(item, clock)
        if isinstance(item, ReferenceTriples):
            loose += plain
            continue
        assert isinstance(item, HistoryElement)
        assert item.name != last, "nothing completes the one before"
        last = item.name
        found += [f"{one} .\n" for one in (*plain[:1], *loose, *plain[1:])]
        found.append(f"<{item.name}> {{ {' . '.join(own)} }}\n" if own else "")
        loose = []
    assert not loose, "nothing completes the last element"
    return "".join(found)
