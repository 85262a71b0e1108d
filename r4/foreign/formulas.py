"""Formulas of RIF as translations make them: conjunctions, negations, calls of built-ins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from rif.builtins.extensions import R4_BUILTIN
from rif.errors.base import Span
from rif.syntax import ast
from rif.syntax.negation import Naf
from rif.syntax.terms import FUNC, IRI, PRED, XSD, GroundTerm, Variable
from rif.syntax.traversal import formulas_of, free_variables, subterms

TRUE: Final = ast.And(())
FALSE: Final = ast.Or(())

AUXILIARY: Final = "urn:r4:path#"
"""How the IRIs of predicates begin that stand for a step of a translation; they are no answers."""


def variable(name: str) -> ast.Var:
    """The variable with this name."""
    return ast.Var(Variable(name))


def constant(value: GroundTerm) -> ast.Constant:
    """A constant."""
    return ast.Constant(value)


def conjunction(parts: Iterable[ast.Formula]) -> ast.Formula:
    """All of them, flat; `FALSE` if one is."""
    found: list[ast.Formula] = []
    for part in parts:
        if part == FALSE:
            return FALSE
        found += part.items if isinstance(part, ast.And) else [part]
    found = list(dict.fromkeys(found))
    return found[0] if len(found) == 1 else ast.And(tuple(found))


def disjunction(parts: Iterable[ast.Formula]) -> ast.Formula:
    """One of them, flat; `TRUE` if one is."""
    found: list[ast.Formula] = []
    for part in parts:
        if part == TRUE:
            return TRUE
        found += part.items if isinstance(part, ast.Or) else [part]
    found = list(dict.fromkeys(found))
    return found[0] if len(found) == 1 else ast.Or(tuple(found))


def negation(of: ast.Formula) -> ast.Formula:
    """What does not follow."""
    if of in (TRUE, FALSE):
        return FALSE if of == TRUE else TRUE
    return of.body if isinstance(of, Naf) else Naf(of)


def exists(parts: Iterable[ast.Formula], keep: AbstractSet[str]) -> ast.Formula:
    """Some value of each variable that is not in ``keep`` makes them all true."""
    body = conjunction(parts)
    own = tuple(Variable(name) for name in free_variables(body) if name not in keep)
    return ast.Exists(own, body) if own else body


def holds(name: str, *args: ast.Term) -> ast.Formula:
    """A predicate of R4 or, by the beginning of its name, of RIF."""
    return ast.External(_iri(name), args)


def value_of(name: str, *args: ast.Term) -> ast.Term:
    """A function of R4 or RIF."""
    return ast.ExternalTerm(_iri(name), args)


def _iri(name: str) -> IRI:
    return IRI(name if ":" in name else R4_BUILTIN + name)


def same_term(left: ast.Term, right: ast.Term) -> ast.Formula:
    """They are one term: ``1`` and ``01`` are not, as a join of SPARQL has it."""
    if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
        return TRUE if left.value == right.value else FALSE
    return TRUE if left == right else Naf(holds("not-same-term", left, right))


def has_value(term: ast.Term, fresh: Callable[[str], str]) -> ast.Formula:
    """The term has a value."""
    name = fresh("value")
    return ast.Exists((Variable(name),), ast.Equal(variable(name), term))


def is_plain_text(term: ast.Term) -> ast.Formula:
    """It is a string, with or without a language."""
    return holds(PRED + "is-literal-PlainLiteral", term)


def auxiliary(text: str, *args: ast.Term) -> ast.Atom:
    """The atom of a step that ``text`` describes: the same text, the same predicate."""
    from hashlib import sha256  # noqa: PLC0415 - most runs do without

    return ast.Atom(IRI(AUXILIARY + sha256(text.encode()).hexdigest()[:16]), args)


def rule(head: Sequence[ast.Formula], body: Iterable[ast.Formula]) -> ast.Rule:
    """A rule over all its variables."""
    clause = ast.Implies(tuple(head), conjunction(body))
    names = dict.fromkeys(name for part in (*head, clause.body) for name in free_variables(part))
    return ast.Forall(tuple(map(Variable, names)), clause) if names else clause


def placed(given: ast.Rule, place: Span) -> ast.Rule:
    """The same rule, standing at a place of the text that it was made from."""
    if isinstance(given, ast.Forall):
        return replace(given, clause=replace(given.clause, span=place), span=place)
    return replace(given, span=place)


_PREFIXES: Final = {"pred": PRED, "func": FUNC, "xs": XSD, "r4": R4_BUILTIN}


def prefixes_of(
    rules: Iterable[ast.Rule], given: Iterable[tuple[str, str]]
) -> tuple[tuple[str, str], ...]:
    """The prefixes ``given``, and those of the built-ins that rules call."""
    prefixes = dict(given)
    called = {op for each in rules for part in formulas_of(each) for op in _called(part)}
    for name, namespace in _PREFIXES.items():
        if namespace not in prefixes.values() and any(op.startswith(namespace) for op in called):
            prefixes.setdefault(name, namespace)
    return tuple(prefixes.items())


def _called(formula: ast.Formula) -> Iterator[str]:
    """The built-ins that a formula calls, those in its parts left out."""
    if isinstance(formula, ast.External):
        yield formula.op.value
    waiting = list(formula.terms)
    while waiting:
        term = waiting.pop()
        waiting += subterms(term)
        if isinstance(term, ast.ExternalTerm):
            yield term.op.value


def depth(formula: ast.Formula) -> int:
    """How many levels of formulas and terms are in each other."""
    deepest = 0
    waiting: list[tuple[ast.Formula | ast.Term, int]] = [(formula, 1)]
    while waiting:
        node, level = waiting.pop()
        deepest = max(deepest, level)
        if isinstance(node, ast.Formula):
            waiting += [(part, level + 1) for part in node.parts]
            waiting += [(term, level + 1) for term in node.terms]
        else:
            waiting += [(term, level + 1) for term in subterms(node)]
    return deepest
