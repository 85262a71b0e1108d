"""Heads: what a more general rule says need not be asked of another one."""

from __future__ import annotations

import pytest

from r4.engine.core import Core
from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rete.retraction.subsumption import heads_of
from rete.terms.dictionary import Dictionary
from rif.builtins.extensions import R4_BUILTIN
from rif.text.parser import parse
from tests.simulation.retraction.written_stories import EX

STEP = "Forall ?x ?y ?z ?k (?x[?k -> ?z] :- And(?y[ex:same -> ?z] ?x[?k -> ?y]))"
CLOSED = "Forall ?x ?y ?z (?x[ex:same -> ?z] :- And(?x[ex:same -> ?y] ?y[ex:same -> ?z]))"


def kept(*texts: str) -> list[int]:
    """The numbers of the rules that are asked."""
    written = f"Document(Prefix(ex <{EX}>) Prefix(own <{R4_BUILTIN}>) Group({' '.join(texts)}))"
    program = compile_document(parse(written).document, TimeScale())
    tables = Core(program, Dictionary(by_value=True), keep=True).layers.all_tables
    return sorted(head.terminal.rule for table in tables for head in heads_of(table))


def test_an_instance_of_a_rule_is_covered() -> None:
    assert kept(STEP, CLOSED) == [1]
    assert kept(CLOSED, STEP) == [2]


def test_of_two_that_say_the_same_one_is_kept() -> None:
    assert len(kept(CLOSED, CLOSED)) == 1


@pytest.mark.parametrize(
    "other",
    [
        "Forall ?x ?y ?z (?x[ex:same -> ?z] :- And(?x[ex:same -> ?y] ?z[ex:same -> ?y]))",
        "Forall ?x ?y (?x[ex:same -> ?y] :- ?y[ex:same -> ?x])",
        "Forall ?x ?y ?z (?x[ex:q -> ?z] :- And(?x[ex:p -> ?y] ?y[ex:p -> ?z]))",
    ],
)
def test_what_no_terms_make_of_a_rule_is_not_covered(other: str) -> None:
    assert kept(STEP, other) == [1, 2]


def test_terms_that_must_differ_must_do_so_in_both() -> None:
    apart = "External(own:not-same-term(?y ?z))"
    step = STEP.replace("And(", f"And({apart} ")
    assert kept(step, CLOSED) == [1, 2]
    assert kept(step, CLOSED.replace("And(", f"And({apart} ")) == [1]
    assert kept(CLOSED, STEP.replace("And(", "And(External(own:not-same-term(?x ?k)) ")) == [1, 2]


def test_conditions_of_other_components_are_not_compared() -> None:
    apart = "Forall ?x ?y (?x[ex:t -> ?y] :- And(?x[ex:p -> ?y] Naf(?x[ex:q -> ?y])))"
    assert kept(apart, "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])") == [1, 2]
