"""What the rules call things: prefixed names, variables, labels of rules, metric operators.

A plan has positions instead of variables, and canonical texts. Here it gets back the names of the
first rule that uses it, and reads like the rules do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from rete.arrays.delta import POS_INF, Cells
from rete.graph.plan import Call, Emit, LabelPart, Plan
from rete.network.network import Network
from rete.nodes.filter import EQUAL, OF_PATTERNS, SAME_MEMBERS, SAME_TERM, TEXT_TESTS
from rete.nodes.function import COPY
from rete.planning.join_graph import JoinGraph, PlanOrders, tree_leaves
from rete.planning.join_order import joined_positions
from rete.planning.lowering import MILLISECONDS, SLOTLESS, Argument, lower
from rete.planning.plan_builder import build_plan
from rete.terms.relations import MARKS, TRIPLES, Operand, Relation, as_written, event_of
from rif.builtins.extensions import R4_BUILTIN
from rif.errors.report import printable
from rif.language import Language
from rif.syntax.ast import Document
from rif.syntax.clauses import clauses
from rif.syntax.terms import (
    CUSTOMARY_PREFIXES,
    FUNC,
    IRI,
    PRED,
    XSD,
    XSD_STRING,
    BlankNode,
    GroundList,
    GroundTerm,
    Local,
    Variable,
    escape,
    parse_canonical,
)
from rif.syntax.terms import Literal as RdfLiteral

_UNITS: Final = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
"""Units of time, the largest first, with their seconds."""
_BELOW: Final[Mapping[str, int]] = {"ms": 10**3, "us": 10**6, "ns": 10**9}
"""Units that are parts of a second, and how many a second has."""


def duration_text(ticks: int, per_second: int) -> str:
    """A duration in the largest unit of which it is a whole number: ``10 m``, ``1500 ms``.

    It is not negative; without ticks to the second they have no length.
    """
    if not per_second:
        return f"{ticks} ticks"
    if not ticks:
        return "0 s"
    for unit, seconds in _UNITS:
        if not ticks % (seconds * per_second):
            return f"{ticks // (seconds * per_second)} {unit}"
    for unit, parts in _BELOW.items():
        if not ticks * parts % per_second:
            return f"{ticks * parts // per_second} {unit}"
    message = f"a tick is no part of a second: {per_second} to the second"
    raise ValueError(message)


def range_text(rho: Cells, per_second: int = 0) -> str:
    """A range of distances: ``[0,5]``, ``(0,inf)``, and with a unit ``[0 s, 5 s]``."""
    lo, hi = rho
    left, right = (
        duration_text(end >> 1, per_second) if per_second else str(end >> 1) for end in rho
    )
    end = "inf)" if hi >= POS_INF else f"{right}{')]'[hi & 1]}"
    return f"{'[('[lo & 1]}{left},{' ' if per_second else ''}{end}"


Ink: TypeAlias = Literal["plain", "bound", "free"]
"""How a piece is written: a variable whose value is passed on is bound, one that matches any term
and is not passed on is free."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of one kind."""

    text: str
    ink: Ink = "plain"


Word: TypeAlias = tuple[Piece, ...]
"""Pieces that stay on one line."""
Label: TypeAlias = tuple[Word, ...]
"""Words with blanks between them."""

_LOCAL_NAME = re.compile(r"(?:\w(?:[\w.-]*[\w-])?)?\Z")
_NUMBER: Final[Mapping[str, re.Pattern[str]]] = {
    XSD + "integer": re.compile(r"[+-]?[0-9]+\Z", re.ASCII),
    XSD + "decimal": re.compile(r"[+-]?[0-9]*\.[0-9]+\Z", re.ASCII),
    XSD + "double": re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+\Z", re.ASCII),
}
_RULES_OWN_LOCALS = "d0_"
"""How the label of a blank node begins that is a local constant of the rules."""

