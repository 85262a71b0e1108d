"""Rules in ranks: each derives what later ones read, by another variable each time.

Between rules of one rank and the next, facts come together by other keys; some rules are recursive,
and keep a key or do not; some negate, with a variable in common or without.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rif.syntax.ast import Document, Forall, Implies
from tests.generators.rules.parsers import parse
from tests.generators.stories.steps import items_of
from tests.generators.vocabulary import EX
from tests.oracles.rules.strata import NotStratified, strata

if TYPE_CHECKING:
    from tests.generators.draw import Draw

DATA: Final = ("p", "q", "same")
RANKS: Final = ("k", "l", "m", "n", "o")
_POSITIVE: Final = (
    "?x[ex:H -> ?z] :- And(?x[ex:A -> ?y] ?y[ex:B -> ?z])",
    "?x[ex:H -> ?y] :- And(?x[ex:A -> ?y] ?x[ex:B -> ?y])",
    "?x[ex:H -> ?z] :- And(?x[ex:A -> ?y] ?x[ex:B -> ?z])",
    "?y[ex:H -> ?x] :- ?x[ex:A -> ?y]",
    "?x[ex:H -> ?z] :- And(?x[ex:A -> ?y] ?z[ex:B -> ?y])",
    "?x[ex:H -> ex:a] :- And(?x[ex:A -> ?y] ?z[ex:B -> ex:b])",
    "And(?x[ex:H -> ?y] ex:at(?y ?x)) :- ?x[ex:A -> ?y]",
    "?x[ex:H -> ?y] :- And(ex:at(?x ?y) ?y[ex:A -> ?z])",
    "?x[ex:H -> ?y] :- Or(?x[ex:A -> ?y] ?y[ex:B -> ?x])",
)
_RECURSIVE: Final = (
    "?x[ex:H -> ?z] :- And(?x[ex:H -> ?y] ?y[ex:A -> ?z])",
    "?x[ex:H -> ?y] :- And(?x[ex:H -> ?z] ?x[ex:A -> ?y])",
    "?x[ex:H -> ?z] :- And(?x[ex:H -> ?y] ?y[ex:H -> ?z])",
    "?y[ex:H -> ?x] :- ?x[ex:H -> ?y]",
)
_NEGATIVE: Final = (
    "?x[ex:H -> ?y] :- And(?x[ex:A -> ?y] Naf(?y[ex:B -> ?x]))",
    "?x[ex:H -> ?y] :- And(?x[ex:A -> ?y] Naf(Exists ?z (?z[ex:B -> ?x])))",
    "?x[ex:H -> ?y] :- And(?x[ex:A -> ?y] Naf(Exists ?z (?z[ex:B -> ?z])))",
    "?x[ex:H -> ?y] :- And(?x[ex:A -> ?y] Naf(Exists ?z (And(?x[ex:B -> ?z] ?z[ex:p -> ?y]))))",
)


_BOXED: Final = (
    "?x[ex:H -> ex:a] :- BoxMinus [0 ms, 2 ms] (Exists ?y (?x[ex:A -> ?y]))",
    "?x[ex:H -> ex:a] :- BoxMinus [0 ms, 1 ms] (Exists ?y (And(?x[ex:A -> ?y] ?y[ex:B -> ?x])))",
    "?x[ex:H -> ?y] :- And(?x[ex:A -> ?y] BoxMinus [0 ms, 2 ms] (Exists ?z (?z[ex:B -> ?y])))",
    "ex:a[ex:H -> ?x] :- Since [0 ms, 3 ms] (Exists ?y (?x[ex:A -> ?y]) ?x[ex:B -> ?z])",
)


def ranked(draw: Draw, *, negation: bool, boxes: bool = False) -> Document:
    """A document of two to five ranks, stratified though atoms may lead back.

    Boxes are about variables that nothing outside of them has.
    """
    while True:
        found = _ranked(draw, negation=negation, boxes=boxes)
        if not negation:
            return found
        items = [one.clause for one in items_of(found) if isinstance(one, Forall)]
        with suppress(NotStratified):
            strata([(one.head, one.body) for one in items if isinstance(one, Implies)])
            return found


def _ranked(draw: Draw, *, negation: bool, boxes: bool) -> Document:
    rules: list[str] = []
    before: list[str] = []
    for head in RANKS[: draw.integer(2, len(RANKS))]:
        shapes = (
            *_POSITIVE,
            *(_NEGATIVE * 2 if negation else ()),
            *(_BOXED * 2 if boxes else ()),
        )
        count = draw.weighted((75, 1), (25, 2))
        rules += [_rule(draw, draw.choice(shapes), head, before) for _ in range(count)]
        if draw.chance(20):
            rules.append(_rule(draw, draw.choice(_RECURSIVE), head, before))
        before.append(head)
    if draw.chance(20):
        rules.append(f"ex:a[ex:{draw.choice(DATA)} -> ex:{draw.choice('bc')}]")
    text = " ".join(one if ":-" not in one else f"Forall ?x ?y ?z ({one})" for one in rules)
    return parse(f"Document(Prefix(ex <{EX}>) Group({text}))").document


def _rule(draw: Draw, shape: str, head: str, before: list[str]) -> str:
    """A shape, filled; mostly it reads what the rank before derives."""
    first = before[-1] if before and draw.chance(75) else draw.choice([*DATA, *before])
    other = draw.choice([*DATA, *before])
    return (
        shape.replace(":H ", f":{head} ").replace(":A ", f":{first} ").replace(":B ", f":{other} ")
    )
