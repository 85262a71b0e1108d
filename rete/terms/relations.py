"""Relations, to which facts belong, and heads, by which rules derive them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, NamedTuple, Self, TypeAlias, TypeVar
from urllib.parse import quote, unquote

from rif.syntax.terms import IRI, RIF

Operand: TypeAlias = int | str
"""A column of the source, or the canonical text of a constant."""


class Relation(NamedTuple):
    """What facts belong to: the triples, or the atoms of one predicate and arity.

    A tuple, as each delta looks some up, and a tuple is hashed and compared without a call.

    Attributes:
        op: canonical text of the predicate; empty for the triples, whose arity is 3.
    """

    op: str
    arity: int

    @property
    def routing(self) -> tuple[int, int]:
        """The two places by whose constants patterns are found.

        Predicate and object of a triple, the first two arguments of an atom; the same place twice
        where there is no second.
        """
        if not self.op:
            return 1, 2
        return 0, max(0, min(1, self.arity - 1))

    @property
    def undivided(self) -> Relation:
        """The relation of all facts that it has a part of: itself."""
        return self


class Part(Relation):
    """Some facts of a relation: those whose term at a place has a hash that decides who has them.

    It is another relation than the undivided one, and than the part by another place, so a network
    can have both.

    Attributes:
        by: the place.
    """

    __slots__ = ()

    by = property(itemgetter(2))

    def __new__(cls, op: str, arity: int, by: int) -> Self:
        """The facts of a relation by their terms at the place ``by``."""
        return tuple.__new__(cls, (op, arity, by))

    def __getnewargs__(self) -> tuple[str, int, int]:
        """For copies."""
        return self.op, self.arity, self.by

    def __repr__(self) -> str:
        """With the place."""
        return f"Part(op={self.op!r}, arity={self.arity!r}, by={self.by!r})"

    @property
    def undivided(self) -> Relation:
        """The relation that it is a part of."""
        return Relation(self.op, self.arity)


TRIPLES: Final = Relation("", 3)
ERROR: Final = Relation(str(IRI(RIF + "error")), 0)
"""The relation of ``rif:error()``: it says that the state is inconsistent."""


_STAMPED: Final = "at "
_NAMED: Final = "from "
_ENDED: Final = "ended "
_DERIVED: Final = "derived "


_EVENTS: Final = (
    (_STAMPED, "At", 1),
    (_NAMED, "From", 1),
    (_ENDED, "Ended", 2),
    (_DERIVED, "", 0),
)


def stamped(relation: Relation) -> Relation:
    """The facts of a relation, each with the time of its assertion as a last argument."""
    return Relation(_STAMPED + relation.op, relation.arity + 1)


def named(relation: Relation) -> Relation:
    """The facts of a relation, each with the name of an element that asserts it as a last one."""
    return Relation(_NAMED + relation.op, relation.arity + 1)


def ended(relation: Relation) -> Relation:
    """The facts of a relation that have ended, each with its begin and end as last arguments."""
    return Relation(_ENDED + relation.op, relation.arity + 2)


def derived(relation: Relation) -> Relation:
    """The facts of a relation that rules derive, apart from those that are asserted."""
    return Relation(_DERIVED + relation.op, relation.arity)


def asked_of(relation: Relation) -> Relation | None:
    """The relation of whose facts one is `stamped` or `ended`; None: it is neither."""
    for prefix, more in ((_STAMPED, 1), (_ENDED, 2)):
        if relation.op.startswith(prefix):
            return Relation(relation.op[len(prefix) :], relation.arity - more)
    return None


def event_of(relation: Relation) -> tuple[str, Relation] | None:
    """The word of the rules for an event fact, and the relation that it is of; None: it is none."""
    for prefix, word, more in _EVENTS:
        if relation.op.startswith(prefix):
            return word, Relation(relation.op[len(prefix) :], relation.arity - more)
    return None


def as_asserted(relation: Relation) -> Relation:
    """Of facts that were derived apart, the relation of all such facts."""
    if not relation.op.startswith(_DERIVED):
        return relation
    return Relation(relation.op[len(_DERIVED) :], relation.arity)


def is_event(relation: Relation) -> bool:
    """Whether its facts are steps to what rules ask of times: no answers."""
    return relation == MARKS or relation.op.startswith((_STAMPED, _NAMED, _ENDED, _DERIVED))


MARKS: Final = Relation("every", 2)
"""The marks of calendars: the text of one, and the time of a mark."""
STAMPED: Final = stamped(TRIPLES)
NAMED: Final = named(TRIPLES)
ABOUT_ELEMENTS: Final = frozenset((STAMPED, NAMED))
"""The relations of triples of elements with one argument more, which is the last."""


@dataclass(frozen=True, slots=True)
class Head:
    """A fact to derive: where each argument comes from."""

    relation: Relation
    args: tuple[Operand, ...]

    @property
    def key(self) -> tuple[str | None, ...]:
        """The constants, None at other places."""
        return tuple(arg if isinstance(arg, str) else None for arg in self.args)

    def unifies(self, other: Head) -> bool:
        """Whether both can derive the same fact."""
        return self.relation == other.relation and all(
            a == b or isinstance(a, int) or isinstance(b, int)
            for a, b in zip(self.args, other.args, strict=True)
        )


_REPEATED: Final = "urn:r4:same:"


def repeated_op(op: str) -> str:
    """The IRI of the predicate of the facts of ``op`` repeated for all terms that are the same."""
    return _REPEATED + quote(op, safe="")


def is_repeated(relation: Relation) -> bool:
    """Whether its facts are those of a predicate, repeated; see `repeated_op`."""
    return relation.op.startswith(f"<{_REPEATED}")


def as_written(relation: Relation) -> Relation:
    """The relation that rules call it: of repeated facts that of the predicate."""
    if not is_repeated(relation):
        return relation
    return Relation(unquote(relation.op[len(_REPEATED) + 1 : -1]), relation.arity)


_Operand = TypeVar("_Operand", Operand, Operand | None)


def map_operands(
    operands: Sequence[_Operand], text_of: Callable[[str], str]
) -> tuple[_Operand, ...]:
    """The same operands, each constant replaced by what ``text_of`` gives for it."""
    return tuple(text_of(each) if isinstance(each, str) else each for each in operands)
