"""One rule, one table, or some facts, parsed line by line."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass

from rif.errors.base import RuleError
from rif.syntax.ast import Implies
from temporal.facts.fact_parser import FactReader
from temporal.facts.table_parser import parse_row
from temporal.mtl.ast import MetricFact
from temporal.text.program_parser import parse_program
from temporal.text.scanner import lines_of


@dataclass(frozen=True, slots=True)
class ParsedFacts:
    """The facts of a text, and the faults of its other lines.

    Attributes:
        facts: The good ones, in the order of the text.
        faults: What is wrong with the others.
        bad: How many lines are no fact.
    """

    facts: tuple[MetricFact, ...]
    faults: tuple[RuleError, ...] = ()
    bad: int = 0


def parse_rule(text: str) -> Implies:
    """The one rule that ``text`` holds."""
    (rule,) = parse_program(text, name="<rule>").rules
    return rule


def parse_facts(text: str, *, arities: MutableMapping[str, int] | None = None) -> ParsedFacts:
    """The facts that ``text`` holds, and what is wrong with the lines that hold none."""
    reader = FactReader(arities)
    facts = tuple(reader.read(text))
    return ParsedFacts(facts, tuple(reader.faults), reader.bad)


def parse_table(text: str, predicate: str) -> ParsedFacts:
    """The facts of ``predicate`` in a table, and what is wrong with the rows that hold none."""
    reader = FactReader()
    facts = tuple(_rows(text, predicate, reader))
    return ParsedFacts(facts, tuple(reader.faults), reader.bad)


def _rows(text: str, predicate: str, reader: FactReader) -> Iterator[MetricFact]:
    is_first = True
    for number, line in enumerate(lines_of(text), 1):
        if fact := parse_row(line, number, predicate, reader, is_first=is_first):
            yield fact
        is_first = is_first and not line.strip()
