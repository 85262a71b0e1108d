"""Warnings about rules, and the limit of rules that may derive for ever."""

from __future__ import annotations

import warnings

import pytest

from r4.api import Engine
from r4.api.run.rulebook import RuleWarning
from r4.run.driver import MOST
from rete.inference.errors import LimitReached

COUNTING = """
Document( Prefix(ex <urn:ex:>) Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)
  Group( Forall ?x ( ex:n(External(func:numeric-add(?x 1))) :- ex:n(?x) ) ) )
"""
START = "Document( Prefix(ex <urn:ex:>) Group( ex:n(3) ) )"
NEGATING = """
Document( Prefix(ex <urn:ex:>)
  Group( Forall ?x ( ?x[ex:is -> ex:b] :- And(?x[ex:p -> ex:a] Naf(?x[ex:q -> ex:a])) ) ) )
"""


def test_rules_that_may_derive_for_ever_have_a_limit_and_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert MOST == 100_000  # as docs/options.md says
    monkeypatch.setattr("r4.api.assembly.MOST", 90)
    with pytest.warns(RuleWarning, match="3:27: RIF304 .*forward chaining may not end") as found:
        engine = Engine.from_text(COUNTING)
    assert [each.filename for each in found] == [__file__]
    engine.add_rules(START)
    with pytest.raises(LimitReached, match="more than 90 facts"):
        engine.finish()


def test_a_limit_of_its_own_counts() -> None:
    with pytest.warns(RuleWarning):
        engine = Engine.from_text(COUNTING, limit=7)
    engine.add_rules(START)
    with pytest.raises(LimitReached, match="more than 7 facts"):
        engine.finish()


def test_rules_that_are_added_bring_their_warning_and_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("r4.api.state.calls.MOST", 90)
    engine = Engine.from_text("Document()")
    with pytest.warns(RuleWarning, match="RIF304") as found:
        engine.add_rules(COUNTING)
    assert [each.filename for each in found] == [__file__]
    engine.add_rules(START)
    with pytest.raises(LimitReached):
        engine.finish()


def test_a_negation_is_none_to_warn_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        engine = Engine.from_text(NEGATING)
    assert [each.code for each in engine.warnings] == ["RIF161"]
