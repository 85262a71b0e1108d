"""Four times the rules cost four times the work: reading, compiling, building, taking back.

Work is counted as calls of functions, built-in ones too, so the tests hold on any machine.
"""

from __future__ import annotations

import cProfile
from collections.abc import Callable, Iterator

import pytest

from r4.engine.core import Core
from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rete.terms.dictionary import Dictionary
from tests.generators.rules.parsers import parse_bytes

MOST = 4.1
"""What four times the rules may cost; sorting and tables that grow have a logarithm in them.

Where n rules take a·n + b·n² calls, it is more as soon as b·n is a/119: of 250 rules that take a
thousand calls each, and four times as many, one call for each 30 pairs is noticed.
"""

PROLOGUE = """
Document(
Prefix(ex <http://example.org/>)
Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)
Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)
Group("""

Rule = Callable[[int, int], str]
"""Rule i of n."""

SHAPES: dict[str, Rule] = {
    "a tree of classes": lambda i, _: (
        f"Forall ?x (?x[rdf:type -> ex:C{i // 2}] :- ?x # ex:C{i + 1})"
    ),
    "chains of properties": lambda i, _: (
        f"Forall ?x ?y ?z (?x[ex:p{i} -> ?z] :- And(?x[ex:p{i + 1} -> ?y] ?y[ex:q{i % 7} -> ?z]))"
    ),
    "built-ins": lambda i, _: (
        f"Forall ?x ?v ?w (ex:a{i}(?x ?w) :- And(?x[ex:p{i % 50} -> ?v] "
        f"External(pred:numeric-greater-than(?v {i})) ?w = External(func:numeric-add(?v {i}))))"
    ),
    "one component": lambda i, n: (
        f"Forall ?x ?y (ex:p{(i + 1) % n}(?x ?y) :- "
        f"And(ex:p{i}(?x ?y) ex:p{(i * 7 + 3) % n}(?y ?x)))"
    ),
    "predicates of their own": lambda i, _: f"Forall ?x ?y (ex:b{i}(?x ?y) :- ex:a{i}(?x ?y))",
    "one conclusion": lambda i, _: f"Forall ?x (ex:alarm(?x) :- ex:a{i}(?x))",
    "one condition": lambda i, _: f"Forall ?x (ex:a{i}(?x) :- ex:alarm(?x))",
    "any property": lambda i, _: (
        f"Forall ?x ?y ?p (?x[?p -> ?y] :- And(?x[ex:p{i} -> ?y] ?p[ex:sub -> ex:c{i}]))"
    ),
    "any property, with a value": lambda i, _: (
        f"Forall ?x ?p (?x[?p -> ex:c{i}] :- ?x[ex:q{i} -> ?p])"
    ),
    "subjects": lambda i, _: f"Forall ?x (ex:s{i}[ex:state -> ?x] :- ex:s{i + 1}[ex:state -> ?x])",
    "subjects and values": lambda i, _: (
        f"Forall ?x (ex:s{i}[ex:state -> ?x] :- ?x[ex:state -> ex:v{i}])"
    ),
    "third arguments": lambda i, _: (
        f"Forall ?x ?y (ex:p(?x ?y ex:c{i}) :- ex:p(?x ?y ex:c{i + 1}))"
    ),
    "functions in a circle": lambda i, n: (
        f"Forall ?x (ex:p{i}(External(func:numeric-add(?x 1))) :- ex:p{(i + 1) % n}(?x))"
    ),
    "disjunctions": lambda i, _: (
        f"(* ex:r{i} *) Forall ?x (ex:a{i}(?x) :- "
        f"Or(And(ex:b(?x) ex:c{i}(?x)) Exists ?y (ex:d{i}(?x ?y))))"
    ),
    "facts": lambda i, _: f"ex:o{i}[ex:p{i % 10} -> {i}]",
}


def stages(rule: Rule, count: int) -> Iterator[int]:
    """The calls of reading and checking, of compiling, of building, so that facts may be lost."""
    text = (PROLOGUE + "\n".join(rule(i, count) for i in range(count)) + "))").encode()
    with cProfile.Profile() as reading:
        document = parse_bytes(text).document
    with cProfile.Profile() as compiling:
        program = compile_document(document, TimeScale())
    with cProfile.Profile() as building:
        Core(program, Dictionary())
    with cProfile.Profile() as arranging:
        Core(program, Dictionary(), keep=True)
    for profile in (reading, compiling, building, arranging):
        yield sum(entry.callcount for entry in profile.getstats())


def check_growth(shape: str, few: int) -> None:
    small, large = (list(stages(SHAPES[shape], count)) for count in (few, 4 * few))
    assert all(more <= MOST * less for less, more in zip(small, large, strict=True)), (small, large)


@pytest.mark.parametrize("shape", list(SHAPES)[::5])
def test_four_times_the_rules_cost_four_times_the_calls(shape: str) -> None:
    check_growth(shape, 100)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_so_it_is_with_hundreds_of_rules_of_all_shapes(shape: str) -> None:
    check_growth(shape, 150)
