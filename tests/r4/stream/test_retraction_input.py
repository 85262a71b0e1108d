"""Elements that take back, as the intake hands them over."""

from __future__ import annotations

import io

import pytest

from r4.sinks.rdf import LateElements
from r4.stream.intake import Intake
from r4.stream.schedule import SourceOrder
from r4.stream.source import StreamOptions
from r4.time.ticks import NEG_INF, TimeScale
from rete.terms.dictionary import Dictionary
from tests.oracles.streams.intake import END, RETRACTS, START, Statement
from tests.r4.stream.sources import (
    P,
    TextSource,
    batches_of,
    integer,
    moment,
    ops_of,
    quad,
    read,
    stamp,
    text,
    text_of,
)


def back(name: str, *taken: str) -> str:
    return "\n".join(f"<urn:{name}> {RETRACTS} <urn:{each}> ." for each in taken)


def ops(*texts: bytes, **options) -> tuple[list[tuple], Intake]:
    sources = [TextSource(one, number) for number, one in enumerate(texts, 1)]
    intake, dictionary, batches = batches_of(sources, **options)
    return ops_of(batches, dictionary), intake


def fact(subject: str, start: int, name: str) -> tuple:
    return ((f"<urn:{subject}>", P, "<urn:o>"), start, None, f"<urn:{name}>" if name else "")


def test_a_retraction_moves_time_first_and_asserts_its_triples_after() -> None:
    found, intake = ops(
        text(stamp("g", 1), quad("a", "g"), stamp("h", 4), back("h", "g"), quad("b", "h"))
    )
    assert found == [fact("a", 1, "g"), ("back", 4, [("<urn:g>",)]), fact("b", 4, "h")]
    assert (intake.counters.elements, intake.counters.retractions) == (2, 1)


def test_several_names_are_taken_back_by_one_element_in_order() -> None:
    found, _ = ops(text(stamp("h", 4), back("h", "g1", "g2", "g1")))
    assert found == [("back", 4, [("<urn:g1>",), ("<urn:g2>",), ("<urn:g1>",)])]


def test_an_element_that_names_itself_takes_back_the_earlier_ones_and_stays() -> None:
    found, _ = ops(
        text(stamp("g", 1), quad("a", "g"), "", quad("b", "g"), stamp("g", 2), back("g", "g"))
    )
    assert found == [fact("a", 1, "g"), ("back", 2, [("<urn:g>",)]), fact("b", 2, "g")]


def test_without_a_stamp_of_its_own_it_has_the_largest_of_its_source() -> None:
    found, intake = ops(text(stamp("g", 7), stamp("h", 3), back("r", "g"), quad("b", "r")), delay=9)
    assert found == [("back", -2, [("<urn:g>",)]), fact("b", 7, "r")]
    assert intake.counters.bad == {}


def test_the_largest_stamp_of_another_source_does_not_count() -> None:
    _, intake = ops(text(stamp("g", 7), ""), text(back("r", "g")))
    assert intake.counters.bad == {"DAT207": 1}


@pytest.mark.parametrize("stamped", ["<urn:x>", integer(2**61), moment("01Z")])
def test_a_bad_stamp_is_none_to_inherit(stamped) -> None:
    _, intake = ops(text(stamp("g", stamped), "", back("r", "g"), stamp("h", 3)))
    expected = {} if stamped == moment("01Z") else {"DAT207": 1}
    assert intake.counters.bad.get("DAT207", 0) == expected.get("DAT207", 0)


@pytest.mark.parametrize(
    ("end", "code"),
    [(integer(7), "DAT206"), (integer(6), "DAT206"), (moment("09Z"), "DAT205"), (integer(8), None)],
)
def test_an_end_is_judged_by_the_inherited_stamp(end, code) -> None:
    found, intake = ops(text(stamp("g", 7), back("r", "g"), stamp("r", end, END), quad("b", "r")))
    assert intake.counters.bad == ({code: 1} if code else {})
    assert len(found) == (0 if code else 2)


def test_an_end_within_the_tick_of_an_inherited_stamp_empties_the_interval() -> None:
    lines = [stamp("g", moment("01.0009Z")), back("r", "g"), stamp("r", moment("01.0001Z"), END)]
    found, intake = ops(text(*lines, quad("b", "r")))
    assert intake.counters.bad == {}
    assert found == [("back", 1000, [("<urn:g>",)])]


def test_a_late_retraction_has_no_effect_and_is_counted_as_late() -> None:
    found, intake = ops(text(stamp("g", 5), stamp("r", 3), back("r", "g"), quad("b", "r")))
    assert found == []
    assert (intake.counters.late, intake.counters.retractions) == (1, 0)


