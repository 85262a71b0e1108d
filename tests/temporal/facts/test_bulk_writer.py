"""Many facts as text: the same as one by one, in the same order."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from rete.storage.row_algebra import coalesce
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader
from temporal.facts.bulk_writer import write_rows
from temporal.intervals.interval import Interval
from temporal.mtl.ast import MetricFact
from tests.generators.metric.fact_text import write_facts
from tests.generators.metric.syntax import ODD
from tests.simulation.metric.single_texts import parse_facts

ENDS = st.none() | st.fractions(-3, 3, max_denominator=4)
INTERVALS = st.builds(Interval, ENDS, ENDS, st.booleans(), st.booleans()).filter(
    lambda found: not found.is_empty
)
FACTS = st.lists(
    st.builds(
        MetricFact, st.just("P"), st.tuples(st.sampled_from(ODD), st.sampled_from(ODD)), INTERVALS
    )
    | st.builds(MetricFact, st.just("Long_name"), st.just(()), INTERVALS),
    max_size=12,
)


def written(facts: list[MetricFact]) -> str:
    loader = BulkLoader(Dictionary())
    loader.facts(facts)
    data = loader.data()
    found = sorted((name, coalesce(rows)) for (name, _), rows in data.rows.items())
    return b"".join(write_rows(found, loader.terms, data.scale)).decode()


@given(facts=FACTS)
@example(facts=[])
def test_facts_are_written_as_one_by_one_but_united(facts: list[MetricFact]) -> None:
    text = written(facts)
    again = parse_facts(text)
    assert not again.faults
    assert text == write_facts(again.facts)
    assert written(list(again.facts)) == text
    ends = [end for fact in facts for end in (fact.interval.left, fact.interval.right)]
    points = {end for end in ends if end is not None}
    for ground in {(fact.predicate, fact.args) for fact in (*facts, *again.facts)}:
        for point in points:
            assert holds(facts, ground, point) == holds(again.facts, ground, point)


def holds(
    facts: Iterable[MetricFact], ground: tuple[str, tuple[str, ...]], point: Fraction
) -> bool:
    return any(point in fact.interval for fact in facts if (fact.predicate, fact.args) == ground)
