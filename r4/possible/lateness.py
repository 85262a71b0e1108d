"""How late a unit may come: by the delays of its predicates, and of the sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from r4.streams import StreamOptions
from r4.time import Tick


@dataclass(frozen=True, slots=True)
class Delays:
    """The lines that elements are late below; see `r4.delays`.

    Attributes:
        levels: (k,) the delays of predicates, ascending, 0 among them: a line each.
        longest: (k,) the longest delay of each line, over all sources.
        of_predicates: by canonical text, those that have one.
    """

    levels: tuple[Tick, ...] = (0,)
    longest: tuple[Tick, ...] = (0,)
    of_predicates: Mapping[str, Tick] = field(default_factory=dict)

    @classmethod
    def of(cls, options: StreamOptions, sources: Sequence[str]) -> Delays:
        """Those of a run that reads ``sources``, by their names."""
        own = [options.delays.get(name, options.delay) for name in sources] or [options.delay]
        given = {f"<{iri}>": ticks for iri, ticks in options.predicate_delays.items()}
        levels = sorted({0, *given.values()})
        return cls(tuple(levels), tuple(max(level, *own) for level in levels), given)

    def line(self, predicates: Sequence[str | None]) -> int:
        """The line of what has triples with these predicates; None stands for any predicate."""
        if None in predicates:
            return len(self.levels) - 1
        delays = (self.of_predicates.get(each, 0) for each in predicates if each is not None)
        return self.levels.index(max(delays, default=0))
