"""What was outside the domain of built-ins, in the words of a message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rete.nodes.builtin_calls import UNKNOWN_ARGUMENT, DomainErrors
from rif.syntax.terms import CUSTOMARY_PREFIXES, IRI, display_name, parse_canonical
from rif.text.writer import TextWriter

_LONGEST: Final = 60
"""Characters of an argument that are shown."""
_MOST: Final = 6
"""Arguments that are shown."""


def domain_error_lines(found: Sequence[DomainErrors]) -> Iterator[str]:
    """A line for each built-in: how often, and as an example the shortest call that was kept."""
    writer = TextWriter(CUSTOMARY_PREFIXES)
    for each in found:
        name = display_name(IRI(each.builtin))
        texts = min(each.samples, key=lambda texts: (sum(map(len, texts)), texts))
        shown = [_shown(text, writer) for text in texts[:_MOST]]
        if len(texts) > _MOST:
            shown.append("…")
        yield f"outside the domain: {each.count} × {name}, such as {name}({' '.join(shown)})"


def _shown(text: str, writer: TextWriter) -> str:
    """A term as it stands in rules; a blank node, which cannot stand there, as in answers."""
    if text == UNKNOWN_ARGUMENT:
        return text
    if len(text) > _LONGEST:
        return text[:_LONGEST] + "…"
    try:
        return writer.constant(parse_canonical(text))
    except ValueError:
        return text
