"""Streams for tests: texts as sources, random streams, batches as facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from r4.rdf.chunks import Chunk
from r4.rdf.files import ByteSource
from r4.rdf.nquads import LineReader
from r4.stream.batch import Batch
from r4.stream.elements.segmentation import StampVocabulary
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from r4.time.ticks import NEG_INF, NO_END, POS_INF
from rete.terms.dictionary import Dictionary
from tests.oracles.streams import intake as oracle
from tests.oracles.streams.intake import EMPTY, END, MALFORMED, RETRACTS, START, XSD, Statement

P = "<urn:p>"
WHEN = "<urn:when>"


class Pieces(ByteSource):
    """Bytes that arrive in given pieces."""

    whole = True

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

    def stamps(self, asked: StampVocabulary) -> StampVocabulary:
        return asked

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
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
        part: list[Statement] = [
            (f"<urn:s{number}>", draw(st.sampled_from([P, P, P, START, WHEN, END])), o, name)
            for o in draw(st.lists(st.sampled_from(["<urn:o>", '"o"', integer(3)]), max_size=3))
        ]
        about = draw(st.sampled_from([[START]] * 8 + [[], [START, START], [START, WHEN], [WHEN]]))
        part += [(name, p, draw(times), "") for p in about]
        if draw(st.integers(0, 5)) == 0:
            part.append((name, END, draw(times), ""))
        if draw(st.integers(0, 4)) == 0:
            part += [(name, RETRACTS, draw(names), "")] * draw(st.integers(1, 2))
        single: Statement = (f"<urn:s{number}>", P, '"plain"', "")
        plain = [single] * (draw(st.integers(0, 4)) == 0)
        odd: list[Statement] = [MALFORMED] * (draw(st.integers(0, 8)) == 0)
        empty: list[Statement] = [EMPTY] * (draw(st.integers(0, 4)) == 0)
        found += draw(st.permutations(part + plain + odd)) + empty
    return found


def batches_of(sources, *, dictionary=None, late=None, schedule=None, **options):
    dictionary = Dictionary() if dictionary is None else dictionary
    given = StreamOptions(names=True, **options)
    intake = Intake(sources, dictionary, given, late=late, schedule=schedule)
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


def ops_of(batches: Sequence[Batch], dictionary: Dictionary) -> list[tuple]:
    """What batches take back and assert, in order."""
    found: list[tuple] = []
    for batch in batches:
        if batch.is_retraction:
            back: list[tuple[str, ...]] = [
                (name,) for name in dictionary.decode_many(batch.retracted_names)
            ]
            back += [tuple(dictionary.decode_many(row)) for row in batch.retracted_rows]
            frontier = -oracle.INF if batch.frontier == NEG_INF else batch.frontier
            found.append(("back", frontier, back))
        assert len(batch.names) == len(batch.rows)
        names = [dictionary.decode(name) if name else "" for name in batch.names.tolist()]
        facts = facts_of([batch], dictionary)
        found += [(*fact, name) for fact, name in zip(facts, names, strict=True)]
    return found


def in_normal_form(ops: Sequence[tuple]) -> list[tuple]:
    """What is taken back together or one after the other at one frontier is the same."""
    found: list[tuple] = []
    for op in ops:
        if op[0] != "back":
            found.append(op)
        elif found and found[-1][0] == "back" and found[-1][1] == op[1]:
            found[-1] = ("back", op[1], sorted(found[-1][2] + op[2]))
        else:
            found.append(("back", op[1], sorted(op[2])))
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
        predicate = draw(st.sampled_from([P, P, "<urn:q>"]))
        found += [(f"<urn:s{number}>", predicate, "<urn:o>", name)] * draw(st.integers(0, 2))
        if draw(st.integers(0, 4)) == 0:
            earlier = draw(st.integers(0, number))
            taken = (name, RETRACTS, f"<urn:g{earlier}>", "")
            # Sometimes in an element without a stamp.
            found += [(f"<urn:r{number}>", *taken[1:])] if draw(st.booleans()) else [taken]
        if draw(st.integers(0, 3)) == 0:
            found.append((name, END, integer(now + draw(st.integers(1, 3))), ""))
        if draw(st.integers(0, 2)) == 0:
            found.append((f"<urn:s{number}>", P, '"plain"', ""))
    return found


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def stamp(name: str, value: str | int, predicate: str = START) -> str:
    value = value if isinstance(value, str) else integer(value)
    return f"<urn:{name}> {predicate} {value} ."


def quad(subject: str, name: str) -> str:
    return f"<urn:{subject}> {P} <urn:o> <urn:{name}> ."


def read(*texts: bytes, strict: bool = False) -> tuple[Intake, Dictionary]:
    dictionary = Dictionary()
    sources = [TextSource(one, number) for number, one in enumerate(texts, 1)]
    return Intake(sources, dictionary, StreamOptions(strict=strict)), dictionary
