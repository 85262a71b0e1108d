"""The meaning of plans: their rows at one instant, by the definition of each operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rete.graph.plan import Emit, Plan
from rete.nodes.anti_join import AntiJoin
from rete.nodes.filter import EQUAL, SAME_TERM, Filter
from rete.nodes.function import COPY, Apply
from rete.nodes.join import Join
from rete.nodes.scan import Scan
from rete.nodes.unit import Unit
from rete.terms.relations import TRIPLES, Head, Operand, Relation
from tests.oracles.rdf.values import FUNCTIONS, PREDICATES, value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tests.oracles.rules.formulas import Fact

Row = tuple[str, ...]


def derived(emit: Emit, facts: Iterable[Fact]) -> set[Fact]:
    """What a body derives from ``facts`` in one step."""
    known: dict[Plan, set[Row]] = {}
    found = _rows(emit.source, list(facts), known)
    return {_fact(head, row) for head in emit.heads for row in found}


def _fact(head: Head, row: Row) -> Fact:
    args = _values(head.args, row)
    if head.relation == TRIPLES:
        return ("triple", *args)
    error = head.relation.op == "<http://www.w3.org/2007/rif#error>"
    return ("error",) if error else ("atom", head.relation.op, *args)


def _rows(plan: Plan, facts: list[Fact], known: dict[Plan, set[Row]]) -> set[Row]:
    if plan not in known:
        sources = [_rows(source, facts, known) for source in plan.sources]
        known[plan] = _applied(plan, sources, facts)
    return known[plan]


def _applied(plan: Plan, sources: Sequence[set[Row]], facts: list[Fact]) -> set[Row]:
    match plan:
        case Unit():
            return {()}
        case Scan():
            return {
                tuple(row[place] for place in plan.keep)
                for row in _of(plan.relation, facts)
                if all(row[place] == text for place, text in plan.constants)
                and all(row[a] == row[b] for a, b in plan.equal)
            }
        case Filter() | Apply():
            return set(_of_builtin(plan, *sources))
    return _of_rows(plan, sources)


def _of_builtin(plan: Filter | Apply, rows: set[Row]) -> Iterator[Row]:
    for row in rows:
        kept, args = tuple(row[c] for c in plan.keep), _values(plan.args, row)
        if isinstance(plan, Filter):
            if _is_true(plan.test, args) == plan.passes:
                yield kept
        elif (found := _value(plan.function, args)) is not None:
            yield (*kept, found)


def _of_rows(plan: Plan, sources: Sequence[set[Row]]) -> set[Row]:
    """What a kind makes of several rows together."""
    match plan:
        case Join():
            left, right = sources
            return {
                tuple(one[c] if c >= 0 else two[~c] for c in plan.keep)
                for one in left
                for two in right
                if all(one[a] == two[b] for a, b in plan.on)
            }
        case AntiJoin():
            left, right = sources
            return {
                tuple(one[c] for c in plan.keep)
                for one in left
                if not any(all(one[a] == two[b] for a, b in plan.on) for two in right)
            }
    raise TypeError(plan)


def _of(relation: Relation, facts: Iterable[Fact]) -> list[Row]:
    if relation == TRIPLES:
        return [fact[1:] for fact in facts if fact[0] == "triple"]
    atoms = [fact[2:] for fact in facts if fact[0] == "atom" and fact[1] == relation.op]
    return [row for row in atoms if len(row) == relation.arity]


def _values(operands: Iterable[Operand], row: Row) -> Row:
    return tuple(row[each] if isinstance(each, int) else each for each in operands)


def _is_true(test: str, args: Row) -> bool:
    if test in {EQUAL, SAME_TERM}:
        one, two = args
        return one == two if test == SAME_TERM else value(one) == value(two)
    return bool(PREDICATES[test](*args))


def _value(function: str, args: Row) -> str | None:
    return args[0] if function == COPY else FUNCTIONS[function](*args)
