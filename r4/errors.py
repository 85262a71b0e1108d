"""Errors in data: codes, counts, samples.

Bad data are counted and sampled, and the rest goes on; in strict mode the first one is raised.
What is wrong with an input as a whole (it is not there, it cannot be a stream) is raised always.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rete.arrays.state_codec import State, StateReader

SAMPLES: Final = 5
"""How many faults of a code are kept with place and message."""


class Flaw(IntEnum):
    """A fault of a statement (1xx) or of an element of a stream (2xx, 3xx)."""

    NONE = 0
    SYNTAX = 101
    UNSUPPORTED_TERM = 102
    CUT_SHORT = 103
    NO_STAMP = 201
    STAMPS_DIFFER = 202
    NOT_A_STAMP = 203
    OUT_OF_RANGE = 204
    OTHER_KIND = 205
    ENDS_TOO_EARLY = 206
    NO_STAMP_YET = 207
    NOT_WHOLE = 208
    NOT_TO_BE_TAKEN = 209
    AHEAD = 210
    NO_TRIPLE = 211
    LATE = 301
    JUMP = 302
    UNSEEN = 303
    NO_UNIT = 304
    NO_TIME = 305
    NO_GRAPH = 306
    LOCAL_TIME = 307
    UNIX_TIME = 308

    @property
    def code(self) -> str:
        """The code that users see, ``DAT101``."""
        return f"DAT{self.value}"


MEANING: Final = {
    Flaw.SYNTAX: "malformed statement",
    Flaw.UNSUPPORTED_TERM: "triple terms and base directions are not supported yet",
    Flaw.CUT_SHORT: "the rest of the file cannot be read",
    Flaw.NO_STAMP: "an element without a time stamp",
    Flaw.STAMPS_DIFFER: "an element with several different stamps",
    Flaw.NOT_A_STAMP: "a stamp that is no xsd:dateTime and no xsd:integer",
    Flaw.OUT_OF_RANGE: "a stamp beyond 2^60 ticks",
    Flaw.OTHER_KIND: "dateTime and integer stamps in one run",
    Flaw.ENDS_TOO_EARLY: "an element that ends before or when it starts",
    Flaw.NO_STAMP_YET: "a retraction without a stamp, before any stamp of its source",
    Flaw.NOT_WHOLE: "a transaction that is left out whole",
    Flaw.NOT_TO_BE_TAKEN: "a row that takes back what is no statement of a named graph",
    Flaw.AHEAD: "a stamp that is further ahead than --ahead allows",
    Flaw.NO_TRIPLE: "an answer that is an atom or an error: only triples are facts of a stream",
    Flaw.LATE: "an element with a stamp below the frontier",
    Flaw.JUMP: "a stamp that moves time by more than all before it; if a clock is wrong, --ahead "
    "leaves it out",
    Flaw.UNSEEN: "silence of a compressed pipe is not seen: it is never idle, and the clock does "
    "not move before it has ended",
    Flaw.NO_UNIT: "durations without a unit count ticks, also where stamps are dateTimes",
    Flaw.NO_GRAPH: "triples in no named graph have no stamp, with --stamp arrival too: they "
    "are static, or hold for ever from the frontier on",
    Flaw.UNIX_TIME: "integer stamps count ticks, also if they look like Unix time",
    Flaw.LOCAL_TIME: "local times that clocks show twice, or never",
    Flaw.NO_TIME: "subjects without a time, that look like those with one",
}
"""The meaning of each flaw, as messages say it, most of them at their beginning."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One fault as it is shown.

    Attributes:
        code: ``DAT`` and three digits.
        place: ``file:line``, or ``file``.
        message: What is wrong, in one line.
    """

    code: str
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.code} {self.message}"


class InputError(Exception):
    """An input that cannot be used at all: it does not exist, or is not what was asked for."""


class SourceLost(Exception):
    """An input that the system stopped delivering while it was read."""


class BadData(Exception):
    """The first bad datum, in strict mode.

    Attributes:
        sample: What is wrong, and where.
    """

    def __init__(self, sample: Sample) -> None:
        super().__init__(str(sample))
        self.sample = sample


@dataclass(slots=True)
class Counters:
    """Counts of the data that were read, and of their faults.

    Attributes:
        quads: Statements read, stamps included.
        elements: Elements that are neither bad nor late.
        retractions: Those among them that retract something.
        without_effect: Names, or triples, that were retracted and not there.
        late: Elements with a stamp below the frontier.
        rounded: Good or late elements with a start or end finer than the tick.
        static: Triples of streams that always hold: those before the first element.
        background: Default-graph triples of streams after that, which hold from the frontier on.
        bad: Bad data by code.
        samples: The first `SAMPLES` faults of each code, the late ones too.
    """

    quads: int = 0
    elements: int = 0
    retractions: int = 0
    without_effect: int = 0
    late: int = 0
    rounded: int = 0
    static: int = 0
    background: int = 0
    bad: Counter[str] = field(default_factory=Counter)
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    @property
    def degraded(self) -> bool:
        """Whether most elements were late, so that the answers are those of a minority."""
        return self.late > self.elements

    def saved(self) -> State:
        """All of it."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        bad = [{"code": code, "count": count} for code, count in self.bad.items()]
        samples = [asdict(sample) for some in self.samples.values() for sample in some]
        return {**counts, "bad": bad, "samples": samples}

    def restore(self, given: StateReader) -> None:
        """Continue the counts that were saved."""
        for name in _COUNTS:
            setattr(self, name, given.integer(name, 0))
        self.bad = Counter(
            {part.text("code"): part.integer("count", 0) for part in given.parts("bad")}
        )
        self.samples = {}
        for part in given.parts("samples"):
            self.show(Sample(*(part.text(name) for name in ("code", "place", "message"))))

    def wants(self, code: str) -> bool:
        """Whether there is room for another sample of ``code``."""
        return len(self.samples.get(code, ())) < SAMPLES

    def show(self, sample: Sample) -> None:
        """Keep a sample, if there is room."""
        if self.wants(sample.code):
            self.samples.setdefault(sample.code, []).append(sample)


_COUNTS: Final = tuple(each.name for each in fields(Counters) if each.type == "int")
