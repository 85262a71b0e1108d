"""The protocol of sources, and the options by which streams are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from r4.property_paths import INVERSE, about_name, iri_of, steps_of
from r4.rdf.chunks import Chunk
from r4.stream.elements.segmentation import StampVocabulary
from r4.stream.windows import NO_WINDOWS, Windows
from r4.time.ticks import Tick, TimeScale
from rete.terms.dictionary import Dictionary

PROV: Final = "http://www.w3.org/ns/prov#"
START_PREDICATE: Final = PROV + "generatedAtTime"
END_PREDICATE: Final = PROV + "invalidatedAtTime"
RETRACTS: Final = "urn:r4:retracts"
ENDS: Final = "urn:r4:ends"
"""About an element: its triples end at its stamp, as the object, an element, asserted them."""
ANSWERS: Final = "urn:r4:answers:"
"""How the names of elements of answers begin; when they began to hold follows."""
NEVER: Final = "urn:r4:never"
"""In place of the end of an element: it holds for ever, whatever the window of the rules is."""
ALWAYS: Final = "urn:r4:always"
"""The graph of JSON-LD lines whose statements always hold."""


class Source(Protocol):
    """Where a stream comes from."""

    @property
    def name(self) -> str:
        """What messages call it."""

    def stamps(self, asked: StampVocabulary) -> StampVocabulary:
        """The predicates of stamps in its chunks, where the options of the run say ``asked``."""

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary) -> Iterator[Chunk]:
        """Its statements, as they arrive; called once."""

    def close(self) -> None:
        """Let go of what it reads from."""


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """How streams are read.

    Attributes:
        scale: What a tick is.
        delay: Ticks by which the frontier stays behind the largest stamp.
        delays: By the name of a source, its own in place of that.
        predicate_delays: By the IRI of a predicate, ticks by which elements that have it may be
            late, see `r4.stream.watermark`.
        time_predicate: IRI of the predicate of start stamps, or a path to them, see
            `r4.property_paths`; None: ``prov:generatedAtTime``, about the graph
            alone. A path of several steps leads to it within the graph.
        end_predicate: The same of end stamps; None: ``prov:invalidatedAtTime``.
        arrival: Whether elements without a stamp have the time at which they are read; else they
            are bad data.
        wall: Whether the wall's clock moves time, so that stamps are dateTimes.
        dated: Whether stamps are dateTimes, whatever moves time; else the first one says it.
        ahead: Ticks by which a stamp may be ahead: of what the clock shows when it is read, if
            ``wall``, else of the largest stamp of its source before it, less the delay of that;
            None: any number.
        windows: The windows of sources and predicates; in place of them the end of an element.
        strict: Whether the first bad datum ends the run.
        names: Whether batches have the names of elements.
        each: Whether every completed element ends a batch.
        late_bounds: Whether the largest stamp grows only where a batch begins, and batches have
            the late bounds of `r4.stream.watermark`.
        most: How many elements a batch has at most; None: any number.
    """

    scale: TimeScale = field(default_factory=TimeScale)
    delay: Tick = 0
    delays: Mapping[str, Tick] = field(default_factory=dict)
    predicate_delays: Mapping[str, Tick] = field(default_factory=dict)
    time_predicate: str | None = None
    end_predicate: str | None = None
    arrival: bool = False
    wall: bool = False
    dated: bool = False
    ahead: Tick | None = None
    windows: Windows = NO_WINDOWS
    strict: bool = False
    names: bool = False
    each: bool = False
    late_bounds: bool = False
    most: int | None = None

    def delays_of(self, sources: Sequence[str]) -> list[Tick]:
        """The delay of each source, by its name; the default, if there is none."""
        return [self.delays.get(name, self.delay) for name in sources] or [self.delay]

    @property
    def start_steps(self) -> tuple[str, ...]:
        """The steps of the path to start stamps; none, if it is the usual one."""
        return steps_of(self.time_predicate)

    @property
    def end_steps(self) -> tuple[str, ...]:
        """The same of end stamps."""
        return steps_of(self.end_predicate)

    def vocabulary(self, dictionary: Dictionary) -> StampVocabulary:
        """The predicates of stamps as ids, which are never forgotten."""
        starts, ends = self.start_steps, self.end_steps
        about = (about_name(starts, START_PREDICATE), about_name(ends, END_PREDICATE))
        iris = (*about, RETRACTS, ENDS, *map(iri_of, starts), *map(iri_of, ends))
        ids = dictionary.encode_many([f"<{iri}>" for iri in iris])
        dictionary.pin(ids)
        start, end, retracts, ended, *steps = ids.tolist()
        paths = [
            -each if step.startswith(INVERSE) else each
            for step, each in zip((*starts, *ends), steps, strict=True)
        ]
        return StampVocabulary(
            *(start, end, retracts, ended),
            start_path=tuple(paths[: len(starts)]),
            end_path=tuple(paths[len(starts) :]),
            scale=self.scale,
        )