def test_the_late_file_keeps_retractions() -> None:
    file = io.BytesIO()
    dictionary = Dictionary()
    options = StreamOptions()
    given = text(stamp("g", 5), stamp("r", 3), back("r", "g", "h"), quad("b", "r"))
    late = LateElements(file, dictionary, options)
    list(Intake([TextSource(given)], dictionary, options, late=late))
    found, _ = ops(file.getvalue())
    assert found == [("back", 3, [("<urn:g>",), ("<urn:h>",)]), fact("b", 3, "r")]


def test_a_retraction_stamped_by_the_clock_holds_from_then() -> None:
    source = TextSource(text(stamp("g", moment("01Z")), quad("a", "g"), back("r", "g")))
    intake, dictionary, batches = batches_of(
        [source], schedule=SourceOrder(lambda: 2000), arrival=True
    )
    assert ops_of(batches, dictionary)[1:] == [("back", 2000, [("<urn:g>",)])]
    assert intake.counters.bad == {}


FOUND_LATER = text(stamp("g", moment("04.0007Z")), quad("a", "g"))
TAKEN_EARLIER = text(stamp("r", moment("04Z")), back("r", "g"))


@pytest.mark.parametrize(
    ("sources", "unit", "expected"),
    [
        ((FOUND_LATER, TAKEN_EARLIER), "ms", ["a", "back"]),
        ((TAKEN_EARLIER, FOUND_LATER), "ms", ["back", "a"]),
        ((FOUND_LATER, TAKEN_EARLIER), "us", ["back", "a"]),
        ((TAKEN_EARLIER, FOUND_LATER), "us", ["back", "a"]),
    ],
)
def test_sources_are_merged_by_ticks_and_within_one_in_their_order(sources, unit, expected) -> None:
    found, _ = ops(*sources, scale=TimeScale(unit))
    assert ["back" if op[0] == "back" else "a" for op in found] == expected


def test_blank_node_names_belong_to_their_document() -> None:
    one = text(f"_:b {START} {integer(1)} .", f"<urn:a> {P} <urn:o> _:b .")
    two = text(f"<urn:r> {START} {integer(2)} .", f"<urn:r> {RETRACTS} _:b .")
    found, _ = ops(one, two)
    assert [op for op in found if op[0] == "back"] == [("back", 2, [("_:d2_b",)])]
    assert found[0][-1] == "_:d1_b"
    found, _ = ops(one + two)
    assert found[-1] == ("back", 2, [("_:d1_b",)])


def test_retractions_without_triples_share_a_batch_only_at_one_frontier() -> None:
    given = text(
        stamp("a", 1), back("a", "x"), stamp("b", 1), back("b", "y"), stamp("c", 2), back("c", "z")
    )
    _, dictionary, batches = batches_of([TextSource(given)])
    taken = [dictionary.decode_many(b.retracted_names) for b in batches if b.is_retraction]
    assert taken == [["<urn:x>", "<urn:y>"], ["<urn:z>"]]


def test_a_triple_between_two_retractions_parts_them() -> None:
    given = text(stamp("a", 1), back("a", "x"), "", f"<urn:s> {P} <urn:o> .", back("b", "y"))
    _, _, batches = batches_of([TextSource(given)])
    assert [len(b.retracted_names) for b in batches if b.is_retraction] == [1, 1]


def test_before_any_frontier_a_retraction_is_of_all_time() -> None:
    given = text(stamp("a", 1), back("a", "x"), "")
    sources = [TextSource(given, 1), TextSource(text(stamp("z", 9)), 2)]
    _, _, batches = batches_of(sources)
    assert [b.frontier for b in batches if b.is_retraction] == [NEG_INF]


def test_names_are_told_only_where_they_are_asked_for() -> None:
    intake, _ = read(text(stamp("g", 1), quad("a", "g"), back("r", "g")))
    batches = list(intake)
    assert [len(batch.rows) for batch in batches] == [1, 0]
    assert all(not len(batch.names) for batch in batches)
    assert len(batches[1].retracted_names) == 1


def test_many_retractions_cost_no_more_each() -> None:
    stream: list[Statement] = []
    for number in range(3000):
        stream += [(f"<urn:g{number}>", START, integer(number), "")]
        stream += [(f"<urn:g{number}>", RETRACTS, f"<urn:g{number - 1}>", "")]
    _, _, batches = batches_of([TextSource(text_of(stream))])
    assert sum(batch.is_retraction for batch in batches) == 3000


def test_ids_that_are_told_and_those_to_come_survive_a_sweep() -> None:
    lines = [
        line
        for n in range(9)
        for line in (stamp(f"g{n}", n), quad("a", f"g{n}"), back(f"g{n}", "x", f"g{n - 1}"))
    ]
    dictionary = Dictionary()
    intake = Intake([TextSource(text(*lines))], dictionary, StreamOptions(names=True))
    found: list[tuple] = []
    for batch in intake:
        dictionary.touch(batch.rows, 2 * batch.start + 2)
        dictionary.sweep(10**6, (batch.rows, *batch.needed_ids))
        found += ops_of([batch], dictionary)
    expected, _ = ops(text(*lines))
    assert found == expected
