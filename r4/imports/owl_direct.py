"""OWL Direct: which rules and graphs it gives a meaning to, and which triples are facts.

Rules must be in DL form, graphs must be OWL 2 DL ontologies, and annotations say nothing about the
domain. Of OWL 2 DL is checked what tells such an ontology from any other graph: its one header and
the typing of its properties, classes and datatypes. What uses a term without declaring it is let
pass, as the W3C tests do; the restrictions on complex roles are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np

from r4.imports.errors import AxiomAsked, NotInDLForm, NotOWLDL, OntologyImportIgnored
from rete.arrays.delta import Rows
from rete.arrays.term_columns import KIND_LITERAL, Ids
from rete.terms.dictionary import Dictionary
from rif.syntax import ast
from rif.syntax.terms import IRI, OWL, RDF, RDF_TYPE, XSD, display_name
from rif.syntax.traversal import formulas_of, rules
from rif.text.parser import parse

RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"

_TYPE: Final = IRI(RDF_TYPE)
_KINDS: Final = {
    "object property": (
        *("ObjectProperty", "InverseFunctionalProperty", "SymmetricProperty"),
        "TransitiveProperty",
    ),
    "data property": ("DatatypeProperty",),
    "annotation property": ("AnnotationProperty",),
}
"""Kinds of properties and the classes that declare them [OWL2-Mapping, Tables 5 to 7]."""
_ONTOLOGY_PROPERTIES: Final = (
    *(OWL + name for name in ("imports", "versionIRI", "priorVersion")),
    *(OWL + name for name in ("backwardCompatibleWith", "incompatibleWith")),
)
_ANNOTATIONS: Final = (
    *(OWL + name for name in ("versionInfo", "deprecated")),
    *(RDFS + name for name in ("label", "comment", "seeAlso", "isDefinedBy")),
)
"""The annotation properties that OWL 2 has of its own [OWL2-Syntax 5.5]."""
_OF_INDIVIDUALS: Final = frozenset(
    {_TYPE.value, *_ANNOTATIONS}
    | {OWL + name for name in ("sameAs", "differentFrom")}
    | {f"{OWL}{end}{kind}Property" for end in ("top", "bottom") for kind in ("Object", "Data")}
)
"""Properties of RDF, RDFS and OWL of which facts about individuals may be."""
_KINDS_OF_THINGS: Final = frozenset(
    {OWL + name for name in ("Thing", "Nothing", "NamedIndividual", "real", "rational")}
    | {RDF + name for name in ("langString", "PlainLiteral", "XMLLiteral", "HTML")}
    | {RDFS + "Literal"}
)
"""Classes and datatypes of RDF, RDFS and OWL that have individuals or data values."""
_VOCABULARIES: Final = (RDF, RDFS, OWL)
_RESERVED: Final = tuple(f"<{namespace}" for namespace in (RDF, RDFS, OWL, XSD))


# Rules


def not_in_dl_form(document: ast.Document) -> list[NotInDLForm | AxiomAsked]:
    """Frames and memberships that are not in DL form [RIF-RDF-OWL 4.1].

    The key of a frame is a constant; where it is rdf:type, so is its value. So is the class of a
    membership. Frames about axioms are none, either: axioms are no facts.
    """
    faults: list[NotInDLForm | AxiomAsked] = []
    for rule in rules(document):
        for formula in formulas_of(rule):
            if isinstance(formula, ast.Member):
                if not isinstance(formula.cls, ast.Constant):
                    message = "the class of a membership is no constant"
                    faults.append(NotInDLForm(message, formula.span))
                faults += _about_axioms(formula.cls, _KINDS_OF_THINGS)
            elif isinstance(formula, ast.Frame):
                faults += _not_in_dl_form(formula)
    return faults


def _not_in_dl_form(frame: ast.Frame) -> Iterator[NotInDLForm | AxiomAsked]:
    for key, value in frame.slots:
        is_type = isinstance(key, ast.Constant) and key.value == _TYPE
        if not isinstance(key, ast.Constant):
            yield NotInDLForm("the property of a frame is no constant", key.span)
        elif is_type and not isinstance(value, ast.Constant):
            yield NotInDLForm("the class of a frame is no constant", value.span)
        yield from _about_axioms(key, _OF_INDIVIDUALS)
        if is_type:
            yield from _about_axioms(value, _KINDS_OF_THINGS)


def _about_axioms(name: ast.Term, other: frozenset[str]) -> Iterator[AxiomAsked]:
    """The fault of a property or class of ontologies that is not among ``other``."""
    if isinstance(name, ast.Constant) and isinstance(name.value, IRI):
        iri = name.value.value
        if iri.startswith(_VOCABULARIES) and iri not in other:
            message = f"{display_name(name.value)} says how an ontology is made: no fact has it"
            yield AxiomAsked(message, name.span)


@cache
def separation() -> ast.Document:
    """Rules for what OWL Direct keeps apart: individuals from data values, and their properties.

    They conclude ``rif:error()``: a combination that mixes them is not refused, it is inconsistent
    [RIF-RDF-OWL 4.2]. They belong to the background of a closure whose profile is OWL Direct.
    """
    from importlib.resources import files

    text = files("r4.imports").joinpath("separation.rif").read_text("utf-8")
    return parse(text, name="separation.rif").document


# Graphs


class Ontology:
    """A graph, or several together, as an ontology: its declarations and headers.

    Attributes:
        rows: (n, 3) its triples.
    """

    def __init__(self, rows: Rows, terms: Dictionary) -> None:
        self.rows = rows
        self._terms = terms
        self._is_type = rows[:, 1] == self._id(RDF_TYPE)

    def faults(self) -> list[NotOWLDL]:
        """Why the graph is no OWL 2 DL ontology, as far as that is checked."""
        found: list[NotOWLDL] = []
        headers = self._headers()
        if len(headers) != 1:
            # [OWL2-Mapping 3.1.2]: the pattern of Table 4 matches the graph in exactly one way.
            count = len(headers) or "no"
            message = f"the graph has {count} ontology headers; an ontology has exactly one"
            hint = "a header is a triple such as <> a owl:Ontology"
            found.append(NotOWLDL(message, hint=hint))
        declared = {kind: self._declared(*names) for kind, names in _KINDS.items()}
        for one, two in combinations(sorted(declared), 2):
            found += self._declared_twice(declared[one], declared[two], one, two)
        datatypes = self._typed(RDFS + "Datatype")
        found += self._declared_twice(self._declared("Class"), datatypes, "class", "datatype")
        is_data = self._terms.kinds(self.rows[:, 2]) == KIND_LITERAL
        for kind, wrong, what in (
            ("object property", is_data, "a literal as value"),
            ("data property", ~is_data, "a value that is no literal"),
        ):
            uses = self.rows[np.isin(self.rows[:, 1], declared[kind]) & wrong]
            found += self._faults_of(
                uses[:, 1], f"is declared as {_with_article(kind)}, but has {what}"
            )
        return found

    def imports(self) -> list[OntologyImportIgnored]:
        """A warning for each ontology that the graph imports."""
        named = self.rows[self.rows[:, 1] == self._id(OWL + "imports"), 2]
        return [
            OntologyImportIgnored(f"owl:imports of {text} is not followed")
            for text in sorted(self._terms.decode_many(np.unique(named)))
        ]

    def facts(self) -> Rows:
        """The triples that say something about the domain, (m, 3) [RIF-RDF-OWL 4.2].

        Left out are annotations, of axioms too, and what is said of the ontology itself. What is
        used as a class without being declared as one is declared.
        """
        rows = self.rows
        properties = np.concatenate(
            (
                self._declared("AnnotationProperty", "OntologyProperty"),
                self._ids(_ONTOLOGY_PROPERTIES + _ANNOTATIONS),
            )
        )
        known = self._declared(*_KINDS["object property"], *_KINDS["data property"])
        header = self._typed(OWL + "Ontology")
        of_header = np.isin(rows[:, 0], header) & ~np.isin(rows[:, 1], known)
        of_header &= ~self._is_type | (rows[:, 2] == self._id(OWL + "Ontology"))
        reified = self._declared("Axiom", "Annotation")
        annotation = np.isin(rows[:, 1], properties) | np.isin(rows[:, 0], reified)
        return np.concatenate((rows[~annotation & ~of_header], self._implied_classes()))

    def _implied_classes(self) -> Rows:
        """``C rdf:type owl:Class`` for each C that something is typed with."""
        used = np.unique(self.rows[self._is_type, 2])
        known = np.concatenate((self._declared("Class"), self._typed(RDFS + "Datatype")))
        new = used[~np.isin(used, known) & (self._terms.kinds(used) != KIND_LITERAL)]
        texts = zip(new.tolist(), self._terms.decode_many(new), strict=True)
        classes = [term for term, text in texts if not text.startswith(_RESERVED)]
        found = np.empty((len(classes), 3), np.int64)
        if classes:
            found[:, 0] = classes
            found[:, 1] = self._id(RDF_TYPE)
            found[:, 2] = self._terms.encode(f"<{OWL}Class>")
        return found

    def _headers(self) -> Ids:
        """The ontologies of the graph, but for those that it only refers to."""
        headers = self._typed(OWL + "Ontology")
        refers = np.isin(self.rows[:, 1], self._ids(_ONTOLOGY_PROPERTIES))
        refers &= np.isin(self.rows[:, 0], headers)
        return np.setdiff1d(headers, self.rows[refers, 2])

    def _declared_twice(self, one: Ids, other: Ids, kind: str, second: str) -> Iterator[NotOWLDL]:
        message = f"is declared as {_with_article(kind)} and as {_with_article(second)}"
        return self._faults_of(np.intersect1d(one, other), message)

    def _faults_of(self, things: Ids, what: str) -> Iterator[NotOWLDL]:
        for text in sorted(self._terms.decode_many(np.unique(things))):
            name = display_name(IRI(text[1:-1])) if text.startswith("<") else text
            yield NotOWLDL(f"{name} {what}")

    def _declared(self, *names: str) -> Ids:
        """The subjects typed with one of these classes of OWL."""
        return self._typed(*(OWL + name for name in names))

    def _typed(self, *classes: str) -> Ids:
        chosen = self._is_type & np.isin(self.rows[:, 2], self._ids(classes))
        return np.unique(self.rows[chosen, 0])

    def _ids(self, iris: Sequence[str]) -> Ids:
        return np.array([self._id(iri) for iri in iris], np.int64)

    def _id(self, iri: str) -> int:
        return self._terms.lookup(f"<{iri}>")


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
