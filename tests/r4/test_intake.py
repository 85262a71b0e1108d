"""The intake agrees with stream input by definition, however the bytes arrive."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.chunks import Chunk, LineReader
from r4.elements import Vocabulary
from r4.faults import BadData
from r4.intake import Intake
from r4.late import LateFile
from r4.streams import NO_END, Batch, StreamOptions
from r4.time import NEG_INF, POS_INF, Kind
from rete.dictionary import Dictionary
from tests.oracles import streams as oracle
from tests.oracles.streams import EMPTY, END, MALFORMED, RETRACTS, START, XSD, Statement

P = "<urn:p>"
WHEN = "<urn:when>"


class Pieces:
    """Bytes that arrive in given pieces."""

    def __init__(self, text: bytes, cuts: Sequence[int]) -> None:
        bounds = [0, *sorted({min(cut, len(text)) for cut in cuts}), len(text)]
        found = [text[a:b] for a, b in pairwise(bounds)]
        self._pieces = iter([piece for piece in found if piece])

    def read(self) -> bytes:
        return next(self._pieces, b"")


class TextSource:
    """N-Quads as a source."""

    def __init__(self, text: bytes, number: int = 1, cuts: Sequence[int] = ()) -> None:
        self.name = f"s{number}"
        self._text, self._number, self._cuts = text, number, cuts
        self.closed = False

    def stamps(self, asked: Vocabulary) -> Vocabulary:
        return asked

    def chunks(self, dictionary: Dictionary, vocabulary: Vocabulary) -> Iterator[Chunk]:
        del vocabulary
        pieces = Pieces(self._text, self._cuts)
        return LineReader(dictionary, self._number, triples=False).chunks(pieces)

    def close(self) -> None:
        self.closed = True


def text_of(stream: Sequence[Statement]) -> bytes:
    return "".join(
        "\n" if s == EMPTY else "<a <b\n" if s == MALFORMED else f"{' '.join(s).rstrip()} .\n"
        for s in stream
    ).encode()


def integer(value: int | str, kind: str = "integer") -> str:
    return f'"{value}"^^<{XSD}{kind}>'


def moment(text: str) -> str:
    return f'"1970-01-01T00:00:{text}"^^<{XSD}dateTime>'


INTEGERS = [integer(n) for n in range(9)] + [integer("03"), integer("+3"), integer(4, "int")]
MOMENTS = [moment(t) for t in ("00Z", "00.001Z", "00.002", "00.0021Z", "00.0024Z", "00.0020Z")]
ODD = ["<urn:x>", '"3"', integer("x"), integer(2**61), integer(-3, "nonNegativeInteger")]


def stamps() -> st.SearchStrategy[str]:
    return st.one_of(
        *[st.sampled_from(INTEGERS)] * 8, st.sampled_from(MOMENTS), st.sampled_from(ODD)
    )


@st.composite
def streams(draw: st.DrawFn, times: st.SearchStrategy[str] | None = None) -> list[Statement]:
    """Mostly well-behaved elements, with everything that can happen to them."""
    times = stamps() if times is None else times
    names = st.sampled_from(["<urn:g1>", "<urn:g2>", "<urn:g3>", "_:b"])
    found: list[Statement] = []
    for number in range(draw(st.integers(0, 7))):
        name = draw(names)
        part = [
            (f"<urn:s{number}>", draw(st.sampled_from([P, P, P, START, WHEN, END])), o, name)
            for o in draw(st.lists(st.sampled_from(["<urn:o>", '"o"', integer(3)]), max_size=3))
        ]
        about = draw(st.sampled_from([[START]] * 8 + [[], [START, START], [START, WHEN], [WHEN]]))
        part += [(name, p, draw(times), "") for p in about]
        if draw(st.integers(0, 5)) == 0:
            part.append((name, END, draw(times), ""))
        if draw(st.integers(0, 20)) == 0:
            part.append((name, RETRACTS, "<urn:g1>", ""))
        plain = [(f"<urn:s{number}>", P, '"plain"', "")] * (draw(st.integers(0, 4)) == 0)
        odd = [MALFORMED] * (draw(st.integers(0, 8)) == 0)
        empty = [EMPTY] * (draw(st.integers(0, 4)) == 0)
        found += draw(st.permutations(part + plain + odd)) + empty
    return found


def batches_of(sources, *, delay=0, predicate=None, dictionary=None, late=None):
    dictionary = Dictionary() if dictionary is None else dictionary
    options = StreamOptions(delay=delay, time_predicate=predicate)
    intake = Intake(sources, dictionary, options, late=late)
    return intake, dictionary, list(intake)


def facts_of(batches: Sequence[Batch], dictionary: Dictionary) -> list[tuple]:
    found = []
    for batch in batches:
        texts = dictionary.decode_many(batch.rows.ravel())
        for i, (start, end) in enumerate(
            zip(batch.start.tolist(), batch.end.tolist(), strict=True)
        ):
            begins = -oracle.INF if start == NEG_INF else start
            ends = None if end == NO_END else oracle.INF if end == POS_INF else end
            found.append((tuple(texts[3 * i : 3 * i + 3]), begins, ends))
    return found


def renamed(stream: Sequence[Statement], number: int) -> list[Statement]:
    return [tuple(t.replace("_:b", f"_:d{number}_b") for t in s) for s in stream]


def flaws_of(intake: Intake) -> dict[str, int]:
    """Counts by code, with the codes of a term that is no stamp as one."""
    found = dict(intake.counters.bad)
    odd = found.pop("DAT203", 0) + found.pop("DAT204", 0)
    return found | ({"stamp": odd} if odd else {})


def finite(value: float) -> float:
    return NEG_INF if value == -oracle.INF else value


CUTS = st.lists(st.integers(0, 900), max_size=6)


@st.composite
def calm_streams(draw: st.DrawFn) -> list[Statement]:
    """Good elements, roughly in order, with single triples between them."""
    found: list[Statement] = []
    now = 0
    for number in range(draw(st.integers(0, 9))):
        name = f"<urn:g{number}>"
        now += draw(st.sampled_from([0, 1, 1, 2, 2, -1, -3]))
        found.append((name, START, integer(now), ""))
        found += [(f"<urn:s{number}>", P, "<urn:o>", name)] * draw(st.integers(0, 2))
        if draw(st.integers(0, 3)) == 0:
            found.append((name, END, integer(now + draw(st.integers(1, 3))), ""))
        if draw(st.integers(0, 2)) == 0:
            found.append((f"<urn:s{number}>", P, '"plain"', ""))
    return found


def check(
    sources: Sequence[tuple[list[Statement], list[int]]], delay: int, *, inside: bool
) -> None:
    """The intake reads what the definition says."""
    expected = oracle.read(
        [renamed(stream, i + 1) for i, (stream, _) in enumerate(sources)],
        delay=delay,
        start=WHEN if inside else START,
        inside=inside,
    )
    readers = [TextSource(text_of(s), i + 1, cuts) for i, (s, cuts) in enumerate(sources)]
    predicate = "urn:when" if inside else None
    intake, dictionary, batches = batches_of(readers, delay=delay, predicate=predicate)
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


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def stamp(name: str, value: str | int, predicate: str = START) -> str:
    value = value if isinstance(value, str) else integer(value)
    return f"<urn:{name}> {predicate} {value} ."


def quad(subject: str, name: str) -> str:
    return f"<urn:{subject}> {P} <urn:o> <urn:{name}> ."


def read(*texts: bytes, strict: bool = False, **options):
    dictionary = Dictionary()
    sources = [TextSource(one, number) for number, one in enumerate(texts, 1)]
    options = StreamOptions(strict=strict, **options)
    return Intake(sources, dictionary, options), dictionary


def test_faults_are_sampled_with_their_place() -> None:
    intake, _ = read(
        text(
            "# a comment",
            stamp("g1", 5),
            "nonsense",
            quad("s", "g2"),
            "",
            stamp("g3", "<urn:x>"),
            stamp("g4", 2**61),
            stamp("g5", moment("00Z")),
            stamp("g6", 7),
            stamp("g6", 7, END),
            stamp("g7", 8, RETRACTS),
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
        "DAT101": "s1:3",
        "DAT102": "s1:14",
        "DAT201": "s1:4",
        "DAT202": "s1:12",
        "DAT203": "s1:6",
        "DAT204": "s1:7",
        "DAT205": "s1:8",
        "DAT206": "s1:9",
        "DAT207": "s1:11",
        "DAT301": "s1:15",
    }
    assert set(intake.counters.bad) == set(samples) - {"DAT301"}
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
        (stamp("bad", 1, RETRACTS), "DAT207"),
    ],
)
def test_strict_ends_at_the_first_bad_datum_after_what_came_before(bad, code) -> None:
    intake, dictionary = read(
        text(stamp("g1", 1), quad("a", "g1"), "", bad, "", stamp("g2", 2), quad("b", "g2")),
        strict=True,
    )
    batches = []
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
    options = StreamOptions(arrival=lambda: next(clock))
    intake = Intake([source], dictionary, options)
    batches = list(intake)
    assert facts_of(batches, dictionary) == [
        (("<urn:a>", P, "<urn:o>"), 100, None),
        (("<urn:b>", P, "<urn:o>"), 100, None),
        (("<urn:c>", P, "<urn:o>"), 105, None),
    ]
    assert intake.counters.bad == {}


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
    late = LateFile(file, dictionary, options)
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
    options = StreamOptions(arrival=lambda: 3)
    late = LateFile(file, dictionary, options)
    source = TextSource(text(stamp("g1", moment("09Z")), quad("a", "g2")))
    list(Intake([source], dictionary, options, late=late))
    assert file.getvalue().startswith(
        b"<urn:g2> " + START.encode() + b' "1970-01-01T00:00:00.003Z"'
    )


def test_what_is_complete_is_handed_over_before_more_is_read() -> None:
    lines = [stamp("g1", 1), quad("a", "g1"), "", stamp("g2", 2), quad("b", "g2"), ""]
    arrived = []

    class Live(TextSource):
        def chunks(self, dictionary, vocabulary):
            del vocabulary

            def read() -> bytes:
                if not lines:
                    return b""
                arrived.append(lines.pop(0))
                return text(arrived[-1])

            class Source:
                pass

            source = Source()
            source.read = read
            return LineReader(dictionary, 1, triples=False).chunks(source)

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


@given(sources=st.lists(st.tuples(calm_streams(), CUTS), min_size=1, max_size=3))
def test_a_sweep_that_keeps_what_is_held_changes_nothing(sources) -> None:
    expected = oracle.read([renamed(stream, i + 1) for i, (stream, _) in enumerate(sources)])
    readers = [TextSource(text_of(s), i + 1, cuts) for i, (s, cuts) in enumerate(sources)]
    dictionary = Dictionary()
    facts = []
    for batch in Intake(readers, dictionary, StreamOptions()):
        facts += facts_of([batch], dictionary)
        dictionary.sweep(POS_INF, batch.held)
        dictionary._check()
    assert facts == expected.facts


def test_closing_closes_all_sources() -> None:
    sources = [TextSource(b"", 1), TextSource(b"", 2)]
    Intake(sources, Dictionary(), StreamOptions()).close()
    assert all(source.closed for source in sources)


def test_no_sources_give_no_batches() -> None:
    assert list(Intake([], Dictionary(), StreamOptions())) == []
