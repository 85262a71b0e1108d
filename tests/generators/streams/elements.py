"""Random streams: dense small stamps with ties, gaps in which things expire, late elements."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from rif.syntax.terms import IRI, BlankNode, GroundTerm
from tests.generators.vocabulary import ILL_TYPED, TYPE, Vocabulary
from tests.oracles.streams.run import (
    DefaultGraphTriple,
    Element,
    Scenario,
    ScenarioItem,
    Triple,
    window_of,
)

if TYPE_CHECKING:
    from rif.syntax.ast import Document
    from tests.generators.draw import Draw

GRAPHS = "http://g/"
BASES = {"integer": (0, 1, -7, 10**12), "dateTime": (1_372_636_800_000, -3_000, 951_782_399_999)}


def scenario(draw: Draw, words: Vocabulary, document: Document, *, most: int = 10) -> Scenario:
    """A run of ``document`` over static files and one to three sources, ``most`` elements."""
    override = draw.integer(1, 4) if draw.chance(8) else None
    clock = "dateTime" if draw.chance(15) else "integer"
    delay = draw.integer(1, 4) if draw.chance(30) else 0
    plain = Scenario(document, window=override)
    maker = _Maker(draw, words, window_of(plain), delay)
    statics = tuple(
        tuple(maker.triple() for _ in range(draw.integer(1, 4)))
        for _ in range(draw.weighted((55, 0), (37, 1), (8, 2)))
    )
    sources = draw.weighted((82, 1), (14, 2), (4, 3))
    base = draw.weighted(*((60 if base == BASES[clock][0] else 12, base) for base in BASES[clock]))
    return Scenario(
        document,
        statics=statics,
        sources=maker.sources(sources, base, most, fine=clock == "dateTime" and sources == 1),
        semantics="instances" if draw.chance(50) else "facts",
        window=override,
        delay=delay,
        drain=draw.weighted((40, math.inf), (45, None), (15, draw.integer(0, 6))),
        clock=clock,
        streams_first=bool(statics) and draw.chance(10),
    )


class _Maker:
    """Triples and elements; it remembers what it made, to say it again."""

    def __init__(self, draw: Draw, words: Vocabulary, window: float, delay: int) -> None:
        self._draw = draw
        self._words = words
        self._window = 5 if math.isinf(window) else int(window)
        self._delay = delay
        self._made: list[Triple] = []

    def triple(self) -> Triple:
        draw = self._draw
        if self._made and draw.chance(22):
            return draw.choice(self._made)
        made = self._new_triple()
        self._made.append(made)
        return made

    def _new_triple(self) -> Triple:
        draw, words = self._draw, self._words
        nodes = [one for one in words.nodes if isinstance(one, IRI)]
        subject: GroundTerm = draw.choice(nodes)
        if draw.chance(5):
            subject = BlankNode(draw.choice(("b0", "b1", "k")))
        key = draw.choice(words.derived) if draw.chance(10) else draw.choice(words.data)
        if key == TYPE:
            return subject, key, draw.choice(words.classes)
        filler: GroundTerm = draw.choice(nodes)
        if draw.chance(35):
            filler = draw.choice(words.literals)
        elif draw.chance(4):
            filler = BlankNode(draw.choice(("b0", "b1", "k")))
        elif draw.chance(3):
            filler = draw.choice(ILL_TYPED)
        return subject, key, filler

    def sources(
        self, count: int, base: int, most: int, *, fine: bool
    ) -> tuple[tuple[ScenarioItem, ...], ...]:
        """Elements in the order of time, but for jitter, dealt to the sources."""
        draw = self._draw
        made: list[list[ScenarioItem]] = [[] for _ in range(count)]
        now = base
        fine = fine and draw.chance(30)
        for number in range(draw.integer(min(2, most), most)):
            items = made[draw.integer(0, count - 1)]
            if number == 0:
                items += self._loose(12)
            items.append(self._element(number, now, fine=fine))
            items += self._loose(4)
            now += draw.weighted(
                (30, 1), (22, 0), (20, 2), (14, 3), (14, self._window + draw.integer(0, 2))
            )
        if draw.chance(35):
            made[draw.integer(0, count - 1)].append(Element(f"{GRAPHS}end", now, None, ()))
        return tuple(map(tuple, made))

    def _loose(self, percent: int) -> list[ScenarioItem]:
        if not self._draw.chance(percent):
            return []
        return [DefaultGraphTriple(self.triple()) for _ in range(self._draw.integer(1, 2))]

    def _element(self, number: int, now: int, *, fine: bool) -> Element:
        draw = self._draw
        triples = tuple(
            self.triple() for _ in range(draw.weighted((38, 1), (30, 2), (24, 4), (8, 0)))
        )
        start: Fraction | int = now
        if self._delay and draw.chance(50):
            start = now - draw.integer(0, self._delay)
        if draw.chance(6):
            start = now - self._delay - draw.integer(1, 4)
        end: Fraction | int | None = None
        if draw.chance(14):
            end = start + draw.integer(1, 8)
        elif draw.chance(1):
            end = start - draw.integer(0, 2)
        if fine:
            start += Fraction(draw.integer(0, 9), 10)
            end = None if end is None else end + Fraction(draw.integer(0, 9), 10)
            if draw.chance(10):
                end = start + Fraction(draw.integer(1, 9), 10)  # perhaps no tick at all
        name = f"{GRAPHS}{draw.integer(0, 2) if draw.chance(10) else number + 3}"
        if draw.chance(1):
            return Element(name, None, None, triples or (self.triple(),))
        return Element(name, start, end, triples)
