"""The intake agrees with stream input by definition, however the bytes arrive."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from r4.stream.batch import Batch
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from r4.time.ticks import NEG_INF, POS_INF
from rete.terms.dictionary import Dictionary
from tests.oracles.streams import intake as oracle
from tests.oracles.streams.intake import START, Statement
from tests.r4.stream.sources import (
    CUTS,
    WHEN,
    P,
    TextSource,
    batches_of,
    calm_streams,
    facts_of,
    finite,
    flaws_of,
    in_normal_form,
    ops_of,
    renamed,
    streams,
    text_of,
)
from tests.simulation.dictionary_check import check_dictionary


def check(
    sources: Sequence[tuple[list[Statement], list[int]]],
    delay: int,
    *,
    inside: bool,
    delays: dict[int, int] | None = None,
    by_predicate: dict[str, int] | None = None,
) -> None:
    """The intake reads what the definition says."""
    expected = oracle.read(
        [renamed(stream, i + 1) for i, (stream, _) in enumerate(sources)],
        delay=delay,
        start=WHEN if inside else START,
        inside=inside,
        delays=delays,
        by_predicate=by_predicate,
    )
    readers = [TextSource(text_of(s), i + 1, cuts) for i, (s, cuts) in enumerate(sources)]
    predicate = "urn:when" if inside else None
    intake, dictionary, batches = batches_of(
        readers,
        delay=delay,
        time_predicate=predicate,
        delays={f"s{number + 1}": ticks for number, ticks in (delays or {}).items()},
        predicate_delays={iri[1:-1]: ticks for iri, ticks in (by_predicate or {}).items()},
    )
    assert in_normal_form(ops_of(batches, dictionary)) == in_normal_form(expected.ops)
    assert facts_of(batches, dictionary) == expected.facts
    assert flaws_of(intake) == dict(expected.flaws)
    assert intake.counters.late == len(expected.late)
    assert intake.counters.elements == expected.elements
    assert (intake.frontier, intake.last) == (finite(expected.frontier), finite(expected.last))
    assert_batches_are_as_promised(batches)


def assert_batches_are_as_promised(batches: Sequence[Batch]) -> None:
    frontier, last = NEG_INF, NEG_INF
    for batch in batches:
        static = batch.start == NEG_INF
        assert static.all() or not static.any()
        if static.any():
            assert (frontier, last) == (NEG_INF, NEG_INF)
            assert (batch.frontier, batch.last) == (NEG_INF, NEG_INF)
        assert batch.frontier >= frontier
        assert batch.last >= last
        assert (batch.start < batch.end).all()
        assert (static | (batch.start >= frontier)).all()
        if batch.is_retraction:
            assert (batch.start >= batch.frontier).all()
        frontier, last = batch.frontier, batch.last


@given(
    sources=st.lists(st.tuples(streams(), CUTS), min_size=1, max_size=3),
    delay=st.sampled_from([0, 0, 1, 3]),
    inside=st.booleans(),
)
def test_what_is_read_is_what_the_definition_says(sources, delay, inside) -> None:
    check(sources, delay, inside=inside)


@given(
    sources=st.lists(st.tuples(calm_streams(), CUTS), min_size=1, max_size=4),
    delay=st.sampled_from([0, 0, 1, 3]),
)
def test_sources_merge_as_the_definition_says(sources, delay) -> None:
    check(sources, delay, inside=False)


@given(
    sources=st.lists(st.tuples(calm_streams(), CUTS), min_size=1, max_size=3),
    delay=st.sampled_from([0, 2]),
    delays=st.dictionaries(st.integers(0, 2), st.sampled_from([0, 1, 4]), max_size=2),
    by_predicate=st.dictionaries(
        st.sampled_from([P, "<urn:q>"]), st.sampled_from([0, 1, 3]), max_size=2
    ),
)
def test_sources_and_predicates_have_delays_of_their_own(
    sources, delay, delays, by_predicate
) -> None:
    check(sources, delay, inside=False, delays=delays, by_predicate=by_predicate)


@given(sources=st.lists(st.tuples(calm_streams(), CUTS), min_size=1, max_size=3))
def test_a_sweep_that_keeps_what_is_held_changes_nothing(sources) -> None:
    expected = oracle.read([renamed(stream, i + 1) for i, (stream, _) in enumerate(sources)])
    readers = [TextSource(text_of(s), i + 1, cuts) for i, (s, cuts) in enumerate(sources)]
    dictionary = Dictionary()
    facts = []
    for batch in Intake(readers, dictionary, StreamOptions()):
        facts += facts_of([batch], dictionary)
        dictionary.sweep(POS_INF, batch.needed_ids)
        check_dictionary(dictionary)
    assert facts == expected.facts
