"""Programs whose answers are all that holds: what is asserted beside what is derived.

Asserted triples enter the network once more as facts of `INPUT`, a relation that no rule asks for;
one rule more makes them facts of `STATE`, and so does every rule whose head is a triple. Nothing
reads `STATE`, so no rule derives more than before, nothing becomes recursive, and negation means
what it meant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from r4.program.program import INPUT, STATE
from rete.planning.plan import TRIPLES, Emit, Head, Scan, Unit

if TYPE_CHECKING:
    from r4.program.program import Program


_EVERY: Final = Scan(INPUT, (), (), (0, 1, 2))
_ITSELF: Final = Head(STATE, (0, 1, 2))


def with_state_output(program: Program) -> Program:
    """The same program with asserted facts among its answers.

    An answer holds as long as it is asserted or derived. It names the least rule that gives it
    where it begins; a fact of the rules is given by itself, a triple of the data by no rule: that
    has the last number, and an empty label.
    """
    number = len(program.labels) + 1
    facts = tuple(
        Emit(Unit(), fact.number, (_shown(Head(fact.relation, fact.texts)),))
        for fact in program.facts
    )
    return replace(
        program,
        emits=(*map(_showing, program.emits), *facts, Emit(_EVERY, number, (_ITSELF,))),
        labels=(*program.labels, ""),
        given=(*sorted({fact.number for fact in program.facts}), number),
    )


def _showing(emit: Emit) -> Emit:
    shown = tuple(_shown(head) for head in emit.heads if head.relation == TRIPLES)
    return replace(emit, heads=emit.heads + shown)


def _shown(head: Head) -> Head:
    return Head(STATE, head.args) if head.relation == TRIPLES else head
