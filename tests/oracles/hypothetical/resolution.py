"""Schematic answers to a query before any data: SLD-resolution until only input remains, naively.

The set P_Q of [CruzFilipe22, section 4]. Variables know where they come from, so that the order on
them says which is nearer to the query: when two are made one, that one stays. So a variable that is
left in the end has the name it has in the query, else the one in the rule nearest to it; if that
is taken (names in the query always are), 2, 3 … follow it, the nearest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from rif.syntax.terms import Variable
from temporal.hypothetical.syntax.ast import TemporalAtom, TemporalProgram, TemporalRule
from tests.oracles.hypothetical.definitions import DomainTooBig, text, variables

DEEPEST = 60
LONGEST = 8
MOST_DERIVATIONS = 40
"""Beyond one of these a case is too big."""


class Var(NamedTuple):
    """A variable; the smaller the nearer to the query.

    Attributes:
        depth: how many rules lie between it and the query; 0 in the query itself.
        path: the places in bodies by which its rule was come to.
        place: its place among the variables of the rule.
    """

    depth: int
    path: tuple[int, ...]
    place: int
    name: str


When: TypeAlias = tuple[Var | None, int]
"""A number, or a variable and what is added to it."""


class Pattern(NamedTuple):
    """An atom; ``base`` None: its time is the number ``offset``."""

    predicate: str
    args: tuple[str | Var, ...]
    base: Var | None
    offset: int

    @property
    def variables(self) -> tuple[Var, ...]:
        """Those of both sorts."""
        found = tuple(arg for arg in self.args if isinstance(arg, Var))
        return found if self.base is None else (*found, self.base)


@dataclass(frozen=True, slots=True)
class Schema:
    """An answer, and what of the input it needs, in the order of the last goal.

    Attributes:
        least: the smallest number that each time variable may be.
    """

    answer: Pattern
    hypotheses: tuple[Pattern, ...]
    least: Mapping[Var, int]


class Bindings:
    """What variables stand for; what that is may be bound in turn."""

    def __init__(self) -> None:
        self.objects: dict[Var, str | Var] = {}
        self.times: dict[Var, When] = {}

    def term(self, term: str | Var) -> str | Var:
        while isinstance(term, Var) and term in self.objects:
            term = self.objects[term]
        return term

    def time(self, base: Var | None, offset: int) -> When:
        while base is not None and base in self.times:
            base, more = self.times[base]
            offset += more
        return base, offset

    def pattern(self, one: Pattern) -> Pattern:
        args = tuple(map(self.term, one.args))
        return Pattern(one.predicate, args, *self.time(one.base, one.offset))

    def least(self, least: Mapping[Var, int]) -> dict[Var, int] | None:
        """The bounds on the variables that are left; None: they are not kept."""
        found: dict[Var, int] = {}
        for var, number in least.items():
            base, offset = self.time(var, 0)
            if base is None:
                if offset < number:
                    return None
            else:
                found[base] = max(found.get(base, 0), number - offset)
        return found


def unified(one: Pattern, other: Pattern) -> Bindings | None:
    """The most general unifier that keeps of two variables the nearer."""
    if one.predicate != other.predicate or len(one.args) != len(other.args):
        return None
    found = Bindings()
    for pair in zip(one.args, other.args, strict=True):
        terms = sorted(set(map(found.term, pair)), key=lambda term: (isinstance(term, Var), term))
        if len(terms) > 1:
            stays, goes = terms
            if not isinstance(goes, Var):
                return None
            found.objects[goes] = stays
    times = ((one.base, one.offset), (other.base, other.offset))
    (near, near_by), (far, far_by) = sorted(times, key=lambda time: (time[0] is not None, *time))
    if near == far:
        return found if near_by == far_by else None
    assert far is not None
    found.times[far] = (near, near_by - far_by)
    return found


def bounds(patterns: Iterable[Pattern]) -> dict[Var, int]:
    """What it asks of time variables that no time, and no variable, is negative."""
    found: dict[Var, int] = {}
    for one in patterns:
        if one.base is not None:
            found[one.base] = max(found.get(one.base, 0), -one.offset)
    return found


@dataclass(frozen=True, slots=True)
class Resolved:
    """P_Q.

    Attributes:
        is_rigid: whether the names of its variables are beyond dispute: no two derivations, and no
            two parts of one, say the same in other names.
    """

    schemata: tuple[Schema, ...]
    is_rigid: bool


def resolved(program: TemporalProgram, query: TemporalAtom) -> Resolved:
    """A schema for each derivation, without what others say; of equal ones the first stays.

    Raises:
        TooBig: the resolution does not end soon.
    """
    (answer,) = _patterns([query], 0, ())
    found: list[Schema] = []
    is_rigid = True
    derivations = _derived(program, Schema(answer, (answer,), bounds([answer])), [()])
    for number, derived in enumerate(derivations):
        once = tuple(dict.fromkeys(derived.hypotheses))
        if number >= MOST_DERIVATIONS or len(once) > LONGEST:
            raise DomainTooBig(query)
        schema = condensed(Schema(derived.answer, once, derived.least))
        left = Counter(derived.hypotheses) - Counter(schema.hypotheses)
        is_rigid &= not any(var.depth for one in left for var in one.variables)
        equal = [other for other in found if stands_for(schema, other)]
        if any(stands_for(other, schema) for other in found):
            is_rigid &= not equal
        else:
            found = [other for other in found if other not in equal]
            found.append(schema)
    return Resolved(tuple(_readable(schema, query) for schema in found), is_rigid)


def _derived(
    program: TemporalProgram, schema: Schema, paths: list[tuple[int, ...]]
) -> Iterator[Schema]:
    """All that resolution ends with; ``paths`` are those of the goals."""
    places = (
        place
        for place, goal in enumerate(schema.hypotheses)
        if goal.predicate in program.intensional
    )
    place = next(places, None)
    if place is None:
        yield schema
        return
    goal = schema.hypotheses[place]
    path = paths[place]
    if len(path) > DEEPEST:
        raise DomainTooBig(goal)
    for rule in program.rules:
        head, *body = _renamed(rule, path)
        bindings = unified(goal, head)
        if bindings is None:
            continue
        least = bindings.least(_both(schema.least, bounds((head, *body))))
        if least is None:
            continue
        goals = [*schema.hypotheses[:place], *body, *schema.hypotheses[place + 1 :]]
        goals = list(map(bindings.pattern, goals))
        if any(one.base is None and one.offset < 0 for one in goals):
            continue
        new = [(*path, number) for number in range(len(body))]
        yield from _derived(
            program,
            Schema(bindings.pattern(schema.answer), tuple(goals), least),
            [*paths[:place], *new, *paths[place + 1 :]],
        )


def _renamed(rule: TemporalRule, path: tuple[int, ...]) -> list[Pattern]:
    return _patterns(rule.atoms, len(path) + 1, path)


def _patterns(atoms: Iterable[TemporalAtom], depth: int, path: tuple[int, ...]) -> list[Pattern]:
    atoms = tuple(atoms)
    named = {name: Var(depth, path, place, name) for place, name in enumerate(variables(atoms))}
    return [
        Pattern(
            atom.predicate,
            tuple(named[arg.name] if isinstance(arg, Variable) else text(arg) for arg in atom.args),
            None if atom.time.variable is None else named[atom.time.variable],
            atom.time.offset,
        )
        for atom in atoms
    ]


def _both(one: Mapping[Var, int], other: Mapping[Var, int]) -> dict[Var, int]:
    return {var: max(one.get(var, 0), other.get(var, 0)) for var in {**one, **other}}


def stands_for(one: Schema, other: Schema) -> bool:
    """Whether every instance of ``other`` has an instance of ``one`` in it, with the same answer.

    That is: some substitution makes the answer of ``one`` that of the other, its hypotheses some of
    those of the other, and its bounds are kept wherever those of the other are.
    """
    return any(True for _ in images(one, other))


def images(one: Schema, other: Schema) -> Iterator[frozenset[Pattern]]:
    """What the hypotheses of ``one`` become where they stand for some of the other."""
    ones, others = (one.answer, *one.hypotheses), (other.answer, *other.hypotheses)
    for found in _embeddings(ones, others, {}, {}):
        if _looser(one.least, other.least, found.times):
            yield frozenset(map(found.image, one.hypotheses))


class Embedding(NamedTuple):
    """What variables become."""

    objects: Mapping[Var, str | Var]
    times: Mapping[Var, When]

    def image(self, one: Pattern) -> Pattern:
        """What an atom becomes."""
        args = tuple(self.objects[arg] if isinstance(arg, Var) else arg for arg in one.args)
        if one.base is None:
            return one._replace(args=args)
        base, offset = self.times[one.base]
        return Pattern(one.predicate, args, base, offset + one.offset)


def condensed(schema: Schema) -> Schema:
    """Without hypotheses that ask nothing which others do not; of equal ones the first stay."""
    for place in reversed(range(len(schema.hypotheses))):
        left = schema.hypotheses[:place] + schema.hypotheses[place + 1 :]
        used = {var for one in (schema.answer, *left) for var in one.variables}
        least = {var: number for var, number in schema.least.items() if var in used}
        less = Schema(schema.answer, left, least)
        if stands_for(schema, less):
            return condensed(less)
    return schema


def _embeddings(
    ones: tuple[Pattern, ...],
    others: tuple[Pattern, ...],
    objects: dict[Var, str | Var],
    times: dict[Var, When],
) -> Iterator[Embedding]:
    """The ways to make each of ``ones`` one of ``others``."""
    if not ones:
        yield Embedding(objects, times)
        return
    first, *rest = ones
    for other in others:
        if first.predicate != other.predicate:
            continue
        more_objects, more_times = dict(objects), dict(times)
        into: When = (other.base, other.offset - first.offset)
        same = more_times.setdefault(first.base, into) == into if first.base else into == (None, 0)
        for arg, term in zip(first.args, other.args, strict=True):
            same &= (more_objects.setdefault(arg, term) if isinstance(arg, Var) else arg) == term
        if same:
            yield from _embeddings(tuple(rest), others, more_objects, more_times)


def _looser(one: Mapping[Var, int], other: Mapping[Var, int], times: Mapping[Var, When]) -> bool:
    for var, number in one.items():
        base, offset = times.get(var, (var, 0))
        if (offset if base is None else other.get(base, 0) + offset) < number:
            return False
    return True


def _readable(schema: Schema, query: TemporalAtom) -> Schema:
    """With the names by which people know the variables."""
    taken = set(variables([query]))
    patterns = (schema.answer, *schema.hypotheses)
    found: dict[Var, Var] = {}
    for var in sorted({var for one in patterns for var in one.variables}):
        name, number = var.name, 2
        while var.depth and name in taken:
            name = f"{var.name}{number}"
            number += 1
        taken.add(name)
        found[var] = var._replace(name=name)
    answer, *hypotheses = (
        Pattern(
            one.predicate,
            tuple(found.get(arg, arg) if isinstance(arg, Var) else arg for arg in one.args),
            one.base and found[one.base],
            one.offset,
        )
        for one in patterns
    )
    least = {found[var]: number for var, number in schema.least.items() if var in found}
    return Schema(answer, tuple(hypotheses), least)
