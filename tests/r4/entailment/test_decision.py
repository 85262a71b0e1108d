"""What is entailed is what is true in the least model, by the definitions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.entailment import decision as asking
from r4.entailment.decision import Premise, entails
from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Document,
    Equal,
    Exists,
    Formula,
    Frame,
    Group,
    Or,
    Term,
    Var,
)
from rif.syntax.terms import XSD, Literal, Local, Variable, parse_canonical
from rif.syntax.traversal import free_variables
from tests.generators.draw import from_hypothesis, from_seed
from tests.generators.rules.conditions import Body
from tests.generators.rules.documents import document
from tests.generators.rules.parsers import parse
from tests.generators.rules.termination import computes
from tests.generators.vocabulary import TYPE, Vocabulary, vocabulary
from tests.oracles.rules.datalog import Program
from tests.oracles.rules.formulas import ALWAYS, Evaluator, Instance, Store, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rete.arrays.delta import Rows
    from rete.terms.dictionary import Dictionary
    from tests.generators.draw import Draw
    from tests.oracles.rules.formulas import Fact
    from tests.oracles.streams.run import Triple

LITERALS = (*(Literal(str(number), XSD + "integer") for number in range(4)), Literal("a"))


@dataclass(frozen=True, slots=True)
class Question:
    """A premise, its least model, and a conclusion.

    Attributes:
        at_once: so many facts are derived before it is looked whether that was enough.
    """

    rules: Document
    triples: tuple[Triple, ...]
    model: frozenset[Fact]
    conclusion: Formula | Document
    at_once: int

    @property
    def inconsistent(self) -> bool:
        return ("error",) in self.model

    @property
    def holds(self) -> bool:
        """Whether the conclusion is true in the model."""
        wanted = self.conclusion
        if isinstance(wanted, Document):
            assert wanted.group is not None
            wanted = And(wanted.group.items)  # type: ignore[arg-type]  # all are facts
        store = Store(Instance(fact, -math.inf, math.inf) for fact in self.model)
        return any(True for _ in Evaluator().solve(wanted, ALWAYS, store))

    def rows(self, terms: Dictionary) -> Iterator[Rows]:
        texts = [str(term) for triple in self.triples for term in triple]
        yield terms.encode_many(texts).reshape(-1, 3)


def question(draw: Draw) -> Question:
    """Equal values are one term there: no rule computes, and literals are canonical."""
    names = vocabulary(draw)
    words = replace(
        names,
        nodes=tuple(node for node in names.nodes if not isinstance(node, Local)),
        ops=tuple(op for op in names.ops if not isinstance(op[0], Local)),
        literals=LITERALS,
    )
    made = document(draw, words)
    assert made.group is not None
    kept = [item for item in made.group.items if not isinstance(item, Group) and not computes(item)]
    rules = replace(made, window=None, group=Group(tuple(kept)) if kept else None)
    triples = tuple(_triple(draw, words) for _ in range(draw.integer(0, 8)))
    program = Program(rules)
    given = {("triple", *map(text, triple)) for triple in triples}
    given |= {instance.fact for instance in program._given}
    model = frozenset(given | program.least_model(given)[0].keys())
    facts = sorted(model - {("error",)})
    if facts and draw.chance(20):
        items = tuple(_said(draw, facts, {}, 0) for _ in range(draw.integer(1, 3)))
        return Question(rules, triples, model, Document(group=Group(items)), draw.choice([1, 9]))
    wanted = _conclusion(draw, words, facts, 2)
    return Question(rules, triples, model, wanted, draw.choice([1, 3, 1000]))


def _triple(draw: Draw, words: Vocabulary) -> Triple:
    key = draw.choice(words.data)
    pool = words.classes if key == TYPE else (*words.nodes, *words.literals)
    return draw.choice(words.nodes), key, draw.choice(pool)


def _conclusion(draw: Draw, words: Vocabulary, facts: list[Fact], depth: int) -> Formula:
    kind = draw.weighted((5, "said"), (4, "body"), (2, "and"), (2, "or"), (2, "nested"))
    if kind in {"and", "or"} and depth:
        parts = tuple(_conclusion(draw, words, facts, depth - 1) for _ in range(draw.integer(0, 3)))
        return And(parts) if kind == "and" else Or(parts)
    if facts and kind != "body":
        names: dict[str, Variable] = {}
        items: list[Formula] = [_said(draw, facts, names, 40) for _ in range(draw.integer(1, 3))]
        if names and draw.chance(20):
            value = draw.choice([*words.literals, *words.nodes])
            items.append(Equal(Var(draw.choice(list(names.values()))), Constant(value)))
        if kind == "nested" and depth:
            items.append(_conclusion(draw, words, facts, depth - 1))
        return _closed(items)
    body = Body(draw, words, [*words.data, *words.derived])
    for _ in range(draw.integer(1, 2)):
        body.add_pattern()
    if draw.chance(20):
        body.add_alternative()
    if draw.chance(20):
        body.add_existential()
    if body.bound and draw.chance(20):
        body.add_test()
    return _closed(body.items)


def _said(draw: Draw, facts: list[Fact], names: dict[str, Variable], hidden: int) -> Formula:
    """Something of the model, each term a variable with a chance of ``hidden`` percent."""

    def term(word: str) -> Term:
        if not draw.chance(hidden):
            return Constant(parse_canonical(word))
        return Var(names.setdefault(word, Variable(f"c{len(names)}")))

    kind, *words = draw.choice(facts)
    if kind == "triple":
        return Frame(term(words[0]), ((term(words[1]), term(words[2])),))
    return Atom(parse_canonical(words[0]), tuple(map(term, words[1:])))


def _closed(items: list[Formula]) -> Formula:
    names = sorted({name for item in items for name in free_variables(item)})
    return Exists(tuple(map(Variable, names)), And(tuple(items))) if names else And(tuple(items))


@st.composite
def questions(draw: st.DrawFn) -> Question:
    return question(from_hypothesis(draw))


@given(questions())
def test_a_conclusion_follows_if_the_least_model_has_it(asked: Question) -> None:
    assert_right(asked)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 600, 200))
def test_so_it_is_in_many_cases(first: int) -> None:
    for seed in range(first, first + 200):
        assert_right(question(from_seed(seed)))


def assert_right(asked: Question) -> None:
    premise = Premise([asked.rules] if asked.rules.group else [], None, asked.rows)
    with patch.object(asking, "_AT_ONCE", asked.at_once):
        found = entails(premise, asked.conclusion)
        hurried = entails(premise, asked.conclusion, most=3)
    assert found.holds == (asked.holds or asked.inconsistent), asked
    if found.closed:
        assert all(found.met) == asked.holds, asked
        assert found.inconsistent == asked.inconsistent, asked
    assert hurried.holds in {found.holds, None}, asked


def test_an_inconsistent_premise_need_not_be_closed() -> None:
    """Its closure has no end; that everything follows is seen early."""
    numbers = (
        "Document( Prefix(ex <urn:ex:>)"
        " Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)"
        " Prefix(rif <http://www.w3.org/2007/rif#>)"
        " Group( ex:n(1)"
        " Forall ?x ( ex:n(External(func:numeric-add(?x 1))) :- ex:n(?x) )"
        " rif:error() :- ex:n(3) ))"
    )
    with patch.object(asking, "_AT_ONCE", 10):
        found = entails(Premise([parse(numbers).document]), Or(()), most=10_000)
    assert found.holds
    assert found.inconsistent
    assert not found.closed
