"""The clock of a run: which kind of stamp its time is written in."""

from __future__ import annotations

from dataclasses import dataclass, field

from r4.time import Kind, TimeScale


@dataclass(slots=True)
class Clock:
    """How ticks become text: as the stamps of the first good element were written.

    Attributes:
        scale: the length of a tick.
        kind: the kind of stamp; None until the first good element.
    """

    scale: TimeScale = field(default_factory=TimeScale)
    kind: Kind | None = None

    @property
    def layout(self) -> tuple[int, int, int]:
        """Ticks in a second (0: ticks are integers), their decimals, tick 0 in days since 1970."""
        if self.kind is Kind.DATE_TIME:
            return self.scale.per_second, self.scale.digits, self.scale.origin
        return 0, 0, 0

    def text(self, tick: int) -> str:
        """A tick as it is printed."""
        return self.scale.text(tick) if self.kind is Kind.DATE_TIME else str(tick)
