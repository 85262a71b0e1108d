"""Tests of one set of hypotheses whose terms another set has: they are true or false by now.

A test on a variable that is free in the other set, too, is compared as it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.builtins import Outcome
from rif.builtins.signatures import OutsideDomain
from rif.syntax import ast
from rif.syntax.terms import GroundTerm, parse_canonical
from rif.values.datatypes import same_value
from temporal.hypothetical.rif_rules.entries.evidence_reader import EvidenceReader, Mask
from temporal.hypothetical.rif_rules.rewriting.evidence_rules import PendingTest

_MOST_KNOWN: Final = 1 << 12
"""So many results are remembered."""


class TestInstance(NamedTuple):
    """The form of a test; per term whether it is of the other set, and its place in rows."""

    form: str
    args: tuple[tuple[bool, int], ...]


class Evaluation:
    """Evaluates the tests of all shapes."""

    def __init__(self, readers: Iterable[EvidenceReader], terms: Dictionary) -> None:
        self._terms = terms
        self._tests = {test.form: test for each in readers for test in each.shape.tests}
        self._passes = lru_cache(_MOST_KNOWN)(self._evaluate)

    def passes(self, call: TestInstance, ones: Rows, others: Rows) -> Mask:
        """For which pairs of rows of both sets a test is true.

        Costs a call of its built-ins for each distinct tuple of terms.
        """
        ids = np.empty((len(ones), len(call.args)), np.int64)
        for column, (is_other, place) in enumerate(call.args):
            ids[:, column] = (others if is_other else ones)[:, place]
        firsts, which = self._terms.distinct(ids)
        texts = self._terms.decode_many(ids[firsts].ravel())
        width = len(call.args)
        found = [
            self._passes(call.form, tuple(texts[start : start + width]))
            for start in range(0, width * len(firsts), width)
        ]
        mask: Mask = np.array(found, np.bool_)[which]
        return mask

    def _evaluate(self, form: str, texts: tuple[str, ...]) -> bool:
        test = self._tests[form]
        return _is_true(
            test, dict(zip(test.names, map(parse_canonical, texts), strict=True)), self._terms
        )


def _is_true(test: PendingTest, given: Mapping[str, GroundTerm], terms: Dictionary) -> bool:
    formula = test.formula
    assert isinstance(formula, ast.Equal | ast.External)
    args = (formula.left, formula.right) if isinstance(formula, ast.Equal) else formula.args
    values = [value for each in args if (value := _value(each, given, terms)) is not None]
    if len(values) < len(args):
        return False
    if isinstance(formula, ast.Equal):
        return same_value(*values)
    return _outcome(formula.op.value, values, terms) is True


def _value(term: ast.Term, given: Mapping[str, GroundTerm], terms: Dictionary) -> GroundTerm | None:
    """The value of a term; None: a function has none, or it is a list."""
    if isinstance(term, ast.Var):
        return given[term.value.name]
    if isinstance(term, ast.Constant):
        return term.value
    if not isinstance(term, ast.ExternalTerm):
        return None
    values = [value for each in term.args if (value := _value(each, given, terms)) is not None]
    if len(values) < len(term.args):
        return None
    found = _outcome(term.op.value, values, terms)
    return None if isinstance(found, bool) else found


def _outcome(name: str, values: Sequence[GroundTerm], terms: Dictionary) -> Outcome:
    try:
        return terms.builtins[name].evaluate(*values)
    except OutsideDomain:
        return None
