"""Random stories: what is said, and taken back, while a program runs.

Names are few, so elements share them; triples are few, so several elements assert the same one;
and rules are dense enough that what is taken back often has another derivation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rif.syntax.ast import Document, Forall, Formula, Group, Implies
from rif.syntax.terms import IRI
from tests.generators.ontologies.axioms import INDIVIDUALS
from tests.generators.ontologies.rules_above import SAME, clause, layered
from tests.generators.ontologies.rules_above import document as of_clauses
from tests.generators.rules.dense import DENSE, KNOTS, NEGATIVE, dense_rule
from tests.generators.rules.documents import document
from tests.generators.rules.termination import is_finite
from tests.generators.stories.elements import ElementGenerator
from tests.generators.stories.steps import (
    FrontierStep,
    RuleAddition,
    RuleRemoval,
    Step,
    Story,
    SweepStep,
    TripleStep,
    items_of,
)
from tests.generators.vocabulary import EX, Vocabulary, vocabulary
from tests.oracles.rules.strata import NotStratified, strata
from tests.oracles.streams.run import Scenario, window_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.generators.draw import Draw

Clauses = Sequence[Forall | Implies | Formula]


def story(draw: Draw, *, kind: str = "") -> Story:
    """A story; ``kind`` is one of ``plain``, ``dense``, ``naf`` and ``regime``, if given.

    Plain rules are of all that the language has; dense ones over few words, so that there are many
    ways to the same fact; with negation, or without; or they are above the rules of a regime.
    """
    kind = kind or draw.weighted((45, "plain"), (28, "dense"), (22, "naf"), (5, "regime"))
    if kind == "regime":
        return _above_a_regime(draw)
    words = vocabulary(draw)
    if kind == "dense" or (kind == "naf" and draw.chance(60)):
        few = tuple(IRI(EX + name) for name in "abcd")
        keys = (*(IRI(EX + name) for name in "pq"), IRI(EX + "same"))
        words = replace(words, nodes=few, literals=words.literals[:1], data=keys)
        written = Document(group=Group(_dense(draw, kind)))
        window = draw.choice([math.inf, 2, 3, 5, 9])

        def more() -> Clauses:
            return _dense(draw, kind)[: draw.integer(1, 2)]

    else:
        written = document(draw, words, negation=kind == "naf")
        window = window_of(Scenario(written))

        def more() -> Clauses:
            return items_of(document(draw, words, negation=kind == "naf"))[: draw.integer(1, 2)]  # type: ignore[return-value]

    sayer = ElementGenerator(draw, words, window)
    statics = tuple(sayer.triple() for _ in range(draw.weighted((60, 0), (25, 2), (15, 4))))
    made = Story(
        replace(written, window=None),
        statics,
        (),
        semantics="instances" if kind != "naf" and draw.chance(40) else "facts",
        window=None if math.isinf(window) else int(window),
        delay=draw.weighted((70, 0), (15, 1), (15, 3)),
        batch=draw.weighted((60, 1), (20, 2), (20, 5)),
        keep=draw.chance(60),
        small=draw.chance(50),
        kind=kind,
        ends=_end(draw),
    )
    return _told(draw, made, sayer, more)


def _dense(draw: Draw, kind: str) -> tuple[Forall | Implies, ...]:
    knot = draw.choice(KNOTS) if draw.chance(40) else ()
    if kind == "dense":
        some = draw.some(range(len(DENSE)), 1 if knot else 2, 3 if knot else 5)
    else:
        above = range(len(DENSE), len(DENSE) + len(NEGATIVE))
        some = [*draw.some(range(3), 0, 3), *draw.some(above, 1, 3)]
    numbers = dict.fromkeys([*knot, *some])
    return tuple(map(dense_rule, draw.some(list(numbers), len(numbers), len(numbers))))


def _above_a_regime(draw: Draw) -> Story:
    case = layered(draw)
    triples = [triple for _, _, triple in case.elements]
    sayer = ElementGenerator(draw, _no_words(), math.inf if case.window is None else case.window)
    sayer.pool = triples or [(INDIVIDUALS[0], SAME, INDIVIDUALS[1])]
    made = Story(
        of_clauses(case.rules),
        case.static,
        (),
        semantics="instances" if case.instances else "facts",
        window=case.window,
        delay=case.delay,
        batch=draw.choice([1, 3]),
        keep=draw.chance(60),
        small=draw.chance(50),
        regime=case.regime,
        kind="regime",
        ends=_end(draw),
    )
    return _told(draw, made, sayer, lambda: [clause(draw) for _ in range(draw.integer(1, 2))])


def _no_words() -> Vocabulary:
    return Vocabulary((), (), (), (), (), ())


def _end(draw: Draw) -> str:
    return draw.weighted((50, "now"), (25, "later"), (25, "rules too"))


def _told(draw: Draw, made: Story, sayer: ElementGenerator, more: Callable[[], Clauses]) -> Story:
    """The story with steps: time goes on by little, and now and then beyond all windows.

    Rules join only where the engine keeps what they are to see.
    """
    now = 0
    rules = list(items_of(made.document))
    steps: list[Step] = [sayer.say(0, now)]
    for number in range(1, draw.integer(2, 14)):
        now += draw.weighted((40, 0), (30, 1), (16, 2), (10, 3), (4, sayer.window + 1))
        kind = draw.weighted(
            (44, "say"),
            (36, "take"),
            (5, "move"),
            (5, "forget"),
            (2, "always"),
            (4, "join"),
            (4, "drop"),
        )
        if kind == "move":
            steps.append(FrontierStep(now - draw.integer(0, 1)))
        elif kind == "forget":
            steps.append(SweepStep())
        elif kind == "always":
            steps.append(TripleStep(tuple(sayer.triple() for _ in range(draw.integer(1, 2)))))
        elif kind == "join" and made.keep:
            new = [one for one in more() if not isinstance(one, Group)]
            if _may_be(items := [*rules, *new]):
                rules = items
                steps.append(RuleAddition(Document(group=Group(tuple(new)))))
        elif kind == "drop":
            steps.append(RuleRemoval(draw.integer(0, 9)))
        else:
            start = now - draw.integer(0, made.delay)
            if draw.chance(4):
                start -= made.delay + draw.integer(1, 3)
            steps.append(sayer.say(number, start, takes=kind == "take"))
    return replace(made, steps=tuple(steps))


def _may_be(items: Sequence[Forall | Implies | Formula | Group]) -> bool:
    """Whether the rules come to an end, and are stratified."""
    alone = [one for item in items for one in (item.items if isinstance(item, Group) else [item])]
    clauses = [one.clause if isinstance(one, Forall) else one for one in alone]
    try:
        strata([(one.head, one.body) for one in clauses if isinstance(one, Implies)])
    except NotStratified:
        return False
    return is_finite([one for one in alone if not isinstance(one, Group)])