INFIX: Final[Mapping[str, str]] = {
    EQUAL: "=",
    SAME_TERM: "is",
    SAME_MEMBERS: "=",
    **{test: sign for sign, test in TEXT_TESTS.items()},
    PRED + "numeric-equal": "=",
    PRED + "numeric-not-equal": "≠",
    PRED + "numeric-less-than": "<",
    PRED + "numeric-less-than-or-equal": "≤",
    PRED + "numeric-greater-than": ">",
    PRED + "numeric-greater-than-or-equal": "≥",
    FUNC + "numeric-add": "+",
    FUNC + "numeric-subtract": "−",
    FUNC + "numeric-multiply": "×",
    FUNC + "numeric-divide": "/",
    R4_BUILTIN + "equal": "=",
    R4_BUILTIN + "less-than": "<",
    R4_BUILTIN + "less-than-or-equal": "≤",
    R4_BUILTIN + "greater-than": ">",
    R4_BUILTIN + "greater-than-or-equal": "≥",
    R4_BUILTIN + "add": "+",
    R4_BUILTIN + "subtract": "−",
    R4_BUILTIN + "multiply": "×",
    R4_BUILTIN + "divide": "/",
}
"""Built-ins of two arguments that are written as a sign between them."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a document calls its rules, terms and variables.

    Attributes:
        title: what the document itself is called.
        prefixes: pairs (prefix, IRI).
        labels: per number of a rule the IRI of its annotation, if it has one.
        window: the window as it is written, or ``""``.
        facts: how many facts stand among the rules, and of which relations they are.
        views: per operator the names of its inputs in the first rule that uses it: the arguments of
            a scan, else the columns of its sources, last the column that it adds. Per emit the
            columns of its source.
        own_views: per rule and operator what ``views`` has, where that rule differs from the first.
        places: per body of a rule, without the boxes of its heads, the place in the text (of the
            first rule that has it) of each pattern that the plan joins, from the left.
        ranges: how the ranges of metric operators are written.
        per_second: ticks to the second, for durations; 0: ticks have no length.
        boxes: per number of a rule the most boxes over one of its heads, if any.
    """

    title: str = "rules"
    prefixes: tuple[tuple[str, str], ...] = ()
    labels: Mapping[int, str] = field(default_factory=dict)
    window: str = ""
    facts: int = 0
    given: frozenset[Relation] = frozenset()
    views: Mapping[Plan | Emit, tuple[Argument, ...]] = field(default_factory=dict)
    own_views: Mapping[tuple[int, Plan | Emit], tuple[Argument, ...]] = field(default_factory=dict)
    boxes: Mapping[int, int] = field(default_factory=dict)
    places: Mapping[Plan, tuple[int, ...]] = field(default_factory=dict)
    ranges: Mapping[Cells, str] = field(default_factory=dict)
    per_second: int = 0

    def term(self, text: str) -> str:
        """A constant by its canonical text, as short as the document could write it."""
        return printable(self._short(parse_canonical(text)))

    def iri(self, iri: str) -> str:
        """A prefixed name, or the IRI in brackets. The longest namespace wins."""
        best = max(
            (
                pair
                for pair in self.prefixes_with(CUSTOMARY_PREFIXES)
                if pair[1] and iri.startswith(pair[1]) and _LOCAL_NAME.match(iri, len(pair[1]))
            ),
            key=lambda pair: len(pair[1]),
            default=None,
        )
        return f"<{iri}>" if best is None else f"{best[0]}:{iri[len(best[1]) :]}"

    def view(self, plan: Plan | Emit, rule: int) -> tuple[Argument, ...]:
        """What a rule calls the inputs of an operator; (): nothing."""
        return self.own_views.get((rule, plan)) or self.views.get(plan, ())

    def argument(self, argument: Argument) -> str:
        """A variable or a constant."""
        return str(argument) if isinstance(argument, Variable) else self.term(argument)

    def rule(self, number: int) -> str:
        """``rule 3``, with its name if it has one."""
        label = self.labels.get(number)
        return f"rule {number}" if label is None else f"rule {number} {printable(self.iri(label))}"

    def operator(self, name: str, rho: Cells | None) -> str:
        """``DiamondMinus [0 m, 10 m]``, its range as the rules write it; None: it has none."""
        if rho is None:
            return name
        return f"{name} {self.ranges.get(rho) or range_text(rho, self.per_second)}"

    def builtin(self, name: str) -> str:
        """The prefixed name of a built-in; nothing for the tests that rules have no name for."""
        return "" if name in {EQUAL, *OF_PATTERNS, COPY, *TEXT_TESTS.values()} else self.iri(name)

    def fact(self, relation: Relation, args: Sequence[Piece]) -> Label:
        """A frame or an atom."""
        relation = as_written(relation)
        if (event := event_of(relation)) is not None:
            word, of = event
            inner = self.fact(of, args[: of.arity])
            if not word:
                return inner
            times = [(each,) for each in args[of.arity :]]
            return ((Piece(word),), *times, (Piece("("),), *inner, (Piece(")"),))
        if relation == MARKS:
            period, _, zone = args[0].text.strip('"').partition(" zone ")
            words = f'{period} zone "{zone}"' if zone else period
            return (Piece("Every"),), (Piece(words),), (Piece("at"),), (args[1],)
        if relation == TRIPLES:
            subject, predicate, obj = args
            return (
                (subject, Piece("["), predicate),
                (Piece("-> "), obj, Piece("]")),
            )
        if relation == SLOTLESS:
            return ((args[0], Piece("[]")),)
        return _call(self.term(relation.op), args)

    def applied(self, name: str, args: Sequence[Piece]) -> Label:
        """A built-in with its arguments, with a sign between them if it has one."""
        if name == COPY:
            return ((args[0],),)
        if name in INFIX:
            left, right = args
            return (left,), (Piece(INFIX[name]),), (right,)
        return _call(self.iri(name), args)

    def prefixes_with(self, others: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """The prefixes, and those ``others`` of which it has neither prefix nor IRI."""
        declared = {prefix for prefix, _ in self.prefixes}
        known = {namespace for _, namespace in self.prefixes}
        return self.prefixes + tuple(
            pair for pair in others.items() if pair[0] not in declared and pair[1] not in known
        )

    def _short(self, term: GroundTerm) -> str:
        match term:
            case IRI():
                return self.iri(term.value)
            case RdfLiteral():
                return self._literal(term)
            case Local():
                return f"_{term.name}"
            case BlankNode(label) if label.startswith(_RULES_OWN_LOCALS):
                return f"_{label.removeprefix(_RULES_OWN_LOCALS)}"
            case GroundList():
                return f"List({' '.join(map(self._short, term.items))})"
        return str(term)

    def _literal(self, literal: RdfLiteral) -> str:
        number = _NUMBER.get(literal.datatype)
        if number is not None and number.match(literal.lexical):
            return literal.lexical
        if literal.language or literal.datatype == XSD_STRING:
            return str(literal)
        return f'"{escape(literal.lexical)}"^^{self.iri(literal.datatype)}'


def _call(name: str, args: Sequence[Piece]) -> Label:
    if not args:
        return ((Piece(f"{name}()"),),)
    words: list[Word] = [(arg,) for arg in args]
    words[0] = (Piece(f"{name}("), *words[0])
    words[-1] = (*words[-1], Piece(")"))
    return tuple(words)


def label_words(
    names: Names,
    parts: Iterable[LabelPart | tuple[LabelPart, ...]],
    piece: Callable[[Operand | None], Piece],
    arguments: Callable[[], Sequence[Piece]],
) -> Label:
    """The words of a label. ``piece`` writes an input, a constant, or what is computed: None."""
    words: list[Word] = []
    for part in parts:
        match part:
            case Call(builtin, args):
                words += names.applied(builtin, list(map(piece, args)))
            case Relation():
                words += names.fact(part, arguments())
            case tuple():
                inner = label_words(names, part, piece, arguments)
                words.append(tuple(each for word in inner for each in word))
            case int():
                words.append((piece(part),))
            case str():
                words.append((Piece(part),))
    return tuple(words)


def plain(label: Label) -> str:
    """The label on one line."""
    return " ".join("".join(piece.text for piece in word) for word in label)


def names_in_use(names: Names, networks: Iterable[Network]) -> Names:
    """The same with names for the plans in use where ``networks`` join in other orders."""
    views, places = dict(names.views), dict(names.places)
    for network in networks:
        orders = PlanOrders(network.orders)
        for tree, order in network.orders.items():
            called: dict[Argument, Argument] = {}

            def read(
                plan: Plan | Emit,
                inputs: tuple[Argument, ...],
                called: dict[Argument, Argument] = called,
            ) -> None:
                called.update(zip(inputs, names.views.get(plan, ()), strict=False))

            def write(
                plan: Plan | Emit,
                inputs: tuple[Argument, ...],
                called: dict[Argument, Argument] = called,
            ) -> None:
                views.setdefault(plan, tuple(called.get(each, each) for each in inputs))

            leaves = {leaf: orders.of(leaf) for leaf in tree_leaves(tree)}
            JoinGraph.of(tree, leaves, read).plan(order, write)
        for plan in network.plans if network.orders else ():
            known = names.views.get(plan)
            if known is not None and plan not in network.orders:
                views.setdefault(orders.of(plan), known)
            if plan in names.places:
                mine = names.places[plan]
                order_in_use = (mine[number] for number in orders.scan_order(plan))
                places.setdefault(orders.of(plan), tuple(order_in_use))
    return replace(names, views=views, places=places)


@dataclass(slots=True)
class _Views:
    """What rules call the inputs of operators: the ``first`` that has one, and ``others``."""

    rule: int = 0
    first: dict[Plan | Emit, tuple[Argument, ...]] = field(default_factory=dict)
    others: dict[tuple[int, Plan | Emit], tuple[Argument, ...]] = field(default_factory=dict)

    def note(self, plan: Plan | Emit, inputs: tuple[Argument, ...]) -> None:
        """Note the inputs of an operator."""
        if self.first.setdefault(plan, inputs) != inputs:
            self.others.setdefault((self.rule, plan), inputs)


def names_of(
    document: Document, language: Language, title: str = "rules", scale: int = MILLISECONDS
) -> Names:
    """The names in ``document``. Plans its rules once more, to see which variable is where.

    They are lowered with ``scale`` ticks to the second.

    Raises:
        RuleErrors: the normal form of a body is out of bounds.
    """
    labels: dict[int, str] = {}
    views, operands = _Views(), _Views()
    boxes: dict[int, int] = {}
    places: dict[Plan, tuple[int, ...]] = {}
    given: set[Relation] = set()
    facts = 0
    for clause in clauses(document):
        if clause.iri is not None:
            labels[clause.number] = clause.iri
        views.rule = operands.rule = clause.number
        for conjunction in lower(clause, language, scale, operands.note):
            if conjunction.boxes:
                boxes[clause.number] = max(boxes.get(clause.number, 0), len(conjunction.boxes))
            if clause.is_fact and not conjunction.late:
                facts += len(conjunction.heads)
                given.update(head.relation for head in conjunction.heads)
            else:
                body = build_plan(conjunction, views.note).source
                for _ in conjunction.boxes:
                    (body,) = body.sources
                places.setdefault(body, joined_positions(conjunction))
    window = document.window
    return Names(
        printable(title),
        document.prefixes,
        labels,
        "" if window is None else f"{window.amount} {window.unit or 'ticks'}",
        facts,
        frozenset(given),
        operands.first | views.first,
        operands.others | views.others,
        boxes,
        places,
    )
