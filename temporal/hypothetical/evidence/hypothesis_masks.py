"""Masks: which hypotheses, arrived together, show an entry; and the plans that find them.

The paper keeps an entry for every subset of hypotheses that may be matched ahead of the others, and
there are 2^n of them. But where a hypothesis has no variable that the others do not bind already,
it is not matched, it has arrived or not: an entry without it is not minimal from then on. So
entries are kept by what they *bind*. For each set of variables that some hypotheses have together,
a `VariableBinding` has the hypotheses that are ground under it, and an entry is a row of values
with those that have arrived, one bit each. The smallest sets of hypotheses that bind all must be
joined, and each of them with one more. Where all hypotheses have the same variables, nothing is
joined.

In plans a fact is a row of its arguments and its time, a plain number, valid from its arrival on. A
hypothesis is a scan, and a shift that makes of the time t of ``T + k`` the value of T; a mask is a
join. Equal plans are one node, so hypotheses and masks of all answers share what they can. A fact
that is joined ends when nothing it could meet may still arrive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from rete.arrays.delta import POS_INF
from rete.graph.plan import Emit, Plan
from rete.nodes.join import Join
from rete.nodes.metric.shift import Shift
from rete.nodes.scan import Scan
from rete.terms.relations import Head, Relation
from rif.syntax.terms import Local, Variable
from temporal.hypothetical.arrival.lateness import DelayBounds
from temporal.hypothetical.evidence.entry_table import NeededColumns
from temporal.hypothetical.syntax.ast import (
    SchematicAnswer,
    SortedVariable,
    TemporalAtom,
    variables_of,
)
from temporal.hypothetical.syntax.errors import TooManyHypotheses

MAX_HYPOTHESES: Final = 62
"""So many have a bit each in a number."""
MAX_MASKS: Final = 4096
"""Sets of hypotheses that are joined for one schematic answer, at most."""


@dataclass(frozen=True, slots=True)
class VariableBinding:
    """The entries of a schematic answer in which the same variables are bound.

    Attributes:
        names: the variables, objects before times, each by name.
        masks: the bits of hypotheses that, arrived together, show an entry, or more of it.
    """

    names: tuple[SortedVariable, ...]
    masks: tuple[int, ...]


def find_bindings(hypotheses: Sequence[TemporalAtom]) -> tuple[VariableBinding, ...]:
    """All sets of variables that matched hypotheses may bind, in order.

    Raises:
        TooManyHypotheses: there are more sets than `MAX_MASKS`.
    """
    if len(hypotheses) > MAX_HYPOTHESES:
        message = f"an answer needs {len(hypotheses)} input atoms, more than {MAX_HYPOTHESES}"
        raise TooManyHypotheses(message)
    own = [variables_of(atom) for atom in hypotheses]
    bound: set[frozenset[SortedVariable]] = set()
    for names in own:
        bound |= {names, *(names | other for other in bound)}
        _check(len(bound))
    mask_count = 0
    found = []
    for names in sorted(bound, key=lambda names: (len(names), sorted(names))):
        masks = _masks(names, own)
        mask_count += len(masks)
        _check(mask_count)
        found.append(VariableBinding(tuple(sorted(names)), masks))
    return tuple(found)


def _masks(
    names: frozenset[SortedVariable], own: Sequence[frozenset[SortedVariable]]
) -> tuple[int, ...]:
    """The smallest sets that bind ``names``, and each with one more of those that are ground.

    Not with one that such a set shows, together with some of the others.
    """
    members = [(1 << i, own_names) for i, own_names in enumerate(own) if own_names <= names]
    covers = list(_covers(names, members))
    found = dict.fromkeys(covers)
    for bit, _ in members:
        with_bit = [cover for cover in covers if cover & bit]
        for cover in covers:
            more = cover | bit
            if not any(other & more == other for other in with_bit):
                found[more] = None
        _check(len(found))
    return tuple(sorted(found))


def _covers(
    names: frozenset[SortedVariable], members: Sequence[tuple[int, frozenset[SortedVariable]]]
) -> Iterator[int]:
    """The smallest sets of ``members``, not empty, whose variables are ``names``."""
    if not names:
        yield from (bit for bit, _ in members)
        return
    found: set[int] = set()
    open_ = [(0, names)]
    seen: set[int] = set()
    while open_:
        mask, unbound = open_.pop()
        if mask in seen:
            continue
        seen.add(mask)
        _check(len(seen))
        if not unbound:
            found.add(mask)
            continue
        name = min(unbound)
        open_ += ((mask | bit, unbound - own) for bit, own in members if name in own)
    for mask in found:
        if not any(other != mask and other & mask == other for other in found):
            yield mask


def _check(number: int) -> None:
    if number > MAX_MASKS:
        message = f"more than {MAX_MASKS} sets of input atoms may come first for one answer"
        raise TooManyHypotheses(message)


Columns: TypeAlias = tuple[SortedVariable | None, ...]
"""The variable of each column; None: a time that is a constant."""
_NamedPlan: TypeAlias = tuple[Plan, Columns]


@dataclass(frozen=True, slots=True)
class LoweredQuery:
    """The plans of a query, and what its tables need.

    Attributes:
        delays: those of all facts.
        emits: a body for each mask, which is its number as a rule.
        bindings: per relation of their heads the position of the schematic answer, and its binding.
        object_columns: per plan the columns that are ids.
        least: the relations of least facts, by the plan of these, the order of its columns, and
            what is needed.
    """

    delays: DelayBounds
    emits: list[Emit] = field(default_factory=list)
    bindings: dict[Relation, tuple[int, VariableBinding]] = field(default_factory=dict)
    object_columns: dict[Plan, tuple[int, ...]] = field(default_factory=dict)
    least: dict[tuple[Plan, tuple[int, ...], NeededColumns], Relation] = field(default_factory=dict)

    def register(self, plan: Plan, columns: Columns) -> _NamedPlan:
        """A plan with the variables of its columns; which columns are ids is kept."""
        self.object_columns[plan] = tuple(
            c for c, name in enumerate(columns) if name and not name[0]
        )
        return plan, columns


def relation_of(predicate: str, arity: int) -> Relation:
    """The relation of facts with ``arity`` arguments before the time."""
    return Relation(str(Local(predicate)), arity + 1)


def lower(answers: Sequence[SchematicAnswer], delays: DelayBounds) -> LoweredQuery:
    """The plans of all schematic answers; `TooManyHypotheses` is as of `find_bindings`."""
    lowered = LoweredQuery(delays)
    for position, each in enumerate(answers):
        for number, binding in enumerate(find_bindings(each.hypotheses)):
            relation = Relation(str(Local(f"tally {position} {number}")), len(binding.names))
            lowered.bindings[relation] = position, binding
            for mask in binding.masks:
                plan, columns = _join_mask(lowered, each, mask)
                head = Head(relation, tuple(map(columns.index, binding.names)))
                lowered.emits.append(Emit(plan, mask, (head,)))
    return lowered


def _join_mask(lowered: LoweredQuery, schematic: SchematicAnswer, mask: int) -> _NamedPlan:
    """The plan of the hypotheses of a mask; what shares no variable is joined last."""
    left = [i for i in range(len(schematic.hypotheses)) if mask >> i & 1]
    if len(left) == 1:
        return _match_atom(lowered, schematic, left[0], joined=False)
    parts = {i: _match_atom(lowered, schematic, i, joined=True) for i in left}
    joined = parts.pop(left[0])
    while parts:
        shares = (
            i for i, (_, columns) in parts.items() if any(c in joined[1] for c in columns if c)
        )
        joined = _join_pair(lowered, joined, parts.pop(next(shares, next(iter(parts)))))
    return joined


def _join_pair(lowered: LoweredQuery, left: _NamedPlan, right: _NamedPlan) -> _NamedPlan:
    mine, theirs = left[1], right[1]
    shared = {name for name in mine if name is not None and name in theirs}
    on = tuple((mine.index(name), column) for column, name in enumerate(theirs) if name in shared)
    kept = {column: name for column, name in enumerate(mine) if name is not None}
    for column, name in enumerate(theirs):
        if name is not None and name not in shared:
            kept[~column] = name
    return lowered.register(Join(left[0], right[0], on, tuple(kept)), tuple(kept.values()))


def _match_atom(
    lowered: LoweredQuery, schematic: SchematicAnswer, position: int, *, joined: bool
) -> _NamedPlan:
    """The facts that match a hypothesis; if they are joined, as long as others may arrive."""
    hypotheses = schematic.hypotheses
    atom = hypotheses[position]
    others = (*hypotheses[:position], *hypotheses[position + 1 :], schematic.answer)
    elsewhere = variables_of(*others)
    shares_fact = any(
        i != position and _may_be_one(atom, other) for i, other in enumerate(hypotheses)
    )
    has_spare = not shares_fact and not variables_of(atom) <= elsewhere
    plan, objects = _scanned(atom)
    time = atom.time
    name: SortedVariable | None = None
    if time.variable is None:
        by, least, most = 0, time.offset, time.offset
    else:
        name = True, time.variable
        by, most = -time.offset, POS_INF
        least = max(0, by, dict(schematic.least).get(time.variable, 0))
    lasts = _wait(hypotheses, atom, lowered.delays) if joined or has_spare else None
    if (by, least, most, lasts) != (0, 0, POS_INF, None):
        plan = Shift(plan, len(objects), by, least, most, lasts)
    named = lowered.register(plan, (*((False, each) for each in objects), name))
    return _least_of(lowered, *named, elsewhere) if has_spare else named


def _may_be_one(one: TemporalAtom, other: TemporalAtom) -> bool:
    """Whether a fact may match both.

    Evidence that has it once, and not twice, may be more in the order of lines than other evidence:
    then the least facts do not make the least evidence.
    """
    if one.predicate != other.predicate:
        return False
    if one.time.variable == other.time.variable and one.time.offset != other.time.offset:
        return False
    pairs = zip(one.args, other.args, strict=True)
    return all(a == b or isinstance(a, Variable) or isinstance(b, Variable) for a, b in pairs)


def _scanned(atom: TemporalAtom) -> tuple[Plan, tuple[str, ...]]:
    """The facts that an atom matches, its time aside; their columns are these objects, and time."""
    constants: list[tuple[int, str]] = []
    positions: dict[str, int] = {}
    equal: list[tuple[int, int]] = []
    for at, arg in enumerate(atom.args):
        if not isinstance(arg, Variable):
            constants.append((at, str(arg)))
        elif arg.name in positions:
            equal.append((positions[arg.name], at))
        else:
            positions[arg.name] = at
    relation = relation_of(atom.predicate, atom.arity)
    keep = (*positions.values(), atom.arity)
    return Scan(relation, tuple(constants), tuple(equal), keep), tuple(positions)


def _least_of(
    lowered: LoweredQuery, plan: Plan, columns: Columns, elsewhere: AbstractSet[SortedVariable]
) -> _NamedPlan:
    """The rows of ``plan`` that are the least of those that agree on what is ``elsewhere``."""
    time = len(columns) - 1
    spare = [c for c, name in enumerate(columns) if name is not None and name not in elsewhere]
    timed = time in spare
    if timed:
        spare = [time, *spare[:-1]]
    order = (*(c for c in range(len(columns)) if c not in spare), *spare)
    id_columns = tuple(at for at, column in enumerate(order) if column != time)
    needed = NeededColumns(len(order) - len(spare), timed, id_columns)
    table = lowered.least.get((plan, order, needed))
    if table is None:
        table = Relation(str(Local(f"least {len(lowered.least)}")), len(columns))
        lowered.least[plan, order, needed] = table
        lowered.emits.append(Emit(plan, 1, (Head(table, order),)))
    scan = Scan(table, (), (), tuple(range(len(columns))))
    return lowered.register(scan, tuple(columns[column] for column in order))


def _wait(hypotheses: Sequence[TemporalAtom], own: TemporalAtom, delays: DelayBounds) -> int | None:
    """How long after the time of ``own``, as it is shifted, any of ``hypotheses`` may arrive.

    None: for ever, as the time of one is not known then.
    """
    if any(other.time.variable != own.time.variable for other in hypotheses):
        return None
    last = max(other.time.offset + delays.of(other) for other in hypotheses)
    return last + 1 - (own.time.offset if own.time.variable is None else 0)
