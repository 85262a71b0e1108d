"""Triple patterns with property paths as conditions [SPARQL 9; 18.4].

A path of a fixed length is unfolded, as often as it may be walked: ``?x :a/:b ?y`` has a variable
for the node between. ``+``, ``*`` and ``?`` are sets of pairs: those of one step or more are an
auxiliary predicate, with rules of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from rdflib.paths import (
    AlternativePath,
    InvPath,
    MulPath,
    NegatedPath,
    Path,
    SequencePath,
)
from rdflib.plugins.sparql.parserutils import CompValue

from r4.foreign.errors import NoCounterpart
from r4.foreign.formulas import (
    FALSE,
    TRUE,
    auxiliary,
    disjunction,
    exists,
    holds,
    rule,
    variable,
)
from r4.foreign.sparql.solutions import FreshNames, bounded
from r4.foreign.sparql.terms import term_of
from rif.errors.base import Span
from rif.syntax import ast
from rif.syntax.traversal import variables_of

TripleWrapper: TypeAlias = Callable[[ast.Formula], ast.Formula]
"""What is true of a triple that is looked for in a window."""

_X, _Y, _Z = variable("x"), variable("y"), variable("z")
_STEP: Final = "step"


@dataclass(slots=True)
class PathRules:
    """The rules of auxiliary predicates, each once."""

    rules: dict[str, list[ast.Rule]] = field(default_factory=dict)

    @property
    def all(self) -> list[ast.Rule]:
        """The rules, in the order in which they were needed."""
        return [each for some in self.rules.values() for each in some]


Walk: TypeAlias = tuple[tuple[ast.Formula, ...], frozenset[str]]
"""Conditions of one way to walk a path, and the variables that they compute."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Translates triples whose predicates may be paths.

    Attributes:
        fresh: gives names to nodes between.
        made: the rules that are made for it.
        window: names the window in which triples are looked for; "" if it is none.
        wrap: what is true of such a triple.
        place: where the query stands.
    """

    fresh: FreshNames
    made: PathRules
    window: str
    wrap: TripleWrapper
    place: Span

    def walks(self, subject: ast.Term, path: object, target: ast.Term) -> list[Walk]:
        """The ways to get from one term to another, each with its conditions."""
        return bounded(self._walks(subject, path, target), self.place)

    def _walks(self, subject: ast.Term, path: object, target: ast.Term) -> Iterator[Walk]:
        match path:
            case InvPath():
                yield from self.walks(target, path.arg, subject)
            case SequencePath():
                yield from self._sequence(subject, list(path.args), target)
            case AlternativePath():
                for each in path.args:
                    yield from self.walks(subject, each, target)
            case MulPath():
                yield self._repeated(subject, path, target)
            case NegatedPath():
                yield from self._negated(subject, path, target)
            case Path():
                message = f"the path {path.n3()} has no counterpart"
                raise NoCounterpart(message, self.place)
            case _:
                yield (self.triple(subject, term_of(path), target),), frozenset()

    def triple(self, subject: ast.Term, key: ast.Term, target: ast.Term) -> ast.Formula:
        """A single triple."""
        return self.wrap(ast.Frame(subject, ((key, target),)))

    def _sequence(self, subject: ast.Term, steps: list[object], target: ast.Term) -> Iterator[Walk]:
        first, *rest = steps
        if not rest:
            yield from self.walks(subject, first, target)
            return
        between = variable(self.fresh(_STEP))
        for begin, computed in self.walks(subject, first, between):
            for end, more in self._sequence(between, rest, target):
                yield (*begin, *end), computed | more

    def _negated(self, subject: ast.Term, path: NegatedPath, target: ast.Term) -> Iterator[Walk]:
        """One triple whose predicate is none of these; with ``^``, one the other way."""
        if any(isinstance(each, CompValue) for each in path.args):  # rdflib loses what is in it
            message = "^ in a negated path is not read"
            hint = "!^ex:p is ^(!ex:p), and !(ex:p|^ex:q) is (!ex:p|^(!ex:q))"
            raise NoCounterpart(message, self.place, hint)
        forward = [each for each in path.args if not isinstance(each, InvPath)]
        backward = [each.arg for each in path.args if isinstance(each, InvPath)]
        for predicates, begin, end in ((forward, subject, target), (backward, target, subject)):
            if predicates:
                key = variable(self.fresh("property"))
                others = (holds("not-same-term", key, term_of(each)) for each in predicates)
                yield (self.triple(begin, key, end), *others), frozenset()

    def _repeated(self, subject: ast.Term, path: MulPath, target: ast.Term) -> Walk:
        more = auxiliary(self._steps(path), subject, target) if path.more else None
        once: ast.Formula = TRUE
        if more is None:
            keep = {var.value.name for term in (subject, target) for var in variables_of(term)}
            once = disjunction(
                exists(conditions, keep) for conditions, _ in self.walks(subject, path.path, target)
            )
        if not path.zero:
            assert more is not None
            return (more,), frozenset()
        nothing, computed = self._zero_steps(subject, target)
        return (disjunction([nothing, once if more is None else more]),), computed

    def _steps(self, path: MulPath) -> str:
        """The text that stands for one step or more, whose rules are made."""
        text = f"{self.window} {path.path.n3()}+"
        if text not in self.made.rules:
            rules = self.made.rules[text] = []
            for conditions, _ in self.walks(_X, path.path, _Y):
                rules.append(rule([auxiliary(text, _X, _Y)], conditions))
                further = auxiliary(text, _Y, _Z)
                rules.append(rule([auxiliary(text, _X, _Z)], (*conditions, further)))
        return text

    def _zero_steps(
        self, subject: ast.Term, target: ast.Term
    ) -> tuple[ast.Formula, frozenset[str]]:
        """A term to itself: any term that is written, else each one that is in the graph."""
        match subject, target:
            case ast.Constant(), ast.Constant():
                return (TRUE if subject.value == target.value else FALSE), frozenset()
            case (ast.Constant() as known, ast.Var() as var) | (
                ast.Var() as var,
                ast.Constant() as known,
            ):
                return ast.Equal(var, known), frozenset({var.value.name})
        text = f"{self.window} node"
        if text not in self.made.rules:
            key = variable("property")
            self.made.rules[text] = [
                rule([auxiliary(text, node, node)], [self.triple(_X, key, _Y)]) for node in (_X, _Y)
            ]
        return auxiliary(text, subject, target), frozenset()
