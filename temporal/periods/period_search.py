"""The search for the periods of a model that goes on for ever.

What is known is what follows within a horizon: every fact, and every rule that applies to facts
between its two ends. `find_periods` looks for windows on both sides of the data [DRedMTL26,
Definition 1]:

1. *A certificate*: two stretches of time with the same content, right of all data, each twice the
   depth long; and two such left of them. If there are, the model is known everywhere: repeat
   what lies between them.

   What was found is true. The repetition is closed under the rules, as no rule sees more
   than the depth to either side of where it applies, and so much lies, the same, within what is
   known; so it is a model. The least model lies between the two, and is both from the outer
   stretches inwards. Beyond, the content of a stretch alone says what follows it, in both.

2. *The windows*, chosen from the model, not from what is known so far: the least period from which
   the tail is made, and the nearest points of the ruler from which on it has that period. A
   window equals the one a period later if and only if all behind it repeats, by 1. So they are
   the windows of least shift, as near to the data as there are any, wherever the horizon stood
   when they were found.

It needs bounded ranges. Operators with a range to infinity are evaluated by themselves
(`temporal.model.unbounded_evaluation`): what they derive counts as data, whose ends lie between the
certificates.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, TypeVar

from rete.arrays.delta import NEG_INF, POS_INF, Cells
from temporal.periods.change_points import Relations, find_changes
from temporal.periods.tails import find_tail
from temporal.periods.unfolding import reflect, reflect_end
from temporal.periods.windows import Repetition, Ruler, place_windows

K = TypeVar("K", bound=Hashable)

EVERYWHERE: Final = (NEG_INF, POS_INF)
"""The horizon of a model that is known to its ends."""


@dataclass(frozen=True, slots=True)
class Periods:
    """The repetitions of a model on both sides; None: not found yet."""

    left: Repetition | None
    right: Repetition | None


def find_periods(
    facts: Relations[K], ruler: Ruler, horizon: Cells = EVERYWHERE, settled: Cells | None = None
) -> Periods:
    """The periods of the least model, from its facts within a horizon.

    Only both together are right: while one is missing the other is a guess, that may show where to
    look further. A horizon without ends says that the facts are the whole model.

    Args:
        facts: Maximal rows. What they say outside of the horizon is not used.
        ruler: The ruler of the program and its data.
        horizon: Cells in which all is known that follows from facts in them.
        settled: Certificates lie outside of these cells; they are those of the ends of what
            operators with ranges to infinity gave.

    Cost: O(n log n) in the rows that reach beyond the data, O(n) in the others.
    """
    lo, hi = settled if settled is not None else (POS_INF, NEG_INF)
    right = _right_repetition(facts, ruler, horizon[1], hi)
    reflected_ruler = ruler.mirrored()
    reflected = {
        name: reflect(rows[rows[:, -2] < 1 - reflected_ruler.first]) for name, rows in facts.items()
    }
    left = _right_repetition(reflected, reflected_ruler, reflect_end(horizon[0]), reflect_end(lo))
    return Periods(left.mirrored() if left else None, right)


def _right_repetition(
    facts: Relations[K], ruler: Ruler, stop: int, settled: int
) -> Repetition | None:
    found = find_changes(facts, ruler.first, stop)
    tail = find_tail(found, ruler.width, settled)
    return None if tail is None else place_windows(tail, ruler)
