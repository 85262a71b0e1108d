"""Terms, rules, operators and facts as the rules write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from r4.explain.explanation import Statement
from r4.program.equal_terms import follow_same_as
from r4.program.option_names import rule_names
from r4.program.program import Program
from r4.time.ticks import TimeScale
from rete.drawing.names import Names, Piece, plain
from rif.syntax.ast import Document
from rif.syntax.terms import OWL, XSD

_PLAIN: Final = re.compile(
    rf'"([-+.:\w]+)"\^\^<{re.escape(XSD)}'
    r"(?:double|float|decimal|\w*integer|long|int|short|byte|dateTime|date|time)>\Z",
    re.ASCII,
)
"""Literals whose datatype shows in their lexical form."""
_RULES_OF_REGIMES: Final[Mapping[str, str]] = {
    "domain": "rdfs2 prp-dom scm-dom1",
    "range": "rdfs3 prp-rng scm-rng1",
    "subproperty of a subproperty": "rdfs5 scm-spo",
    "subproperty": "rdfs7 prp-spo1",
    "subclass": "rdfs9 cax-sco",
    "subclass of a subclass": "rdfs11 scm-sco",
    "the same, turned round": "eq-sym",
    "the same as the same": "eq-trans",
    "the same subject": "eq-rep-s",
    "the same property": "eq-rep-p",
    "the same object": "eq-rep-o",
    "the same, and different": "eq-diff1",
    "functional property": "prp-fp",
    "inverse functional property": "prp-ifp",
    "irreflexive property": "prp-irp",
    "symmetric property": "prp-symp",
    "asymmetric property": "prp-asyp",
    "transitive property": "prp-trp",
    "chain of properties": "prp-spo2",
    "equivalent property": "prp-eqp1 prp-eqp2 scm-eqp1",
    "disjoint properties": "prp-pdw",
    "inverse property": "prp-inv1 prp-inv2",
    "key": "prp-key",
    "member of owl:Nothing": "cls-nothing2",
    "intersection of classes": "cls-int1 cls-int2 scm-int",
    "union of classes": "cls-uni scm-uni",
    "complement of a class": "cls-com",
    "some values of a class": "cls-svf1",
    "some values": "cls-svf2",
    "all values of a class": "cls-avf",
    "has a value": "cls-hv1 cls-hv2",
    "at most none": "cls-maxc1",
    "at most one": "cls-maxc2",
    "one of": "cls-oo",
    "equivalent class": "cax-eqc1 cax-eqc2 scm-eqc1",
    "disjoint classes": "cax-dw cax-adc",
    "subclasses of each other": "scm-eqc2",
    "subproperties of each other": "scm-eqp2",
    "domain of a subproperty": "scm-dom2",
    "range of a subproperty": "scm-rng2",
}
"""What rules of entailment regimes are about, and their names."""
_REGIME_LABELS: Final[Mapping[str, str]] = {
    name: label for label, names in _RULES_OF_REGIMES.items() for name in names.split()
}


_LOCAL: Final = re.compile(r"[\w:](?:[\w:./-]*[\w:-])?\Z")
_REGIME: Final = re.compile(r"urn:r4:(?=[a-z-]+#)")
"""The beginning of the names of rules of an entailment regime."""
_CUSTOMARY: Final[Mapping[str, str]] = {
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": OWL,
    "xsd": XSD,
    "own": "urn:r4:builtin#",
}


_LONGEST: Final = 20
"""Characters of a blank node."""


def collect_names(
    documents: Sequence[Document], program: Program, scale: TimeScale, title: str = "rules"
) -> Names:
    """The names in ``documents``, the main one first, and the labels of all rules of ``program``.

    Plans the rules once more.
    """
    documents = program.closed(documents, scale)
    if program.unites:
        documents = list(map(follow_same_as, documents))
    names = rule_names(documents, scale, title, program.language)
    labels = {i: label for i, label in enumerate(program.labels, 1) if isinstance(label, str)}
    return replace(names, labels=labels, prefixes=names.prefixes_with(_CUSTOMARY))


def write_rule_name(names: Names, number: int) -> str:
    """``rule 3 ex:gust``; a rule of a regime by its name alone, ``rdfs#rdfs9 (subclass)``."""
    label = names.labels.get(number)
    if label is None or not is_of_regime(label):
        return names.rule(number)
    gloss = _REGIME_LABELS.get(label.partition("#")[2])
    name = _REGIME.sub("", label)
    return f"{name} ({gloss})" if gloss else name


def is_of_regime(label: str | int) -> bool:
    """Whether a rule with that label belongs to an entailment regime."""
    return isinstance(label, str) and _REGIME.match(label) is not None


def write_term(names: Names, text: str) -> str:
    """A term with its prefix, even if its local name has colons or slashes."""
    short = names.term(text)
    if short.startswith("_:") and len(short) > _LONGEST:  # the labels of rdflib say nothing
        return f"{short[:8]}…{short[-4:]}"
    if short.startswith("<") and _LOCAL.match(short) is None:
        iri = short[1:-1]
        spaces = [pair for pair in names.prefixes if pair[1] and iri.startswith(pair[1])]
        if spaces:
            prefix, space = max(spaces, key=lambda pair: len(pair[1]))
            local = iri[len(space) :]
            if _LOCAL.match(local):
                return f"{prefix}:{local}"
    return short


def write_value(names: Names, text: str) -> str:
    """A term; of a number, date or time the lexical form alone."""
    plain_value = _PLAIN.match(text)
    return plain_value[1] if plain_value else write_term(names, text)


def write_facts(names: Names, *facts: Statement) -> str:
    """A fact in the syntax of rules; several of one subject as one frame."""
    first = facts[0]
    if len(facts) == 1:
        return plain(
            names.fact(first.relation, [Piece(write_term(names, text)) for text in first.terms])
        )
    slots = "  ".join(
        " -> ".join(write_term(names, text) for text in fact.terms[1:]) for fact in facts
    )
    return f"{write_term(names, first.terms[0])}[{slots}]"
