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
    description: str  # one line on what it is
    peers: Mapping[str, Callable[[Triple], bool]]  # who does the same -> which triples are compared

    def compared(self, lines: Iterable[str], peer: str) -> set[Triple]:
        """The triples of a closure, given as N-Triples, that are compared with a peer."""
        return set(filter(self.peers[peer], map(parse_triple, lines)))


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


_OF_CLASSES: Final = frozenset(
    f"<{RDFS}{name}>" for name in ("subClassOf", "subPropertyOf", "domain", "range")
)


def _is_about_individuals(found: Triple) -> bool:
    """Nothing about classes and properties, and no words of the vocabulary as types.

    Of these sparq has more than others under OWL (scm-*), and fewer under RDFS.
    """
    _, p, o = found
    is_schema = p in _OF_CLASSES or (p.startswith(f"<{OWL}") and p != SAME_AS)
    is_typed = p == RDF_TYPE and o.startswith((f"<{RDF}", f"<{RDFS}", f"<{OWL}", f"<{XSD}"))
    return _is_rdf(found) and not is_schema and not is_typed


def _is_no_thing(found: Triple) -> bool:
    """Without owl:Thing, which reasonable makes a type of every subject, and no rule does."""
    return _is_rdf(found) and found[1:] != (RDF_TYPE, THING)


PARTS: Final[Mapping[str, ComparablePart]] = {
    "rdfs": ComparablePart(
        *("rdfs", None, False, "RDFS"), {"owlrl": _is_of_the_graph, "sparq": _is_about_individuals}
    ),
    "owl-rl": ComparablePart(
        *("owl-rl", None, True, "OWL 2 RL"),
        {"owlrl": _is_of_the_rules, "sparq": _is_about_individuals},
    ),
    "owl-rl-less": ComparablePart(
        *("owl-rl", LESS, False, "OWL 2 RL, the rules that reasonable has"),
        {"reasonable": _is_no_thing, "sparq": _is_about_individuals},
    ),
}
"""What stands under its name: the regime, its rules, whether the graph has all of the ontology."""
