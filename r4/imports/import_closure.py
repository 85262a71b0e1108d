"""The import closure of a rule document: every document it imports, directly or not, once."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from r4.errors import InputError, SourceLost
from r4.foreign.rule_parser import parse_rules
from r4.imports import owl_direct
from r4.imports.constant_scopes import ConstantUse, role_clashes, with_locals_of
from r4.imports.errors import (
    GraphWithoutProfile,
    ImportErrors,
    NoHighestProfile,
    TooManyImports,
    UnknownProfile,
    Unreadable,
    WindowIgnored,
)
from r4.imports.locations import GRAPHS, RULES, STREAMS, DocumentPlace, Importer, Locations
from r4.imports.profiles import STREAM, Profile, highest, profile_of
from r4.rdf.files import ByteSource, DamagedInput
from rif.checks import wellformedness
from rif.checks.document import ParsedDocument
from rif.errors.base import RuleError, Span
from rif.errors.report import RuleErrors
from rif.language import Language
from rif.syntax import ast
from rif.syntax.terms import GroundTerm, Local

if TYPE_CHECKING:
    from r4.imports.graph_documents import GraphDocument

MOST: Final = 1000
"""Documents, graphs and streams of one closure."""
LARGEST: Final = 64 << 20
"""Bytes of an imported rule document, decompressed."""


@dataclass(frozen=True, slots=True)
class ImportedStream:
    """A source that the rules import as a stream; nothing of it has been read.

    Attributes:
        path: What to open, as on the command line.
        iri: The IRI it is known by.
    """

    path: str
    iri: str


@dataclass(frozen=True, slots=True)
class RuleText:
    """The text of a rule document, for reports: what it is called and what it says."""

    name: str
    text: str

    def notes(self, faults: Iterable[RuleError]) -> RuleErrors:
        """Faults of this document."""
        return RuleErrors(faults, self.text, self.name)


@dataclass(frozen=True, slots=True)
class Closure:
    """What a document imports, ready to be compiled.

    Attributes:
        documents: The main one, then the imported ones, nearest first, each once. Local constants
            of an imported one are those of its own number; its window is taken away.
        graphs: Imported graphs, each once, in the order of their numbers.
        streams: Imports with the profile `STREAM`, each once.
        profile: The highest of all imports of graphs; None if there are none.
        warnings: Warnings, a document each; those of the main one's own text are not among them.
        sources: The texts of the documents, one each.
        language: What the documents are written in.
        next_number: Imported documents and graphs have the numbers from ``first`` up to this one,
            exclusive.
    """

    documents: tuple[ast.Document, ...]
    graphs: tuple[GraphDocument, ...]
    streams: tuple[ImportedStream, ...]
    profile: Profile | None
    warnings: tuple[RuleErrors, ...]
    sources: tuple[RuleText, ...]
    next_number: int
    language: Language

    @property
    def name(self) -> str:
        """What the main document is called in reports."""
        return self.sources[0].name

    def report(self) -> str:
        """The warnings as text for a person; ``""`` if there are none."""
        return "\n".join(each.report() for each in self.warnings)


def load(
    parsed: ParsedDocument,
    path: str | None,
    locations: Locations,
    first: int,
    *,
    lenient: bool = False,
) -> Closure:
    """Read all rule documents that ``parsed`` imports, and find the graphs [RIF-Core 2.2; 5].

    A document that is imported again, in a cycle too, is read once: two locations of one file are
    one document. Graphs are found, not read; `r4.imports.graph_rows` does that.

    ``path`` is the file that it was read from, ``-`` or None if it is none; imported documents are
    numbered from ``first``, and read in ``lenient`` mode if that is asked for.

    Raises:
        ImportErrors: An import leads nowhere, an imported document has faults, or they do not go
            together; all such faults.
    """
    loader = _Loader(locations, first, lenient, parsed.language)
    loader.follow(parsed, DocumentPlace.of(path), path)
    loader.check_contexts()
    profile = loader.highest_profile()
    if profile is Profile.OWL_DIRECT:
        for member in loader.members:
            member.faults += owl_direct.not_in_dl_form(member.document)
    parts = [member.source.notes(member.faults) for member in loader.members]
    parts += loader.refused
    if any(fault.severity == "error" for part in parts for fault in part.errors):
        raise ImportErrors((part for part in parts if part.errors), parts[0].name)
    return Closure(
        tuple(member.document for member in loader.members),
        tuple(loader.graphs),
        tuple(loader.streams),
        profile,
        tuple(part for part in parts if part.errors),
        tuple(member.source for member in loader.members),
        loader.number,
        parsed.language,
    )


@dataclass(slots=True)
class _Member:
    """A rule document of the closure, and what is wrong with it."""

    document: ast.Document
    place: DocumentPlace
    source: RuleText
    roles: wellformedness.Roles
    faults: list[RuleError] = field(default_factory=list)


@dataclass(slots=True)
class _Loader:
    """What was found so far.

    Attributes:
        refused: The faults of documents that cannot be read.
        profiles: The profile of each import of a graph, the member it stands in, its place.
        seen: What was found, by kind and key of its place.
    """

    locations: Locations
    number: int
    lenient: bool
    language: Language
    members: list[_Member] = field(default_factory=list)
    graphs: list[GraphDocument] = field(default_factory=list)
    streams: list[ImportedStream] = field(default_factory=list)
    refused: list[RuleErrors] = field(default_factory=list)
    profiles: list[tuple[Profile, _Member, Span]] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)

    def follow(self, main: ParsedDocument, place: DocumentPlace, path: str | None) -> None:
        """Read all, breadth first."""
        source = RuleText("<stdin>" if path == "-" else path or "<text>", main.source)
        roles = wellformedness.roles(main.document, self.language) if main.document.imports else {}
        self.seen.add(("rules", place.key))
        self.members.append(_Member(main.document, place, source, roles))
        for member in self.members:  # the list grows
            importer = self.locations.importer(member.place)
            for directive in member.document.imports:
                try:
                    self._import(directive, member, importer)
                except RuleError as fault:
                    member.faults.append(fault)
                    if isinstance(fault, TooManyImports):
                        return

    def _import(self, directive: ast.Import, member: _Member, importer: Importer) -> None:
        if directive.profile is None:
            place = self.locations.find(directive, importer, RULES)
            if self._is_new("rules", place, directive):
                self._read(place, directive)
        elif directive.profile == STREAM:
            place = self.locations.find(directive, importer, STREAMS)
            if self._is_new("stream", place, directive):
                self.streams.append(ImportedStream(place.path, place.iri))
        else:
            profile = profile_of(directive.profile)
            if profile is None:
                message = f"the profile <{directive.profile}> is not supported"
                raise UnknownProfile(message, directive.span)
            self.profiles.append((profile, member, directive.span))
            place = self.locations.find(directive, importer, GRAPHS)
            if self._is_new("graph", place, directive):
                from r4.imports.graph_documents import graph_at  # noqa: PLC0415 - for those

                self.graphs.append(graph_at(place, self._next(), directive.span))

    def _is_new(self, kind: str, place: DocumentPlace, directive: ast.Import) -> bool:
        if (kind, place.key) in self.seen:
            return False
        if len(self.seen) >= MOST:
            message = f"more than {MOST} documents are imported"
            raise TooManyImports(message, directive.span)
        self.seen.add((kind, place.key))
        return True

    def _next(self) -> int:
        self.number += 1
        return self.number - 1

    def _read(self, place: DocumentPlace, directive: ast.Import) -> None:
        data = _bytes_of(place.path, directive.span)
        number = self._next()
        try:
            parsed = parse_rules(
                data, name=place.path, lenient=self.lenient, language=self.language
            )
        except RuleErrors as errors:
            from r4.rdf.format_detection import is_graph  # noqa: PLC0415 - for the message

            if is_graph(data):
                message = f"{place.path} is an RDF graph, no rule document"
                raise GraphWithoutProfile(message, directive.span) from None
            self.refused.append(errors)
            return
        document, faults = parsed.document, list(parsed.warnings)
        if document.window is not None:
            faults.append(WindowIgnored("this window is not used", document.window.span))
        roles = wellformedness.roles(document, self.language)
        if any(isinstance(constant, Local) for constant in roles):
            document = with_locals_of(document, number)
        document = replace(document, window=None)
        source = RuleText(place.path, parsed.source)
        self.members.append(_Member(document, place, source, roles, faults))

    def check_contexts(self) -> None:
        """Every constant has one role in all of the closure."""
        known: dict[GroundTerm, ConstantUse] = {}
        for member in self.members:
            member.faults += role_clashes(member.roles, member.source.name, known)

    def highest_profile(self) -> Profile | None:
        """The profile that holds for all graphs; that there is none is a fault of the import."""
        given: list[Profile] = []
        found = highest(profile for profile, _, _ in self.profiles)
        for profile, member, span in self.profiles:
            given.append(profile)
            if found is None and highest(given) is None:
                others = ", ".join(dict.fromkeys(each.value for each in given[:-1]))
                message = f"no profile is the highest of {profile.value} and {others}"
                member.faults.append(NoHighestProfile(message, span))
                break
        return found


def _bytes_of(path: str, span: Span) -> bytes:
    data = bytearray()
    try:
        with closing(ByteSource(path)) as source:
            while piece := source.read():
                data += piece
                if len(data) > LARGEST:
                    message = f"{path}: more than {LARGEST} bytes"
                    raise Unreadable(message, span, "split the document")
    except (InputError, SourceLost, DamagedInput) as error:
        raise Unreadable(str(error), span) from error
    return bytes(data)
