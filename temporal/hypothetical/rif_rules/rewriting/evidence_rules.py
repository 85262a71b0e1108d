"""Evidence rules: what is added to a program, and the shapes by which their rows are read.

For each derivation, and each choice of units that have arrived, one more rule is added to the
program. Its body is what must hold of them, its head an atom of a relation of its own with all
variables that are bound. So rows of that relation are evidence, kept and joined by the network like
any other rows, and the *shape* of the relation says what each row stands for.

A derivation all of whose units are missing makes sets of hypotheses needless. What must hold
besides comes and goes, with no evidence. So for each group of such conditions that share variables
one more rule is added. Its rows have those variables that the units, the conclusion or a test have,
too. Groups are apart because all rows of one would meet all rows of another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from rete.arrays.delta import Cells
from rete.graph.plan import Emit
from rete.planning.lowering import lower
from rete.planning.plan_builder import build_plan
from rete.terms.relations import Relation
from rif.syntax import ast
from rif.syntax.clauses import Clause
from rif.syntax.terms import IRI, Variable
from rif.syntax.traversal import distinct_names, free_variables, rename
from rif.text.writer import unparse_formula
from temporal.hypothetical.rif_rules.arrival_chances import UnitCondition
from temporal.hypothetical.rif_rules.rewriting.arrival_units import (
    ArrivalUnit,
    Derivation,
)
from temporal.hypothetical.rif_rules.rewriting.patterns import (
    APART,
    AtomPattern,
    ResolvedRule,
    condition_of,
    names_in,
    pattern_of,
    text_of,
)

POSSIBLE: Final = "urn:r4:possible:"
"""The prefix of the IRIs of the relations."""

Places: TypeAlias = tuple[int, ...]
"""The arguments of an atom: where each stands in a row, its constants and its free variables."""


class PlacedTriple(NamedTuple):
    """A triple of a unit that has arrived; ``reach`` is as of `MissingUnit`."""

    places: Places
    reach: Cells


@dataclass(frozen=True, slots=True)
class MissingUnit:
    """A unit that has not arrived.

    Attributes:
        triples: what it would assert.
        reach: between which distances it may lie before the head, in cells, half-open.
        conditions: the predicate and the object of each.
    """

    triples: tuple[Places, ...]
    reach: Cells
    conditions: tuple[UnitCondition, ...]


@dataclass(frozen=True, slots=True)
class PendingTest:
    """A test, or a value, that waits for variables.

    Attributes:
        form: its text with numbers for its variables, which tells it from other tests.
        names: its variables, in the order of those numbers.
        args: their places.
    """

    formula: ast.Formula
    form: str
    names: tuple[str, ...]
    args: Places


class RequiredAtom(NamedTuple):
    """A condition that must hold besides, with the values that its relation has at ``args``."""

    relation: Relation
    args: Places


@dataclass(frozen=True, slots=True)
class EvidenceShape:
    """The meaning of the rows of a relation.

    Attributes:
        rule: the number of the rule whose head it is about.
        fact: the arguments of the head.
        evidence: the triples that have arrived.
        missing: the units that have not; () if all have, and the head follows.
        tests: what waits for them.
        constants: the canonical texts that follow the columns of a row.
        free: the names of the variables that follow these, as the rules call them.
        required: what must hold besides, if that is not in the rows.
    """

    relation: Relation
    rule: int
    head: Relation
    fact: Places
    evidence: tuple[PlacedTriple, ...]
    missing: tuple[MissingUnit, ...]
    tests: tuple[PendingTest, ...]
    constants: tuple[str, ...]
    free: tuple[str, ...]
    required: tuple[RequiredAtom, ...] = ()


def evidence_shapes(
    derivation: Derivation, first: int, scale: int, *, complete: bool
) -> Iterator[tuple[EvidenceShape, tuple[Emit, ...]]]:
    """The shapes of a derivation, numbered from ``first`` on, each with the plans of its rule.

    ``scale`` is the ticks to the second; with ``complete`` there is a shape of all units, too.
    """
    count = len(derivation.units)
    for number, chosen in enumerate(range(1, (1 << count) - (not complete)), first):
        arrived = [place for place in range(count) if chosen >> place & 1]
        bound, taken, _ = derivation.bound(arrived)
        units = *(derivation.units[place] for place in arrived), *derivation.required
        body = [part for unit in units for part in _under_operators(unit)]
        body += (step.formula for step in taken)
        name, columns = IRI(f"{POSSIBLE}{number}"), sorted(bound)
        relation, emits = _added_rule(derivation.rule, name, columns, body, scale)
        yield _shape_of_row(derivation, arrived, relation, columns), emits


def _added_rule(
    rule: ResolvedRule,
    name: IRI,
    columns: Sequence[str],
    body: Iterable[ast.Formula],
    scale: int,
) -> tuple[Relation, tuple[Emit, ...]]:
    """A rule whose head has the relation ``name`` and the variables ``columns``, and its plans."""
    head = ast.Atom(name, tuple(ast.Var(Variable(each)) for each in columns))
    clause = Clause(rule.number, None, (head,), (tuple(body),), is_fact=False, span=rule.span)
    # Numbers that stand for their values are tests already.
    language = rule.language.with_numbers(by_value=False)
    return Relation(str(name), len(columns)), tuple(map(build_plan, lower(clause, language, scale)))


def _under_operators(unit: ArrivalUnit) -> Iterator[ast.Formula]:
    """The patterns of a unit under their operators."""
    if not unit.path:
        yield from unit.formulas
        return
    alone = len(unit.formulas) == 1
    inner: ast.Formula = unit.formulas[0] if alone else ast.And(unit.formulas)
    for operator in reversed(unit.path):
        inner = replace(operator, body=inner)
    yield inner


def _shape_of_row(
    derivation: Derivation,
    arrived: Collection[int],
    relation: Relation,
    columns: Sequence[str],
    required: Iterable[tuple[Relation, Sequence[str]]] = (),
) -> EvidenceShape:
    """The shape of a row of ``relation`` with the variables ``columns``: some units have arrived.

    ``required`` are relations with what must hold besides, and the names of their variables.
    """
    units = [derivation.units[place] for place in arrived]
    lacking = [unit for place, unit in enumerate(derivation.units) if place not in arrived]
    _, _, waiting = derivation.bound(arrived)
    patterns = [pattern_of(each).args for unit in (*units, *lacking) for each in unit.formulas]
    terms = list(chain(derivation.head.args, *patterns))
    constants = list(dict.fromkeys(text_of(t) for t in terms if isinstance(t, ast.Constant)))
    steps = [tuple(dict.fromkeys(free_variables(step.formula))) for step in waiting]
    free = [n for n in dict.fromkeys((*names_in(terms), *chain(*steps))) if n not in columns]
    place = {name: number for number, name in enumerate((*columns, *("",) * len(constants), *free))}
    known = {text: number for number, text in enumerate(constants, len(columns))}

    def places(args: Iterable[ast.Term]) -> Places:
        return tuple(
            place[arg.value.name] if isinstance(arg, ast.Var) else known[text_of(arg)]
            for arg in args
        )

    def triples(unit: ArrivalUnit) -> tuple[Places, ...]:
        return tuple(places(pattern_of(each).args) for each in unit.formulas)

    return EvidenceShape(
        relation,
        derivation.rule.number,
        derivation.head.relation,
        places(derivation.head.args),
        tuple(
            dict.fromkeys(
                PlacedTriple(each, unit.reach) for unit in units for each in triples(unit)
            )
        ),
        tuple(
            MissingUnit(triples(unit), unit.reach, tuple(map(condition_of, _patterns([unit]))))
            for unit in lacking
        ),
        tuple(
            PendingTest(
                step.formula, _form(step.formula, names), names, tuple(place[n] for n in names)
            )
            for step, names in zip(waiting, steps, strict=True)
        ),
        tuple(constants),
        tuple(distinct_names(name.partition(APART)[0] for name in free)),
        tuple(RequiredAtom(each, tuple(place[name] for name in names)) for each, names in required),
    )


def _form(formula: ast.Formula, names: Sequence[str]) -> str:
    numbered = {name: f"{number}" for number, name in enumerate(names)}
    return unparse_formula(rename(formula, numbered))


class _Group(NamedTuple):
    """Conditions that share variables."""

    formulas: tuple[ast.Formula, ...]
    names: frozenset[str]


def hypothetical_shape(
    derivation: Derivation, number: int, scale: int
) -> tuple[EvidenceShape, tuple[Emit, ...]]:
    """The shape of a derivation of which nothing has arrived, and the plans of its rules.

    Its ``number`` is for the names of relations; ``scale`` is the ticks to the second.
    """
    _, taken, waiting = derivation.bound(())
    patterns = (pattern_of(each).args for unit in derivation.units for each in unit.formulas)
    shared = set(names_in(chain(derivation.head.args, *patterns)))
    shared = shared.union(*(step.needs for step in waiting))
    conditions = [
        _Group(tuple(_under_operators(unit)), frozenset(unit.names)) for unit in derivation.required
    ]
    conditions += (
        _Group((step.formula,), frozenset(free_variables(step.formula))) for step in taken
    )
    required: list[tuple[Relation, Sequence[str]]] = []
    emits: list[Emit] = []
    for place, group in enumerate(_connected(conditions)):
        name, columns = IRI(f"{POSSIBLE}{number}:{place}"), sorted(group.names & shared)
        relation, more = _added_rule(derivation.rule, name, columns, group.formulas, scale)
        required.append((relation, columns))
        emits += more
    return _shape_of_row(derivation, (), Relation(POSSIBLE, 0), (), required), tuple(emits)


def _connected(conditions: Iterable[_Group]) -> list[_Group]:
    """Conditions, in order, in groups that share no variables."""
    found: list[_Group] = []
    for each in conditions:
        near = [group for group in found if group.names & each.names]
        found = [group for group in found if not group.names & each.names]
        formulas = chain.from_iterable(group.formulas for group in (*near, each))
        found.append(_Group(tuple(formulas), each.names.union(*(group.names for group in near))))
    return found


def may_make_needless(one: Derivation, other: Derivation) -> bool:
    """May all units of ``one`` be among what a row of ``other`` lacks?"""
    if not _may_equal(one.head, other.head):
        return False
    return any(
        all(any(_may_equal(a, b) for b in _patterns(lacking)) for a in _patterns(one.units))
        for lacking in (
            [unit for unit in other.units if unit is not arrived] for arrived in other.units
        )
    )


def _patterns(units: Iterable[ArrivalUnit]) -> Iterator[AtomPattern]:
    return (pattern_of(each) for unit in units for each in unit.formulas)


def _may_equal(one: AtomPattern, other: AtomPattern) -> bool:
    """Have they the same constants, where both have one?"""
    pairs = zip(one.args, other.args, strict=True)
    return one.relation == other.relation and all(
        not (isinstance(a, ast.Constant) and isinstance(b, ast.Constant))
        or text_of(a) == text_of(b)
        for a, b in pairs
    )
