"""The rules behind event times: what stamps derived facts, and what tells of facts that ended.

Rules ask for facts of relations with one argument more, or two (`rete.terms.relations.stamped`,
`ended`). Elements assert such facts with their own times. Those of derived facts, and the ends of
all, follow by bodies that are added here. A head that may derive what is asked for derives it once
more, in a relation of its own, as derived intervals are apart from asserted ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from rete.graph.plan import Emit, Plan, below
from rete.nodes.interval_ends import Begins, Ends, IntervalEnds
from rete.nodes.scan import Scan
from rete.planning.unification import unifies
from rete.terms.number_constants import is_marked, unmarked
from rete.terms.relations import Head, Operand, Relation, asked_of, derived, ended, stamped


def with_event_facts(emits: Sequence[Emit]) -> list[Emit]:
    """The bodies, with those that event times need."""
    asked = list(dict.fromkeys(_asked(emits)))
    stamps = [(relation, key) for of, relation, key in asked if of == stamped(relation)]
    result = [_copied(emit, stamps) for emit in emits]
    heads = {head.relation for emit in result for head in emit.heads}
    for of, relation, key in asked:
        # One for each rule that reads it, as rules may be dropped.
        readers = dict.fromkeys(emit.rule for emit in emits if _reads(emit.source, of, key))
        if of == ended(relation):
            result += [_body(relation, key, Ends, of, reader) for reader in readers]
        elif of == stamped(relation) and derived(relation) in heads:
            result += [_body(derived(relation), key, Begins, of, reader) for reader in readers]
    return result


def times_across(some: Sequence[Emit], others: Sequence[Emit]) -> Iterator[tuple[int, int]]:
    """Rules of ``some`` that ask for times of what rules of ``others`` derive, with these."""
    for of, relation, key in dict.fromkeys(_asked(some)):
        if of != stamped(relation):
            continue
        reader = next(emit.rule for emit in some if _reads(emit.source, of, key))
        for emit in others:
            if any(head.relation == relation and unifies(key, head.key) for head in emit.heads):
                yield reader, emit.rule


def _asked(emits: Iterable[Emit]) -> Iterator[tuple[Relation, Relation, tuple[str | None, ...]]]:
    """The relations of event facts that are read, what they are of, and the constants of that."""
    for plan in below(*(emit.source for emit in emits)):
        if isinstance(plan, Scan) and (of := asked_of(plan.relation)) is not None:
            yield plan.relation, of, plan.pattern[: of.arity]


def _reads(plan: Plan, relation: Relation, key: tuple[str | None, ...]) -> bool:
    return any(
        isinstance(each, Scan) and each.relation == relation and each.pattern[: len(key)] == key
        for each in below(plan)
    )


def _copied(emit: Emit, asked: Sequence[tuple[Relation, tuple[str | None, ...]]]) -> Emit:
    """A body whose heads also derive, apart, what is asked for with its time."""
    copies = [
        Head(derived(head.relation), head.args)
        for head in emit.heads
        if any(relation == head.relation and unifies(key, head.key) for relation, key in asked)
    ]
    return replace(emit, heads=(*emit.heads, *copies)) if copies else emit


def _body(
    relation: Relation,
    key: tuple[str | None, ...],
    of: Callable[[Plan], IntervalEnds],
    head: Relation,
    rule: int,
) -> Emit:
    told = [(place, text) for place, text in enumerate(key) if text is not None]
    constants = tuple(pair for pair in told if not is_marked(pair[1]))
    numbers = tuple((place, unmarked(text)) for place, text in told if is_marked(text))
    keep = tuple(place for place in range(len(key)) if place not in dict(constants))
    source = of(Scan(relation, constants, (), keep, numbers))
    columns: dict[int, Operand] = {place: column for column, place in enumerate(keep)}
    args = tuple((columns | dict(constants))[place] for place in range(len(key)))
    more = range(len(keep), source.width)
    return Emit(source, rule, (Head(head, (*args, *more)),))
