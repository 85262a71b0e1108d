"""The canonical form of XSD 1.1, datatype by datatype: slow, and with the standard library only.

Where datatypes share values it is that of one of them: a whole decimal is an xsd:integer, a text
an xsd:string, a dateTimeStamp a dateTime, no duration at all a dayTimeDuration.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import datetime, timedelta
from fractions import Fraction
from xml.etree import ElementTree as ET

import numpy as np

from rif.syntax.terms import RDF, Literal
from tests.oracles.rdf.values import XSD, _decimal, _double, parts

_BOUNDS = {
    "integer": (None, None),
    "nonNegativeInteger": (0, None),
    "nonPositiveInteger": (None, 0),
    "positiveInteger": (1, None),
    "negativeInteger": (None, -1),
    **{
        name: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        for name, bits in (("long", 64), ("int", 32), ("short", 16), ("byte", 8))
    },
    **{
        f"unsigned{name}": (0, 2**bits - 1)
        for name, bits in (("Long", 64), ("Int", 32), ("Short", 16), ("Byte", 8))
    },
}
_TEXTS = {
    "string": r".*",
    "normalizedString": r"[^\t\r\n]*",
    "token": r"(\S+( \S+)*)?",
    "language": r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*",
    "Name": r"[a-zA-Z_:][-a-zA-Z0-9._:]*",
    "NCName": r"[a-zA-Z_][-a-zA-Z0-9._]*",
    "NMTOKEN": r"[-a-zA-Z0-9._:]+",
}
_FLOAT = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN"
_ZONE = r"(?P<zone>Z|[+-]\d\d:\d\d)?"
_CLOCK = r"(?P<clock>\d\d:\d\d:\d\d)(\.(?P<fraction>\d+))?"
_DATE = r"(?P<date>\d{4}-\d\d-\d\d)"
_DAY_TIME = r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"


def one_form(term: str) -> str:
    """The canonical text of the term that stands for the value of ``term``."""
    found = parts(term)
    if found is None or found[2] or found[1].removeprefix(XSD) not in _FORMS:
        return term
    text, datatype, _ = found
    form = _FORMS[datatype.removeprefix(XSD)](text)
    if form is None:
        return term
    written, name = form
    return str(Literal(written, name if name.startswith("http") else XSD + name))


Form = Callable[[str], tuple[str, str] | None]
"""From a text to the canonical one and its datatype; ``None``: not in the lexical space."""


def _whole(least: int | None, most: int | None) -> Form:
    def form(text: str) -> tuple[str, str] | None:
        if not re.fullmatch(r"[+-]?[0-9]+", text):
            return None
        value = int(text)
        below = least is not None and value < least
        return None if below or (most is not None and value > most) else (str(value), "integer")

    return form


def _exact(text: str) -> tuple[str, str] | None:
    if not re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)", text):
        return None
    found = _decimal(Fraction(text.rstrip(".")))
    return found, "decimal" if "." in found else "integer"


def _double_form(text: str) -> tuple[str, str] | None:
    return (_double(float(text)), "double") if re.fullmatch(_FLOAT, text) else None


def _single_form(text: str) -> tuple[str, str] | None:
    if not re.fullmatch(_FLOAT, text):
        return None
    number = np.float32(text)
    if not np.isfinite(number) or number == 0:
        return _double(float(number)), "float"
    digits, exponent = np.format_float_scientific(number, trim="0").split("e")
    return f"{digits}E{int(exponent)}", "float"


def _boolean(text: str) -> tuple[str, str] | None:
    known = {"1": "true", "true": "true", "0": "false", "false": "false"}
    return (known[text], "boolean") if text in known else None


def _text(pattern: str) -> Form:
    return lambda text: (text, "string") if re.fullmatch(pattern, text, re.DOTALL) else None


def _when(pattern: str, datatype: str) -> Form:
    """A date or time; ``24:00:00`` is the begin of the next day."""

    def form(text: str) -> tuple[str, str] | None:
        found = re.fullmatch(pattern, text)
        if found is None:
            return None
        given = found.groupdict()
        date, clock = given.get("date") or "2000-01-01", given.get("clock") or "00:00:00"
        fraction = (given.get("fraction") or "").rstrip("0")
        late = clock == "24:00:00" and not fraction
        try:
            moment = datetime.fromisoformat(f"{date}T{'00:00:00' if late else clock}")
        except ValueError:
            return None
        moment += timedelta(days=late)
        written = moment.isoformat() + (f".{fraction}" if fraction else "")
        day, _, time = written.partition("T")
        written = {"date": day, "time": time}.get(datatype, written)
        zone = given["zone"] or ""
        return written + ("Z" if zone in {"+00:00", "-00:00"} else zone), datatype

    return form


def _days(text: str) -> tuple[str, str] | None:
    found = re.fullmatch(_DAY_TIME, text)
    if found is None or text.endswith(("P", "T")):
        return None
    sign, *numbers = found.groups()
    days, hours, minutes, seconds = (Fraction(number or 0) for number in numbers)
    rest = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if not rest:
        return "PT0S", "dayTimeDuration"
    out = f"{sign}P"
    for size, letter in ((86400, "D"), (3600, "H"), (60, "M")):
        count, rest = divmod(rest, size)
        if letter == "H" and (count or rest):
            out += "T"
        out += f"{count}{letter}" if count else ""
    return out + (f"{_decimal(rest)}S" if rest else ""), "dayTimeDuration"


def _months(text: str) -> tuple[str, str] | None:
    found = re.fullmatch(r"(-?)P(?:(\d+)Y)?(?:(\d+)M)?", text)
    if found is None or text.endswith("P"):
        return None
    years, months = divmod(12 * int(found[2] or 0) + int(found[3] or 0), 12)
    if not years and not months:
        return "PT0S", "dayTimeDuration"
    parts = f"{years}Y" * bool(years) + f"{months}M" * bool(months)
    return f"{found[1]}P{parts}", "yearMonthDuration"


def _hex(text: str) -> tuple[str, str] | None:
    even = re.fullmatch(r"([0-9a-fA-F]{2})*", text)
    return (bytes.fromhex(text).hex().upper(), "hexBinary") if even else None


def _base64(text: str) -> tuple[str, str] | None:
    squeezed = text.replace(" ", "")
    try:
        data = b64decode(squeezed, validate=True)
    except ValueError:
        return None
    return (squeezed, "base64Binary") if b64encode(data).decode() == squeezed else None


def _xml(text: str) -> tuple[str, str] | None:
    try:
        whole = ET.canonicalize(f"<r>{text}</r>")
    except ET.ParseError:
        return None
    return whole.removeprefix("<r>").removesuffix("</r>"), RDF + "XMLLiteral"


_FORMS: dict[str, Form] = {
    **{name: _whole(*bounds) for name, bounds in _BOUNDS.items()},
    **{name: _text(pattern) for name, pattern in _TEXTS.items()},
    "decimal": _exact,
    "double": _double_form,
    "float": _single_form,
    "boolean": _boolean,
    "dateTime": _when(f"{_DATE}T{_CLOCK}{_ZONE}", "dateTime"),
    "dateTimeStamp": _when(f"{_DATE}T{_CLOCK}{_ZONE.rstrip('?')}", "dateTime"),
    "date": _when(f"{_DATE}{_ZONE}", "date"),
    "time": _when(f"{_CLOCK}{_ZONE}", "time"),
    "dayTimeDuration": _days,
    "yearMonthDuration": _months,
    "hexBinary": _hex,
    "base64Binary": _base64,
    RDF + "XMLLiteral": _xml,
}
"""By local name in XSD, or by IRI. An xsd:anyURI is its own form."""
