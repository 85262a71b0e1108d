"""Random elements; what was said is remembered, to say it again or take it back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rif.syntax.terms import IRI, GroundTerm
from tests.generators.stories.steps import ElementStep
from tests.generators.vocabulary import TYPE, Vocabulary
from tests.oracles.rules.formulas import Time
from tests.oracles.streams.run import Triple

if TYPE_CHECKING:
    from tests.generators.draw import Draw


class ElementGenerator:
    """Makes elements.

    Attributes:
        window: ticks; some number where there is none.
        pool: what is said is one of these, if any.
    """

    def __init__(self, draw: Draw, words: Vocabulary, window: Time) -> None:
        self._draw = draw
        self._words = words
        self.window = 5 if math.isinf(window) else int(window)
        self._said: list[tuple[Triple, str]] = []
        self._made: list[Triple] = []
        self.pool: list[Triple] = []

    def triple(self) -> Triple:
        """Something to be said."""
        draw, words = self._draw, self._words
        if self.pool:
            return draw.choice(self.pool)
        if self._made and draw.chance(30):
            return draw.choice(self._made)
        nodes = [one for one in words.nodes if isinstance(one, IRI)]
        key = draw.choice(words.derived) if draw.chance(12) else draw.choice(words.data)
        filler: GroundTerm = draw.choice(nodes)
        if key == TYPE:
            filler = draw.choice(words.classes)
        elif words.literals and draw.chance(25):
            filler = draw.choice(words.literals)
        self._made.append((draw.choice(nodes), key, filler))
        return self._made[-1]

    def say(self, number: int, start: int, *, takes: bool = False) -> ElementStep:
        """An element; perhaps one that ``takes`` something back."""
        draw = self._draw
        name = f"http://g/{draw.integer(0, 2) if draw.chance(35) else number + 3}"
        names: tuple[str, ...] = ()
        rows: tuple[tuple[Triple, str], ...] = ()
        if takes:
            kind = draw.weighted((60, "names"), (32, "rows"), (8, "both"))
            if kind != "rows":
                names = tuple(self._name() for _ in range(draw.weighted((75, 1), (25, 2))))
            if kind != "names":
                rows = tuple(self._row() for _ in range(draw.weighted((60, 1), (40, 2))))
        count = draw.weighted((38, 1), (30, 2), (24, 4), (8, 0))
        if takes and not draw.chance(30):
            count = 0
        triples = tuple(self.triple() for _ in range(count))
        self._said += [(triple, name) for triple in triples]
        end = start + draw.integer(1, 8) if draw.chance(25) else None
        return ElementStep(name, start, end, triples, names, rows)

    def _name(self) -> str:
        """A name to take back: mostly one that was said."""
        if self._said and not self._draw.chance(10):
            return self._draw.choice(self._said)[1]
        return f"http://g/{self._draw.integer(0, 20)}"

    def _row(self) -> tuple[Triple, str]:
        if self._said and not self._draw.chance(10):
            return self._draw.choice(self._said)
        return self.triple(), self._name()
