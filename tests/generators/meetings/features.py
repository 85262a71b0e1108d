"""Which dimensions a meeting has, seen in its rules and in what is read of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rif.syntax.ast import Equal
from rif.syntax.negation import Naf
from temporal.mtl.ast import BinaryOperator, BoxPlus, DiamondPlus, UnaryOperator, Until
from tests.generators.meetings.histories import SCHEMA
from tests.oracles.metric.dependencies import is_recursive, parts, walk
from tests.oracles.rules.datalog import rules_of
from tests.oracles.streams.history import (
    FrontierMove,
    HistoryElement,
    ReferenceEnds,
    ReferenceTriples,
    RuleLeaves,
    RulesJoin,
    SaveAndLoad,
    read,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rif.syntax.ast import Formula
    from tests.generators.meetings.histories import Meeting
    from tests.oracles.rules.datalog import Rule

FUTURE = DiamondPlus | BoxPlus | Until
OPERATOR = UnaryOperator | BinaryOperator


def dimensions_of(case: Meeting) -> set[str]:
    """All that it has."""
    given = case.history
    items = [item for source in given.sources for item in source]
    documents = [given.document, *(one.document for one in items if isinstance(one, RulesJoin))]
    found = set(_of_rules([rule for each in documents for rule in rules_of(each)]))
    reading = read(given)
    elements = [item for item in items if isinstance(item, HistoryElement)]
    retracted = any(one.retracted < one.end for one in reading.assertions)
    kinds = {type(item) for item in items}
    found |= {
        name
        for name, said in (
            ("rules join", RulesJoin in kinds),
            ("rules leave", RuleLeaves in kinds),
            ("saved and loaded", SaveAndLoad in kinds),
            ("frontier moved", FrontierMove in kinds),
            ("reference data", ReferenceTriples in kinds),
            ("reference data end", ReferenceEnds in kinds),
            ("several sources", len(given.sources) > 1),
            ("TriG", "trig" in case.forms),
            ("RDF Patch", "patch" in case.forms and case.way != "library"),
            ("shards", case.way == "shards"),
            (
                "window",
                bool(given.source_windows or given.predicate_windows)
                or given.window is not None
                or given.document.window is not None,
            ),
            ("own ends", any(one.end is not None for one in elements)),
            ("delay", given.delay > 0),
            ("late element", reading.late > 0),
            ("element retracted", retracted and any(one.names for one in elements)),
            ("triple retracted", retracted and any(one.rows for one in elements)),
            ("static data", any(triple not in SCHEMA for triple in given.statics)),
            ("entailment", given.regime != "none"),
            ("instances", given.semantics == "instances"),
            ("literals by value", given.by_value),
            ("order of arrival", case.arrival),
            ("small batches", case.small),
            ("drain", given.drain > 0),
        )
        if said
    }
    return found


def _of_rules(rules: list[Rule]) -> Iterator[str]:
    if is_recursive(rules):
        yield "recursion"
    for rule in rules:
        if any(isinstance(head, OPERATOR) for head in rule.head):
            yield "box in a head"
        if rule.body is not None:
            yield from _of_body(rule.body)


def _of_body(body: Formula) -> Iterator[str]:
    for formula in walk(body):
        if isinstance(formula, Naf):
            yield "negation"
        elif isinstance(formula, Equal):
            yield "equality"
        elif isinstance(formula, OPERATOR):
            yield "future operator" if isinstance(formula, FUTURE) else "past operator"
            inner = (below for part in parts(formula) for below in walk(part))
            if any(isinstance(one, OPERATOR) for one in inner):
                yield "nested operators"
