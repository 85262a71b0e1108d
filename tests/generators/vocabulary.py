"""The few names a random case is about: few, so that things meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rif.syntax.terms import IRI, RDF_LANG_STRING, RDF_TYPE, XSD, GroundTerm, Literal, Local

if TYPE_CHECKING:
    from tests.generators.draw import Draw

EX = "http://e/"
TYPE = IRI(RDF_TYPE)
SUM = IRI(EX + "sum")
"""The predicate of computed values: no other rule derives it."""


def _ex(names: str) -> list[IRI]:
    return [IRI(EX + name) for name in names.split()]


def _typed(*texts: str) -> list[Literal]:
    """``01^integer``: literals from a short form."""
    return [Literal(text, XSD + kind) for text, kind in (one.split("^") for one in texts)]


NUMBERS = _typed(
    "1^integer", "2^integer", "01^integer", "1.0^decimal", "3^integer", "2.5^decimal", "1E0^double",
    "-1^integer", "1.0E0^double", "0.5^decimal", "1^int", "+2^integer", "2.50^decimal",
    "9007199254740993^integer", "9007199254740992^integer", "9007199254740992^double",
)  # fmt: skip
TEXTS = [
    Literal("a"),
    Literal("ab"),
    Literal("b"),
    Literal("a", RDF_LANG_STRING, "en"),
    Literal("ab", RDF_LANG_STRING, "en-us"),
    Literal("1"),
    Literal(""),
    Literal('é"\\\n\t\U0001d518'),
    *_typed("true^boolean", "1^boolean", "2013-01-01^date"),
]
ILL_TYPED = _typed("x^integer", "1.5^integer", "2^boolean")
"""For data only: in rules they are faults."""

OPS: list[tuple[GroundTerm, int]] = [
    (IRI(EX + "pair"), 2),
    (IRI(EX + "flag"), 0),
    (IRI(EX + "one"), 1),
    (IRI(EX + "triad"), 3),
    (IRI(EX + "pair"), 1),
    (Local("hidden"), 1),
]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Names of one case.

    Attributes:
        nodes, classes: subjects and objects.
        literals: objects, valid in rules.
        data: predicates that streams assert.
        derived: predicates that rules are there to derive.
        ops: names and arities of atoms.
    """

    nodes: tuple[GroundTerm, ...]
    classes: tuple[IRI, ...]
    literals: tuple[Literal, ...]
    data: tuple[IRI, ...]
    derived: tuple[IRI, ...]
    ops: tuple[tuple[GroundTerm, int], ...]


def vocabulary(draw: Draw, *, long: bool = False) -> Vocabulary:
    """Names for a case; a long one has more nodes, so that its states stay small."""
    data = _ex("p q r")[: draw.integer(1, 3)]
    nodes: list[GroundTerm] = [*_ex("a b c d")[: draw.integer(2, 4)]]
    if long:
        nodes = [*_ex("a b c d"), *(IRI(f"{EX}node{number}") for number in range(12))]
    if draw.chance(20):
        nodes.append(data[-1])
    if draw.chance(5):
        nodes.append(Local("k"))
    literals = NUMBERS[: draw.integer(1, 4)]
    if draw.chance(40):
        literals += draw.some(NUMBERS[4:], 1, 3)
    if draw.chance(40):
        literals += draw.some(TEXTS, 1, 3)
    if draw.chance(30):
        data.append(TYPE)
    return Vocabulary(
        tuple(nodes),
        tuple(_ex("C D")),
        tuple(literals),
        tuple(data),
        tuple(_ex("t u v")[: draw.integer(1, 3)]),
        tuple(draw.some(OPS, 1, 3)) if draw.chance(40) else (),
    )
