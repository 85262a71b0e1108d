"""What comes from the parser: quads as text, and messages without their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

import pyoxigraph as ox

from r4.rdf.gates.input_limits import DEEPEST
from rete.memory_limit import MemoryBound

TRIPLE_TERM: Final = b"<<("
"""How a triple term begins."""
_QUADS_AT_ONCE: Final = 1 << 12
"""Quads that come from the parser between two looks at signals."""
_REIFIES: Final = re.compile(
    rb"^([^ \n]++) <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> "
    rb"<<\( ([^ \n]++ [^ \n]++ (?!<<\()[^\n]+) \)>> \.$",
    re.MULTILINE,
)
_PLACE: Final = re.compile(r"Parser error (?:at|between) [^:]*+: ")
_LINE: Final = re.compile(r" \(line \d+\)\Z")


def as_quads(parsed: Iterable[ox.Quad]) -> bytes:
    """Quads as canonical N-Quads."""
    return ox.serialize(parsed, format=ox.RdfFormat.N_QUADS) or b""


def quad_blocks(
    parsed: Iterable[ox.Quad], look: Callable[[], object] | None = None
) -> Iterator[bytes]:
    """Quads as canonical N-Quads, so many at once; ``look`` is called between them.

    Raises:
        SyntaxError: There is an error; what stands before it was given.
    """
    parsed = iter(parsed)
    size = _QUADS_AT_ONCE
    while size == _QUADS_AT_ONCE:
        quads: list[ox.Quad] = []
        wrong: SyntaxError | None = None
        try:
            quads.extend(islice(parsed, _QUADS_AT_ONCE))  # it has what came before an error
        except SyntaxError as error:
            wrong = error
        except MemoryError as error:
            wrong = token_too_long(error)
        if quads:
            yield as_quads(quads)
            if look is not None:
                look()
        if wrong is not None:
            raise wrong
        size = len(quads)


def reified_quads(quads: bytes) -> bytes:
    """Canonical N-Quads, in which a triple that r reifies in the default graph is in the graph r.

    A triple that has triple terms itself stays as it is.
    """
    return _REIFIES.sub(rb"\2 \1 .", quads) if b"#reifies> <<( " in quads else quads


def reified_statement(line: bytes) -> bytes:
    """The quad of `reified_quads` in place of a line of N-Triples that reifies; b"": it is none."""
    if line.count(TRIPLE_TERM) > DEEPEST:
        return b""
    try:
        quads = as_quads(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))
    except (SyntaxError, MemoryError):  # the latter: a token it has no room for
        return b""
    found = reified_quads(quads)
    return b"" if found == quads else found


def token_too_long(error: MemoryError) -> SyntaxError:
    """What the parser means if it has no room for a token; raises ``error`` if memory is short."""
    if not str(error) or isinstance(error, MemoryBound):
        raise error
    return SyntaxError(str(error))


def message_of(error: SyntaxError) -> str:
    """The message of the parser, without the place."""
    text = str(error)
    found = _PLACE.match(text)
    if found is None:
        return text
    message = text[found.end() :]
    return _LINE.sub("", message) if message.endswith(")") else message
