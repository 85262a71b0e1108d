"""One rule, or one table, parsed line by line."""

from __future__ import annotations

from collections.abc import Iterator

from rif.syntax.ast import Implies
from temporal.facts.fact_parser import FactReader, ParsedFacts
from temporal.facts.table_parser import parse_row
from temporal.mtl.ast import MetricFact
from temporal.text.program_parser import parse_program
from temporal.text.scanner import lines_of


def parse_rule(text: str) -> Implies:
    """The one rule that ``text`` holds."""
    (rule,) = parse_program(text, name="<rule>").rules
    return rule


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
