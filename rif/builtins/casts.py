"""Casts: the functions that are named as the datatype of their value [RIF-DTB 4.4].

What may be cast to what, and to which value, is the table of [XPath-Functions 19]. RIF-DTB adds
that any string is an xsd:anyURI, that an xsd:dateTimeStamp needs a zone, and xsd:string of an
rdf:XMLLiteral, rdf:XMLLiteral of a string and rdf:PlainLiteral of what xsd:string takes.
The argument counts by its value, so "3.0"^^xsd:decimal is cast as the integer 3 is. The result has
the datatype that was asked for, in canonical form, also where the argument was of it already: a
cast never changes a value that the datatype has. Outside the domain is whatever XPath refuses.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from decimal import Decimal
from typing import TypeAlias

from rif.builtins.signatures import DATATYPES, Builtin
from rif.builtins.strings import as_string
from rif.syntax.terms import RDF, XSD, XSD_STRING, GroundTerm, Literal
from rif.values.datatypes import RANGES, Number, canonical_literal, literal_of, numeric_value
from rif.values.date_arithmetic import (
    moment,
    moment_literal,
    months,
    months_literal,
    ticks,
    ticks_literal,
)
from rif.values.decimals import Exact, round_to_single, to_double, to_single

_Convert: TypeAlias = Callable[[Literal, str], Literal | None]
"""A canonical literal that is no string, and the datatype to cast it to."""

_PRESERVED = str.maketrans("\t\n\r", "   ")


def _read(text: str, datatype: str) -> Literal | None:
    """The literal of the datatype, in canonical form; None outside its lexical space."""
    value = canonical_literal(Literal(text, datatype))
    if value is not None and datatype == XSD + "yearMonthDuration":
        return months_literal(months(value) or 0)  # the canonical empty duration is of the other
    return None if value is None else Literal(value.lexical, datatype)


def _from_string(text: str, datatype: str) -> Literal | None:
    """``text`` read after its white space is treated as the datatype says [XSD 4.3.6]."""
    if datatype in {XSD_STRING, RDF + "XMLLiteral"}:
        return _read(text, datatype)
    if datatype == XSD + "normalizedString":
        return _read(text.translate(_PRESERVED), datatype)
    # Not str.split(): it knows other white space than XSD.
    words = text.translate(_PRESERVED).split(" ")
    return _read(" ".join(word for word in words if word), datatype)


def _string(value: Literal, datatype: str) -> Literal | None:
    """Of anything that is written as a string."""
    if value.datatype == RDF + "XMLLiteral" and datatype != XSD_STRING:
        return None
    text = as_string(value)
    return None if text is None else _read(text, datatype)


# numbers


def _number(value: Literal) -> Number | None:
    """A number, or 1 or 0 of a boolean."""
    if value.datatype == XSD + "boolean":
        return "integer", int(value.lexical == "true")
    return numeric_value(value)


def _exact(value: Literal) -> Exact | None:
    """A number, exactly; None if it is infinite or NaN."""
    numeric = _number(value)
    if numeric is None:
        return None
    number = numeric[1]
    if not isinstance(number, float):
        return number
    return Decimal(number) if math.isfinite(number) else None


def _integer(value: Literal, datatype: str) -> Literal | None:
    """Truncated toward zero; only then must it be in the range of the datatype."""
    number = _exact(value)
    return None if number is None else _read(str(int(number)), datatype)


def _decimal(value: Literal, _: str) -> Literal | None:
    number = _exact(value)
    return None if number is None else literal_of("decimal", Decimal(number))


def _double(value: Literal, _: str) -> Literal | None:
    """The nearest; infinite beyond the largest."""
    numeric = _number(value)
    if numeric is None:
        return None
    number = numeric[1]
    return literal_of("double", number if isinstance(number, float) else to_double(number))


def _float(value: Literal, _: str) -> Literal | None:
    """The nearest; infinite beyond the largest."""
    numeric = _number(value)
    if numeric is None:
        return None
    number = numeric[1]
    single = round_to_single(number) if isinstance(number, float) else to_single(number)
    return literal_of("float", single)


def _boolean(value: Literal, datatype: str) -> Literal | None:
    """False of zero and of NaN."""
    numeric = _number(value)
    if numeric is None:
        return None
    number = numeric[1]
    is_false = number == 0 or number != number  # noqa: PLR0124 - only NaN differs from itself
    return Literal("false" if is_false else "true", datatype)


# dates, times and durations


def _same_datatype(value: Literal, datatype: str) -> Literal | None:
    """Of a value of the datatype only."""
    return _read(value.lexical, datatype) if value.datatype == datatype else None


def _date_time(value: Literal, datatype: str) -> Literal | None:
    """Of a date its first instant."""
    start = moment(value, "date") or moment(value, "dateTime")
    literal = None if start is None else moment_literal(start, "dateTime")
    return None if literal is None else _read(literal.lexical, datatype)


def _date(value: Literal, _: str) -> Literal | None:
    """Of a dateTime without its time, in the same zone."""
    start = moment(value, "date") or moment(value, "dateTime")
    return None if start is None else moment_literal(start, "date")


def _time(value: Literal, _: str) -> Literal | None:
    """Of a dateTime without its date, in the same zone."""
    start = moment(value, "time") or moment(value, "dateTime")
    return None if start is None else moment_literal(start, "time")


def _months(value: Literal, _: str) -> Literal | None:
    """The months of a duration: none of a dayTimeDuration."""
    amount = 0 if ticks(value) is not None else months(value)
    return None if amount is None else months_literal(amount)


def _ticks(value: Literal, _: str) -> Literal | None:
    """The days and seconds of a duration: none of a yearMonthDuration."""
    amount = 0 if months(value) is not None else ticks(value)
    return None if amount is None else ticks_literal(amount)


# bytes


def _hex(value: Literal, datatype: str) -> Literal | None:
    if value.datatype == XSD + "base64Binary":
        return Literal(b64decode(value.lexical).hex().upper(), datatype)
    return _same_datatype(value, datatype)


def _base64(value: Literal, datatype: str) -> Literal | None:
    if value.datatype == XSD + "hexBinary":
        return Literal(b64encode(bytes.fromhex(value.lexical)).decode("ascii"), datatype)
    return _same_datatype(value, datatype)


_CONVERT: dict[str, _Convert] = {
    "decimal": _decimal,
    **dict.fromkeys(RANGES, _integer),
    "float": _float,
    "double": _double,
    "boolean": _boolean,
    "date": _date,
    "dateTime": _date_time,
    "dateTimeStamp": _date_time,
    "time": _time,
    "dayTimeDuration": _ticks,
    "yearMonthDuration": _months,
    "anyURI": _same_datatype,
    "hexBinary": _hex,
    "base64Binary": _base64,
}


def _cast(datatype: str, convert: _Convert) -> Builtin:
    def evaluate(term: GroundTerm) -> Literal | None:
        value = canonical_literal(term) if isinstance(term, Literal) else None
        if value is None or value.language:
            return None
        if value.datatype == XSD_STRING:
            return _from_string(value.lexical, datatype)
        return convert(value, datatype)

    return Builtin(datatype, "function", 1, 1, evaluate)


def _plain(term: GroundTerm) -> Literal | None:
    """A literal with a language as it is; else the plain literal that is the string."""
    if isinstance(term, Literal) and term.language:
        return term
    text = as_string(term)
    return None if text is None else Literal(text)


BUILTINS: tuple[Builtin, ...] = (
    *(_cast(XSD + name, _CONVERT.get(name, _string)) for name in DATATYPES),
    _cast(RDF + "XMLLiteral", _same_datatype),
    Builtin(RDF + "PlainLiteral", "function", 1, 1, _plain),
)
