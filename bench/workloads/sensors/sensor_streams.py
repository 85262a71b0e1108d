"""Elements of a published stream, repeated until they are enough, and the files that hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count as numbers
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from bench.workloads.stream_terms import DATE_TIME, GENERATED_AT

Triple: TypeAlias = tuple[str, str, str]
"""Subject, predicate and object in N-Triples."""
FOLDER: Final = "streams"
DAY: Final = 24 * 60 * 60 * 1000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class StreamElement(NamedTuple):
    """Triples that come together, and when: in milliseconds since 1970."""

    at: int
    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class SensorStream:
    """A stream whose files are not shipped."""

    folder: str  # has its files, below the folder of the data
    needs: tuple[str, ...]  # the names of these files
    # reads its elements from that folder, in the order of their stamps
    read: Callable[[Path], Sequence[StreamElement]]
    # the static triples that go with it, from that folder
    static: Callable[[Path], Iterator[Triple]]

    def place(self, data: Path) -> Path:
        """The folder of its files in the folder that the user named."""
        inner = data / FOLDER
        return (inner if inner.is_dir() else data) / self.folder


@dataclass(frozen=True, slots=True)
class RepeatedStream:
    """The elements of a stream again and again, with later stamps, until there are enough triples.

    A turn begins so many days later than the one before that nothing of that is left in a window
    of less than a day.
    """

    turn: Sequence[StreamElement]  # the elements of one turn
    turns: int  # how many complete turns there are
    rest: int  # so many elements of one more turn

    @staticmethod
    def of(turn: Sequence[StreamElement], triples: int) -> RepeatedStream:
        """As few elements as have at least ``triples``."""
        whole = sum(len(element.triples) for element in turn)
        turns, left = divmod(triples, whole)
        rest = 0
        while left > 0:
            left -= len(turn[rest].triples)
            rest += 1
        return RepeatedStream(turn, turns, rest)

    @property
    def shift(self) -> int:
        """Milliseconds from one turn to the next."""
        return ((self.turn[-1].at - self.turn[0].at) // DAY + 2) * DAY

    @property
    def triples(self) -> int:
        """How many there are; stamps are not counted."""
        return sum(len(element.triples) for element in self.elements())

    def parts(self) -> Iterator[tuple[int, Sequence[StreamElement]]]:
        """Each turn: by how much it is later than the first, and its elements."""
        for number in range(self.turns):
            yield number * self.shift, self.turn
        if self.rest:
            yield self.turns * self.shift, self.turn[: self.rest]

    def elements(self) -> Iterator[StreamElement]:
        """All elements."""
        for later, turn in self.parts():
            for element in turn:
                yield element._replace(at=element.at + later)

    def quads(self) -> Iterator[str]:
        """The same as N-Quads, an element a string; its stamp stands first."""
        for number, element in zip(numbers(), self.elements(), strict=False):
            name = f"<urn:element:{number}>"
            body = "".join(f"{s} {p} {o} {name} .\n" for s, p, o in element.triples)
            yield f'{name} {GENERATED_AT} "{instant_text(element.at)}"^^{DATE_TIME} .\n{body}'


def instant_text(at: int) -> str:
    """Milliseconds since 1970 as answers print them, ``2005-10-18T00:15:00Z``."""
    text = (_EPOCH + timedelta(milliseconds=at)).isoformat()[:-6]
    day, _, fraction = text.partition(".")
    return f"{day}.{fraction.rstrip('0')}Z" if fraction else f"{day}Z"


def milliseconds_of(moment: datetime) -> int:
    """A moment of UTC as milliseconds since 1970."""
    return (moment.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
