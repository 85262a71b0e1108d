"""A JSON-LD document that is one line of a stream, as N-Quads: an element, or several."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import pyoxigraph as ox

from r4.rdf.blank_nodes import counted_blocks
from r4.rdf.gates.input_limits import LONGEST
from r4.rdf.gates.json_gate import MOST_COPIED_IN_LINE, json_fault
from r4.rdf.json_contexts import TooLong, fault_message, with_contexts
from r4.rdf.parser_output import message_of, quad_blocks
from r4.rdf.whole.document import Ending

_TERMS: Final = rb"""^([^ \n]++)[ ]([^ \n]++)[ ]([^ "\n]++|"(?:[^"\\]++|\\.)*+"[^ \n]*+)"""
_STATEMENT: Final = re.compile(_TERMS + rb"(?:[ ]([^ \n]++))?[ ]\.$", re.MULTILINE)
"""A line of canonical N-Quads: its terms; the fourth is "" if there is no graph name."""
_IN_GRAPH: Final = re.compile(_TERMS + rb"[ ][^ .]", re.MULTILINE)


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

    def statements(self, text: bytes) -> Iterator[bytes]:
        """The statements of ``text``, some thousand at once.

        Raises:
            SyntaxError: It is malformed; there were no statements before.
        """
        try:
            blocks = self._parsed(text)
        except SyntaxError as error:
            raise SyntaxError(fault_message(message_of(error), text)) from None
        return self._named(blocks)

    def quads(self, text: bytes) -> Generator[bytes, None, Ending]:
        """The same; at last, what is wrong with it."""
        try:
            yield from self.statements(text)
        except SyntaxError as error:
            return Ending(str(error), is_refused=True)
        return Ending()

    def _parsed(self, text: bytes) -> list[bytes]:
        """Blocks of canonical N-Quads."""
        if self.contexts:
            contexts = {iri: context.encode() for iri, context in self.contexts.items()}
            try:
                text = with_contexts(text, contexts, LONGEST)
            except TooLong as error:
                raise SyntaxError(str(error)) from None
        if why := json_fault(text, MOST_COPIED_IN_LINE):
            raise SyntaxError(why)
        return list(counted_blocks(quad_blocks(ox.parse(text, ox.RdfFormat.JSON_LD)), len(text)))

    def _named(self, blocks: Sequence[bytes]) -> Iterator[bytes]:
        """The statements of ``blocks`` as those of elements.

        Blank nodes belong to their line, and are numbered there.
        """
        graphs = any(map(_IN_GRAPH.search, blocks))
        name, about = self.name.encode(), {f"<{each}>".encode() for each in self.about}
        always = self.always.encode()
        labels: dict[bytes, bytes] = {}

        def named(term: bytes) -> bytes:
            if not term.startswith(b"_:"):
                return term
            return labels.setdefault(term, b"_:l%dn%d" % (self.line, len(labels) + 1))

        for block in blocks:
            lines: list[bytes] = []
            for s, p, o, g in _STATEMENT.findall(block):
                subject, value, graph = named(s), named(o), named(g)
                if graphs:
                    graph = b"" if graph == always else graph
                    lines.append(b"%b %b %b %b .\n" % (subject, p, value, graph))
                    continue
                if p in about:
                    lines.append(b"%b %b %b .\n" % (name, p, value))
                lines.append(b"%b %b %b %b .\n" % (subject, p, value, name))
            yield b"".join(lines)
