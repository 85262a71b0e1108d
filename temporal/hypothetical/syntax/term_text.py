"""Constants as they are written in atoms and in JSON, looked up once by id."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from json.encoder import encode_basestring

import numpy as np

from rete.arrays.delta import Column
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import Literal
from temporal.text.writer import write_constant


class TextForm(IntEnum):
    """How a thing is written."""

    PLAIN = 0
    """In an atom."""
    INSIDE = 1
    """In an atom that stands within a JSON string."""
    APART = 2
    """By itself, as a JSON string."""


class TermTexts:
    """How things are written, by id, looked up once for as long as ids mean the same."""

    __slots__ = ("_known", "_terms")

    def __init__(self, terms: Dictionary) -> None:
        self._terms = terms
        self._known: tuple[dict[int, str], ...] = ({}, {}, {})

    def column(self, ids: Column, form: TextForm) -> list[str]:
        """How many are written."""
        known, listed = self._known[form], ids.tolist()
        for thing in {*listed}.difference(known):  # not `-`: that costs all that is known
            self._learn(thing)
        return [known[thing] for thing in listed]

    def of(self, thing: int, form: TextForm) -> str:
        """How one is written."""
        if thing not in self._known[form]:
            self._learn(thing)
        return self._known[form][thing]

    def forget(self) -> None:
        """Ids may mean something else from now on."""
        self._known = ({}, {}, {})

    def _learn(self, thing: int) -> None:
        term = self._terms.term(thing)
        assert isinstance(term, Literal)
        plain = write_constant(term.lexical)
        forms = plain, escape_json(plain), quote_json(term.lexical)
        for known, text in zip(self._known, forms, strict=True):
            known[thing] = text


def text_ranks(texts: Sequence[str]) -> Column:
    """The position of each of some distinct texts in their order."""
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def quote_json(text: str) -> str:
    """A text as a JSON string."""
    return encode_basestring(text)


def escape_json(text: str) -> str:
    """A text as it stands within one."""
    return quote_json(text)[1:-1]
