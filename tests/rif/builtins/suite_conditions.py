"""Ground terms and conditions evaluated by the table of built-ins alone, and those of the suite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rif.builtins import BUILTINS
from rif.syntax import ast
from rif.syntax.terms import GroundList, GroundTerm
from rif.text.parser import parse, parse_formula
from rif.values.datatypes import same_value

CORE = "rif-tests/core"
CORRECTED = {
    ("Builtins_PlainLiteral", 8): ('"en"^^xs:lang', '"en"^^xs:language'),
    ("Builtins_Time", 55): ("^^xs:dayTime\n", "^^xs:dateTime\n"),
}
"""Test and conjunct to what is wrong with it and the reading to use, from its corrections.tsv."""


def evaluated(term: ast.Term) -> GroundTerm | None:
    """The value of a term without variables; None if it has none."""
    match term:
        case ast.Constant(value):
            return value
        case ast.ListTerm(items):
            members = _known(items)
            return None if members is None else GroundList(tuple(members))
        case ast.ExternalTerm(op, args):
            known = _known(args)
            outcome = None if known is None else BUILTINS[op.value].evaluate(*known)
            assert not isinstance(outcome, bool)
            return outcome
        case _:
            raise AssertionError(term)


def _known(terms: Sequence[ast.Term]) -> list[GroundTerm] | None:
    """The values of terms; None if one has none."""
    values = [evaluated(term) for term in terms]
    known = [term for term in values if term is not None]
    return known if len(known) == len(values) else None


def truth(formula: ast.Formula) -> bool:
    """Is an equality or a built-in predicate without variables true?"""
    match formula:
        case ast.Equal(left, right):
            one, two = evaluated(left), evaluated(right)
            return one is not None and two is not None and same_value(one, two)
        case ast.External(op, args):
            known = _known(args)
            return known is not None and BUILTINS[op.value].evaluate(*known) is True
        case _:
            raise AssertionError(formula)


def value(text: str) -> GroundTerm | None:
    """The value of a function applied, ``func:count(List(1))``, or of any other ground term."""
    written = f"External({text})" if text.startswith(("func:", "xs:", "rdf:")) else text
    formula = parse_formula(f"{written} = 0")
    assert isinstance(formula, ast.Equal)
    return evaluated(formula.left)


def holds(text: str) -> bool | None:
    """The outcome of a predicate applied, ``pred:is-list(1)``."""
    formula = parse_formula(f"External({text})")
    assert isinstance(formula, ast.External)
    known = _known(formula.args)
    assert known is not None
    outcome = BUILTINS[formula.op.value].evaluate(*known)
    assert outcome is None or isinstance(outcome, bool)
    return outcome


@dataclass(frozen=True)
class Conjunct:
    """A conjunct of a test of the suite: its number there, and its value by an XPath library."""

    number: int
    formula: ast.Formula
    expected: bool


def suite(test_data: Callable[[str], Path], test: str) -> list[Conjunct]:
    """The conjuncts of the one rule of a test; skips if the data are not there."""
    text = test_data(f"{CORE}/{test}/{test}-premise.rifps").read_text("utf-8")
    corrected = {n: right for (name, n), right in CORRECTED.items() if name == test}
    for wrong, right in corrected.values():
        text = text.replace(wrong, right)
    group = parse(text, check=False).document.group
    assert group is not None
    (rule,) = group.items
    assert isinstance(rule, ast.Implies)
    assert isinstance(rule.body, ast.And)
    table = test_data(f"{CORE}/conjuncts.tsv").read_text("utf-8").splitlines()
    rows = [row.split("\t") for row in table if row.startswith(f"{test}\t")]
    values = {int(row[1]): row[2] == "true" or int(row[1]) in corrected for row in rows}
    assert len(values) == len(rule.body.items)
    return [Conjunct(n, item, values[n]) for n, item in enumerate(rule.body.items, 1)]
