"""Expressions of SPARQL as conditions and terms of RIF [SPARQL 17].

An expression is true, false, or an error. What is true and what is false are two conditions here,
neither of which holds of an error: ``!(?v < 3)`` is the condition that ``?v < 3`` is false, which
it is not of a text. A value is a list of alternatives, as ``IF(?a, 1, 2)`` has two: conditions,
which exclude each other, and the term that is the value where they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urljoin

import rdflib
from rdflib.plugins.sparql.parserutils import CompValue

from r4.foreign.errors import NoCounterpart
from r4.foreign.formulas import (
    FALSE,
    TRUE,
    conjunction,
    disjunction,
    exists,
    has_value,
    holds,
    is_plain_text,
    negation,
    value_of,
)
from r4.foreign.sparql.solutions import FreshNames
from r4.foreign.sparql.terms import boolean, number, term_of
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.signatures import Builtin
from rif.builtins.sparql import COUNTERPARTS
from rif.errors.base import NOWHERE
from rif.syntax import ast
from rif.syntax.terms import FUNC, PRED, RDF_LANG_STRING, XSD, XSD_STRING, Literal, Variable

Exists: TypeAlias = Callable[[CompValue, frozenset[str]], ast.Formula]
"""Whether a pattern has a solution that agrees with variables which are bound."""

_ORDER: Final = {
    "<": ("less-than", "greater-than-or-equal"),
    "<=": ("less-than-or-equal", "greater-than"),
    ">": ("greater-than", "less-than-or-equal"),
    ">=": ("greater-than-or-equal", "less-than"),
}
"""A comparison, and the one that holds of ordered values where it does not."""
_ARITHMETIC: Final = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_OF_TEXTS: Final = frozenset(("REGEX", "CONTAINS", "STRSTARTS", "STRENDS"))
_KEEPS_LANGUAGE: Final = frozenset(("UCASE", "LCASE", "SUBSTR", "REPLACE"))
_PARTS: Final = frozenset(("STRBEFORE", "STRAFTER"))
_NAMES: Final = frozenset(("IRI", "URI"))
_TESTS: Final = frozenset(("isIRI", "isURI", "isBLANK", "isLITERAL", "isNUMERIC"))
_REFUSED: Final = {
    "NOW": "rules know the time of the data: At ?t ( … ) in RIF, or a time in the triples",
    "RAND": "answers are a function of the data alone",
    "UUID": "answers are a function of the data alone: make names by IRI(CONCAT(…))",
    "STRUUID": "answers are a function of the data alone: make names by CONCAT(…)",
    "BNODE": "rules make no blank nodes: make names by IRI(CONCAT(…))",
}
_COUNTERPARTS: Final[Mapping[str, tuple[str, ...]]] = {
    name.upper(): iris for name, iris in COUNTERPARTS.items()
}
_ARGUMENTS: Final = (
    *("text", "arg", "arg1", "arg2", "arg3", "start", "length"),
    *("pattern", "replacement", "flags"),
)
"""The keys under which rdflib has the arguments of a function, in their order."""


class Alternative(NamedTuple):
    """A value, where conditions hold."""

    conditions: tuple[ast.Formula, ...]
    term: ast.Term


Value: TypeAlias = Sequence[Alternative]
"""Alternatives that exclude each other; none: the value is an error."""


@dataclass(frozen=True, slots=True)
class Expressions:
    """Translates expressions.

    Attributes:
        scope: the variables that are bound.
        exists: translates the patterns of EXISTS.
        fresh: gives names to other variables.
        builtins: all built-ins there are, by IRI.
        called: the functions that the query calls by their IRIs.
        base: its base IRI; "": it has none.
    """

    scope: frozenset[str]
    exists: Exists
    fresh: FreshNames
    builtins: Mapping[str, Builtin]
    called: frozenset[str]
    base: str

    def true(self, node: object) -> ast.Formula:
        """The condition that it is true."""
        return self._truth(node)[0]

    def false(self, node: object) -> ast.Formula:
        """The condition that it is false, and no error."""
        return self._truth(node)[1]

    def has_no_value(self, value: Value) -> ast.Formula:
        """The condition that it is an error, if none of its conditions is one."""
        return conjunction(
            FALSE
            if not each.conditions and not _may_fail(each.term)
            else negation(
                exists(
                    [*each.conditions, *self._exists_of(each.term)],
                    self.scope,
                )
            )
            for each in value
        )

    def _exists_of(self, term: ast.Term) -> list[ast.Formula]:
        return [has_value(term, self.fresh)] if _may_fail(term) else []

    # truth

    def _truth(self, node: object) -> tuple[ast.Formula, ast.Formula]:  # noqa: PLR0911
        if not isinstance(node, CompValue):
            return self._effective(self.value(node))
        match node.name:
            case "ConditionalAndExpression" | "ConditionalOrExpression":
                return self._connected(node)
            case "UnaryNot":
                true, false = self._truth(node.expr)
                return false, true
            case "TrueFilter":
                return TRUE, FALSE
            case "RelationalExpression" if node.op:
                return self._related(node)
            case "Builtin_BOUND":
                true = TRUE if str(node.arg) in self.scope else FALSE
                return true, negation(true)
            case "Builtin_EXISTS":
                true = self.exists(node.graph, self.scope)
                return true, negation(true)
            case "Builtin_NOTEXISTS":
                true = self.exists(node.graph, self.scope)
                return negation(true), true
            case _ if (test := self._test(node)) is not None:
                return test
        return self._effective(self.value(node))

    def _connected(self, node: CompValue) -> tuple[ast.Formula, ast.Formula]:
        parts = [self._truth(each) for each in (node.expr, *(node.other or ()))]
        trues, falses = [each[0] for each in parts], [each[1] for each in parts]
        if node.name == "ConditionalAndExpression":
            return conjunction(trues), disjunction(falses)
        return disjunction(trues), conjunction(falses)

    def _related(self, node: CompValue) -> tuple[ast.Formula, ast.Formula]:
        if node.op in {"IN", "NOT IN"}:
            left = self.value(node.expr)
            others = [] if node.other == rdflib.RDF.nil else list(node.other)
            pairs = [self._compared("=", left, self.value(each)) for each in others]
            true = disjunction(each[0] for each in pairs)
            false = conjunction(each[1] for each in pairs)
            return (true, false) if node.op == "IN" else (false, true)
        return self._compared(str(node.op), self.value(node.expr), self.value(node.other))

    def _compared(self, op: str, left: Value, right: Value) -> tuple[ast.Formula, ast.Formula]:
        trues: list[ast.Formula] = []
        falses: list[ast.Formula] = []
        for one, two in product(left, right):
            given = (*one.conditions, *two.conditions)
            defined = self._defined(one.term, two.term)
            true, false = _comparison(op, one.term, two.term)
            trues.append(conjunction([*given, *(defined if op == "!=" else ()), true]))
            falses.append(conjunction([*given, *(() if op == "!=" else defined), false]))
        return disjunction(trues), disjunction(falses)

    def _defined(self, *terms: ast.Term) -> list[ast.Formula]:
        """That they have values, which a negation does not say."""
        return [has_value(term, self.fresh) for term in terms if _may_fail(term)]

    def _test(self, node: CompValue) -> tuple[ast.Formula, ast.Formula] | None:
        """Of a function that is a predicate; None: it is none."""
        name = node.name.removeprefix("Builtin_")
        if node.name == "Function":
            return self._function_test(node)
        if name in _OF_TEXTS:
            return self._over(node, lambda terms: self._text_test(name, terms))
        if name in _TESTS:
            return self._over(node, lambda terms: (TRUE, holds(self._iri(name), *terms)))
        if name == "sameTerm":
            return self._over(node, lambda terms: (TRUE, negation(holds("not-same-term", *terms))))
        if name == "LANGMATCHES":
            return self._over(
                node,
                lambda terms: (
                    conjunction(map(_is_simple, terms)),
                    holds(self._iri(name), *terms),
                ),
            )
        return None

    def _over(
        self,
        node: CompValue,
        test: Callable[[Sequence[ast.Term]], tuple[ast.Formula, ast.Formula]],
    ) -> tuple[ast.Formula, ast.Formula]:
        """A test of each alternative: its domain, and what is true if it is true."""
        trues: list[ast.Formula] = []
        falses: list[ast.Formula] = []
        for given, terms in self._arguments(node):
            domain, true = test(terms)
            trues.append(conjunction([*given, domain, true]))
            defined = self._defined(*terms)
            falses.append(conjunction([*given, *defined, domain, negation(true)]))
        return disjunction(trues), disjunction(falses)

    def _text_test(self, name: str, terms: Sequence[ast.Term]) -> tuple[ast.Formula, ast.Formula]:
        text, *others = terms
        if name == "REGEX":
            domain = conjunction([_is_text(text), *map(_is_simple, others)])
            return domain, holds(self._iri(name), _text(text), *others)
        (other,) = others
        domain = conjunction([_is_text(text), _is_compatible(text, other)])
        return domain, holds(self._iri(name), _text(text), _text(other))

    def _function_test(self, node: CompValue) -> tuple[ast.Formula, ast.Formula] | None:
        builtin = self.builtins.get(str(node.iri))
        if builtin is None or builtin.kind != "predicate":
            return None
        return self._over(node, lambda terms: (TRUE, holds(builtin.name, *terms)))

    def _effective(self, value: Value) -> tuple[ast.Formula, ast.Formula]:
        """The effective boolean value [SPARQL 17.2.2]."""
        trues: list[ast.Formula] = []
        falses: list[ast.Formula] = []
        for conditions, term in value:
            true, false = _effective_value(term)
            trues.append(conjunction([*conditions, true]))
            falses.append(conjunction([*conditions, false]))
        return disjunction(trues), disjunction(falses)

    # values

    def value(self, node: object) -> Value:  # noqa: PLR0911 - a kind of expression each
        """The value."""
        if isinstance(node, rdflib.Variable):
            return [Alternative((), term_of(node))] if str(node) in self.scope else []
        if not isinstance(node, CompValue):
            return [Alternative((), self._constant(node))]
        match node.name:
            case "RelationalExpression" | "AdditiveExpression" | "MultiplicativeExpression" if (
                not node.op
            ):
                return self.value(node.expr)
            case "AdditiveExpression" | "MultiplicativeExpression":
                return self._arithmetic(node)
            case "UnaryMinus" | "UnaryPlus":
                factor = number(-1 if node.name == "UnaryMinus" else 1)
                return [
                    Alternative(each.conditions, value_of("multiply", each.term, factor))
                    for each in self.value(node.expr)
                ]
            case "Builtin_IF":
                return list(self._if(node))
            case "Builtin_COALESCE":
                return list(self._coalesce(node))
            case "Function":
                return self._function(node)
            case name if name.startswith("Builtin_") and (found := self._built_in(node)):
                return found[0]
        true, false = self._truth_of_test(node)
        return [
            Alternative((condition,), boolean(value=value))
            for condition, value in ((true, True), (false, False))
            if condition != FALSE
        ]

    def _constant(self, node: object) -> ast.Term:
        """A term that is written; a name of RIF is either called or stands for itself."""
        if isinstance(node, rdflib.URIRef) and str(node) in self.called:
            return value_of("iri", ast.Constant(Literal(str(node))))
        return term_of(node)

    def _truth_of_test(self, node: CompValue) -> tuple[ast.Formula, ast.Formula]:
        """Of what has a truth, and no other value; `NoCounterpart`: R4 has nothing like it."""
        of_truth = ("ConditionalAnd", "ConditionalOr", "Unary", "Relational", "TrueFilter")
        if node.name.startswith(of_truth) or node.name in {
            "Builtin_BOUND",
            "Builtin_EXISTS",
            "Builtin_NOTEXISTS",
        }:
            return self._truth(node)
        if (test := self._test(node)) is not None:
            return test
        name = node.name.removeprefix("Builtin_")
        message = f"{name} has no counterpart"
        raise NoCounterpart(message, node.place or NOWHERE, _REFUSED.get(name))

    def _arithmetic(self, node: CompValue) -> Value:
        found = self.value(node.expr)
        for op, other in zip(node.op, node.other, strict=True):
            found = [
                Alternative(
                    (*one.conditions, *two.conditions),
                    value_of(_ARITHMETIC[op], one.term, two.term),
                )
                for one, two in product(found, self.value(other))
            ]
        return found

    def _if(self, node: CompValue) -> Iterator[Alternative]:
        for condition, chosen in zip(self._truth(node.arg1), (node.arg2, node.arg3), strict=True):
            if condition != FALSE:
                for each in self.value(chosen):
                    yield Alternative((condition, *each.conditions), each.term)

    def _coalesce(self, node: CompValue) -> Iterator[Alternative]:
        missing: list[ast.Formula] = []
        for each in _argument_nodes(node):
            value = self.value(each)
            for one in value:
                defined = [has_value(one.term, self.fresh)] if _may_fail(one.term) else []
                yield Alternative((*missing, *one.conditions, *defined), one.term)
            missing.append(self.has_no_value(value))
            if FALSE in missing:
                return

    def _arguments(self, node: CompValue) -> Iterator[tuple[list[ast.Formula], list[ast.Term]]]:
        """The arguments of a function: their conditions and terms, by alternative."""
        for chosen in product(*map(self.value, _argument_nodes(node))):
            given = [condition for each in chosen for condition in each.conditions]
            yield given, [each.term for each in chosen]

    def _built_in(self, node: CompValue) -> tuple[Value] | None:
        """The value of a function that R4 has."""
        name = node.name.removeprefix("Builtin_")
        if name == "CONCAT":
            return (list(self._concat(node)),)
        functions = [
            iri for iri in _COUNTERPARTS.get(name, ()) if self.builtins[iri].kind == "function"
        ]
        if not functions:
            return None
        found: list[Alternative] = []
        for given, terms in self._arguments(node):
            for iri, (conditions, term) in product(functions, self._calls(name, terms)):
                function = value_of(iri, *term)
                several = [has_value(function, self.fresh)] if len(functions) > 1 else []
                found += [
                    Alternative((*given, *conditions, *several, *more), whole)
                    for more, whole in _with_language(name, function, terms)
                ]
        return (found,)

    def _concat(self, node: CompValue) -> Iterator[Alternative]:
        """Texts in one, in their language if all have the same [SPARQL 17.4.3.12]."""
        for given, terms in self._arguments(node):
            domain = [*given, *map(_is_text, terms)]
            whole = _in_one([_text(each) for each in terms])
            if not terms or any(map(_is_surely_simple, terms)):
                yield Alternative(tuple(domain), whole)
                continue
            language = value_of("lang", terms[0])
            same = [holds("equal", language, value_of("lang", each)) for each in terms[1:]]
            common = conjunction([_has_language(terms[0]), *same])
            yield Alternative((*domain, common), value_of("strlang", whole, language))
            yield Alternative((*domain, negation(common)), whole)

    def _calls(
        self, name: str, terms: Sequence[ast.Term]
    ) -> Iterator[tuple[list[ast.Formula], list[ast.Term]]]:
        """How a function is called: what holds of its arguments, and what it gets."""
        first, *others = terms or (boolean(value=True),)
        if name in _KEEPS_LANGUAGE or name in {"STRLEN", "ENCODE_FOR_URI"}:
            yield [_is_text(first)], [_text(first), *others]
        elif name in _NAMES:
            yield [], [_resolved(first, self.base)]
        elif name in _PARTS:
            yield [_is_text(first), _is_compatible(first, others[0])], list(map(_text, terms))
        else:
            yield [], list(terms)

    def _function(self, node: CompValue) -> Value:
        """A call of a function by its IRI: a cast, or one that R4 knows [SPARQL 17.5]."""
        iri = str(node.iri)
        builtin = self.builtins.get(iri)
        if builtin is None or (builtin.kind == "predicate" and self._function_test(node) is None):
            message = f"the function <{iri}> is not known"
            hint = "it can be one of your own: a Python function with this IRI, of r4.functions"
            raise NoCounterpart(message, node.place or NOWHERE, hint)
        if builtin.kind == "predicate":
            true, false = self._function_test(node) or (FALSE, FALSE)
            return [
                Alternative((true,), boolean(value=True)),
                Alternative((false,), boolean(value=False)),
            ]
        found: list[Alternative] = []
        for given, terms in self._arguments(node):
            if iri == XSD_STRING:
                found.append(Alternative((*given, _is_iri(terms[0])), value_of("str", *terms)))
            found.append(Alternative(tuple(given), value_of(iri, *terms)))
        return found

    def _iri(self, name: str) -> str:
        return _COUNTERPARTS[name.upper()][0]


def _argument_nodes(node: CompValue) -> list[object]:
    """The arguments of a function, in their order."""
    if node.name == "Function":
        return [] if node.expr in (None, rdflib.RDF.nil) else list(node.expr)
    found: list[object] = []
    for key in _ARGUMENTS:
        if key in node and node[key] not in (None, rdflib.RDF.nil):
            found += node[key] if isinstance(node[key], list) else [node[key]]
    return found


def _may_fail(term: ast.Term) -> bool:
    return isinstance(term, ast.ExternalTerm)


def _comparison(op: str, left: ast.Term, right: ast.Term) -> tuple[ast.Formula, ast.Formula]:
    """That a comparison is true; that it is false, of terms that have values."""
    if op in {"=", "!="}:
        equal = holds("equal", left, right)
        different = conjunction([negation(equal), _is_comparable(left, right)])
        return (equal, different) if op == "=" else (different, equal)
    name, opposite = _ORDER[op]
    true = holds(name, left, right)
    nan = conjunction([*map(_is_number, (left, right)), negation(true)])
    if _is_literal_number(left) or _is_literal_number(right):
        return true, nan
    return true, disjunction([holds(opposite, left, right), nan])


def _is_comparable(left: ast.Term, right: ast.Term) -> ast.Formula:
    """It is no error to ask whether they are equal: only of literals of unlike kinds it is one."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ast.Constant):
            if not isinstance(one.value, Literal):
                return TRUE
            no_literal = negation(holds("is-literal", other))
            if _is_literal_number(one):
                return disjunction([no_literal, _is_number(other), _has_language(other)])
            if one.value.datatype in {XSD_STRING, RDF_LANG_STRING}:
                return disjunction([no_literal, is_plain_text(other)])
    return disjunction(
        [
            negation(holds("is-literal", left)),
            negation(holds("is-literal", right)),
            holds("less-than-or-equal", left, right),
            holds("greater-than-or-equal", left, right),
            conjunction(map(_is_number, (left, right))),
            _has_language(left),
            _has_language(right),
        ]
    )


