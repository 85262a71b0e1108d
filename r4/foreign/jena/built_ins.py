"""What the built-ins of Jena's rules are in R4."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from r4.foreign.errors import NoCounterpart
from r4.foreign.formulas import (
    conjunction,
    constant,
    disjunction,
    exists,
    holds,
    negation,
    value_of,
    variable,
)
from r4.foreign.jena.parser import Call
from rif.errors.base import Span
from rif.errors.nearest import nearest_word
from rif.regex import RegexError, compile_pattern
from rif.syntax import ast
from rif.syntax.terms import FUNC, IRI, PRED, RDF_LANG_STRING, XSD, GroundTerm, Literal
from rif.values.datatypes import KNOWN

Terms: TypeAlias = tuple[ast.Term, ...]


class _BuiltIn(NamedTuple):
    """How many arguments a built-in has, ``most`` None: any number; and what it is."""

    least: int
    most: int | None
    translate: Callable[[Terms], ast.Formula]


RDFS_LITERAL: Final = "http://www.w3.org/2000/01/rdf-schema#Literal"
_OTHERS: Final = ("string", "boolean", "dayTimeDuration", "yearMonthDuration")
"""Datatypes that R4 orders, and Jena does not."""
_SKOLEM: Final = "rules make no blank nodes: make an IRI by uriConcat('urn:…', ?x, ?new)"
_ENDS: Final = "an answer ends when its reasons do: nothing is removed by a rule"
_REFUSED: Final[Mapping[str, str]] = {
    "now": "rules know the time of the data: in RIF, At ?t ( ?s[ex:p -> ?o] )",
    **dict.fromkeys(("makeTemp", "makeInstance", "makeSkolem"), _SKOLEM),
    **dict.fromkeys(("remove", "drop"), _ENDS),
}
IGNORED: Final[Mapping[str, str]] = {
    "print": "r4 explain says why a fact holds",
    "hide": "r4 run --only IRI says what is printed",
    "tableAll": "",
    "table": "",
}
"""Built-ins that derive nothing, and what does the like in R4."""


def condition(call: Call, bound: AbstractSet[str]) -> ast.Formula:
    """The condition that a built-in of a body is; ``bound`` are variables of triples.

    Raises:
        NoCounterpart: R4 has none.
    """
    if call.name == "noValue" and len(call.args) in {2, 3}:
        subject, key, *value = call.args
        other = variable("any_value")
        frame = ast.Frame(subject, ((key, value[0] if value else other),), span=call.span)
        return _placed(negation(exists([frame], bound)), call.span)
    found = _BUILT_INS.get(call.name)
    if found is None:
        message = f"the built-in {call.name} has no counterpart"
        hint = _REFUSED.get(call.name)
        if hint is None and (near := nearest_word(call.name, [*_BUILT_INS, "noValue"])):
            hint = f"did you mean {near}? {NoCounterpart.default_hint}"
        raise NoCounterpart(message, call.span, hint)
    count = len(call.args)
    if count < found.least or (found.most is not None and count > found.most):
        due = f"{found.least}" if found.least == found.most else f"{found.least} or more"
        message = f"{call.name} has {due} arguments in R4, here are {count}"
        raise NoCounterpart(message, call.span)
    try:
        return _placed(found.translate(call.args), call.span)
    except RegexError as error:
        message = f"the regular expression is none of XPath: {error}"
        raise NoCounterpart(message, call.span) from None


def _placed(formula: ast.Formula, span: Span) -> ast.Formula:
    """The same, with the place of the call for what is said of it or of its parts."""
    parts = formula.items if isinstance(formula, ast.And) else (formula,)
    return conjunction(replace(each, span=span) for each in parts)


def _holds(name: str) -> _BuiltIn:
    count = 1 if name.startswith("is-") else 2
    return _BuiltIn(count, count, lambda args: holds(name, *args))


def _not(of: _BuiltIn) -> _BuiltIn:
    return _BuiltIn(of.least, of.most, lambda args: negation(of.translate(args)))


def _compares(name: str) -> _BuiltIn:
    """A comparison of two numbers, or of two times."""

    def translate(args: Terms) -> ast.Formula:
        for each in args:
            if isinstance(each, ast.Constant) and not _is_quantity(each.value):
                message = "only numbers and times are compared"
                raise NoCounterpart(message, each.span, "equal and notEqual compare all terms")
        true = holds(name, *args)
        if any(isinstance(each, ast.Constant) for each in args):
            return true
        others = (holds(f"{PRED}is-literal-{kind}", args[0]) for kind in _OTHERS)
        return conjunction([true, *map(negation, others)])

    return _BuiltIn(2, 2, translate)


def _is_quantity(value: GroundTerm) -> bool:
    others = {RDF_LANG_STRING, *(XSD + kind for kind in _OTHERS)}
    return isinstance(value, Literal) and value.datatype not in others


def _computes(name: str) -> _BuiltIn:
    def translate(args: Terms) -> ast.Formula:
        one, other, result = args
        return conjunction([*_numbers(one, other), ast.Equal(result, value_of(name, one, other))])

    return _BuiltIn(3, 3, translate)


def _numbers(*terms: ast.Term) -> list[ast.Formula]:
    """That they are numbers, where R4 computes with times, too."""
    return [holds("is-numeric", each) for each in terms if isinstance(each, ast.Var)]


def _moved(name: str) -> _BuiltIn:
    one = constant(Literal("1", XSD + "integer"))
    return _BuiltIn(2, 2, lambda args: ast.Equal(args[1], value_of(name, args[0], one)))


def _choice(name: str) -> _BuiltIn:
    """The lesser, or the greater, of two numbers: the second, if it is neither."""

    def translate(args: Terms) -> ast.Formula:
        one, two, chosen = args
        is_first = holds(name, one, two)
        numbers = _numbers(one, two)
        return disjunction(
            [
                conjunction([*numbers, is_first, ast.Equal(chosen, one)]),
                conjunction([*numbers, negation(is_first), ast.Equal(chosen, two)]),
            ]
        )

    return _BuiltIn(3, 3, translate)


def _of_datatype(args: Terms) -> ast.Formula:
    """Jena takes a blank node for a value of any datatype."""
    literal, datatype = args
    is_one = holds("datatype", literal, datatype)
    if isinstance(datatype, ast.Constant) and isinstance(datatype.value, IRI):
        if datatype.value.value == RDFS_LITERAL:
            is_one = holds("is-literal", literal)
        elif datatype.value.value not in KNOWN:
            is_one = holds("equal", value_of("datatype-of", literal), datatype)
    return disjunction([holds("is-blank", literal), is_one])


def _joined(args: Terms) -> ast.Term:
    """The texts of all but the last argument in one."""
    texts = [value_of("str", each) for each in args[:-1]]
    return texts[0] if len(texts) == 1 else value_of(FUNC + "concat", *texts)


def _text(args: Terms) -> ast.Formula:
    return ast.Equal(args[-1], _joined(args))


def _name(args: Terms) -> ast.Formula:
    return ast.Equal(args[-1], value_of("iri", _joined(args)))


def _regex(args: Terms) -> ast.Formula:
    """Jena asks whether the whole text matches."""
    text, pattern = args
    if isinstance(pattern, ast.Constant) and isinstance(pattern.value, Literal):
        whole: ast.Term = constant(Literal(f"^({pattern.value.lexical})$"))
        compile_pattern(f"^({pattern.value.lexical})$", "")
    else:
        begin, end = constant(Literal("^(")), constant(Literal(")$"))
        whole = value_of(FUNC + "concat", begin, value_of("str", pattern), end)
    literal = holds("is-literal", text)
    return conjunction([literal, holds(PRED + "matches", value_of("str", text), whole)])


_EQUAL: Final = _holds("equal")
_LITERAL: Final = _holds("is-literal")
_BLANK: Final = _holds("is-blank")
_DATATYPE: Final = _BuiltIn(2, 2, _of_datatype)

_BUILT_INS: Final[Mapping[str, _BuiltIn]] = {
    "equal": _EQUAL,
    "notEqual": _not(_EQUAL),
    "lessThan": _compares("less-than"),
    "greaterThan": _compares("greater-than"),
    "le": _compares("less-than-or-equal"),
    "ge": _compares("greater-than-or-equal"),
    "sum": _computes("add"),
    "addOne": _moved("add"),
    "difference": _computes("subtract"),
    "product": _computes("multiply"),
    "quotient": _computes("divide"),
    "min": _choice("less-than"),
    "max": _choice("greater-than"),
    "strConcat": _BuiltIn(2, None, _text),
    "uriConcat": _BuiltIn(2, None, _name),
    "regex": _BuiltIn(2, 2, _regex),
    "isLiteral": _LITERAL,
    "notLiteral": _not(_LITERAL),
    "isBNode": _BLANK,
    "notBNode": _not(_BLANK),
    "isDType": _DATATYPE,
    "notDType": _not(_DATATYPE),
}
