"""The names in rules; names in options that rules neither derive nor ask for, mostly misspelled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from r4.language import LANGUAGE
from r4.nearest_name import nearest_name
from r4.program.lookahead import operators
from r4.program.program import Program
from r4.time.ticks import TimeScale
from rete.arrays.delta import Cells
from rete.drawing.names import Names, names_of
from rete.graph.plan import below
from rete.nodes.scan import Scan
from rete.terms.relations import TRIPLES, Relation, as_written
from rif.language import Language
from rif.syntax.ast import Document
from rif.syntax.clauses import merge
from rif.syntax.terms import IRI, RDF_TYPE
from temporal.intervals.durations import Durations

_TYPE: Final = str(IRI(RDF_TYPE))


def rule_names(
    documents: Sequence[Document],
    scale: TimeScale,
    title: str = "rules",
    language: Language = LANGUAGE,
) -> Names:
    """The names in ``documents``, the main one first. Plans their rules once more.

    Ranges of operators are those that the rules write, other durations in their units, or in ticks
    if the rules give a range in ticks.
    """
    ranges: dict[Cells, str] = {}
    in_ticks = False
    for operator in (each for document in documents for each in operators(document)):
        rho = operator.rho
        ranges.setdefault(rho.cells(scale.per_second), str(rho))
        in_ticks = in_ticks or (isinstance(rho, Durations) and rho.in_ticks)
    names = names_of(merge(documents), language, title, scale.per_second)
    return replace(names, ranges=ranges, per_second=0 if in_ticks else scale.per_second)


class UnknownName(NamedTuple):
    """A name of an option.

    Attributes:
        iri: without brackets.
        near: the nearest name that the rules have there; None: none is like it.
    """

    iri: str
    near: str | None


def underived_names(program: Program, iris: Iterable[str]) -> Iterator[UnknownName]:
    """Those of ``iris`` that no rule derives, neither as predicate nor as class.

    None, if rules derive any predicate, or what is asserted is an answer, too.
    """
    if program.given:
        return iter(())
    heads = [(head.relation, head.key) for emit in program.emits for head in emit.heads]
    return _unknown(heads, iris)


def unasked_names(program: Program, iris: Iterable[str]) -> Iterator[UnknownName]:
    """Those of ``iris`` that no rule asks for; none, if rules ask for any predicate."""
    if not (iris := list(iris)):
        return iter(())
    plans = below(*(emit.source for emit in (*program.emits, *program.background)))
    return _unknown([(each.relation, each.key) for each in plans if isinstance(each, Scan)], iris)


def _unknown(
    patterns: Iterable[tuple[Relation, tuple[str | None, ...]]], iris: Iterable[str]
) -> Iterator[UnknownName]:
    known: set[str] = set()
    for relation, key in patterns:
        if relation != TRIPLES:
            known.add(as_written(relation).op)
            continue
        name = key[2] if key[1] == _TYPE else key[1]
        if name is None:
            return
        known |= {name, key[1] or name}
    for iri in iris:
        if f"<{iri}>" not in known:
            near = nearest_name(f"<{iri}>", known)
            yield UnknownName(iri, None if near is None else near[1:-1])
