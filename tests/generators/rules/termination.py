"""Whether a set of rules comes to an end: no computed value comes back to what computed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Equal,
    Exists,
    ExternalTerm,
    Forall,
    Formula,
    Frame,
    Implies,
    Member,
    Or,
    Term,
)
from rif.syntax.negation import Naf
from tests.generators.vocabulary import TYPE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ANY = "any triple"


def is_finite(sentences: Iterable[Forall | Implies | Formula]) -> bool:
    """Stricter than strong safeness [RIF-Core]: it looks at predicates, not at their places."""
    clauses = [one.clause if isinstance(one, Forall) else one for one in sentences]
    rules = [one for one in clauses if isinstance(one, Implies)]
    return not any(_comes_back(rule, rules) for rule in rules if computes(rule))


def made_by(sentence: Forall | Implies | Formula) -> set[str]:
    """The predicates of the heads."""
    clause = sentence.clause if isinstance(sentence, Forall) else sentence
    heads = clause.head if isinstance(clause, Implies) else (clause,)
    return {name for head in heads for name in _names(head)}


def read_by(sentence: Forall | Implies | Formula) -> set[str]:
    """The predicates of the body."""
    clause = sentence.clause if isinstance(sentence, Forall) else sentence
    return set(_names(clause.body)) if isinstance(clause, Implies) else set()


def _comes_back(rule: Implies, rules: list[Implies]) -> bool:
    """Whether what ``rule`` derives is read by it, directly or by way of other rules."""
    reached = made_by(rule)
    while True:
        touched = [one for one in rules if _meet(reached, read_by(one))]
        if rule in touched:
            return True
        more = {name for one in touched for name in made_by(one)}
        if more <= reached:
            return False
        reached |= more


def computes(sentence: Forall | Implies | Formula) -> bool:
    """Whether it can make a term: a function in a comparison or a pattern makes none."""
    clause = sentence.clause if isinstance(sentence, Forall) else sentence
    if not isinstance(clause, Implies):
        return False
    made = [term for head in clause.head for term in _arguments(head)]
    return any(isinstance(term, ExternalTerm) for term in made) or _assigns(clause.body)


def _arguments(head: Formula) -> tuple[Term, ...]:
    match head:
        case Frame(subject, slots):
            return (subject, *(term for slot in slots for term in slot))
        case Atom(_, args):
            return args
    return ()


def _assigns(body: Formula) -> bool:
    match body:
        case And(items) | Or(items):
            return any(map(_assigns, items))
        case Exists(_, inside):
            return _assigns(inside)
        case Equal(left, right):
            return isinstance(left, ExternalTerm) or isinstance(right, ExternalTerm)
    return False


def _meet(made: set[str], read: set[str]) -> bool:
    triples = {name for name in read if not name.startswith("atom")}
    return bool(made & read) or (ANY in made and bool(triples)) or (ANY in read and _triples(made))


def _triples(names: set[str]) -> bool:
    return any(not name.startswith("atom") for name in names)


def _names(formula: Formula) -> Iterator[str]:
    """The predicates of a condition or a head."""
    match formula:
        case Frame(_, slots):
            yield from (_key(key) for key, _ in slots)
        case Member():
            yield str(TYPE)
        case Atom(op, _):
            yield f"atom {op}"
        case And(items) | Or(items):
            for item in items:
                yield from _names(item)
        case Exists(_, body):
            yield from _names(body)
        case Naf(body):
            yield from _names(body)


def _key(term: Term) -> str:
    return str(term.value) if isinstance(term, Constant) else ANY
