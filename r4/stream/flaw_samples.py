"""Samples of flaws: what is shown of elements that are bad, late, or hardly meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from r4.errors import Counters, Flaw, Sample
from r4.stream.elements.judged_elements import (
    ELEMENT,
    END,
    END_TERM,
    FLAW,
    KIND,
    NAME,
    PLACE,
    SOURCE,
    START_TERM,
    TICK,
    JudgedElements,
)
from r4.stream.source import StreamOptions
from r4.stream.source_buffer import SourceBuffer
from r4.stream.watermark import AllowedLateness
from r4.time.ticks import (
    NEG_INF,
    POS_INF,
    Kind,
    NotAStamp,
    OutOfRange,
    StampFormat,
    Tick,
    TimeScale,
    is_date,
    unix_unit,
)
from r4.time.zone_shift import shift_question, zone_shift
from rete.arrays.delta import Column, Rows
from rete.arrays.state_codec import Mask
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD

_SOME: Final = 100
"""So many elements show how time moves in a run."""
_LONGEST: Final = 100
"""Characters of a stamp that a message shows."""
_OURS: Final = "<urn:r4:"
"""How names begin that R4 gives to elements."""
_NANOSECONDS: Final = re.compile(rf'"([0-9]{{19}})"\^\^<{re.escape(XSD)}[A-Za-z]+>')
"""What may be a Unix time that no tick is."""
_NEARLY: Final = re.compile(
    r'"(?P<day>[^" T]+)(?P<t>[ T])(?P<minute>[0-9]{2}:[0-9]{2})(?P<second>:[0-9.]+)?'
    rf'(?P<zone>Z|[+-][0-9:]+)?"(?P<type>(?:\^\^<{re.escape(XSD)}dateTime>)?)'
)
"""What is nearly an ``xsd:dateTime``."""


class FlawSamples:
    """Puts elements with flaws among the samples of the counters, with what one must know of each.

    It reads the sources and the clock of the intake as they are then.
    """

    def __init__(  # noqa: PLR0913 - what a message is about
        self,
        counters: Counters,
        buffers: Sequence[SourceBuffer],
        dictionary: Dictionary,
        options: StreamOptions,
        *,
        clock: StampFormat,
        lateness: AllowedLateness,
    ) -> None:
        self._counters = counters
        self._buffers = buffers
        self._dictionary = dictionary
        self._options = options
        self._clock = clock
        self._lateness = lateness

    def show(self, flaw: Flaw, table: Rows) -> None:
        """Keep samples of a flaw, as long as there is room."""
        for row in table:
            if not self._counters.wants(flaw.code):
                return
            self._counters.show(self.sample(row))

    def sample(self, row: Column) -> Sample:
        """The flaw of a row of `JudgedElements.table` as it is shown.

        The buffer of its source must not have been read since.
        """
        flaw = Flaw(row[FLAW])
        sample = self._buffers[int(row[SOURCE])].origin.sample(flaw, int(row[PLACE]))
        if more := self._stamps_of(flaw, row):
            return Sample(sample.code, sample.place, f"{sample.message}: {more}")
        return sample

    def _stamps_of(self, flaw: Flaw, row: Column) -> str:
        """The stamp that a message is about, and what it is compared with; "" if neither."""
        clock, scale = self._clock, self._options.scale
        terms = [int(row[column]) for column in (START_TERM, END_TERM) if row[column]]
        texts = self._dictionary.decode_many(np.array(terms, np.int64))
        match flaw:
            case Flaw.LATE:
                tick, bound = int(row[TICK]), int(row[END])
                asked = self._zone_question(texts, tick - self._lateness.frontier.last)
                return f"{clock.text(tick)} lies before {clock.text(bound)}{asked}"
            case Flaw.AHEAD:
                bound, shown, asked = int(row[END]), "now", ""
                if row[START_TERM]:
                    tick = scale.stamp(texts[0]).tick
                    shown = clock.text(tick)
                    asked = self._zone_question(texts, tick - bound + (self._options.ahead or 0))
                return f"{shown} lies after {clock.text(bound)}{asked}"
            case Flaw.NO_STAMP | Flaw.STAMPS_DIFFER:
                name = self._dictionary.decode(int(row[NAME])) if row[NAME] else _OURS
                return "" if name.startswith(_OURS) else f"graph {name[:_LONGEST]}"
            case Flaw.ENDS_TOO_EARLY:
                return _date_hint(texts, scale)
            case Flaw.NOT_A_STAMP | Flaw.OUT_OF_RANGE:
                wrong = [text for text in texts if not _is_stamp(text, scale)]
                shown = ", ".join(text[:_LONGEST] for text in wrong)
                hints = (_lexical_hint(text) or _epoch_hint(text, scale) for text in wrong)
                return f"{shown}{next(filter(None, hints), '')}"
        return ""

    def _zone_question(self, texts: Sequence[str], distance: Tick) -> str:
        """Which zone a stamp may be of that is so far from the clock; "" if there is none."""
        if not (self._options.wall and texts):
            return ""
        shift = zone_shift(distance, self._options.scale)
        asked = shift_question(texts[0], shift) if shift else ""
        return f"; {asked}" if asked else ""

    def warn_of_jump(self, elements: JudgedElements, last: Tick, least: Tick) -> None:
        """Show, once, a stamp that moves time by more than all before it, once there are some.

        Those before ``elements`` are from ``least`` to ``last``; none of these is counted yet.
        """
        if not len(elements) or Flaw.JUMP.code in self._counters.samples:
            return
        element = elements.where(ELEMENT)
        tick = elements.table[:, TICK]
        highest = np.maximum.accumulate(np.append(last, np.where(element, tick, NEG_INF)))
        lowest = np.minimum.accumulate(np.append(least, np.where(element, tick, POS_INF)))
        earlier = self._counters.elements + np.cumsum(element) - element
        far = element & (earlier >= _SOME) & (tick - highest[:-1] > highest[:-1] - lowest[:-1])
        if far.any():
            first = elements.table[np.flatnonzero(far)[:1]]
            first[:, FLAW] = Flaw.JUMP
            self.show(Flaw.JUMP, first)

    def warn_of_unix_time(self, elements: JudgedElements) -> None:
        """Show, once, that the first stamp of all looks like Unix time, but counts ticks."""
        if self._counters.elements or Flaw.UNIX_TIME.code in self._counters.samples:
            return
        first = np.flatnonzero(elements.where(ELEMENT))[:1]
        table = elements.table[first]
        if not len(table) or table[0, KIND] != Kind.INTEGER:
            return
        if unit := unix_unit(int(table[0, TICK]), self._options.scale):
            place = self._buffers[int(table[0, SOURCE])].origin.sample(
                Flaw.UNIX_TIME, int(table[0, PLACE])
            )
            tick = self._options.scale.unit
            message = (
                f"warning: {table[0, TICK]} is a number of ticks of 1 {tick}: if it is Unix time, "
                f"give --epoch {unit}"
            )
            self._counters.show(Sample(place.code, place.place, message))

    def warn_of_no_graph(self, table: Rows, plain: Mask) -> None:
        """Show, once, that triples of no graph are no elements, where one may think they are."""
        if Flaw.NO_GRAPH.code not in self._counters.samples and plain.any():
            first = table[plain.argmax()][None].copy()
            first[:, FLAW] = Flaw.NO_GRAPH
            self.show(Flaw.NO_GRAPH, first)


def _is_stamp(text: str, scale: TimeScale) -> bool:
    try:
        scale.stamp(text)
    except (NotAStamp, OutOfRange):
        return False
    return True


def _date_hint(texts: Sequence[str], scale: TimeScale) -> str:
    """The option with which the last stamp lies behind the first, if that is a date; else ""."""
    end = texts[-1]
    if len(texts) < 2 or not is_date(end):  # noqa: PLR2004 - begin and end
        return ""
    try:
        helps = replace(scale, inclusive_dates=True).end(end) > scale.stamp(texts[0])
    except OutOfRange:
        return ""
    if not helps:
        return ""
    return f"its end is the first instant of {end}; --inclusive-dates includes that"


def _epoch_hint(term: str, scale: TimeScale) -> str:
    """The option that reads an integer as Unix time, as the end of a message; "": it is none."""
    found = _NANOSECONDS.fullmatch(term)
    unit = None if found is None else unix_unit(int(found[1]), scale)
    return f"; if it is Unix time, give --epoch {unit}" if unit and scale.epoch is None else ""


def _lexical_hint(term: str) -> str:
    """What is the matter with a literal that is no stamp, as the end of a message; "": unknown."""
    found = _NEARLY.fullmatch(term)
    if found is None:
        return ""
    faults = []
    if not found["type"]:
        faults.append("it is a string: the datatype xsd:dateTime is missing")
    if found["t"] == " ":
        faults.append("a T stands between day and time")
    if not found["second"]:
        faults.append("seconds are missing")
    return f"; {', and '.join(faults)}" if faults else ""
