"""State output: programs whose answers are all that holds, asserted facts beside derived ones.

Asserted triples enter the network once more as facts of `INPUT`, a relation that no rule asks for;
one more rule makes them facts of `STATE`, and so does every rule whose head is a triple. Nothing
reads `STATE` or `COUNTED`, so no rule derives more than before, nothing becomes recursive, and
negation keeps its meaning.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from r4.program.program import COUNTED, INPUT, STATE
from rete.graph.plan import Emit
from rete.nodes.scan import Scan
from rete.nodes.unit import Unit
from rete.terms.relations import TRIPLES, Head

if TYPE_CHECKING:
    from r4.program.program import Program


_ALL_INPUT: Final = Scan(INPUT, (), (), (0, 1, 2))
_AS_STATE: Final = Head(STATE, (0, 1, 2))


def with_state_output(program: Program, *, counts: bool = False) -> Program:
    """The same program with asserted facts among its answers.

    An answer holds as long as it is asserted or derived. It names the least rule that gives it
    where it begins. A fact of the rules names itself; a triple of the data has no rule, and so the
    last number and an empty label. With ``counts``, triples that are derived are facts of `COUNTED`
    too, as one that was asserted before it is derived begins but once.
    """
    number = len(program.labels) + 1
    facts = tuple(
        Emit(Unit(), fact.number, (_state_head(Head(fact.relation, fact.texts)),))
        for fact in program.facts
    )
    return replace(
        program,
        emits=(
            *(_with_state_heads(emit, counts=counts) for emit in program.emits),
            *facts,
            Emit(_ALL_INPUT, number, (_AS_STATE,)),
        ),
        labels=(*program.labels, ""),
        given=(*sorted({fact.number for fact in program.facts}), number),
    )


def _with_state_heads(emit: Emit, *, counts: bool) -> Emit:
    relations = (STATE, COUNTED) if counts else (STATE,)
    triples = [head.args for head in emit.heads if head.relation == TRIPLES]
    heads = tuple(Head(relation, args) for relation in relations for args in triples)
    return replace(emit, heads=emit.heads + heads)


def _state_head(head: Head) -> Head:
    return Head(STATE, head.args) if head.relation == TRIPLES else head
