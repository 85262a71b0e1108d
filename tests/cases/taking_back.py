"""Random stories: what is said, and taken back, while a program runs.

Names are few, so elements share them; triples are few, so several elements assert the same one;
and rules are dense enough that what is taken back often has another derivation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from rif.ast import Document, Forall, Formula, Group, Implies
from rif.parser import parse
from rif.terms import IRI, GroundTerm
from tests.cases.axioms import INDIVIDUALS
from tests.cases.finite import computes
from tests.cases.layered import SAME, layered
from tests.cases.layered import document as of_clauses
from tests.cases.rules import document
from tests.cases.vocabulary import EX, TYPE, Vocabulary, vocabulary
from tests.oracles.formulas import Time
from tests.oracles.stream import Scenario, Triple, window_of

if TYPE_CHECKING:
    from tests.draw import Draw

Sentence = Forall | Implies | Formula | Group


def items_of(document: Document) -> tuple[Sentence, ...]:
    """Its clauses and groups."""
    return document.group.items if document.group else ()


@dataclass(frozen=True, slots=True)
class Say:
    """An element: it takes back names and single triples of names, then asserts its own."""

    name: str
    start: int
    end: int | None
    triples: tuple[Triple, ...]
    names: tuple[str, ...] = ()
    rows: tuple[tuple[Triple, str], ...] = ()

    @property
    def takes_back(self) -> bool:
        return bool(self.names or self.rows)


@dataclass(frozen=True, slots=True)
class Always:
    """Triples of no element, from the frontier on."""

    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """Instants before ``to`` are closed, whatever was said."""

    to: int


@dataclass(frozen=True, slots=True)
class Forget:
    """What is needed no more is forgotten now."""


@dataclass(frozen=True, slots=True)
class Join:
    """Rules join in."""

    document: Document


@dataclass(frozen=True, slots=True)
class Drop:
    """A rule or a fact is there no longer: one of those that are left, by its place."""

    place: int


Step = Say | Always | Move | Forget | Join | Drop


@dataclass(frozen=True, slots=True)
class Story:
    """A run.

    Attributes:
        document: the rules it begins with.
        statics: triples that always hold.
        steps: what happens, in this order.
        semantics: ``facts`` or ``instances``.
        window: ticks; None: without end.
        delay: ticks.
        batch: so many elements arrive together.
        keep: whether the engine is told beforehand that things are taken back.
        small: whether SteMs begin tiny and terms are forgotten before each batch.
        regime: the background; empty: none.
    """

    document: Document
    statics: tuple[Triple, ...]
    steps: tuple[Step, ...]
    semantics: str = "facts"
    window: int | None = None
    delay: int = 0
    batch: int = 1
    keep: bool = False
    small: bool = False
    regime: str = ""

    @property
    def names(self) -> set[str]:
        """The names of all elements."""
        return {step.name for step in self.steps if isinstance(step, Say)}


_DENSE = tuple(
    f"Forall ?x ?y ?z ( {rule} )"
    for rule in (
        "?x[ex:t -> ?y] :- ?x[ex:p -> ?y]",
        "?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:p -> ?z])",
        "?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z])",
        "?y[ex:t -> ?x] :- ?x[ex:t -> ?y]",
        "?x[ex:u -> ?y] :- And(?x[ex:p -> ?z] ?z[ex:v -> ?y])",
        "?x[ex:v -> ?y] :- And(?x[ex:p -> ?z] ?z[ex:u -> ?y])",
        "?x[ex:v -> ?y] :- ?x[ex:q -> ?y]",
        "?x[ex:w -> ?y] :- ?x[ex:p -> ?y]",
        "?x[ex:w -> ?y] :- ?x[ex:q -> ?y]",
        "?x[ex:w -> ?y] :- And(?x[ex:p -> ?z] ?z[ex:q -> ?y])",
        "?x[ex:w -> ?y] :- And(?y[ex:q -> ?z] Exists ?k (?x[ex:q -> ?k]))",
        "?x[ex:u -> ?y] :- ?x[ex:v -> ?y]",
        "?x[ex:v -> ?y] :- ?x[ex:u -> ?y]",
        "?x[ex:u -> ?y] :- And(?x[ex:p -> ?z] ?y[ex:p -> ?z])",
        "?x[ex:u -> ?y] :- And(?z[ex:u -> ?w] ?z[ex:p -> ?x] ?w[ex:p -> ?y])",
        "?x[ex:t -> ?y] :- And(?x[ex:q -> ?y] ?y[ex:q -> ?x])",
        "?x[ex:v -> ?x] :- ?x[ex:t -> ?x]",
        "?x[ex:p -> ?y] :- ?x[ex:v -> ?y]",
        "?x[ex:v -> ?y] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?x])",
        "And(?x[ex:t -> ?y] ?y[ex:u -> ?x]) :- ?x[ex:q -> ?y]",
        "?x[?k -> ?y] :- And(?x[ex:same -> ?z] ?z[?k -> ?y])",
        "?x[ex:same -> ?y] :- And(?x[ex:q -> ?z] ?y[ex:q -> ?z])",
        "?y[ex:same -> ?x] :- ?x[ex:same -> ?y]",
    )
)

_NEGATIVE = tuple(
    f"Forall ?x ?y ?z ( {rule} )"
    for rule in (
        "?x[ex:n -> ?y] :- And(?x[ex:p -> ?y] Naf(?x[ex:q -> ?y]))",
        "?x[ex:m -> ?y] :- And(?x[ex:t -> ?y] Naf(?y[ex:t -> ?x]))",
        "?x[ex:m -> ?y] :- And(?x[ex:q -> ?y] Naf(?x[ex:n -> ?y]))",
        "?x[ex:o -> ?y] :- And(?x[ex:t -> ?y] Naf(Naf(?y[ex:q -> ?x])))",
    )
)
"""Above the first three of the dense rules, which they do not feed."""


@cache
def _dense_rule(number: int) -> Forall | Implies:
    text = (*_DENSE, *_NEGATIVE)[number].replace("?z ( ", "?z ?w ?k ( ")
    group = parse(f"Document(Prefix(ex <{EX}>) Group({text}))").document.group
    assert group is not None
    rule = group.items[0]
    assert isinstance(rule, Forall | Implies)
    return rule


def story(draw: Draw, *, kind: str = "") -> Story:
    """A story; ``kind`` is one of ``plain``, ``dense``, ``naf`` and ``regime``, if given."""
    kind = kind or draw.weighted((45, "plain"), (28, "dense"), (22, "naf"), (5, "regime"))
    if kind == "regime":
        return _above_a_regime(draw)
    words = vocabulary(draw)
    if kind == "dense" or (kind == "naf" and draw.chance(60)):
        words = replace(
            words, nodes=tuple(IRI(EX + name) for name in "abcd"), literals=words.literals[:1]
        )
        rules = draw.some(range(len(_DENSE)), 2, 5)
        if kind == "naf":
            above = range(len(_DENSE), len(_DENSE) + len(_NEGATIVE))
            rules = [*draw.some(range(3), 0, 3), *draw.some(above, 1, 3)]
        written = Document(group=Group(tuple(map(_dense_rule, rules))))
        window: Time = draw.choice([math.inf, 2, 3, 5, 9])
        words = replace(words, data=(*(IRI(EX + name) for name in "pq"), IRI(EX + "same")))
    else:
        written = document(draw, words, negation=kind == "naf")
        window = window_of(Scenario(written))
    rules_alone = replace(written, window=None)
    instances = kind != "naf" and draw.chance(40)
    maker = _Maker(draw, words, window)
    statics = tuple(maker.triple() for _ in range(draw.weighted((60, 0), (25, 2), (15, 4))))
    negates = kind == "naf" and "Naf" in repr(written)
    made = Story(
        rules_alone,
        statics,
        (),
        semantics="instances" if instances else "facts",
        window=None if math.isinf(window) else int(window),
        delay=draw.weighted((70, 0), (15, 1), (15, 3)),
        batch=draw.weighted((60, 1), (20, 2), (20, 5)),
        keep=draw.chance(50),
        small=draw.chance(50),
    )
    joins = made.keep and not instances and not negates
    steps = maker.steps(made.delay, joins=joins, drops=not instances)
    return replace(made, steps=steps)


def _above_a_regime(draw: Draw) -> Story:
    case = layered(draw)
    triples = [triple for _, _, triple in case.elements]
    maker = _Maker(draw, _no_words(), math.inf if case.window is None else case.window)
    maker.pool = triples or [(INDIVIDUALS[0], SAME, INDIVIDUALS[1])]
    return Story(
        of_clauses(case.rules),
        case.static,
        maker.steps(case.delay, joins=False, drops=False),
        semantics="instances" if case.instances else "facts",
        window=case.window,
        delay=case.delay,
        batch=draw.choice([1, 3]),
        keep=draw.chance(50),
        small=draw.chance(50),
        regime=case.regime,
    )


def _no_words() -> Vocabulary:
    return Vocabulary((), (), (), (), (), ())


class _Maker:
    """Makes steps; it remembers what was said, to say it again or take it back."""

    def __init__(self, draw: Draw, words: Vocabulary, window: Time) -> None:
        self._draw = draw
        self._words = words
        self._window = 5 if math.isinf(window) else int(window)
        self._said: list[tuple[Triple, str]] = []
        self._made: list[Triple] = []
        self.pool: list[Triple] = []

    def triple(self) -> Triple:
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

    def steps(self, delay: int, *, joins: bool, drops: bool) -> tuple[Step, ...]:
        """From two steps on; time goes on by little, and now and then beyond all windows."""
        draw = self._draw
        now = 0
        made: list[Step] = [self._say(0, now)]
        for number in range(1, draw.integer(2, 14)):
            now += draw.weighted((40, 0), (30, 1), (16, 2), (10, 3), (4, self._window + 1))
            kind = draw.weighted(
                (46, "say"),
                (38, "take"),
                (5, "move"),
                (6, "forget"),
                (3, "always"),
                (2, "join"),
                (3, "drop"),
            )
            if kind == "move":
                made.append(Move(now - draw.integer(0, 1)))
            elif kind == "forget":
                made.append(Forget())
            elif kind == "always":
                made.append(Always(tuple(self.triple() for _ in range(draw.integer(1, 2)))))
            elif kind == "join" and joins:
                more = self._more()
                if not any(
                    isinstance(one, Group) or computes(one) for one in items_of(more)
                ):  # else it may never end
                    made.append(Join(more))
            elif kind == "drop" and drops:
                made.append(Drop(draw.integer(0, 9)))
            else:
                start = now - draw.integer(0, delay)
                if draw.chance(4):
                    start -= delay + draw.integer(1, 3)
                made.append(self._say(number, start, takes=kind == "take"))
        return tuple(made)

    def _more(self) -> Document:
        group = document(self._draw, self._words).group
        items = () if group is None else group.items[:2]
        return Document(
            group=Group(tuple(one for one in items if isinstance(one, Forall | Implies)))
        )

    def _say(self, number: int, start: int, *, takes: bool = False) -> Say:
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
        return Say(name, start, end, triples, names, rows)

    def _name(self) -> str:
        """A name to take back: mostly one that was said."""
        if self._said and not self._draw.chance(10):
            return self._draw.choice(self._said)[1]
        return f"http://g/{self._draw.integer(0, 20)}"

    def _row(self) -> tuple[Triple, str]:
        if self._said and not self._draw.chance(10):
            return self._draw.choice(self._said)
        return self.triple(), self._name()
