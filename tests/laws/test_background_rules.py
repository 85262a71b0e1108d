"""A regime as background: the rules of the user see what they would if it were among them."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r4.engine.core import Core
from r4.imports import Profile
from r4.program.regimes.background import background_of
from rete.inference.errors import LimitReached
from rete.terms.dictionary import Dictionary
from rif.syntax.ast import Atom, Formula, Frame
from rif.syntax.terms import IRI, OWL, RDF
from tests.generators.draw import from_hypothesis, from_seed
from tests.generators.ontologies.axioms import EX
from tests.generators.ontologies.rules_above import (
    ATOM,
    ERROR,
    Clause,
    Layered,
    closed,
    layered,
    parts_of,
)
from tests.seeds import parts
from tests.simulation.closure import close
from tests.simulation.core_run import (
    FACT_LIMIT,
    CoreLine,
    feed,
    maximal_intervals,
    program,
    tiny_stores,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.compared

TOLD = IRI("urn:told")
PART = 10


@st.composite
def cases(draw: st.DrawFn) -> Layered:
    return layered(from_hypothesis(draw))


@settings(max_examples=settings().max_examples // 3)
@given(cases())
def test_a_background_means_what_its_rules_mean_among_those_of_the_user(case: Layered) -> None:
    assert_agreement(case, forget=False)


@pytest.mark.parametrize("first", parts(PART, check=0, pure=0, test=1, soak=12))
def test_so_it_is_in_many_cases_where_terms_are_forgotten(first: int) -> None:
    for seed in range(first, first + PART):
        assert_agreement(layered(from_seed(seed)), forget=True)


def assert_agreement(case: Layered, *, forget: bool) -> None:
    """Answers of rules above the background are those of the same rules among its rules.

    There the user's rules stand a second time, ahead of all, and conclude atoms of their own: what
    they conclude is told apart from what the regime does.

    Under instances, where terms are the same for ever, an answer is completed when its body is, and
    not again each time that one of those terms is mentioned; when it holds is the same.
    """
    echoes = [
        closed(tuple(map(echo, parts[0])), parts[1])
        for rule in case.rules
        if (parts := parts_of(rule)) is not None
    ]
    mine = [rule for rule in case.rules if parts_of(rule) is not None]
    facts = [rule for rule in case.rules if parts_of(rule) is None]
    try:
        with tiny_stores() if forget else nullcontext():
            above, core = told(case, mine + facts, apart=True)
        among, _ = told(case, [*echoes, *facts, *mine], apart=False)
    except LimitReached:
        return
    errors = [[line for line in lines if line.what == "error"] for lines in (above, among)]
    above = [line._replace(what=mark(line.what)) for line in above if line.what != "error"]
    among = [line for line in among if line.what.startswith((f"{TOLD}(", f"{_OF_ATOM}("))]
    for left, right in ((above, among), errors):
        assert maximal_intervals(left, instances=case.instances) == maximal_intervals(
            right, instances=case.instances
        ), case
    if not (case.instances and core.layers.classes):
        assert sorted(above, key=str) == sorted(among, key=str), case
    else:
        assert {(line.start, line.what) for line in above} <= {
            (line.start, line.what) for line in among
        }, case


def told(case: Layered, rules: Sequence[Clause], *, apart: bool) -> tuple[list[CoreLine], Core]:
    core = Core(
        program(case, rules, apart=apart), Dictionary(), instances=case.instances, limit=FACT_LIMIT
    )
    return list(feed(core, case)), core


def echo(head: Formula) -> Formula:
    """An atom that says what ``head`` says."""
    if isinstance(head, Frame):
        ((key, value),) = head.slots
        return Atom(TOLD, (head.object, key, value))
    assert isinstance(head, Atom)
    return Atom(IRI(TOLD.value + "-error") if head.op == ERROR else _OF_ATOM, head.args)


_OF_ATOM = IRI(TOLD.value + "-atom")


def mark(what: str) -> str:
    """The text of the echo of an answer."""
    if what.startswith(f"{ATOM}("):
        return what.replace(str(ATOM), str(_OF_ATOM), 1)
    return f"{TOLD}({what})"


def test_a_word_of_rdf_is_still_told_by_its_text_where_it_is_the_same_as_another() -> None:
    background = background_of("none", Profile.OWL_RDF_BASED)
    assert background is not None
    member, thing = IRI(RDF + "_2"), IRI(EX + "a")
    triples = [(thing, IRI(OWL + "sameAs"), member), (thing, IRI(EX + "p"), IRI(EX + "b"))]
    found = close(triples, background)
    assert (member, IRI(RDF + "type"), IRI(RDF + "Property")) in found.triples
    assert found == close(triples, background, united=False)
