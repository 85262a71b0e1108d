"""Terms that look alike and are two: of another datatype or language, in capitals, misspelt."""

from __future__ import annotations

from collections.abc import Iterable

from r4.nearest_name import nearest_name
from rif.errors.nearest import nearest_word


def alike(asked: str, texts: Iterable[str]) -> str | None:
    """The text that is most like ``asked``, all canonical; None: none is.

    ``"1"^^xsd:integer`` is most like another ``"1"``, then like what differs in capitals alone,
    then like what is spelt almost the same. Linear, and slower where all are spelt otherwise.
    """
    others = [text for text in texts if text != asked]
    lexical = lexical_form(asked)
    for key in (lexical_form, _folded):
        wanted = key(asked)
        found = sorted(text for text in others if key(text) == wanted)
        if found:
            return found[0]
    if asked.startswith("<"):
        return nearest_name(asked, others)
    by_form = {lexical_form(text): text for text in sorted(others, reverse=True)}
    near = nearest_word(lexical, by_form) if len(lexical) > 1 else None
    return None if near is None else by_form[near]


def lexical_form(text: str) -> str:
    """The characters of a literal, or an IRI without its brackets."""
    if text.startswith('"'):
        return text[1 : text.rfind('"')]
    return text.removeprefix("<").removesuffix(">")


def _folded(text: str) -> str:
    return lexical_form(text).strip().casefold()
