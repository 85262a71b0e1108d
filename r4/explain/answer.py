"""What `r4.Engine.explain` returns: an explanation that knows how its terms are written."""

from __future__ import annotations

from dataclasses import dataclass

from r4.clock import Clock
from r4.explain.tree import Explanation
from rete.explain import Names


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a fact holds, in three forms; ``str`` gives the text.

    Attributes:
        value: what was found, in ticks and canonical texts.
        names: what the rules call things.
        clock: how time is written.
    """

    value: Explanation
    names: Names
    clock: Clock

    @property
    def holds(self) -> bool:
        """Whether the fact holds at that instant."""
        return self.value.holds

    def __str__(self) -> str:
        """A tree for a terminal."""
        from r4.explain.text import as_text  # noqa: PLC0415 - pictures are not always asked for

        return as_text(self.value, self.names, self.clock)

    def json(self) -> str:
        """One object, its terms in N-Triples."""
        from r4.explain.export import as_json  # noqa: PLC0415

        return as_json(self.value, self.names, self.clock)

    def svg(self) -> str:
        """A picture."""
        from r4.explain.picture import as_svg  # noqa: PLC0415

        return as_svg(self.value, self.names, self.clock)
