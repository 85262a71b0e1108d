"""A document that is read whole, as canonical N-Quads, behind the gate of its format."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import pyoxigraph as ox

from r4.rdf.blank_nodes import (
    BlankNodeNames,
    TooManyNodes,
    absent_from,
    counted_blocks,
    differing_labels,
    has_candidate,
)
from r4.rdf.format_hints import answers_hint, looks_like_answers
from r4.rdf.gates.input_limits import LONGEST_WHOLE
from r4.rdf.gates.json_gate import json_fault
from r4.rdf.json_contexts import TooLong, fault_message, with_contexts
from r4.rdf.parser_output import message_of, quad_blocks

_HIDES: Final = re.compile(rb"\\u|&|\0")
"""What labels of JSON, and of XML, may be hidden by: an escape, an entity, an encoding."""


class Ending(NamedTuple):
    """How the reading of a document ended.

    Attributes:
        why: What ended it before the end of the document; "" if nothing did.
        line: Where that is, from 1; 0: it is not known.
        is_refused: Whether nothing of the document was read.
    """

    why: str = ""
    line: int = 0
    is_refused: bool = False


class _Refused(Exception):
    """Nothing of a document is read."""


def _checked_xml(text: bytes) -> tuple[bytes, int, str]:
    """XML that the parser may see; if something is left out, in which line that begins, and why."""
    from r4.rdf.gates.xml_encoding import UnreadableText, as_utf8  # noqa: PLC0415 - few read XML
    from r4.rdf.gates.xml_gate import well_formed_prefix  # noqa: PLC0415 - as above

    try:
        text = as_utf8(text)
    except UnreadableText as error:
        raise _Refused(str(error)) from None
    prefix = well_formed_prefix(text)
    text, line, why = text[: prefix.end], prefix.line, prefix.fault
    if prefix.has_literals and text:
        from r4.rdf.whole.xml_literals import literals_as_text  # noqa: PLC0415 - as above

        found = literals_as_text(text)
        text = found.text
        if found.fault and (not why or found.line < line):
            line, why = found.line, found.fault
    return text, line, why


@dataclass(frozen=True, slots=True)
class WholeReading:
    """How a document is read.

    Attributes:
        format: The name of its format in the parser.
        path: Where it is, for a hint.
        base: The IRI that relative ones are resolved against; None: there is none.
        contexts: Of JSON-LD, contexts by their IRIs.
    """

    format: str
    path: str
    base: str | None
    contexts: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_xml(self) -> bool:
        """Whether it is RDF/XML; else it is JSON-LD."""
        return self.format == "RDF_XML"

    def quads(self, text: bytes) -> Generator[bytes, None, Ending]:
        """The statements of ``text``, whole lines at once; at last, how it ended.

        Blank nodes have names that depend on the text alone.
        """
        line, why = 0, ""
        try:
            if self.is_xml:
                text, line, why = _checked_xml(text)
            else:
                text = self._checked_json(text)
        except _Refused as refused:
            return Ending(str(refused), 0, is_refused=True)
        if why and not text:
            return Ending(why, line, is_refused=True)
        broken_by = yield from self._named(text)
        if broken_by is not None and not why:
            return Ending(fault_message(message_of(broken_by), text), broken_by.lineno or 0)
        return Ending(why, line)

    def _checked_json(self, text: bytes) -> bytes:
        """JSON that the parser may see, with the contexts that it names."""
        if self.contexts:
            contexts = {iri: context.encode() for iri, context in self.contexts.items()}
            try:
                text = with_contexts(text, contexts, LONGEST_WHOLE)
            except TooLong as error:
                message = f"a document of {error}"
                raise _Refused(message) from None
        is_answers = looks_like_answers(text)
        if refusal := answers_hint(self.path) if is_answers else json_fault(text):
            raise _Refused(refusal)
        return text

    def _named(self, text: bytes) -> Generator[bytes, None, SyntaxError | None]:
        """The statements up to an error, and that error.

        Held are those from the first one on with a label that may be, or may meet, a generated one;
        left out are these if there are too many of them to be named.
        """
        held: list[bytes] = []
        broken_by: SyntaxError | None = None
        try:
            for block in counted_blocks(self._blocks(text), len(text)):
                if held or has_candidate(block):
                    held.append(block)
                else:
                    yield block
        except TooManyNodes as error:
            return error
        except SyntaxError as error:
            broken_by = error
        if held:
            yield from BlankNodeNames().renamed(held, self._is_generated(text, held))
        return broken_by

    def _is_generated(self, text: bytes, quads: Sequence[bytes]) -> Callable[[bytes], bool]:
        """Whether a label of ``quads``, made of ``text``, was generated."""
        if not _HIDES.search(text):
            return absent_from(text)
        again: list[bytes] = []
        with suppress(SyntaxError):  # as in the parse before
            again.extend(filter(has_candidate, self._blocks(text)))
        return differing_labels(b"".join(quads), b"".join(again))

    def _blocks(self, text: bytes) -> Generator[bytes, None, None]:
        parsed: ox.RdfFormat = getattr(ox.RdfFormat, self.format)
        yield from quad_blocks(ox.parse(text, parsed, base_iri=self.base))
