"""On what two closures can be compared: which rules both apply, and what is left out of both.

No program implements exactly the rules of [OWL2-RL, 4.3]. The reasons for each thing left out here,
with an example each, stand in ``docs/bench-closure.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from bench.workloads.stream_terms import (
    ANNOTATION_PROPERTY,
    DATATYPE,
    OWL,
    RDF,
    RDF_TYPE,
    RDFS,
    SAME_AS,
    STRING,
    THING,
    XSD,
)
from rete.terms.literal_values import value_text

Triple: TypeAlias = tuple[str, str, str]
"""Terms as N-Triples has them."""

LESS: Final = frozenset(
    f"{table}-{name}"
    for table, names in {
        "eq": "sym trans rep-s rep-p rep-o",
        "prp": "dom rng fp irp symp asyp trp spo1 eqp1 eqp2 pdw inv1 inv2",
        "cls": "thing nothing1 nothing2 int1 int2 uni svf1 svf2 avf hv1 hv2",
        "cax": "sco eqc1 eqc2 dw",
        "scm": "sco eqc1",
    }.items()
    for name in names.split()
)
"""The rules of OWL 2 RL that reasonable 0.4.4 applies as they are written."""


@dataclass(frozen=True, slots=True)
class ComparablePart:
    """A regime, or a part of it, on which R4 and a peer can be compared."""

    regime: str  # the entailment regime of R4
    rules: frozenset[str] | None  # the names of its rules that are applied; None: all
    more: bool  # whether the graph has the whole ontology
    peer: str  # who does the same
    description: str  # one line on what it is
    keeps: Callable[[Triple], bool]  # whether a triple is compared

    def compared(self, lines: Iterable[str]) -> set[Triple]:
        """The triples of a closure, given as N-Triples, that are compared."""
        return set(filter(self.keeps, map(parse_triple, lines)))


def parse_triple(line: str) -> Triple:
    """The terms of a line of N-Triples; literals stand for their values."""
    s, p, rest = line.split(" ", 2)
    o = rest.rstrip().removesuffix(".").rstrip()
    return s, p, value_text(o.removesuffix(f"^^{STRING}")) if o.startswith('"') else o


def _is_rdf(found: Triple) -> bool:
    """Whether RDF has it: no literal is its subject; and that a term is itself is left out, too."""
    s, p, o = found
    return not s.startswith('"') and not (p == SAME_AS and s == o)


def _is_of_the_graph(found: Triple) -> bool:
    """Nothing about the vocabulary itself: who begins with which axioms is a matter of taste."""
    return _is_rdf(found) and not found[0].startswith(
        tuple(f"<{name}" for name in (RDF, RDFS, OWL, XSD))
    )


def _is_of_the_rules(found: Triple) -> bool:
    """Nothing of dt-type1 and prp-ap, which list what each knows of, and no more."""
    _, p, o = found
    return _is_rdf(found) and not (p == RDF_TYPE and o in {DATATYPE, ANNOTATION_PROPERTY})


def _is_no_thing(found: Triple) -> bool:
    """Without owl:Thing, which reasonable makes a type of every subject, and no rule does."""
    return _is_rdf(found) and found[1:] != (RDF_TYPE, THING)


PARTS: Final[Mapping[str, ComparablePart]] = {
    "rdfs": ComparablePart("rdfs", None, False, "owlrl", "RDFS", _is_of_the_graph),  # noqa: FBT003
    "owl-rl": ComparablePart("owl-rl", None, True, "owlrl", "OWL 2 RL", _is_of_the_rules),  # noqa: FBT003
    "owl-rl-less": ComparablePart(
        "owl-rl",
        LESS,
        False,  # noqa: FBT003
        "reasonable",
        "OWL 2 RL, the rules that reasonable has",
        _is_no_thing,
    ),
}
"""Name → what it stands for."""
