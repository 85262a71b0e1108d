"""What rules lack that could derive a fact, as values: conditions, and when these do not hold.

All times are intervals of cells. A question is about an interval, too, be it one cell: what is said
to lack does so in all of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from rete.storage.interval_sets import CellInterval, IntervalSet


@dataclass(frozen=True, slots=True)
class BlockingFact:
    """A fact that a negation forbids, and which is there.

    Attributes:
        text: it, in the words of the rules.
        by: where it comes from: ``asserted by ex:e1``, ``by rule 2``.
        rule: the rule that derives it, by its label or number; None: it is asserted.
        elements: the canonical texts of the names of those that assert it.
        when: the maximal interval in which it holds.
    """

    text: str
    by: str
    rule: str | int | None
    elements: tuple[str, ...]
    when: CellInterval


@dataclass(frozen=True, slots=True)
class OperandLack:
    """The operand of a metric operator that does not hold as the operator wants it.

    Attributes:
        what: it, in the words of the rules.
        gaps: when it does not hold, of the times that the operator is about.
        other, held: of Since and Until what holds, and when; then the operand would have to hold
            between that time and the instant of the question.
        last, next: when it holds for the last time before those times, and for the first time
            after them; None: that is not known, or at no time.
    """

    what: str
    gaps: IntervalSet
    other: str = ""
    held: CellInterval | None = None
    last: CellInterval | None = None
    next: CellInterval | None = None


@dataclass(frozen=True, slots=True)
class GroupValue:
    """What the value of an aggregate is where a rule wants another one.

    Attributes:
        name: the aggregate, as it is written before the braces.
        group: the canonical texts of the terms that the members share.
        value: its canonical text; "": it has none.
        shown: the value as it is told.
        count: how many members there are.
        some: the first of them, in the words of the rules.
    """

    name: str
    group: tuple[str, ...]
    value: str
    shown: str
    count: int
    some: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConditionLack:
    """A condition that is not true.

    Attributes:
        text: that, in the words of the rules: ``there is no ex:a[ex:p -> ex:b]``.
        operand: of a metric operator what lacks when; None: that is not known.
        blocking: of a negation facts that it forbids.
        because: what lacks that could make it true.
        groups: of an aggregate, and of a test of one, the values that there are.
        others: of an event time, facts that have another one.
    """

    text: str
    operand: OperandLack | None = None
    blocking: tuple[BlockingFact, ...] = ()
    because: Lacks | None = None
    groups: tuple[GroupValue, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleLack:
    """What the body of a rule lacks.

    Attributes:
        name: of the rule, as it is written; "": it is an operand of a metric operator.
        label: the IRI of its annotation, or its number or place.
        conditions: those that are not true; none: they are not true together.
        when: an interval nowhere in which the body is true; None: that of the question.
    """

    name: str
    label: str | int
    conditions: tuple[ConditionLack, ...]
    when: CellInterval | None = None


@dataclass(frozen=True, slots=True)
class Lacks:
    """What the rules lack that could derive a fact; ``omitted``: so many rules are left out."""

    rules: tuple[RuleLack, ...] = ()
    omitted: int = 0
