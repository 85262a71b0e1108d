"""Gaps between readings: where the next fact of a subject comes after the one before has ended.

A fact of ``Window(5 m)`` that comes every five minutes, give or take some seconds, ends before the
next one in half of all cases. Then nothing holds for a moment, and what asks for it throughout, as
a box or a negation does, is true, or false, by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from r4.stream.batch import Batch
from r4.time.ticks import NEG_INF, NO_END
from rete.arrays.delta import POS_INF, Rows
from rete.drawing.names import Names, duration_text
from rete.graph.plan import Emit, Plan
from rete.nodes.metric.box import Erode
from rete.nodes.metric.diamond import Dilate
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES

_SHOWN: Final = 5
"""Predicates that are shown."""
_BRIDGED: Final = 10
"""Without a box it is told only if at least one gap in so many is bridged: else nothing was meant
to last from one fact to the next."""


class ReadingGaps:
    """The stamps of streamed facts without an end of their own, by predicate and subject.

    All are kept, three numbers a fact, of predicates that rules ask for.
    """

    def __init__(self, emits: Iterable[Emit], window: int | None, terms: Dictionary) -> None:
        """Begin; ``window`` is how many ticks such a fact holds, None: at its instant, or ever."""
        self._terms = terms
        self._bridges: dict[str, int] = {}
        self._boxed: set[str] = set()
        seen: set[tuple[Plan, int, bool]] = set()
        for emit in emits:
            self._follow(emit.source, window or 0, seen, boxed=False)
        if window is None:
            self._bridges = {each: self._bridges[each] for each in self._boxed}
        texts = list(self._bridges)
        ids = terms.encode_many([f"<{each}>" for each in texts])
        terms.pin(ids)
        self._predicates = dict(zip(ids.tolist(), texts, strict=True))
        self._parts: list[Rows] = []

    def _follow(
        self, plan: Plan, bridged: int, seen: set[tuple[Plan, int, bool]], *, boxed: bool
    ) -> None:
        """Note how long what ``plan`` reads is true after a fact of a predicate began."""
        if (plan, bridged, boxed) in seen:
            return
        seen.add((plan, bridged, boxed))
        if isinstance(plan, Dilate) and boxed:
            bridged = min(bridged + ((plan.rho[1] - plan.rho[0]) >> 1), POS_INF)
        if isinstance(plan, Scan):
            predicate = plan.key[1] if plan.relation == TRIPLES else None
            if predicate is not None and predicate.startswith("<"):
                name = predicate[1:-1]
                self._bridges[name] = min(bridged, self._bridges.get(name, POS_INF))
                self._boxed |= {name} if boxed else set()
        for source in plan.sources:
            self._follow(source, bridged, seen, boxed=boxed or isinstance(plan, Erode))

    def note(self, batch: Batch) -> None:
        """Take note of the facts of a batch, before their ids may mean other terms."""
        wanted = np.isin(batch.rows[:, 1], [*self._predicates])
        wanted &= (batch.start > NEG_INF) & (batch.end == NO_END)
        if wanted.any():
            rows = batch.rows[wanted]
            self._terms.pin(np.unique(rows[:, 0]))
            self._parts.append(np.column_stack([rows[:, 1], rows[:, 0], batch.start[wanted]]))

    def lines(self, names: Names) -> Iterator[str]:
        """A line for each of the first `_SHOWN` predicates with gaps, and the number of others."""
        found = list(self._lines(names))
        yield from found[:_SHOWN]
        if len(found) > _SHOWN:
            yield f"{len(found) - _SHOWN} further predicates have such gaps"

    def _lines(self, names: Names) -> Iterator[str]:
        if not self._parts:
            return
        rows = np.unique(np.concatenate(self._parts), axis=0)
        same = (rows[1:, :2] == rows[:-1, :2]).all(axis=1)
        gaps = np.diff(rows[:, 2])
        for predicate, name in self._predicates.items():
            own = gaps[same & (rows[1:, 0] == predicate)]
            bridged = self._bridges[name]
            wide = int((own > bridged).sum())
            if wide and (name in self._boxed or _BRIDGED * (len(own) - wide) >= len(own)):
                after, most = (
                    duration_text(int(each), names.per_second) for each in (bridged, own.max())
                )
                lasts = f"the {after} that it lasts" if bridged else "its instant"
                yield (
                    f"{names.iri(name)}: {wide} of {len(own)} times from a fact of a subject to "
                    f"the next are longer than {lasts}, so that nothing holds in between; the "
                    f"longest is {most}; a Window as long bridges all"
                )
