"""Sources that deliver at given times, by a clock that is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from r4.rdf.chunks import Chunk
from r4.rdf.files import ByteSource
from r4.rdf.nquads import LineReader
from r4.stream.elements.segmentation import StampVocabulary
from r4.stream.source import Source
from rete.terms.dictionary import Dictionary
from tests.r4.stream.sources import quad, stamp, text


class World(ByteSource):
    """Bytes that arrive at given seconds; reading before they do is an error of the reader."""

    whole = True

    def __init__(self, clock: Clock, arrivals: Sequence[tuple[float, bytes]]) -> None:
        self._clock = clock
        self.arrivals = list(arrivals)

    def read(self) -> bytes:
        at, data = self.arrivals.pop(0) if self.arrivals else (0.0, b"")
        assert at <= self._clock.seconds, "it would have to wait"
        return data


class Clock:
    """Time that passes only while sources are polled."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    def poll(self, sources: Sequence[Source], seconds: float | None) -> Sequence[bool]:
        live = [source for source in sources if isinstance(source, Live)]
        first = min((source.next for source in live), default=inf)
        until = first if seconds is None else min(first, self.seconds + seconds)
        self.seconds = max(self.seconds, until)
        return [source.next <= self.seconds for source in live]


class Live:
    """A source that is read as it arrives; its end comes with the last."""

    def __init__(self, name: str, clock: Clock, *arrivals: tuple[float, bytes]) -> None:
        self.name = name
        self._world = World(clock, arrivals)

    @property
    def next(self) -> float:
        return self._world.arrivals[0][0] if self._world.arrivals else 0.0

    def stamps(self, asked: StampVocabulary) -> StampVocabulary:
        return asked

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
        del vocabulary
        return LineReader(dictionary, 1, triples=False).chunks(self._world)

    def close(self) -> None:
        pass


def element(name: str, at: int) -> bytes:
    return text(stamp(name, at), quad(name, name), "")
