"""A query followed along a stream from Python: text of facts in, answers out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rete.whole_calls import WholeCalls
from rif.errors.base import RuleError
from temporal.intervals.dates import DateTimeInterval
from temporal.intervals.durations import Durations
from temporal.intervals.interval import Interval
from temporal.intervals.literals import parse_point, parse_time
from temporal.intervals.notation import Notation, common_notation
from temporal.streaming.point_answers import PointAnswers
from temporal.streaming.stream_query import Memory, StreamQuery
from temporal.streaming.stream_run import StreamOptions, StreamRun
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_atom, write_constant


@dataclass(frozen=True, slots=True)
class StreamAnswer:
    """A fact that holds at an output point.

    Attributes:
        predicate: that of the query.
        args: its constants.
        at: the time; of dates the seconds since 1970-01-01.
        time: the same as it is written.
    """

    predicate: str
    args: tuple[str, ...]
    at: Fraction
    time: str

    def __str__(self) -> str:
        """``Q(c)@t``."""
        return f"{write_atom(self.predicate, map(write_constant, self.args))}@{self.time}"


class StreamReasoner:
    """A predicate of a program, followed along a stream of facts [Walega19].

    Answers come as soon as they are certain, in the order of time, then of arguments: the same as
    materialising all that was read up to then.
    """

    def __init__(  # noqa: PLR0913 - the options of the command
        self,
        program: str,
        query: str,
        *,
        every: str | None = None,
        at: Sequence[str] | None = None,
        delay: str = "0",
        memory: str = "auto",
        retractions: bool = False,
    ) -> None:
        """Begin.

        Args:
            program: the rules.
            query: a predicate of them; BOTTOM is that of their constraints.
            every: answers are wanted at the multiples of this number or duration.
            at: answers are wanted at these times; without ``every`` and ``at`` at the stamps.
            delay: how far below the largest stamp a fact may still come.
            memory: ``exact``, ``dense``, or ``auto``; see `temporal.streaming.stream_query.Memory`.
            retractions: whether lines ``-P(a)@[1,2]`` may take facts back.

        Raises:
            RuleErrors, RuleError: the program has faults, or the query cannot be followed.
            KeyError: the program does not have the predicate.
            ValueError: an option cannot be read.
        """
        options = read_options(every, at, delay, memory=Memory(memory), retractions=retractions)
        self._own_run = StreamRun(StreamQuery.of(parse_program(program), query), options)
        self._whole = WholeCalls(RuleError)
        self._lines = 0
        self._rest = b""

    @property
    def _run(self) -> StreamRun:
        self._whole.check()
        return self._own_run

    @property
    def faults(self) -> list[RuleError]:
        """The faults of lines that were left out, late ones too, since it was asked last."""
        return self._run.loader.unreported()

    @property
    def late(self) -> int:
        """How many facts were late, and left out."""
        return self._run.late

    @property
    def bad(self) -> int:
        """How many lines were no facts, and left out."""
        return self._run.bad

    @property
    def held(self) -> int:
        """How many rows are held. O(rows)."""
        return self._run.evaluation.held()

    def push(self, text: str) -> Iterator[StreamAnswer]:
        """The answers that become certain as lines come; the last one needs no line end.

        Text that is cut anywhere is for `follow`. The iterator is to be used up before more is
        pushed. Some 0.3 ms a call, 2 µs a line.

        Raises:
            EngineBroken: a call was cut short, as by a ``KeyboardInterrupt``; so do all others.
        """
        return self._take(text if not text or text.endswith("\n") else f"{text}\n")

    def _take(self, text: str) -> Iterator[StreamAnswer]:
        """The answers as text comes, cut anywhere; a line counts when it ends."""
        raw = self._rest + text.encode()
        end = raw.rfind(b"\n") + 1
        chunk = raw[:end]
        with self._whole:
            self._rest = raw[end:]
            if chunk:
                begin, self._lines = self._lines, self._lines + chunk.count(b"\n")
                for found in self._run.push(chunk, begin):
                    yield from self._answers(found)

    def finish(self) -> Iterator[StreamAnswer]:
        """The other answers, as the stream has ended."""
        if self._rest:
            yield from self._take("\n")
        with self._whole:
            for found in self._run.finish():
                yield from self._answers(found)

    def follow(self, text: str | Iterable[str]) -> Iterator[StreamAnswer]:
        """All answers to a stream, whose text may come in pieces, cut anywhere."""
        for piece in [text] if isinstance(text, str) else text:
            yield from self._take(piece)
        yield from self.finish()

    def _answers(self, found: PointAnswers) -> Iterator[StreamAnswer]:
        run = self._run
        facts = found.arguments(run.terms)
        times, places = found.times(run.scale)
        texts = [run.notation.text_of(at) for at in times]
        for fact, place in zip(found.facts.tolist(), places, strict=True):
            yield StreamAnswer(run.query.written, facts[fact], times[place], texts[place])


def read_options(
    every: str | None,
    at: Sequence[str] | None,
    delay: str,
    *,
    memory: Memory = Memory.AUTO,
    retractions: bool = False,
) -> StreamOptions:
    """The options of a stream from texts.

    Raises:
        ValueError: one of them cannot be read, or makes no sense.
        MixedTimes: one is a number, another a date or duration.
    """
    if every is not None and at is not None:
        message = "answers are wanted at multiples of a number, or at times, not both"
        raise ValueError(message)
    notation: Notation | None = None
    numbers: list[Fraction] = []
    for name, text in (("every", every), ("delay", delay)):
        if text is None:
            continue
        found = parse_time(text.strip())
        if found is None or found.at is None or found.kind not in {Interval, Durations}:
            message = f"{name} {text}: write 5, 2.5, 5/2, or 10 s"
            raise ValueError(message)
        if found.at < 0 or (name == "every" and not found.at):
            message = f"{name} {text}: it must be {'above' if name == 'every' else 'at least'} 0"
            raise ValueError(message)
        if found.at:
            kind = Interval if found.kind is Interval else DateTimeInterval
            notation = common_notation(notation, kind)
        numbers.append(found.at)
    times: list[Fraction] = []
    for text in at or ():
        point = parse_point(text.strip())
        if point is None or point.at is None:
            message = f"{text} is no time: write 5, 2.5, 5/2, or 2024-01-31T08:00:00Z"
            raise ValueError(message)
        notation = common_notation(notation, point.kind)
        times.append(point.at)
    return StreamOptions(
        every=None if every is None else numbers[0],
        at=None if at is None else tuple(times),
        delay=numbers[-1],
        retractions=retractions,
        memory=memory,
        notation=notation,
    )
