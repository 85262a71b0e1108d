"""Names in options that rules neither derive nor ask for: mostly they are misspelled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from r4.nearest_name import nearest_name
from r4.program.program import Program
from rete.graph.plan import below
from rete.nodes.scan import Scan
from rete.terms.relations import TRIPLES, Relation, as_written
from rif.syntax.terms import IRI, RDF_TYPE

_TYPE = str(IRI(RDF_TYPE))


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
