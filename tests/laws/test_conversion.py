"""Plain RIF, readable rules and RIF/XML say the same, and are planned alike."""

from __future__ import annotations

import pytest

from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rif.errors.report import RuleErrors
from rif.syntax.ast import Document
from rif.syntax.traversal import rules
from tests.generators.draw import from_seed
from tests.generators.events.programs import program
from tests.generators.rules.documents import document as random_document
from tests.generators.rules.metric import metric_document
from tests.generators.rules.parsers import parse, parse_xml, unparse, write_readable, write_xml
from tests.generators.vocabulary import vocabulary
from tests.seeds import parts

PART = 100


def document_of(seed: int) -> Document:
    """Plain rules, rules with metric operators, or with aggregates and event times."""
    draw = from_seed(seed)
    match seed % 3:
        case 0:
            return random_document(draw, vocabulary(draw), negation=True)
        case 1:
            return metric_document(draw, vocabulary(draw), negation=True)
    return program(draw, rare=seed % 2 == 0)


def plans(document: Document) -> object:
    """The plans of a document, or why it has none."""
    try:
        return compile_document(document, TimeScale(), language=LANGUAGE).emits
    except RuleErrors as errors:
        return [each.code for each in errors.errors]


@pytest.mark.parametrize("first", parts(PART, check=1, test=5, soak=50))
def test_documents_are_converted_there_and_back(first: int) -> None:
    of_clauses = planned = 0
    for seed in range(first, first + PART):
        document = parse(unparse(document_of(seed)), check=False).document
        readable = write_readable(document)
        again = parse(readable, check=False).document
        xml = parse_xml(write_xml(again).encode(), check=False).document
        plain = parse(unparse(xml), check=False).document
        assert again == document, f"seed {seed}\n{readable}"
        assert list(rules(plain)) == list(rules(document)), f"seed {seed}\n{readable}"
        expected = plans(document)
        assert plans(again) == plans(plain) == expected, f"seed {seed}\n{readable}"
        of_clauses += not readable.startswith("Document(")
        planned += not isinstance(expected, list)
    assert of_clauses >= PART / 3
    assert planned >= PART / 2
