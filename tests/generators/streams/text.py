"""Sources as N-Quads, static files as N-Triples, in the many ways in which one writes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax.terms import IRI, XSD, BlankNode, GroundTerm, Literal
from tests.oracles.streams.run import DefaultGraphTriple, Element, ScenarioItem, Triple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.generators.draw import Draw

PROV = "http://www.w3.org/ns/prov#"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r"}


def triples_text(draw: Draw, triples: Iterable[Triple]) -> str:
    return "".join(f"{_statement(draw, triple)} .\n" for triple in triples)


def source_text(draw: Draw, items: Sequence[ScenarioItem], clock: str) -> str:
    """Text of which a reader makes just these items, completed in this order.

    A default-graph triple is read before an element that is not complete yet, wherever it stands
    in it; an empty line completes an element where nothing else does.
    """
    lines: list[str] = []
    loose: list[str] = []
    pending: str | None = None
    for item in items:
        if isinstance(item, DefaultGraphTriple):
            if pending is not None:
                lines.append("")
                pending = None
            loose.append(f"{_statement(draw, item.triple)} .")
            continue
        if pending == item.name or (pending is not None and draw.chance(10)):
            lines.append("")
        block = _element(draw, item, clock)
        for line in loose:
            block.insert(draw.integer(0, len(block)), line)
        lines += block
        loose, pending = [], item.name
    return "".join(f"{line}\n" for line in lines + loose)


def _element(draw: Draw, element: Element, clock: str) -> list[str]:
    """The quads with the stamps before, among or after them."""
    lines = [f"{_statement(draw, triple)} <{element.name}> ." for triple in element.triples]
    stamps = []
    if element.start is not None:
        stamps.append(("generatedAtTime", element.start))
        if draw.chance(3):
            stamps.append(("generatedAtTime", element.start))
    if element.end is not None:
        stamps.append(("invalidatedAtTime", element.end))
    for name, time in stamps:
        line = f"<{element.name}> <{PROV}{name}> {_stamp(draw, time, clock)} ."
        lines.insert(draw.integer(0, len(lines)) if draw.chance(40) else 0, line)
    return lines


def _stamp(draw: Draw, time: Fraction | int, clock: str) -> str:
    if clock == "integer":
        assert isinstance(time, int)
        sign, digits = ("-" if time < 0 else ""), str(abs(time))
        if draw.chance(10):
            sign, digits = sign or "+", f"0{digits}"
        kind = draw.weighted((90, "integer"), (10, "long"))
        return f'"{sign}{digits}"^^<{XSD}{kind}>'
    micros = Fraction(time) * 1000
    assert micros.denominator == 1
    moment = EPOCH + timedelta(microseconds=int(micros))
    zone = draw.weighted((70, "Z"), (10, ""), (10, "+02:00"), (10, "-05:30"))
    if zone not in {"", "Z"}:
        hours, minutes = int(zone[1:3]), int(zone[4:])
        offset = timedelta(hours=hours, minutes=minutes) * (1 if zone[0] == "+" else -1)
        moment = moment.astimezone(timezone(offset))
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f"{moment.microsecond:06}".rstrip("0")
    if draw.chance(20):
        fraction += "0"
    return f'"{text}{"." + fraction if fraction else ""}{zone}"^^<{XSD}dateTime>'


def _statement(draw: Draw, triple: Triple) -> str:
    blank = "  " if draw.chance(4) else " "
    return blank.join(_term(draw, term) for term in triple)


def _term(draw: Draw, term: GroundTerm) -> str:
    match term:
        case IRI(iri):
            return f"<{iri}>"
        case BlankNode(label):
            return f"_:{label}"
        case Literal(lexical, datatype, tag):
            quoted = f'"{"".join(_character(draw, char) for char in lexical)}"'
            if tag:
                return f"{quoted}@{tag.upper() if draw.chance(30) else tag}"
            if datatype == XSD + "string" and not draw.chance(20):
                return quoted
            return f"{quoted}^^<{datatype}>"
    raise TypeError(term)


def _character(draw: Draw, char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    if char == "\t":
        return "\\t" if draw.chance(50) else char
    if draw.chance(50 if char > "\x7f" else 2):
        return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08X}"
    return char
