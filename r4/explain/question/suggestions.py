"""Which known IRIs may be meant by one that occurs nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rete.arrays.term_columns import TOP
from rete.terms.dictionary import Dictionary
from rif.errors.nearest import nearest_words
from rif.syntax.iri import local_name

_MAX_TERMS: Final = 50_000
"""So many terms are compared, the oldest: those of rules and of static data come first."""
_LIKE: Final = 0.75
_SHOWN: Final = 3


def unknown_iris(terms: Dictionary, texts: Sequence[str]) -> tuple[str, ...]:
    """Which of ``texts`` are IRIs that ``terms`` does not have; call it before they are encoded."""
    return tuple(
        text for text in dict.fromkeys(texts) if text.startswith("<") and not terms.lookup(text)
    )


def suggest(terms: Dictionary, text: str) -> tuple[str, ...]:
    """IRIs whose last part is like that of ``text``."""
    parts: dict[str, list[str]] = {}
    for iri in _iris(terms):
        if iri != text:
            parts.setdefault(_part(iri), []).append(iri)
    close = nearest_words(_part(text), parts, _SHOWN, _LIKE)
    return tuple(iri for part in close for iri in parts[part])[:_SHOWN]


def _part(iri: str) -> str:
    return local_name(iri.strip("<>").rstrip("#/:")).lower()


def _iris(terms: Dictionary) -> Iterator[str]:
    for number in range(1, min(int(terms.texts.state[TOP]), _MAX_TERMS)):
        try:
            text = terms.decode(number)
        except KeyError:  # forgotten
            continue
        if text.startswith("<"):
            yield text
