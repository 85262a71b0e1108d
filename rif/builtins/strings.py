"""Functions and predicates of strings [RIF-DTB 4.7; XPath-Functions 5].

The domain of an argument is xsd:string and what derives from it, unless said otherwise. Characters
are Unicode code points, counted from 1. A collation as last argument has no value in the domain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import TypeAlias
from urllib.parse import quote

from rif.builtins.numeric import number
from rif.builtins.signatures import Builtin
from rif.syntax.lexical import MAX_RESULT
from rif.syntax.terms import FUNC, PRED, XSD_STRING, GroundTerm, Literal
from rif.values.datatypes import canonical_literal, literal_of
from rif.values.decimals import (
    EXACT,
    canonical_double,
    canonical_exact,
    canonical_single,
    to_double,
)

_Test: TypeAlias = Callable[[str, str], bool]
_Change: TypeAlias = Callable[[str], str]


def string(term: GroundTerm) -> str | None:
    """The characters of an xsd:string; None for any other term."""
    value = canonical_literal(term) if isinstance(term, Literal) else None
    return value.lexical if value is not None and value.datatype == XSD_STRING else None


def as_string(term: GroundTerm) -> str | None:
    """``term`` cast to xsd:string, where that is plain [XPath-Functions 19.1.1].

    Numbers give their canonical form, except that a float or double of moderate size is written
    as the decimal it is; everything else its canonical form.
    """
    if not isinstance(term, Literal) or term.language:
        return None
    numeric = number(term)
    if numeric is not None:
        kind, value = numeric
        return canonical_exact(value) if not isinstance(value, float) else _float_text(kind, value)
    known = canonical_literal(term)
    return None if known is None else known.lexical


def _float_text(kind: str, value: float) -> str:
    canonical = canonical_single(value) if kind == "float" else canonical_double(value)
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    if not 1e-6 <= abs(value) < 1e6:  # noqa: PLR2004 - the bounds of XPath
        return canonical
    mantissa, _, exponent = canonical.partition("E")
    sign, digits = ("-", mantissa[1:]) if mantissa[0] == "-" else ("", mantissa)
    digits = digits.replace(".", "").rstrip("0") or "0"
    point = int(exponent) + 1
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    whole, rest = digits[:point].ljust(point, "0"), digits[point:]
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"


def _predicate(name: str, test: _Test) -> Builtin:
    def evaluate(
        text: GroundTerm, part: GroundTerm, collation: GroundTerm | None = None
    ) -> bool | None:
        one, two = string(text), string(part)
        return None if one is None or two is None or collation is not None else test(one, two)

    return Builtin(PRED + name, "predicate", 2, 3, evaluate)


def _change(name: str, change: _Change) -> Builtin:
    def evaluate(text: GroundTerm) -> Literal | None:
        characters = string(text)
        return None if characters is None else Literal(change(characters))

    return Builtin(FUNC + name, "function", 1, 1, evaluate)


def _compare(
    left: GroundTerm, right: GroundTerm, collation: GroundTerm | None = None
) -> Literal | None:
    one, two = string(left), string(right)
    if one is None or two is None or collation is not None:
        return None
    return literal_of("integer", (one > two) - (one < two))


def _concat(*args: GroundTerm) -> Literal | None:
    texts = [as_string(arg) for arg in args]
    known = [text for text in texts if text is not None]
    if len(known) < len(texts) or sum(map(len, known)) > MAX_RESULT:
        return None
    return Literal("".join(known))


def _join(*args: GroundTerm) -> Literal | None:
    texts = [string(arg) for arg in args]
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        return None
    *parts, between = known
    if sum(map(len, parts)) + len(between) * len(parts) > MAX_RESULT:
        return None
    return Literal(between.join(parts))


def _length(text: GroundTerm) -> Literal | None:
    characters = string(text)
    return None if characters is None else literal_of("integer", len(characters))


def _substring(
    text: GroundTerm, start: GroundTerm, length: GroundTerm | None = None
) -> Literal | None:
    """The characters at positions p with round(start) <= p < round(start) + round(length)."""
    characters, first = string(text), _position(start)
    count = math.inf if length is None else _position(length)
    if characters is None or first is None or count is None:
        return None
    stop = math.inf if length is None else first + count
    if math.isnan(first) or math.isnan(stop):
        return Literal("")
    begin = max(1, min(first, len(characters) + 1))
    end = max(begin, min(stop, len(characters) + 1))
    return Literal(characters[int(begin) - 1 : int(end) - 1])


def _position(term: GroundTerm) -> float | None:
    """A number as fn:round has it: to the nearest integer, half up."""
    numeric = number(term)
    if numeric is None:
        return None
    value = numeric[1]
    if isinstance(value, float):
        if not math.isfinite(value):
            return value
        value = Decimal(value)
    whole = math.floor(value)
    rest = EXACT.subtract(Decimal(value), Decimal(whole))
    return to_double(whole + (rest >= _HALF))


_HALF = Decimal("0.5")


def _before(
    text: GroundTerm, part: GroundTerm, collation: GroundTerm | None = None
) -> Literal | None:
    one, two = string(text), string(part)
    if one is None or two is None or collation is not None:
        return None
    before, match, _ = one.partition(two) if two else ("", "", "")
    return Literal(before if match else "")


def _after(
    text: GroundTerm, part: GroundTerm, collation: GroundTerm | None = None
) -> Literal | None:
    one, two = string(text), string(part)
    if one is None or two is None or collation is not None:
        return None
    return Literal(one.partition(two)[2] if two else one)


def _escaper(safe: str) -> _Change:
    return lambda text: quote(text, safe=safe)


_PRINTABLE = "".join(chr(code) for code in range(0x20, 0x7F))

BUILTINS: tuple[Builtin, ...] = (
    _predicate("contains", lambda text, part: part in text),
    _predicate("starts-with", lambda text, part: text.startswith(part)),
    _predicate("ends-with", lambda text, part: text.endswith(part)),
    Builtin(FUNC + "compare", "function", 2, 3, _compare),
    Builtin(FUNC + "concat", "function", 2, None, _concat),
    Builtin(FUNC + "string-join", "function", 2, None, _join),
    Builtin(FUNC + "substring", "function", 2, 3, _substring),
    Builtin(FUNC + "string-length", "function", 1, 1, _length),
    _change("upper-case", str.upper),
    _change("lower-case", str.lower),
    _change("encode-for-uri", _escaper("-_.~")),
    _change("iri-to-uri", _escaper("".join(c for c in _PRINTABLE if c not in '<>" {}|\\^`'))),
    _change("escape-html-uri", _escaper(_PRINTABLE)),
    Builtin(FUNC + "substring-before", "function", 2, 3, _before),
    Builtin(FUNC + "substring-after", "function", 2, 3, _after),
)
