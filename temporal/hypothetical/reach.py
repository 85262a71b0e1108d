"""How long answers may stay open: the delay and the window of a query.

Facts of time t arrive until t + δ. So where the times of all hypotheses hang on that of the answer,
what is true of time T is known at T + d, the *delay* of the query; and what is still open rests on
facts of the last w, its *window* [CruzFilipe22, end of section 4].
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from temporal.hypothetical.ast import Premises
from temporal.hypothetical.delays import Delays


@dataclass(frozen=True, slots=True)
class Reach:
    """Of a query that has both.

    Attributes:
        delay: d >= 0.
        window: w >= 0.
    """

    delay: int
    window: int


def reach(premises: Iterable[Premises], delays: Delays) -> Reach | None:
    """The least that is known of both; None: a time does not hang on that of the answer."""
    found = Reach(0, 0)
    for each in premises:
        own = each.answer.time
        times = [atom.time for atom in each.hypotheses]
        if any(time.variable != own.variable for time in times):
            return None
        last = max(atom.time.offset + delays.of(atom) for atom in each.hypotheses)
        first = min(time.offset for time in times)
        found = Reach(max(found.delay, last - own.offset), max(found.window, last - first))
    return found
