"""What a random case exercises, as names to be counted."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from rif.syntax.ast import (
    Atom,
    Constant,
    Equal,
    Exists,
    External,
    ExternalTerm,
    Forall,
    Frame,
    Group,
    Implies,
    Member,
    Or,
    Term,
    Var,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import RIF, BlankNode, GroundTerm, Literal
from tests.generators.rules.termination import ANY, made_by, read_by
from tests.oracles.rdf.values import value
from tests.oracles.rules.conjunct_order import patterns
from tests.oracles.streams.run import DefaultGraphTriple, Element, Outcome, Scenario, window_of


def features_of(scenario: Scenario, outcome: Outcome) -> set[str]:
    """All that can be said of a case."""
    nodes = list(_walk(scenario.document))
    return {
        *_of_outcome(outcome),
        *_of_syntax(nodes),
        *_of_rules([node for node in nodes if isinstance(node, Implies)]),
        *_of_stream(scenario),
    }


def _walk(node: object) -> Iterator[object]:
    yield node
    if dataclasses.is_dataclass(node):
        for part in dataclasses.fields(node):
            yield from _walk(getattr(node, part.name))
    elif isinstance(node, tuple):
        for item in node:
            yield from _walk(item)


def _of_outcome(outcome: Outcome) -> Iterator[str]:
    later = any('"at":null' not in line for line in outcome.lines)
    rounds = outcome.answers.rounds > 1
    expiry = any(line.startswith('{"op":"-"') for line in outcome.lines)
    yield from (
        name
        for name, said in (
            ("answers", bool(outcome.lines)),
            ("answers at some time", later),
            ("answers from static data alone", bool(outcome.answers.background)),
            ("second round", rounds),
            ("third round", outcome.answers.rounds > 2),
            ("expiry", expiry),
            ("second round or expiry", rounds or expiry),
            ("late elements", outcome.intake.late > 0),
            ("bad elements", outcome.intake.bad > 0),
            ("inconsistent", any('"error":true' in line for line in outcome.lines)),
        )
        if said
    )


def _of_syntax(nodes: list[object]) -> Iterator[str]:
    """By the kinds of node there are."""
    kinds = {
        "or": Or,
        "exists": Exists,
        "negation": Naf,
        "member": Member,
        "equality": Equal,
        "built-in predicate": External,
        "built-in function": ExternalTerm,
    }
    found = {type(node) for node in nodes}
    yield from (name for name, kind in kinds.items() if kind in found)
    atoms = [node for node in nodes if isinstance(node, Atom)]
    if any(not one.args and str(one.op) != f"<{RIF}error>" for one in atoms):
        yield "nullary atom"
    if any(one.args for one in atoms):
        yield "n-ary atom"
    if sum(isinstance(node, Group) for node in nodes) > 1:
        yield "nested group"
    group = next(node for node in nodes if isinstance(node, Group))
    if any(not isinstance(one, Forall | Implies | Group) for one in group.items):
        yield "fact in the rules"
    if any(getattr(node, "meta", None) for node in nodes):
        yield "annotation"
    literals = {node for node in nodes if isinstance(node, Literal)}
    if any(one.language for one in literals):
        yield "language tag in the rules"


def _of_rules(rules: list[Implies]) -> Iterator[str]:
    for rule in rules:
        yield from _of_body(rule)
        if len(rule.head) > 1 or any(isinstance(one, Frame) and one.slots[1:] for one in rule.head):
            yield "several heads"
    reads = [(made_by(rule), read_by(rule)) for rule in rules]
    if any(_meet(made, read) for made, read in reads):
        yield "recursion in one rule"
    if any(
        _meet(made, others_read) and _meet(others_made, read)
        for (made, read), (others_made, others_read) in combinations(reads, 2)
    ):
        yield "mutual recursion"


def _meet(made: set[str], read: set[str]) -> bool:
    return bool(made & read) or (ANY in read and any(not one.startswith("atom") for one in made))


def _of_body(rule: Implies) -> Iterator[str]:
    """By the patterns of a body and how they meet."""
    found: list[tuple[str, ...]] = []
    for node in _walk(rule.body):
        if isinstance(node, Frame | Member | Atom):
            for pattern in patterns(node):
                found.append(
                    tuple(one.value.name if isinstance(one, Var) else "" for one in pattern)
                )
                yield from _of_pattern(pattern, found[-1], triple=not isinstance(node, Atom))
    for one, two in combinations(found, 2):
        shared = ({*one} & {*two}) - {""}
        if len(shared) > 1:
            yield "several join variables"
        if not shared and any(one) and any(two):
            yield "pair without a shared variable"
        if len(one) == len(two) == 3 and one[2]:
            if one[2] == two[2] and one[0] != two[0]:
                yield "object-object join"
            if one[2] == two[0]:
                yield "subject-object join"


def _of_pattern(
    pattern: tuple[Term, ...], names: tuple[str, ...], *, triple: bool
) -> Iterator[str]:
    if any(isinstance(one, Constant) for one in (*pattern[:1], *pattern[2:])):
        yield "constant in a pattern"
    if max(Counter(filter(None, names)).values(), default=0) > 1:
        yield "variable repeated in a pattern"
    if triple and names[1]:
        yield "variable predicate"


def _of_stream(scenario: Scenario) -> Iterator[str]:
    window = window_of(scenario)
    if window < 2:
        yield f"window {window}"
    else:
        yield "no window" if math.isinf(window) else "window of several"
    yield scenario.semantics
    items = [item for source in scenario.sources for item in source]
    elements = [item for item in items if isinstance(item, Element)]
    triples = [triple for one in elements for triple in one.triples]
    stamps = [one.start for one in elements if one.start is not None]
    terms = {term for triple in triples for term in triple}
    for name, said in (
        ("static data", bool(scenario.statics)),
        ("default-graph triples", any(isinstance(item, DefaultGraphTriple) for item in items)),
        ("several sources", len(scenario.sources) > 1),
        ("own end", any(one.end is not None for one in elements)),
        ("empty element", any(not one.triples for one in elements)),
        ("tie of stamps", len({*stamps}) < len(stamps)),
        ("disorder", stamps != sorted(stamps)),
        ("delay", scenario.delay > 0),
        ("triple said again", len({*triples}) < len(triples)),
        ("blank node", any(isinstance(term, BlankNode) for term in terms)),
        ("look-alike literals", _look_alikes(terms)),
        ("language tag in the data", any(isinstance(t, Literal) and t.language for t in terms)),
        ("dateTime stamps", scenario.clock == "dateTime"),
        ("drain", scenario.drain is not None),
    ):
        if said:
            yield name


def _look_alikes(terms: set[GroundTerm]) -> bool:
    literals = [str(term) for term in terms if isinstance(term, Literal)]
    return len({value(term) for term in literals}) < len(literals)
