"""A JSON-LD document that is one line of a stream, as N-Quads: an element, or several."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Final

import pyoxigraph as ox

from r4.rdf.gates.input_limits import LONGEST
from r4.rdf.gates.json_gate import MOST_COPIED_IN_LINE, json_fault
from r4.rdf.json_contexts import TooLong, fault_message, with_contexts
from r4.rdf.parser_output import message_of
from r4.rdf.whole.document import Ending

_STATEMENTS_AT_ONCE: Final = 1 << 12


@dataclass(frozen=True, slots=True)
class LineReading:
    """How a line is read.

    Attributes:
        line: Its number, from 1, by which its blank nodes are named.
        name: The name of the element that it is, as N-Quads, if it has no named graphs.
        about: IRIs of the predicates that are about elements.
        always: The graph whose statements always hold, as N-Quads.
        contexts: Contexts by their IRIs.
    """

    line: int
    name: str
    about: tuple[str, ...]
    always: str
    contexts: Mapping[str, str] = field(default_factory=dict)

    def statements(self, text: bytes) -> list[str]:
        """The statements of ``text``; raises a `SyntaxError` if it is malformed."""
        try:
            return self._parsed(text)
        except SyntaxError as error:
            raise SyntaxError(fault_message(message_of(error), text)) from None
        except MemoryError as error:
            if not str(error):
                raise
            raise SyntaxError(str(error)) from None

    def quads(self, text: bytes) -> Generator[bytes, None, Ending]:
        """The statements of ``text``, so many at once; at last, what is wrong with it."""
        try:
            found = self.statements(text)
        except SyntaxError as error:
            return Ending(str(error), is_refused=True)
        for begin in range(0, len(found), _STATEMENTS_AT_ONCE):
            yield "".join(found[begin : begin + _STATEMENTS_AT_ONCE]).encode()
        return Ending()

    def _parsed(self, text: bytes) -> list[str]:
        if self.contexts:
            contexts = {iri: context.encode() for iri, context in self.contexts.items()}
            try:
                text = with_contexts(text, contexts, LONGEST)
            except TooLong as error:
                raise SyntaxError(str(error)) from None
        if why := json_fault(text, MOST_COPIED_IN_LINE):
            raise SyntaxError(why)
        quads = list(ox.parse(text, ox.RdfFormat.JSON_LD))
        graphs = any(not isinstance(quad.graph_name, ox.DefaultGraph) for quad in quads)
        labels: dict[str, str] = {}
        lines: list[str] = []
        for quad in quads:
            s, p, o, g = (
                self._text(term, labels)
                for term in (quad.subject, quad.predicate, quad.object, quad.graph_name)
            )
            if graphs:
                g = "" if g == self.always else g
                lines.append(f"{s} {p} {o} {g} .\n")
                continue
            if quad.predicate.value in self.about:
                lines.append(f"{self.name} {p} {o} .\n")
            lines.append(f"{s} {p} {o} {self.name} .\n")
        return lines

    def _text(self, term: object, labels: dict[str, str]) -> str:
        """A term as N-Quads; blank nodes belong to their line, and are numbered there."""
        match term:
            case ox.BlankNode():
                return labels.setdefault(term.value, f"_:l{self.line}n{len(labels) + 1}")
            case ox.DefaultGraph():
                return ""
        return str(term)
