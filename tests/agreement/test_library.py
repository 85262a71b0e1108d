"""The library tells what the definitions give, one element at a time."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given, reject

from r4.api import Engine
from tests.generators.streams.runs import RunCase, cases
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.run import DefaultGraphTriple, Element, expected
from tests.simulation.api_engine import as_one_document, instant, line_of, nodes

# rdflib says a word about every ill-typed literal.
pytestmark = pytest.mark.filterwarnings("ignore:Parsing weird boolean")
logging.getLogger("rdflib.term").setLevel(logging.CRITICAL)


@given(cases())
def test_the_library_tells_what_the_oracle_expects(case: RunCase) -> None:
    scenario = as_one_document(case.scenario)
    try:
        outcome = expected(scenario)
    except TooBig:
        reject()
    elements = [item for item in scenario.sources[0] if isinstance(item, Element)]
    engine = Engine.from_text(
        case.rules,
        semantics="facts" if scenario.semantics == "facts" else "instances",
        window=None if scenario.window is None else str(scenario.window),
        delay=scenario.delay,
        literals="term",
    )
    static = [item.triple for item in scenario.sources[0] if isinstance(item, DefaultGraphTriple)]
    engine.add_static(map(nodes, static))
    in_time = [
        engine.add(
            map(nodes, one.triples),
            at=instant(one.start, scenario.clock),
            until=None if one.end is None else instant(one.end, scenario.clock),
        )
        for one in elements
        if one.start is not None
    ]
    engine.finish(None)
    assert list(map(line_of, engine.changes())) == outcome.lines, str(case)
    assert sum(not each for each in in_time) == outcome.intake.late, str(case)
