"""Strong safeness: does forward chaining end [RIF-Core 6.2]?

The position dependency graph has the argument positions of predicates. An edge leads from a
position in a head to the position in the body that its values come from, and is labelled if a
function computes them in between. Rules are strongly safe if no cycle has a label, casts aside:
they make nothing new of the old.

RIF-Core takes all frames for one predicate of three positions. Here a frame whose key is a constant
is a predicate of two positions of its own, or every computed property would seem to feed on itself;
that is as safe, for a key that is a variable is taken to be any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from rif.builtins.signatures import CASTS
from rif.errors.base import NOWHERE, Span
from rif.errors.checks import NotStronglySafe
from rif.language import Language
from rif.syntax import ast
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.strong_components import strong_components
from rif.syntax.terms import IRI, RDF_TYPE, display_name
from rif.syntax.traversal import free_variables, subterms

_Position: TypeAlias = tuple[str, int]
"""A predicate with its arity, or a property, and the number of an argument from 1."""

_PositionNode: TypeAlias = _Position | tuple[int, int, str]
"""A position, or a variable of a disjunct of a rule."""


@dataclass(frozen=True, slots=True)
class _PositionEdge:
    """The values of its source come from ``target``, through a function or unchanged."""

    target: _PositionNode
    function: str = ""
    span: Span = NOWHERE


_PositionGraph: TypeAlias = dict[_PositionNode, list[_PositionEdge]]
"""Which positions and variables the values of each come from."""


def check_strong_safety(
    rules: Sequence[tuple[ast.Implies, DisjunctiveNormalForm]],
    language: Language,
) -> list[NotStronglySafe]:
    """A warning for each strongly connected component with a label, naming one of its cycles.

    Linear in the rules; where none computes anything, there is no graph to make.
    """
    if not any(_computes(clause, disjuncts) for clause, disjuncts in rules):
        return []
    graph: _PositionGraph = {}
    for number, (clause, disjuncts) in enumerate(rules):
        for index, conjunction in enumerate(disjuncts.conjunctions):
            _RuleEdges(graph, (number, index), language).add(clause.head, conjunction)
    _join_keys(graph)
    return list(_warnings(graph))


def _computes(clause: ast.Implies, disjuncts: DisjunctiveNormalForm) -> bool:
    """Whether an edge of a rule could have a label."""
    terms = [term for _, term in _positions(clause.head, head=True)]
    for literal in (each for body in disjuncts.conjunctions for each in body):
        if isinstance(literal, ast.Equal):
            terms += literal.left, literal.right
        elif isinstance(literal, ast.External):
            terms += literal.args
        elif literal.results:
            return True
    return any(map(_has_function, terms))


def _has_function(term: ast.Term) -> bool:
    """Whether a term computes a value, but for casts."""
    if isinstance(term, ast.Var | ast.Constant):
        return False
    if isinstance(term, ast.ExternalTerm) and term.op.value not in CASTS:
        return True
    return any(map(_has_function, subterms(term)))


class _RuleEdges:
    """Adds the edges of one disjunct of a rule."""

    __slots__ = ("_bound", "_graph", "_key", "_language")

    def __init__(self, graph: _PositionGraph, key: tuple[int, int], language: Language) -> None:
        self._graph = graph
        self._key = key
        self._language = language
        self._bound: set[str] = set()

    def add(self, head: Sequence[ast.Formula], body: Sequence[ast.Formula]) -> None:
        for position, term in _positions(body, head=False):
            if isinstance(term, ast.Var):
                self._bound.add(term.value.name)
                _add(self._graph, self._variable(term), _PositionEdge(position))
        for literal in body:
            if isinstance(literal, ast.Equal):
                self._equal(literal)
            elif isinstance(literal, ast.External):
                self._external(literal)
            elif literal.results:
                self._results(literal)
        for position, term in _positions(head, head=True):
            self._add_sources(position, term, term.span)

    def _variable(self, var: ast.Var) -> _PositionNode:
        return *self._key, var.value.name

    def _add_sources(self, source: _PositionNode, term: ast.Term, span: Span) -> None:
        """Values at ``source`` come from the variables of ``term``."""
        for var, function in _variables_in(term, ""):
            _add(self._graph, source, _PositionEdge(self._variable(var), function, span))

    def _equal(self, equal: ast.Equal) -> None:
        for side, other in ((equal.left, equal.right), (equal.right, equal.left)):
            if isinstance(side, ast.Var) and side.value.name not in self._bound:
                self._add_sources(self._variable(side), other, equal.span)

    def _results(self, formula: ast.Formula) -> None:
        """Values of its own come from all that occurs in its parts, through a function."""
        keyword = self._language.kind_of(formula).keyword
        inner = [each for part in formula.parts for each in part.operands or (part,)]
        names = {name: var for part in inner for name, var in free_variables(part).items()}
        for result in formula.results:
            for var in names.values():
                edge = _PositionEdge(self._variable(var), keyword, formula.span)
                _add(self._graph, self._variable(result), edge)

    def _external(self, external: ast.External) -> None:
        for pattern in self._language.patterns_of(external.op.value):
            pairs = list(zip(pattern, external.args, strict=False))
            for mark, arg in pairs:
                if mark == "u" and isinstance(arg, ast.Var) and arg.value.name not in self._bound:
                    for other, term in pairs:
                        if other == "b":
                            self._add_sources(self._variable(arg), term, external.span)


def _add(graph: _PositionGraph, source: _PositionNode, edge: _PositionEdge) -> None:
    """Add an edge, and its ends."""
    graph.setdefault(source, []).append(edge)
    graph.setdefault(edge.target, [])


def _variables_in(term: ast.Term, function: str) -> Iterator[tuple[ast.Var, str]]:
    """The variables of a term, each with a function that is applied to it, if any but casts."""
    if isinstance(term, ast.Var):
        yield term, function
    else:
        if isinstance(term, ast.ExternalTerm) and term.op.value not in CASTS:
            function = function or display_name(term.op)
        for part in subterms(term):
            yield from _variables_in(part, function)


def _atoms(formula: ast.Formula) -> Iterator[ast.Formula]:
    """The atoms, frames and memberships that values can come from."""
    if isinstance(formula, ast.Atom | ast.Frame | ast.Member):
        yield formula
    else:
        for part in formula.parts if formula.is_head else formula.binding:
            yield from _atoms(part)


_POSITION: Final = 2
"""Length of a node that is a position, not a variable."""

_PROPERTY = "property"
_ANY = "a property given by a variable"
_EVERY = "every property"
_OF_TYPE = f"{_PROPERTY} {display_name(IRI(RDF_TYPE))}"


def _positions(
    formulas: Sequence[ast.Formula], *, head: bool
) -> Iterator[tuple[_Position, ast.Term]]:
    """The argument positions of atoms, frames and memberships, each with its term."""
    for atom in (each for formula in formulas for each in _atoms(formula)):
        if isinstance(atom, ast.Atom):
            name = f"{display_name(atom.op)}/{len(atom.args)}"
            for number, term in enumerate(atom.args, 1):
                yield (name, number), term
        elif isinstance(atom, ast.Frame):
            for key, value in atom.slots:
                name = _property(key, head=head)
                yield (name, 1), atom.object
                yield (name, 2), key
                yield (name, 3), value
        elif isinstance(atom, ast.Member):
            yield (_OF_TYPE, 1), atom.instance
            yield (_OF_TYPE, 3), atom.cls


def _property(key: ast.Term, *, head: bool) -> str:
    if isinstance(key, ast.Constant):
        return f"{_PROPERTY} {display_name(key.value)}"
    return _ANY if head else _EVERY


def _join_keys(graph: _PositionGraph) -> None:
    """A key that is a variable reads any property in a body, and writes any in a head."""
    names = {node[0] for node in graph if len(node) == _POSITION}
    for name in sorted(names):
        if name.startswith(_PROPERTY + " "):
            for number in (1, 3):
                _add(graph, (_EVERY, number), _PositionEdge((name, number)))
                _add(graph, (name, number), _PositionEdge((_ANY, number)))
    for number in (1, 2, 3):
        _add(graph, (_EVERY, number), _PositionEdge((_ANY, number)))


def _warnings(graph: _PositionGraph) -> Iterator[NotStronglySafe]:
    targets = {node: [edge.target for edge in edges] for node, edges in graph.items()}
    components = enumerate(strong_components(targets))
    component_of = {node: number for number, nodes in components for node in nodes}
    # Variables of one rule that are equated in a circle are no danger: their values are checked.
    position_in = {component_of[node]: node for node in reversed(graph) if len(node) == _POSITION}
    reported: set[int] = set()
    for source, edges in graph.items():
        for edge in edges:
            component = component_of[source]
            inside = component in position_in and component_of[edge.target] == component
            if edge.function and inside and component not in reported:
                reported.add(component)
                way = _path(graph, component_of, edge.target, source)
                path = [source, *way, position_in[component]]
                yield NotStronglySafe(_message(path, edge.function), edge.span)


def _message(path: list[_PositionNode], function: str) -> str:
    """The cycle as text; if it has no position in it, the last of ``path`` stands for it."""
    positions = [node for node in path[:-1] if len(node) == _POSITION] or path[-1:]
    names = list(dict.fromkeys(map(_position_text, positions)))
    through = f", by way of {', '.join(names[1 : 1 + _NAMED])}" if len(names) > 1 else ""
    if len(names) > 1 + _NAMED:
        through += f" and {len(names) - 1 - _NAMED} more"
    return f"not strongly safe: {names[0]} feeds on itself through {function}{through}"


_NAMED = 10
"""Positions that are named of a cycle, after the first."""
_PARTS = {1: "the object", 2: "the key", 3: "the value"}


def _position_text(node: _PositionNode) -> str:
    name, number = node[0], node[1]
    if name in {_ANY, _EVERY} or str(name).startswith(_PROPERTY):
        return f"{_PARTS[int(number)]} of {name}"
    return f"argument {number} of {name}"


def _path(
    graph: _PositionGraph,
    component_of: dict[_PositionNode, int],
    start: _PositionNode,
    end: _PositionNode,
) -> list[_PositionNode]:
    """A shortest path from ``start`` to ``end`` inside their component."""
    previous: dict[_PositionNode, _PositionNode | None] = {start: None}
    queue = [start]
    for node in queue:
        if node == end:
            break
        for edge in graph[node]:
            if edge.target not in previous and component_of[edge.target] == component_of[end]:
                previous[edge.target] = node
                queue.append(edge.target)
    path: list[_PositionNode] = []
    step: _PositionNode | None = end
    while step is not None:
        path.append(step)
        step = previous[step]
    return path[::-1]
