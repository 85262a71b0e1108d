"""What was outside the domain of built-ins, in the words of a message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rete.nodes.calls import SOUGHT, Outside
from rif.parse_constants import CUSTOMARY
from rif.terms import IRI, parse_canonical
from rif.unparse import Writer
from rif.wellformed import name_of

_LONGEST: Final = 60
"""Characters of an argument that are shown."""
_MOST: Final = 6
"""Arguments that are shown."""


def told(found: Sequence[Outside]) -> Iterator[str]:
    """A line for each built-in: how often, and as an example the shortest call that was kept."""
    writer = Writer(CUSTOMARY)
    for each in found:
        name = name_of(IRI(each.builtin))
        texts = min(each.samples, key=lambda texts: (sum(map(len, texts)), texts))
        shown = [_shown(text, writer) for text in texts[:_MOST]]
        if len(texts) > _MOST:
            shown.append("…")
        yield f"outside the domain: {each.count} × {name}, such as {name}({' '.join(shown)})"


def _shown(text: str, writer: Writer) -> str:
    """A term as it stands in rules; a blank node, which cannot stand there, as in answers."""
    if text == SOUGHT:
        return text
    if len(text) > _LONGEST:
        return text[:_LONGEST] + "…"
    try:
        return writer.constant(parse_canonical(text))
    except ValueError:
        return text
