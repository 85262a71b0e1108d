"""Patterns of SPARQL's algebra as cases of solutions [SPARQL 18.2; 18.5]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, TypeAlias

import rdflib
from rdflib.plugins.sparql.parserutils import CompValue

from r4.foreign.errors import LeftOut, NoCounterpart
from r4.foreign.formulas import FALSE, conjunction, disjunction, variable
from r4.foreign.sparql.aggregation import Aggregation
from r4.foreign.sparql.expressions import Expressions, assigned
from r4.foreign.sparql.property_paths import PathRules, Paths, TripleWrapper
from r4.foreign.sparql.query_text import QueryWords
from r4.foreign.sparql.solutions import (
    NOTHING,
    UNIT,
    Case,
    Cases,
    FreshNames,
    bounded,
    distinct,
    join,
    none,
    some,
)
from r4.foreign.sparql.terms import term_of
from rif.builtins.signatures import Builtin
from rif.errors.base import NOWHERE, RuleError, Span
from rif.syntax import ast
from rif.syntax.terms import IRI, RDF_LANG_STRING, XSD_STRING, Literal

_AGGREGATED: Final = "__agg_"

_REFUSED: Final = {
    "ServiceGraphPattern": (
        "SERVICE asks another machine",
        "rules read files and streams: give what it says as --static FILE",
    ),
    "Slice": (
        "LIMIT and OFFSET choose some of the solutions",
        "an aggregate does so in RIF: first 3{ ?x ?order | … }",
    ),
    "Graph": (
        "GRAPH asks in which graph a triple stands, which facts do not have",
        "leave GRAPH out, or in RIF ask From ?g ( ?s[ex:p -> ?o] ) for elements of streams",
    ),
}


@dataclass(frozen=True, slots=True)
class WindowContent:
    """A window: how it is called, and what is true of a triple in it."""

    name: str = ""
    wrap: TripleWrapper = lambda formula: formula


class _Known(CompValue):
    """A pattern whose cases are known."""

    def __init__(self, cases: Sequence[Case]) -> None:
        super().__init__(_Known.__name__)
        self.known = cases


_Translate: TypeAlias = Callable[[CompValue, frozenset[str]], Iterable[Case]]


@dataclass(slots=True)
class PatternTranslation:
    """Translates the patterns of one query.

    Attributes:
        fresh: gives names to variables that are not in the query.
        builtins: all built-ins, by IRI.
        place: where the query stands.
        words: the words of its text.
        called: the functions that it calls by their IRIs.
        base: its base IRI; "": it has none.
        windows: the windows that patterns name, by IRI.
        warnings: what is found.
        made: the rules of paths.
    """

    fresh: FreshNames
    builtins: Mapping[str, Builtin]
    place: Span
    words: QueryWords
    called: frozenset[str] = NOTHING
    base: str = ""
    outside: WindowContent = field(default_factory=WindowContent)
    windows: Mapping[str, WindowContent] = field(default_factory=dict)
    warnings: list[RuleError] = field(default_factory=list)
    made: PathRules = field(default_factory=PathRules)
    _content: WindowContent = field(default_factory=WindowContent)
    _by_name: Mapping[str, _Translate] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._content = self.outside
        self._by_name = {
            "BGP": self._triples,
            "Join": self._joined,
            "LeftJoin": self._optional,
            "Filter": self._filter,
            "Union": self._union,
            "Minus": self._minus,
            "Extend": self._extended,
            "AggregateJoin": self._grouped,
            "Project": self._projected,
            "Distinct": self._distinct,
            "Reduced": self._distinct,
            "OrderBy": self._ordered,
            "ToMultiSet": self._whole,
            "values": self._values,
            "Graph": self._in_graph,
            _Known.__name__: lambda node, _: node.known,
        }

    def cases(self, node: CompValue, given: frozenset[str] = NOTHING) -> list[Case]:
        """The solutions of a pattern, whose filters know the variables ``given``, too.

        Raises:
            NoCounterpart: R4 has none.
            TooManyCases: there are more than `MOST_CASES`.
        """
        translate = self._by_name.get(node.name)
        if translate is None:
            message, hint = _REFUSED.get(node.name, (f"{node.name} has no counterpart", None))
            raise NoCounterpart(message, node.place or self._of(message.split()[0]), hint)
        possible = (case for case in translate(node, given) if FALSE not in case.conditions)
        return bounded(possible, self.place)

    def _of(self, word: str) -> Span:
        """The place of a word, if the text has it; else that of the query."""
        found = self.words.first(word)
        return self.place if found == NOWHERE else found

    def expressions(self, scope: frozenset[str]) -> Expressions:
        """What translates expressions over these variables."""
        return Expressions(scope, self._exists, self.fresh, self.builtins, self.called, self.base)

    def _exists(self, pattern: CompValue, scope: frozenset[str]) -> ast.Formula:
        return some(self.cases(pattern, scope), scope, self.fresh)

    def _triples(self, node: CompValue, _: frozenset[str]) -> Iterable[Case]:
        content = self._content
        paths = Paths(self.fresh, self.made, content.name, content.wrap, self.place)
        every = [
            [
                (conditions, computed, (subject, key, target))
                for conditions, computed in paths.walks(term_of(subject), key, term_of(target))
            ]
            for subject, key, target in node.triples
        ]
        for chosen in product(*every):
            case = UNIT
            for conditions, computed, triple in chosen:
                bound = frozenset(str(each) for each in triple if isinstance(each, rdflib.Variable))
                case = join(case, Case(conditions, bound, computed), self.fresh)
            yield case

    def _joined(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        left, right = self.cases(node.p1, given), self.cases(node.p2, given)
        return (join(one, two, self.fresh) for one, two in product(left, right))

    def _optional(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        for case in self.cases(node.p1, given):
            scope = case.bound | given
            right = self.cases(node.p2, given)
            met = [join(case, each, self.fresh) for each in right]
            yield from (self._filtered(each, node.expr, given) for each in met)
            inner = [each.given(case.bound, self.fresh) for each in right]
            wanted = [self._filtered(each, node.expr, scope) for each in inner]
            known = [replace(each, computed=NOTHING) for each in wanted]
            yield case.where(none(known, scope, self.fresh))

    def _filtered(self, case: Case, expression: object, given: frozenset[str]) -> Case:
        return case.where(self.expressions(case.bound | given).true(expression))

    def _filter(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        return (self._filtered(case, node.expr, given) for case in self.cases(node.p, given))

    def _union(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        return [*self.cases(node.p1, given), *self.cases(node.p2, given)]

    def _minus(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        right = self.cases(node.p2)
        for case in self.cases(node.p1, given):
            meeting = [each for each in right if each.bound & case.bound]
            yield case.where(none(meeting, case.bound, self.fresh))

    def _extended(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        name, expression = str(node.var), node.expr
        for case in self.cases(node.p, given):
            if isinstance(expression, rdflib.Variable) and str(expression).startswith(_AGGREGATED):
                yield case.renamed({str(expression): name})
                continue
            expressions = self.expressions(case.bound | given)
            value = expressions.value(expression)
            for each in value:
                found = case.where(*assigned(name, each))
                yield replace(found, bound=case.bound | {name}, computed=case.computed | {name})
            yield case.where(expressions.has_no_value(value))

    def _grouped(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        group: CompValue = node.p
        members: Cases = self.cases(group.p, given)
        keys: list[str] | None = None if group.expr is None else []
        for key in group.expr or ():
            if isinstance(key, rdflib.Variable):
                name = str(key)
            else:
                name = self.fresh("key")
                extend = CompValue("Extend", p=_Known(members), expr=key, var=name)
                members = list(self._extended(extend, given))
            keys = [*(keys or ()), name]
        grouping = None if keys is None else tuple(keys)
        aggregation = Aggregation(grouping, self.expressions, self.fresh, self.place)
        return aggregation.cases(members, node.A)

    def _projected(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        kept = frozenset(map(str, node.PV))
        for case in self.cases(node.p, given):
            names = {name: self.fresh(name) for name in sorted(case.bound - kept)}
            found = case.renamed(names)
            yield replace(found, bound=case.bound & kept, computed=case.computed & kept)

    def _distinct(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        return distinct(self.cases(node.p, given))

    def _ordered(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        message = "ORDER BY has no effect: answers come in the order of their times"
        self.warnings.append(LeftOut(message, self._of("ORDER")))
        return self.cases(node.p, given)

    def _whole(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        if isinstance(node.p, list):  # VALUES without rows
            return []
        return self.cases(node.p, given if node.p.name == "values" else NOTHING)

    def _values(self, node: CompValue, _: frozenset[str]) -> Iterable[Case]:
        rows = [
            tuple((str(name), term_of(value)) for name, value in row.items() if value != "UNDEF")
            for row in node.res
        ]
        together: dict[tuple[frozenset[str], int], list[ast.Formula]] = {}
        repeats = Counter[tuple[tuple[str, ast.Term], ...]]()
        for row in rows:  # a row that is there twice is a second solution, so of another case
            repeats[row] += 1
            equal = conjunction(ast.Equal(variable(name), value) for name, value in row)
            key = frozenset(name for name, _ in row), repeats[row]
            together.setdefault(key, []).append(equal)
        by_value = frozenset(name for row in rows for name, term in row if not _is_itself(term))
        return [
            Case((disjunction(each),), bound, bound & by_value)
            for (bound, _), each in together.items()
        ]

    def _in_graph(self, node: CompValue, given: frozenset[str]) -> Iterable[Case]:
        window = self.windows.get(str(node.term))
        if window is None:
            message, hint = _REFUSED["Graph"]
            raise NoCounterpart(message, self._of("GRAPH"), hint)
        before, self._content = self._content, window
        try:
            return self.cases(node.p, given)
        finally:
            self._content = before


def _is_itself(term: ast.Term) -> bool:
    """Whether nothing else is equal to a term: an equation asks for this very term then."""
    value = term.value if isinstance(term, ast.Constant) else None
    texts = {XSD_STRING, RDF_LANG_STRING}
    return isinstance(value, IRI) or (isinstance(value, Literal) and value.datatype in texts)