def _has_language(term: ast.Term) -> ast.Formula:
    return conjunction([is_plain_text(term), negation(holds(PRED + "is-literal-string", term))])


def _effective_value(term: ast.Term) -> tuple[ast.Formula, ast.Formula]:
    """That the effective boolean value of a term is true, and that it is false."""
    if isinstance(term, ast.Constant) and term.value == boolean(value=True).value:
        return TRUE, FALSE
    if isinstance(term, ast.Constant) and term.value == boolean(value=False).value:
        return FALSE, TRUE
    empty = holds("equal", value_of("str", term), ast.Constant(Literal("")))
    zero, itself = holds("equal", term, number(0)), holds("equal", term, term)
    true = [
        holds("equal", term, boolean(value=True)),
        conjunction([is_plain_text(term), negation(empty)]),
        conjunction([_is_number(term), itself, negation(zero)]),
    ]
    false = [
        holds("equal", term, boolean(value=False)),
        conjunction([is_plain_text(term), empty]),
        zero,
        conjunction([_is_number(term), negation(itself)]),
    ]
    return disjunction(true), disjunction(false)


def _is_iri(term: ast.Term) -> ast.Formula:
    return holds("is-iri", term)


def _is_number(term: ast.Term) -> ast.Formula:
    return TRUE if _is_literal_number(term) else holds("is-numeric", term)


