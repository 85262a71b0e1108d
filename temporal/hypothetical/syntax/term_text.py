"""Constants as they are written in atoms and in JSON, looked up once by id."""

from __future__ import annotations

from enum import IntEnum
from json.encoder import encode_basestring as quote_json

from rete.arrays.delta import Column
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import Literal
from temporal.text.writer import write_constant


class TextForm(IntEnum):
    """The forms of the text of an object term."""

    PLAIN = 0
    """In an atom."""
    INSIDE = 1
    """In an atom that stands within a JSON string."""
    APART = 2
    """By itself, as a JSON string."""


class TermTexts:
    """Texts of object terms by id, looked up once for as long as ids mean the same."""

    __slots__ = ("_sweeps", "_terms", "_texts")

    def __init__(self, terms: Dictionary) -> None:
        self._terms = terms
        self._sweeps = -1
        self._texts: tuple[dict[int, str], ...] = ()

    def column(self, ids: Column, form: TextForm) -> list[str]:
        """The texts of a column of ids."""
        if self._sweeps < self._terms.sweeps:
            self._texts, self._sweeps = ({}, {}, {}), self._terms.sweeps
        cache, listed = self._texts[form], ids.tolist()
        for term_id in {*listed}.difference(cache):  # not `-`: that would copy all texts
            self._add(term_id)
        return [cache[term_id] for term_id in listed]

    def _add(self, term_id: int) -> None:
        term = self._terms.term(term_id)
        assert isinstance(term, Literal)
        plain = write_constant(term.lexical)
        forms = plain, escape_json(plain), quote_json(term.lexical)
        for cache, text in zip(self._texts, forms, strict=True):
            cache[term_id] = text


def escape_json(text: str) -> str:
    """A text as it stands within a JSON string."""
    return quote_json(text)[1:-1]
