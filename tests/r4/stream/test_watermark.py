"""The frontier of several sources, beside its definition, element by element."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from r4.stream.watermark import Frontier
from r4.time.ticks import NEG_INF, Tick


class SlowFrontier:
    """The least over the sources that count of the largest stamp less the delay."""

    def __init__(self, delays: list[Tick]) -> None:
        self.delays = delays
        self.latest = [NEG_INF] * len(delays)
        self.behind = [0] * len(delays)
        self.at = self.last = NEG_INF
        self.holding = -1

    def held(self, counts: list[bool]) -> tuple[Tick | None, int]:
        """To what the sources that count hold it, and the first that does; None: none counts."""
        found = [
            (tick - delay if tick > NEG_INF else NEG_INF, number)
            for number, (tick, delay) in enumerate(zip(self.latest, self.delays, strict=True))
            if counts[number]
        ]
        return min(found) if found else (None, -1)

    def note_behind(self, counts: list[bool]) -> None:
        for number, tick in enumerate(self.latest):
            if counts[number] and tick > NEG_INF and len(self.latest) > 1:
                self.behind[number] = max(self.behind[number], self.last - tick)

    def advance(
        self, elements: list[tuple[int, Tick]], until: list[int]
    ) -> tuple[list[Tick], list[Tick]]:
        before, after = [], []
        for place in range(len(elements) + 1):
            if place:
                source, tick = elements[place - 1]
                self.latest[source] = max(self.latest[source], tick)
                self.last = max(self.last, tick)
            self.note_behind([end > 0 and place <= end for end in until])
            there, _ = self.held([place <= end for end in until])
            still, self.holding = self.held([place < end for end in until])
            steps = [tick for tick in (there, still) if tick is not None]
            if place:
                after.append(max([self.at, *([] if there is None else [there])]))
            self.at = max([self.at, *([] if still is None else [still]), *steps])
            before.append(self.at)
        after = [max(tick, low) for tick, low in zip(after, before, strict=False)]
        return before, after


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[Tick], list[tuple[list[tuple[int, Tick]], list[int]]]]:
    """Delays, and steps: elements with their sources, and how many there are until each stops."""
    count = draw(st.integers(1, 4))
    delays = draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
    ended = [False] * count
    steps = []
    for _ in range(draw(st.integers(1, 4))):
        live = [number for number in range(count) if not ended[number]]
        if not live:
            break
        element = st.tuples(st.sampled_from(live), st.sampled_from([NEG_INF, *range(-3, 12)]))
        elements = draw(st.lists(element, max_size=6))
        until = []
        for number in range(count):
            own = [place for place, (source, _) in enumerate(elements, 1) if source == number]
            ended[number] = ended[number] or draw(st.booleans())
            until.append(max(own, default=0) if ended[number] else len(elements) + 1)
        steps.append((elements, until))
    return delays, steps


@given(runs())
@settings(max_examples=300)
def test_the_frontier_is_that_of_the_definition(
    run: tuple[list[Tick], list[tuple[list[tuple[int, Tick]], list[int]]]],
) -> None:
    delays, steps = run
    slow, fast = SlowFrontier(delays), Frontier(delays)
    for elements, until in steps:
        source, tick = np.array(elements, np.int64).reshape(-1, 2).T
        moves = fast.advance(source, tick, np.array(until, np.int64))
        assert (moves.before.tolist(), moves.after.tolist()) == slow.advance(elements, until)
        assert (fast.at, fast.last, fast.holding) == (slow.at, slow.last, slow.holding)
        assert fast.behind.tolist() == slow.behind