_NUMBERS: Final = frozenset(XSD + name for name in ("integer", "decimal", "double", "float"))
_TEXTS: Final = frozenset(
    (
        *(R4_BUILTIN + name for name in ("str", "lang", "tz")),
        *(FUNC + name for name in ("string-from-PlainLiteral", "concat", "upper-case")),
        *(FUNC + name for name in ("lower-case", "substring", "replace", "encode-for-uri")),
        XSD_STRING,
    )
)
"""Functions that give strings without a language."""


def _is_literal_number(term: ast.Term) -> bool:
    return (
        isinstance(term, ast.Constant)
        and isinstance(term.value, Literal)
        and term.value.datatype in _NUMBERS
        and term.value.lexical != "NaN"
    )


def _is_surely_simple(term: ast.Term) -> bool:
    """Is it a string without a language, if it has a value?"""
    if isinstance(term, ast.ExternalTerm):
        return term.op.value in _TEXTS
    return (
        isinstance(term, ast.Constant)
        and isinstance(term.value, Literal)
        and term.value.datatype == XSD_STRING
    )


def _is_simple(term: ast.Term) -> ast.Formula:
    return TRUE if _is_surely_simple(term) else holds(PRED + "is-literal-string", term)


def _is_text(term: ast.Term) -> ast.Formula:
    return TRUE if _is_surely_simple(term) else is_plain_text(term)


