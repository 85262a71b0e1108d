"""What the intake does in single cases: places, strictness, clocks, late files, live sources."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from r4.errors import BadData
from r4.rdf.chunks import Chunk
from r4.rdf.files import ByteSource
from r4.rdf.nquads import LineReader
from r4.sinks.rdf import LateElements
from r4.stream.batch import Batch
from r4.stream.elements.segmentation import StampVocabulary
from r4.stream.intake import Intake
from r4.stream.schedule import SourceOrder, TimedSchedule, Timers
from r4.stream.source import StreamOptions
from r4.time.ticks import Kind
from rete.terms.dictionary import Dictionary
from tests.oracles.streams import intake as oracle
from tests.oracles.streams.intake import END, RETRACTS, START
from tests.r4.stream.sources import P, TextSource, facts_of, moment, quad, read, stamp, text


def test_faults_are_sampled_with_their_place() -> None:
    intake, _ = read(
        text(
            "# a comment",
            stamp("g0", 8, RETRACTS),
            stamp("g1", 5),
            "nonsense",
            quad("s", "g2"),
            "",
            stamp("g3", "<urn:x>"),
            stamp("g4", 2**61),
            stamp("g5", moment("00Z")),
            stamp("g6", 7),
            stamp("g6", 7, END),
            stamp("g8", 8),
            stamp("g8", 9),
            f'<urn:s> {P} "x"@en--ltr .',
            quad("late", "g9"),
            stamp("g9", 4),
        )
    )
    list(intake)
    samples = {s.code: s.place for found in intake.counters.samples.values() for s in found}
    assert samples == {
        "DAT101": "s1:4",
        "DAT102": "s1:14",
        "DAT201": "s1:5",
        "DAT202": "s1:12",
        "DAT203": "s1:7",
        "DAT204": "s1:8",
        "DAT205": "s1:9",
        "DAT206": "s1:10",
        "DAT207": "s1:2",
        "DAT301": "s1:15",
    }
    assert set(intake.counters.bad) == set(samples) - {"DAT301"}
    (late,), (wrong,) = (intake.counters.samples[code] for code in ("DAT301", "DAT203"))
    assert late.message == "an element with a stamp below the frontier: 4 lies before 5"
    assert wrong.message.startswith("a stamp that is no xsd:dateTime and no xsd:integer: ")
    assert (intake.counters.late, intake.counters.elements) == (1, 1)


def test_an_element_that_began_in_an_earlier_chunk_keeps_its_place() -> None:
    whole = text(stamp("g1", 1), quad("s", "g2"), quad("t", "g2"), quad("u", "g2"), quad("s", "g3"))
    cuts = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    intake = Intake([TextSource(whole, 1, cuts)], Dictionary(), StreamOptions())
    list(intake)
    assert [s.place for s in intake.counters.samples["DAT201"]] == ["s1:2", "s1:5"]


def test_five_samples_of_a_code_are_kept_and_all_are_counted() -> None:
    intake, _ = read(text(stamp("g", 1), *["nonsense"] * 20))
    list(intake)
    assert intake.counters.bad["DAT101"] == 20
    assert [s.place for s in intake.counters.samples["DAT101"]] == [f"s1:{n}" for n in range(2, 7)]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("nonsense", "DAT101"),
        (quad("s", "bad"), "DAT201"),
        (stamp("bad", "<urn:x>"), "DAT203"),
    ],
)
def test_strict_ends_at_the_first_bad_datum_after_what_came_before(bad, code) -> None:
    intake, dictionary = read(
        text(stamp("g1", 1), quad("a", "g1"), "", bad, "", stamp("g2", 2), quad("b", "g2")),
        strict=True,
    )
    batches: list[Batch] = []
    with pytest.raises(BadData, match=f"s1:4: {code}"):
        batches.extend(intake)
    # What `extend` had taken before the error is lost with it: so again, one at a time.
    intake, dictionary = read(
        text(stamp("g1", 1), quad("a", "g1"), "", bad, "", stamp("g2", 2), quad("b", "g2")),
        strict=True,
    )
    stream = iter(intake)
    batches = [next(stream)]
    assert [fact[0][0] for fact in facts_of(batches, dictionary)] == ["<urn:a>"]
    with pytest.raises(BadData):
        next(stream)


def test_strict_does_not_mind_late_or_rounded_elements() -> None:
    intake, _ = read(text(stamp("g1", 5), stamp("g2", 4), stamp("g3", 6)), strict=True)
    list(intake)
    assert intake.counters.late == 1


def test_the_first_element_of_the_first_source_fixes_the_kind() -> None:
    first = text(f"<urn:s> {P} <urn:o> .", stamp("bad", "<urn:x>"), stamp("g1", moment("05Z")))
    intake, _ = read(first, text(stamp("g2", 3)))
    list(intake)
    assert intake.kind == Kind.DATE_TIME
    assert intake.counters.bad == {"DAT203": 1, "DAT205": 1}
    intake, _ = read(text(stamp("g2", 3)), first)
    list(intake)
    assert intake.kind == Kind.INTEGER


def test_rounded_stamps_are_counted_and_an_emptied_interval_is_no_bad_data() -> None:
    intake, _ = read(
        text(
            stamp("g1", moment("01.0001Z")),
            stamp("g1", moment("01.0009Z"), END),
            quad("a", "g1"),
            stamp("g2", moment("01.0019Z")),
            stamp("g2", moment("01.0011Z"), END),
            stamp("g3", moment("01.0015Z")),
            stamp("g3", moment("01.002Z"), END),
            quad("b", "g3"),
        )
    )
    batches = list(intake)
    assert intake.counters.bad == {"DAT206": 1}
    assert intake.counters.rounded == 3
    assert intake.counters.elements == 2
    assert [(b.start.tolist(), b.end.tolist()) for b in batches if len(b.rows)] == [
        ([1001], [1002])
    ]


def test_arrival_stamps_what_has_no_stamp_and_never_runs_backwards() -> None:
    clock = iter([100, 90, 120, 130])
    lines = [quad("a", "g1"), quad("b", "g2"), stamp("g3", moment("00.105Z")), quad("c", "g3")]
    whole = text(*lines)
    dictionary = Dictionary()
    source = TextSource(whole, 1, [len(text(*lines[:2]))])
    options = StreamOptions(arrival=True)
    schedule = TimedSchedule(Timers(), lambda: next(clock))
    intake = Intake([source], dictionary, options, schedule=schedule)
    batches = list(intake)
    assert facts_of(batches, dictionary) == [
        (("<urn:a>", P, "<urn:o>"), 100, None),
        (("<urn:b>", P, "<urn:o>"), 100, None),
        (("<urn:c>", P, "<urn:o>"), 105, None),
    ]
    assert intake.counters.bad == {}


def test_triples_in_no_graph_have_no_stamp_of_arrival_of_which_one_is_warned() -> None:
    def shown(*, arrival: bool) -> list[str]:
        plain = ["<urn:a> <urn:p> <urn:o> .", "<urn:b> <urn:p> <urn:o> ."]
        lines = [*plain, quad("c", "g1"), plain[0]]
        options = StreamOptions(arrival=arrival)
        intake = Intake(
            [TextSource(text(*lines))], Dictionary(), options, schedule=SourceOrder(lambda: 3)
        )
        list(intake)
        assert "DAT306" not in intake.counters.bad
        return [each.place for each in intake.counters.samples.get("DAT306", [])]

    assert shown(arrival=True) == ["s1:1"]
    assert shown(arrival=False) == []


def test_the_late_file_is_a_stream_with_the_same_elements() -> None:
    given = [
        stamp("g1", moment("09Z")),
        quad("a", "g1"),
        stamp("g2", moment("05Z")),
        stamp("g2", moment("07Z"), END),
        quad("b", "g2"),
        quad("c", "g2"),
        stamp("g2", moment("06Z")).replace("g2", "g3"),
        "",
        stamp("g3", moment("06.5Z")),
        quad("d", "g3"),
    ]
    file = io.BytesIO()
    dictionary = Dictionary()
    options = StreamOptions()
    late = LateElements(file, dictionary, options)
    intake = Intake([TextSource(text(*given))], dictionary, options, late=late)
    list(intake)
    assert intake.counters.late == 3
    again, other = read(file.getvalue())
    found = facts_of(list(again), other)
    assert again.counters.elements == 3
    assert [(fact[0][0], *fact[1:]) for fact in found] == [
        ("<urn:b>", 5000, 7000),
        ("<urn:c>", 5000, 7000),
        ("<urn:d>", 6500, None),
    ]


def test_late_elements_that_arrived_late_carry_the_clock() -> None:
    file = io.BytesIO()
    dictionary = Dictionary()
    options = StreamOptions(arrival=True)
    late = LateElements(file, dictionary, options)
    source = TextSource(text(stamp("g1", moment("09Z")), quad("a", "g2")))
    schedule = SourceOrder(lambda: 3)
    list(Intake([source], dictionary, options, late=late, schedule=schedule))
    assert file.getvalue().startswith(
        b"<urn:g2> " + START.encode() + b' "1970-01-01T00:00:00.003Z"'
    )


def test_what_is_complete_is_handed_over_before_more_is_read() -> None:
    lines = [stamp("g1", 1), quad("a", "g1"), "", stamp("g2", 2), quad("b", "g2"), ""]
    arrived: list[str] = []

    class Lines(ByteSource):
        whole = True

        def __init__(self) -> None:
            self.name, self.live = "lines", True

        def read(self) -> bytes:
            if not lines:
                return b""
            arrived.append(lines.pop(0))
            return text(arrived[-1])

    class Live(TextSource):
        def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
            del vocabulary
            return LineReader(dictionary, 1, triples=False).chunks(Lines())

    stream = iter(Intake([Live(b"")], Dictionary(), StreamOptions()))
    assert next(stream).last == 1
    assert len(arrived) == 3
    assert next(stream).last == 2
    assert len(arrived) == 6


def test_a_source_without_an_element_holds_the_frontier_until_it_ends() -> None:
    intake, dictionary = read(text(stamp("g1", 5), quad("a", "g1")), text(f"<urn:s> {P} <urn:o> ."))
    batches = list(intake)
    assert [fact[1] for fact in facts_of(batches, dictionary)] == [-oracle.INF, 5]
    assert intake.frontier == 5


def test_the_frontier_moves_when_a_source_ends() -> None:
    intake, _ = read(text(stamp("g1", 1)), text(stamp("g2", 5), stamp("g3", 9)))
    frontiers = [batch.frontier for batch in intake]
    assert frontiers == sorted(frontiers)
    assert frontiers[-1] == 9


def test_closing_closes_all_sources() -> None:
    sources = [TextSource(b"", 1), TextSource(b"", 2)]
    Intake(sources, Dictionary(), StreamOptions()).close()
    assert all(source.closed for source in sources)


def test_no_sources_give_no_batches() -> None:
    assert list(Intake([], Dictionary(), StreamOptions())) == []
