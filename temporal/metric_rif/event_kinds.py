"""Event times as kinds of formula of RIF: `EVENT_KINDS`, a row each.

::

    at    = "At" TERM "(" ATOMIC ")" | "From" TERM "(" ATOMIC ")" | "Ended" TERM TERM "(" ATOMIC ")"
    every = "Every" duration ["offset" duration] ["zone" STRING] ["at" TERM]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NoReturn

from rete.planning.planned_kind import PlannedKind
from rif.errors.base import RuleError, Span
from rif.errors.checks import BadCalendar, NotAFact
from rif.errors.report import shorten
from rif.syntax import ast
from rif.syntax.formula_kinds import FormulaSink, FormulaSource, XmlForm
from rif.syntax.terms import IRI
from rif.text.aggregate_parser import begins_aggregate
from temporal.intervals.durations import DurationLiteral
from temporal.metric_rif.events import MONTH, At, Ended, EventFormula, Every, From
from temporal.metric_rif.syntax import parse_duration

if TYPE_CHECKING:
    from rete.planning.lowering import Lowering

_ANY: Final = ast.Constant(IRI("urn:r4:any"))
"""Stands for a term that is not read yet."""


# At, From, Ended


def _fact(parser: FormulaSource) -> ast.Formula:
    first = parser.at
    found = parser.one_formula()
    if not isinstance(found, ast.Atom | ast.Frame | ast.Member):
        message = "expected an atom, a frame or a membership"
        parser.note(NotAFact(message, parser.since(first)))
    return found


def _parse_at(parser: FormulaSource) -> At:
    time = parser.needed_term()
    return At(_fact(parser), time)


def _parse_from(parser: FormulaSource) -> From:
    element = parser.needed_term()
    return From(_fact(parser), element)


def _parse_ended(parser: FormulaSource) -> Ended:
    begin, end = parser.needed_term(), parser.needed_term()
    return Ended(_fact(parser), begin, end)


def _write_event(formula: EventFormula, writer: FormulaSink) -> list[str]:
    terms = " ".join(map(writer.term, formula.terms))
    opening = f"{type(formula).__name__} {terms} "
    return writer.call(opening, [writer.formula(formula.body)])


def _checked(found: EventFormula, span: Span) -> EventFormula:
    if not isinstance(found.body, ast.Atom | ast.Frame | ast.Member):
        message = "expected an atom, a frame or a membership"
        raise NotAFact(message, span)
    return found


# Every


def _parse_every(parser: FormulaSource) -> Every:
    period = _duration(parser, months=True)
    offset = _duration(parser) if _accept_word(parser, "offset") else None
    zone = None
    if _accept_word(parser, "zone"):
        text = parser.expect("string", "that names a zone")
        zone = text[1:-1]
    time = parser.needed_term() if _accept_word(parser, "at") else None
    return Every(period, offset, zone, time)


def _accept_word(parser: FormulaSource, word: str) -> bool:
    if parser.kind != "name" or parser.values[parser.at] != word:
        return False
    parser.at += 1
    return True


def _duration(parser: FormulaSource, *, months: bool = False) -> DurationLiteral:
    at = parser.at
    text = parser.values[at]
    if parser.kind != "number":
        _fail(parser, f"expected a duration, found {shorten(text) or 'the end'}")
    parser.at += 1
    unit = ""
    if parser.kind == "name" and _may_be_unit(parser):
        unit = parser.values[parser.at]
        parser.at += 1
    span = parser.since(at)
    try:
        return read_duration(text, unit, span, months=months)
    except RuleError as fault:
        return parser.fail(fault)


def _may_be_unit(parser: FormulaSource) -> bool:
    """Whether a word is a unit, though perhaps one that there is not; else something follows."""
    word = parser.values[parser.at]
    is_other = word in {"offset", "zone", "at"} or begins_aggregate(parser)
    return word.islower() and not is_other


def read_duration(text: str, unit: str, span: Span, *, months: bool) -> DurationLiteral:
    """A duration; with ``months`` a whole number of months, too.

    Raises:
        RuleError: It is none.
    """
    if months and unit in {MONTH, f"{MONTH}s"}:
        if not text.isdecimal() or int(text) == 0:
            message = "a period of months is a whole number, 1 or more"
            raise BadCalendar(message, span)
        return DurationLiteral(text, MONTH)
    found = parse_duration(f"{text} {unit}".rstrip(), span)
    if found.number is None:
        message = "a calendar has no endless durations"
        raise BadCalendar(message, span)
    return found


def _fail(parser: FormulaSource, message: str) -> NoReturn:
    parser.fail(BadCalendar(message, parser.here()))


def _write_every(formula: Every, writer: FormulaSink) -> list[str]:
    words = [f"Every {formula.period}"]
    if formula.offset is not None:
        words.append(f"offset {formula.offset}")
    if formula.zone is not None:
        words.append(f'zone "{formula.zone}"')
    if formula.time is not None:
        words.append(f"at {writer.term(formula.time)}")
    return [" ".join(words)]


def _every_from_xml(
    values: Mapping[str, str], _parts: tuple[ast.Formula, ...], span: Span
) -> Every:
    period = _literal(values["period"], span, months=True)
    offset = values.get("offset")
    return Every(
        period,
        None if offset is None else _literal(offset, span),
        values.get("zone"),
        _ANY if "time" in values else None,
    )


def _literal(text: str, span: Span, *, months: bool = False) -> DurationLiteral:
    amount, _, unit = text.strip().partition(" ")
    return read_duration(amount, unit.strip(), span, months=months)


def _every_to_xml(formula: Every) -> Mapping[str, str]:
    values = {"period": str(formula.period), "offset": formula.offset, "zone": formula.zone}
    return {name: str(value) for name, value in values.items() if value is not None}


# lowering: plans come with numpy, which those who only read rules need not load


def _lower(lowering: Lowering, formula: ast.Formula) -> None:
    from temporal.metric_rif.event_lowering import lower_event  # noqa: PLC0415

    lower_event(lowering, formula)


def _kind(
    node: type[At | From | Ended],
    parse: Callable[[FormulaSource], EventFormula],
    *terms: str,
) -> PlannedKind[EventFormula, Lowering]:
    """The row of a formula about a fact, with these terms of its own."""
    return PlannedKind(
        node.__name__,
        node,
        parse=parse,
        write=_write_event,
        xml=XmlForm(
            (),
            1,
            read=lambda _, parts, span: _checked(node(parts[0], *[_ANY] * len(terms)), span),
            write=lambda _: {},
            terms=terms,
        ),
        lower=_lower,
    )


EVENT_KINDS: Final = (
    _kind(At, _parse_at, "time"),
    _kind(From, _parse_from, "element"),
    _kind(Ended, _parse_ended, "begin", "end"),
    PlannedKind(
        "Every",
        Every,
        parse=_parse_every,
        write=_write_every,
        xml=XmlForm(
            ("period", "offset", "zone"),
            0,
            read=_every_from_xml,
            write=_every_to_xml,
            terms=("time",),
            optional=frozenset(("offset", "zone", "time")),
        ),
        lower=_lower,
    ),
)
"""The rows of event times and the calendar."""