def _text(term: ast.Term) -> ast.Term:
    return term if _is_surely_simple(term) else value_of("str", term)


def _in_one(texts: Sequence[ast.Term]) -> ast.Term:
    """One text after the other; func:concat takes two or more."""
    match texts:
        case []:
            return ast.Constant(Literal(""))
        case [text]:
            return text
    return value_of(FUNC + "concat", *texts)


def _resolved(name: ast.Term, base: str) -> ast.Term:
    """A relative IRI that is written as a string, as an absolute one."""
    if isinstance(name, ast.Constant) and isinstance(name.value, Literal) and base:
        return ast.Constant(Literal(urljoin(base, name.value.lexical)))
    return name


def _is_compatible(first: ast.Term, second: ast.Term) -> ast.Formula:
    """The second text has no language, or that of the first [SPARQL 17.4.3.1.2]."""
    if _is_surely_simple(second):
        return TRUE
    same = holds("equal", value_of("lang", first), value_of("lang", second))
    return disjunction([_is_simple(second), conjunction([_is_text(second), same])])


def _with_language(
    name: str, function: ast.Term, terms: Sequence[ast.Term]
) -> list[tuple[list[ast.Formula], ast.Term]]:
    """The text of a function: for some with the language of the first argument."""
    if name not in _KEEPS_LANGUAGE | _PARTS or _is_surely_simple(terms[0]):
        return [([], function)]
    first = terms[0]
    tagged = value_of("strlang", function, value_of("lang", first))
    simple, language = ([_is_simple(first)], function), _has_language(first)
    if name in _KEEPS_LANGUAGE:
        return [simple, ([language], tagged)]
    found = holds(PRED + "contains", _text(first), _text(terms[1]))
    nothing = ast.Constant(Literal(""))
    return [simple, ([language, found], tagged), ([language, negation(found)], nothing)]


def assigned(name: str, value: Alternative) -> list[ast.Formula]:
    """What gives a variable the value of an alternative."""
    return [*value.conditions, ast.Equal(ast.Var(Variable(name)), value.term)]
