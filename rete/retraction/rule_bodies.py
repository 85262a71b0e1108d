"""Rule bodies: rules as atoms over variables, read from the streams of the network."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from rete.graph.streams import Component, FactTable, Stream, Terminal
from rete.nodes.builtin import BuiltinPlan
from rete.nodes.scan import Scan
from rete.terms.relations import Relation
from rif.builtins.extensions import R4_BUILTIN

NOT_SAME: Final = R4_BUILTIN + "not-same-term"

BodyTerm: TypeAlias = "int | BodyVariable"
"""The id of a constant, or a variable."""


class BodyVariable:
    """A column of some streams of a body; ``parent`` is an equal one, nearer to the `root`."""

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


class TableRule(NamedTuple):
    """A head of a table, and its body."""

    stream: Stream
    terminal: Terminal
    body: RuleBody

    @property
    def since(self) -> int:
        """The cell from which on it derives anything."""
        return self.stream.network.since


def rules_of(table: FactTable, rule: int | None = None) -> list[TableRule]:
    """The heads of ``table``, of one ``rule`` or all, with their bodies."""
    return [
        TableRule(stream, terminal, body_of(stream, terminal, table.component))
        for stream, terminal in table.feeders
        if rule is None or terminal.rule == rule
    ]


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
    if isinstance(plan, Scan):
        to.atoms.append(_scan_atom(stream, plan, variables))
        to.is_partial |= bool(plan.numbers)
        return
    if not plan.pointwise:
        to.is_partial = True  # one outside of the component, which has no SteM
        return
    inputs = [BodyVariable() for _ in range(plan.inputs)]
    for variable, place in zip(variables, plan.columns, strict=True):
        variable.unite(inputs[place])
    if plan.negated is None:
        for mine, theirs in plan.equated:
            inputs[mine].unite(inputs[theirs])
    if isinstance(plan, BuiltinPlan):
        _add_builtin(to, stream, plan, variables, inputs)
    elif plan.condition or plan.negated is not None:
        to.is_partial = True
    for source, begin in zip(stream.sources[: plan.negated], plan.begins, strict=False):
        _add(to, source, inputs[begin : begin + source.plan.width], component)


def _add_builtin(
    to: RuleBody,
    stream: Stream,
    plan: BuiltinPlan,
    variables: Sequence[BodyVariable],
    inputs: Sequence[BodyVariable],
) -> None:
    """Add a built-in: as an atom if its SteM has the arguments of the rows that passed it."""
    given = [arg for arg in plan.args if isinstance(arg, int)]
    if plan.builtin == NOT_SAME and plan.passes and len(given) == len(plan.args):
        to.differ.append((inputs[given[0]], inputs[given[1]]))
        return
    if stream.stem is None or not {*given} <= {*plan.keep}:
        values = [variables[-1]] if plan.computes else []
        to.tests.append([*values, *(inputs[arg] for arg in given)])
    if stream.stem is not None:
        to.atoms.append(BodyAtom(stream, None, tuple(variables)))


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
