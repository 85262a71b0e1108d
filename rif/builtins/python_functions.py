"""Functions of one's own: a Python function as a built-in.

``python_builtin("urn:ex:celsius", lambda fahrenheit: (fahrenheit - 32) / Decimal("1.8"))`` takes an
integer or a decimal as the ``int`` or `Decimal` that it is, and its value is an xsd:decimal.

| term | in Python |
|---|---|
| xsd:integer and what derives from it | ``int`` |
| xsd:decimal | `Decimal` |
| xsd:double, xsd:float | ``float``; back it is an xsd:double |
| xsd:string and what derives from it | ``str`` |
| xsd:boolean | ``bool`` |
| xsd:dateTime with a zone | `datetime` with a zone |
| xsd:date without a zone | `date` |
| xsd:time | `time` |
| xsd:dayTimeDuration | `timedelta` |
| any other; years, digits of seconds or days that Python does not have | the term itself |
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import singledispatch
from typing import Final, TypeAlias
from typing import Literal as Choice

from rif.builtins.signatures import Builtin, OutsideDomain
from rif.syntax.iri import is_absolute
from rif.syntax.terms import (
    IRI,
    XSD,
    XSD_STRING,
    BlankNode,
    GroundList,
    GroundTerm,
    Literal,
    Local,
)
from rif.values.datatypes import canonical_literal, literal_of, numeric_value
from rif.values.date_arithmetic import SECOND, ticks, ticks_literal
from rif.values.decimals import fits

PythonValue: TypeAlias = (
    int | Decimal | float | str | bool | datetime | date | time | timedelta | GroundTerm
)
"""What a function of one's own takes and gives."""

_MICROSECOND: Final = SECOND // 10**6
_LONG_FRACTION: Final = re.compile(r"\.[0-9]{7}")
_LABEL: Final = re.compile(r"_:[^\s<>\"{}|^`\\]+")


def python_builtin(
    iri: str,
    function: Callable[..., object],
    *,
    version: str = "",
    predicate: bool | None = None,
) -> Builtin:
    """The built-in that calls ``function``; it should be pure, as results are remembered.

    Where it raises an exception, gives None, or what is no value of RDF, the arguments are outside
    its domain.

    Args:
        iri: its name.
        function: called with as many arguments as its signature has positional parameters.
        version: what its author calls this version; states are restored with the same one only.
        predicate: whether it makes a formula, and gives a bool; None: if it is annotated so.

    Raises:
        TypeError: it cannot be called with positional arguments alone.
        ValueError: ``iri`` is no absolute IRI.
    """
    if not is_absolute(iri):
        message = f"{iri!r} is no absolute IRI"
        raise ValueError(message)
    least, most, gives_bool = _signature(iri, function)
    is_predicate = gives_bool if predicate is None else predicate
    result = _truth if is_predicate else _term

    def evaluate(*terms: GroundTerm) -> bool | GroundTerm | None:
        try:
            found = function(*map(python_value, terms))
            return None if found is None else result(found)
        except Exception as error:  # noqa: BLE001 - whatever it is, the run goes on
            raise OutsideDomain(_last_line(error)) from None

    kind: Choice["predicate", "function"] = "predicate" if is_predicate else "function"
    return Builtin(iri, kind, least, most, evaluate, version=version)


