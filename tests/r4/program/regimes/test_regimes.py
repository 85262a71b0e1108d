"""The texts of the regimes, and what is taken out of them."""

from __future__ import annotations

from importlib.resources import files

import pytest

from r4.program.regimes import REGIMES, regime, rule_name, select
from rif.syntax import ast
from rif.syntax.terms import IRI, XSD
from rif.syntax.traversal import rules
from tests.generators.rules.parsers import parse, unparse
from tests.oracles.rdf.owl import RULES

TEXTS = sorted(
    path.name for path in files("r4.program.regimes").iterdir() if path.name[-4:] == ".rif"
)


def names(document: ast.Document) -> set[str]:
    return {name for rule in rules(document) if (name := rule_name(rule))}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_rif_core(text: str) -> None:
    parsed = parse((files("r4.program.regimes") / text).read_text("utf-8"))
    assert parse(unparse(parsed.document)).document == parsed.document
    # The values of a key are put into a list, cell by cell of the list of its properties.
    assert [str(each.code) for each in parsed.warnings] == ["RIF304"] * (text == "owl-rl.rif")


def test_owl_rl_has_the_78_rules_of_the_tables() -> None:
    assert names(regime("owl-rl")) == set(RULES)
    assert len(RULES) == 78


def test_rdfs_has_the_entailment_patterns() -> None:
    patterns = {f"rdfs{n}" for n in (1, 2, 3, "4a", "4b", *range(5, 14))} | {"rdfD1", "rdfD2"}
    assert names(regime("rdfs")) - patterns == {"axiom", "ill-typed", "outside", "disjoint"}
    assert names(regime("rdfs")) >= patterns


@pytest.mark.parametrize("name", REGIMES)
def test_every_rule_is_annotated(name: str) -> None:
    assert all(rule.meta and isinstance(rule.meta.iri, IRI) for rule in rules(regime(name)))


def test_selected_rules_bring_the_auxiliary_ones_they_need_and_no_others() -> None:
    found = select(regime("owl-rl"), {"cls-svf2", "scm-cls"})
    assert names(found) == {"cls-svf2", "scm-cls"}
    derived = {str(rule.meta.iri) for rule in rules(found) if rule_name(rule) is None and rule.meta}
    assert derived == {"<urn:r4:entailment#some>"}


def test_selecting_all_rules_changes_nothing() -> None:
    everything = regime("owl-rl")
    assert list(rules(select(everything, set(RULES)))) == list(rules(everything))


def test_the_recognised_datatypes_can_be_chosen() -> None:
    def recognised(document: ast.Document) -> set[str]:
        return {
            str(rule.args[0].value).rpartition("#")[2].rstrip(">")
            for rule in rules(document)
            if isinstance(rule, ast.Atom)
            and str(rule.op) == "<urn:r4:entailment#recognised>"
            and isinstance(rule.args[0], ast.Constant)
        }

    assert recognised(regime("rdfs")) == {"string", "langString"}
    chosen = regime("rdfs", frozenset([XSD + "int"]))
    assert recognised(chosen) == {"string", "langString", "int"}
    assert len(recognised(regime("d"))) == 36


def test_an_unknown_regime_is_refused() -> None:
    with pytest.raises(KeyError):
        regime("owl-full")
