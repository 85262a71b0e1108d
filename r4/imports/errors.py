"""Errors of imports: one class per code, and the faults of several documents at once.

``R430x`` a location leads to nothing that may be read, ``R431x`` documents or profiles do not go
together, ``R432x`` an imported graph cannot be combined with rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rif.errors.base import NOWHERE, RuleError, Severity
from rif.errors.report import RuleErrors


class ImportErrors(RuleErrors):
    """All faults of an import closure, document by document.

    Attributes:
        parts: The faults of each document that has some, in the order of the closure.
        errors: All of them in one row; their spans belong to different texts.
    """

    def __init__(self, parts: Iterable[RuleErrors], main: str) -> None:
        super().__init__([], name=main)
        self.parts = tuple(parts)
        self.errors = tuple(fault for part in self.parts for fault in part.errors)
        self.more = sum(part.more for part in self.parts)
        self.args = (
            "\n".join(
                f"{part.name}:{'' if fault.span != NOWHERE else ' '}{fault}"
                for part in self.parts
                for fault in part.errors
            ),
        )

    def report(self, path: str | None = None) -> str:
        """As of one document; ``path`` is what the main one is called."""
        return "\n".join(
            part.report(path if part.name == self.name else None) for part in self.parts
        )


# Locations.


class NotFound(RuleError):
    """No file is where an import points to."""

    code = "R4301"
    default_hint = "give the file with --import-map IRI=FILE"


class NotAFileLocation(RuleError):
    """An import points to a location that needs a connection; R4 opens none."""

    code = "R4302"
    default_hint = "fetch it yourself and give the file with --import-map IRI=FILE"


class OutsideFolder(RuleError):
    """An import leads out of the folder of the document and of the import folder."""

    code = "R4303"
    default_hint = "name the folder with --import-root DIR, or the file with --import-map IRI=FILE"


class BadLocation(RuleError):
    """A ``file:`` location is no plain path: it has a host, a query, ``..`` or an escaped slash."""

    code = "R4304"
    default_hint = "write the path from the folder of the document, such as <parts/units.rif>"


class NotAPlainFile(RuleError):
    """An import leads to a folder, a device or a pipe, and not to a file."""

    code = "R4305"
    default_hint = "imports, of streams too, are plain files; give a pipe on the command line"


class Unreadable(RuleError):
    """The system does not deliver a file, or the file is no text."""

    code = "R4306"


class TooManyImports(RuleError):
    """An import closure has more documents than R4 reads."""

    code = "R4307"
    default_hint = "put several of them into one document"


class ImportHere(RuleError):
    """An import stands where none is followed: in added rules, or in a syntax tree."""

    code = "R4308"
    default_hint = "make the engine from a text or a file; imports are followed there"


# Documents and profiles.


class WindowIgnored(RuleError):
    """An imported document has a window, which does not count."""

    code = "R4311"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "the window of the main document counts for all"


class UnknownProfile(RuleError):
    """The profile of an import is not supported [RIF-RDF-OWL 5.1]."""

    code = "R4312"
    default_hint = (
        "profiles are http://www.w3.org/ns/entailment/ with Simple, RDF, RDFS, D, OWL-Direct or "
        "OWL-RDF-Based"
    )


class NoHighestProfile(RuleError):
    """None of the profiles is the highest [RIF-RDF-OWL 5.2]."""

    code = "R4313"
    default_hint = "OWL-Direct goes with OWL-RDF-Based only"


class NotInDLForm(RuleError):
    """OWL Direct gives a formula no meaning [RIF-RDF-OWL 4.1]."""

    code = "R4314"
    default_hint = "properties and classes are constants here; OWL-RDF-Based has no such limit"


class AxiomAsked(RuleError):
    """A rule is about axioms of an ontology, which are no facts here [RIF-RDF-OWL 4.2]."""

    code = "R4318"
    default_hint = "ask for what follows from the axioms, or import with OWL-RDF-Based"


class GraphWithoutProfile(RuleError):
    """A graph is imported without a profile, as if it were rules [RIF-RDF-OWL 5]."""

    code = "R4315"
    default_hint = (
        "give the import a profile: Import(<…> <http://www.w3.org/ns/entailment/Simple>), or RDF, "
        "RDFS, D, OWL-Direct, OWL-RDF-Based"
    )


class RulesWithProfile(RuleError):
    """A rule document is imported with a profile, as if it were a graph [RIF-RDF-OWL 5]."""

    code = "R4316"
    default_hint = "rules are imported without a profile: Import(<…>)"


class StreamNotRead(RuleError):
    """A premise imports a stream, which is not read: what it says holds at times only."""

    code = "R4317"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "give what the premise should state as a graph, with another profile"


# Graphs.


class ForbiddenLiteral(RuleError):
    """A literal of an imported graph has a symbol space of RIF as datatype [RIF-RDF-OWL 3.1]."""

    code = "R4321"
    default_hint = "write an IRI as an IRI, and a text as a plain or tagged literal"


class MalformedGraph(RuleError):
    """A statement of an imported graph cannot be read."""

    code = "R4322"
    default_hint = "an import is read whole or not at all; --static leaves such statements out"


class NotOWLDL(RuleError):
    """A graph imported with OWL Direct is no OWL 2 DL ontology [OWL2-Mapping 3]."""

    code = "R4323"
    default_hint = "mend the ontology, or import it with OWL-RDF-Based"


class OntologyImportIgnored(RuleError):
    """The ``owl:imports`` of an imported graph is not followed."""

    code = "R4324"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "import that ontology in the rule document as well"


class ListsComputed(RuleError):
    """Rules follow the nodes of lists, and lists that rules compute have none."""

    code = "R4328"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "built-ins such as func:get and func:sublist see the members of all lists"


class ListsTooLong(RuleError):
    """The texts of RDF lists would fill the memory."""

    code = "R4325"
    default_severity: ClassVar[Severity] = "warning"
    default_hint = "the longest lists are nodes with rdf:first and rdf:rest only"