def _signature(iri: str, function: Callable[..., object]) -> tuple[int, int | None, bool]:
    """The least and the greatest number of arguments, and whether a bool is announced."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # some that are written in C have none
        return 0, None, False
    least, most = 0, 0
    endless = False
    for each in signature.parameters.values():
        if each.kind is each.VAR_POSITIONAL:
            endless = True
        elif each.kind in {each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD}:
            most += 1
            least += each.default is each.empty
        elif each.kind is each.KEYWORD_ONLY and each.default is each.empty:
            message = f"{iri}: rules have no keyword for the argument {each.name}"
            raise TypeError(message)
    return least, None if endless else most, signature.return_annotation in {bool, "bool"}


def _last_line(error: Exception) -> str:
    """As a traceback ends, but for `OutsideDomain`, whose text alone is the reason."""
    try:
        text = "".join(str(error).strip().splitlines()[-1:])
    except Exception:  # noqa: BLE001 - of a class with a text that fails the name is left
        text = ""
    if isinstance(error, OutsideDomain):
        return text
    name = type(error).__name__
    return f"{name}: {text}" if text else name


# to Python


def python_value(term: GroundTerm) -> PythonValue:
    """A term as Python has it; the term itself if Python has no such value."""
    if not isinstance(term, Literal) or term.language:
        return term
    number = numeric_value(term)
    if number is not None:
        return number[1]
    canonical = canonical_literal(term)
    read = None if canonical is None else _READ.get(canonical.datatype)
    value = None if read is None or canonical is None else read(canonical)
    return term if value is None else value


def _duration(canonical: Literal) -> timedelta | None:
    microseconds, rest = divmod(ticks(canonical) or 0, _MICROSECOND)
    try:
        return None if rest else timedelta(microseconds=microseconds)
    except OverflowError:
        return None


def _moment(read: Callable[[str], PythonValue]) -> Callable[[Literal], PythonValue | None]:
    def value(canonical: Literal) -> PythonValue | None:
        if _LONG_FRACTION.search(canonical.lexical):
            return None
        try:
            found = read(canonical.lexical)
        except ValueError:  # a year that Python does not have, or a date with a zone
            return None
        return None if isinstance(found, datetime) and found.tzinfo is None else found

    return value


_READ: Final[Mapping[str, Callable[[Literal], PythonValue | None]]] = {
    XSD_STRING: lambda canonical: canonical.lexical,
    XSD + "boolean": lambda canonical: canonical.lexical == "true",
    XSD + "dayTimeDuration": _duration,
    XSD + "dateTime": _moment(datetime.fromisoformat),
    XSD + "date": _moment(date.fromisoformat),
    XSD + "time": _moment(time.fromisoformat),
}
"""By the datatype of a canonical literal: its value; None: Python does not have it."""


# from Python


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    message = f"a predicate gives True or False, not a {_type_name(value)}"
    raise OutsideDomain(message)


def _type_name(value: object) -> str:
    """``int``, ``numpy.int64``."""
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _term(value: object) -> GroundTerm:
    """The term of a value that a function has given; raises `OutsideDomain` if there is none."""
    found = _literal(value)
    if found is None:
        message = f"no value of RDF: a {_type_name(value)}"
        raise OutsideDomain(message)
    if not _is_well_formed(found):
        message = f"no value of RDF: {str(value)[:100]!r}"
        raise OutsideDomain(message)
    return found


@singledispatch
def _literal(_: object) -> GroundTerm | None:
    """The term of a value, by its type; None: it has none."""
    return None


@_literal.register(IRI)
@_literal.register(BlankNode)
@_literal.register(Local)
@_literal.register(Literal)
@_literal.register(GroundList)
def _as_it_is(value: GroundTerm) -> GroundTerm:
    return value


@_literal.register
def _(value: bool) -> GroundTerm:  # noqa: FBT001 - its type decides
    return Literal(str(value).lower(), XSD + "boolean")


@_literal.register
def _(value: int) -> GroundTerm | None:
    return literal_of("integer", int(value)) if fits(value) else None  # of an Enum the number


@_literal.register
def _(value: Decimal) -> GroundTerm | None:
    return literal_of("decimal", Decimal(value)) if value.is_finite() and fits(value) else None


@_literal.register
def _(value: float) -> GroundTerm:
    return literal_of("double", float(value))


@_literal.register
def _(value: str) -> GroundTerm:
    return Literal(str.__str__(value))


@_literal.register
def _(value: datetime) -> GroundTerm | None:
    if value.tzinfo is None:
        message = "a datetime without a zone"
        raise OutsideDomain(message)
    return canonical_literal(Literal(value.isoformat(), XSD + "dateTime"))


@_literal.register
def _(value: date) -> GroundTerm:
    return Literal(value.isoformat(), XSD + "date")


@_literal.register
def _(value: time) -> GroundTerm | None:
    return canonical_literal(Literal(value.isoformat(), XSD + "time"))


@_literal.register
def _(value: timedelta) -> GroundTerm | None:
    return ticks_literal(value // timedelta(microseconds=1) * _MICROSECOND)


def _is_well_formed(term: GroundTerm) -> bool:
    """Whether it can be written: its characters are those of a text, its IRIs absolute."""
    match term:
        case IRI():
            return is_absolute(term.value)
        case Literal():
            return is_absolute(term.datatype) and _is_text(term.lexical)
        case GroundList():
            return all(map(_is_well_formed, term.items))
    return _LABEL.fullmatch(str(term)) is not None


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
