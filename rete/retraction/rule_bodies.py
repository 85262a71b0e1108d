"""Rule bodies: rules as atoms over variables, read from the streams of the network."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from rete.nodes.graph import Component, Stream, Terminal
from rete.planning.plan import AntiJoin, Apply, Filter, Join, NonPointwise, Relation, Scan, Solve
from rif.builtins.extensions import R4_BUILTIN

NOT_SAME: Final = R4_BUILTIN + "not-same-term"

BodyTerm: TypeAlias = "int | BodyVariable"
"""The id of a constant, or a variable."""


class BodyVariable:
    """A column of some streams of a body.

    Attributes:
        parent: another that is equal, nearer to the `root`; None: it is the root.
    """

    __slots__ = ("parent",)

    def __init__(self) -> None:
        self.parent: BodyVariable | None = None

    @property
    def root(self) -> BodyVariable:
        """The one that stands for all that are equal to it (union-find)."""
        found = self
        while found.parent is not None:
            found = found.parent
        return found

    def unite(self, other: BodyVariable) -> None:
        """Make both equal."""
        mine, theirs = self.root, other.root
        if mine is not theirs:
            theirs.parent = mine


@dataclass(frozen=True, slots=True)
class BodyAtom:
    """An atom of a body: a row of the facts of a relation, or of the SteM of a stream.

    Attributes:
        stream: that of the scan, or that which has the SteM.
        relation: of the facts; None: rows of the SteM.
        args: per place or column its term; None: any term.
        apart: whether the row must be distinct from the start fact, from which the body is walked.
    """

    stream: Stream
    relation: Relation | None
    args: tuple[BodyTerm | None, ...]
    apart: bool = False

    def mentions(self, variables: Container[BodyVariable]) -> bool:
        """Whether it has any of ``variables``."""
        return any(isinstance(arg, BodyVariable) and arg.root in variables for arg in self.args)

    def known_places(self, variables: Container[BodyVariable]) -> tuple[int, ...]:
        """The places whose terms are known if ``variables`` are."""
        return tuple(
            place
            for place, arg in enumerate(self.args)
            if isinstance(arg, int) or (arg is not None and arg.root in variables)
        )


@dataclass(slots=True)
class RuleBody:
    """A conjunction that is true of all rows of the body of a head.

    Attributes:
        head: per place of the head, or of the start fact, its term; None: any term.
        atoms: its atoms.
        differ: pairs of variables that must not be the same term.
        tests: the variables of each built-in that the body has besides.
        is_partial: whether it has other conditions besides.
    """

    head: tuple[BodyTerm | None, ...]
    atoms: list[BodyAtom] = field(default_factory=list)
    differ: list[tuple[BodyVariable, BodyVariable]] = field(default_factory=list)
    tests: list[list[BodyVariable]] = field(default_factory=list)
    is_partial: bool = False

    def drop_head_tests(self) -> None:
        """Drop tests on head variables alone: all facts asked about were derived, and passed."""
        head = {term.root for term in self.head if isinstance(term, BodyVariable)}
        self.tests = [test for test in self.tests if not {each.root for each in test} <= head]


def body_of(stream: Stream, terminal: Terminal, component: Component) -> RuleBody:
    """The body ``stream`` of a head, down to facts in ``component``, and to SteMs outside of it.

    Rows of SteMs in the component may be lost already: they only tell which rows passed a test.
    """
    variables = [BodyVariable() for _ in range(stream.plan.width)]
    places: dict[int, BodyTerm] = dict(terminal.constants)
    places.update((place, variables[column]) for place, column in terminal.columns)
    found = RuleBody(tuple(places[place] for place in range(len(places))))
    _add(found, stream, variables, component)
    return found


def _add(
    to: RuleBody, stream: Stream, variables: Sequence[BodyVariable], component: Component
) -> None:
    """Add the conditions of which the rows of ``stream`` are ``variables``."""
    plan = stream.plan
    if stream.stem is not None and stream.component is not component:
        to.atoms.append(BodyAtom(stream, None, tuple(variables)))
        return
    match plan:
        case Scan():
            to.atoms.append(_scan_atom(stream, plan, variables))
        case Join():
            left = [BodyVariable() for _ in range(plan.left.width)]
            right = [BodyVariable() for _ in range(plan.right.width)]
            for mine, theirs in plan.on:
                left[mine].unite(right[theirs])
            for variable, column in zip(variables, plan.keep, strict=True):
                variable.unite(left[column] if column >= 0 else right[~column])
            _add(to, stream.sources[0], left, component)
            _add(to, stream.sources[1], right, component)
        case AntiJoin():
            to.is_partial = True
            _add(to, stream.sources[0], _source_variables(stream, plan.keep, variables), component)
        case Filter() | Apply() | Solve():
            source = _source_variables(stream, plan.keep, variables)
            _add_builtin(to, stream, plan, variables, source)
            _add(to, stream.sources[0], source, component)
        case NonPointwise():
            to.is_partial = True  # one outside of the component, which has no SteM


def _add_builtin(
    to: RuleBody,
    stream: Stream,
    plan: Filter | Apply | Solve,
    variables: Sequence[BodyVariable],
    source: Sequence[BodyVariable],
) -> None:
    """Add a built-in: as an atom if its SteM has the arguments of the rows that passed it."""
    given = [arg for arg in plan.args if isinstance(arg, int)]
    if isinstance(plan, Filter) and plan.test == NOT_SAME and len(given) == len(plan.args):
        to.differ.append((source[given[0]], source[given[1]]))
        return
    if stream.stem is None or not {*given} <= {*plan.keep}:
        values = [] if isinstance(plan, Filter) else [variables[-1]]
        to.tests.append([*values, *(source[arg] for arg in given)])
    if stream.stem is not None:
        to.atoms.append(BodyAtom(stream, None, tuple(variables)))


def _source_variables(
    stream: Stream, keep: Sequence[int], variables: Sequence[BodyVariable]
) -> list[BodyVariable]:
    """The variables of the source of ``stream``, which keeps the columns ``keep`` of it."""
    source = [BodyVariable() for _ in range(stream.sources[0].plan.width)]
    for variable, column in zip(variables, keep, strict=False):  # a computed one comes last
        variable.unite(source[column])
    return source


def _scan_atom(stream: Stream, plan: Scan, variables: Sequence[BodyVariable]) -> BodyAtom:
    args: list[BodyTerm | None] = [None] * plan.relation.arity
    for variable, place in zip(variables, plan.keep, strict=True):
        args[place] = variable
    for (place, _), term in zip(plan.constants, stream.constants.tolist(), strict=True):
        args[place] = term
    for _ in plan.equal:  # equality is passed on from pair to pair
        for a, b in plan.equal:
            first, second = args[a], args[b]
            if isinstance(first, BodyVariable) and isinstance(second, BodyVariable):
                first.unite(second)
            elif first is None and second is None:
                args[a] = args[b] = BodyVariable()
            else:
                args[a] = args[b] = second if first is None else first
    return BodyAtom(stream, plan.relation, tuple(args))
