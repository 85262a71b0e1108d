"""Numeric constants that stand for their values: which numbers a constant of a pattern matches.

With `--literals constant` a number in a condition matches each term whose value is equal as XPath
compares numbers: both are promoted to the later of their kinds [XPath, B.1]. So decimal ``0.1``
matches the double ``0.1``, and the exact value decides between two decimals. This is not
transitive: a double may match two decimals that differ. NaN, and whatever is no number, matches as
a term.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, distinct
from rete.arrays.state_codec import Mask
from rete.arrays.term_columns import FLOAT, Float64, Int8
from rete.terms.dictionary import Dictionary
from rete.terms.literal_values import value_text
from rif.builtins import BUILTINS
from rif.syntax.terms import IRI, PRED, GroundList, GroundTerm, Literal, parse_canonical
from rif.values.datatypes import Number, NumericClass, numeric_value
from rif.values.decimals import Exact, to_double, to_single

_EQUAL: Final = BUILTINS[PRED + "numeric-equal"].evaluate
_MARK: Final = "= "
NO_NUMBER: Final = IRI("urn:r4:no-number")
"""Where `matches_members` compares terms."""


def number_of(term: GroundTerm) -> Number | None:
    """The number that a term stands for; None: it is no number, or NaN."""
    found = numeric_value(term) if isinstance(term, Literal) else None
    return None if found is None or math.isnan(found[1]) else found


@lru_cache(maxsize=1 << 16)
def number_text(text: str) -> str | None:
    """The constant that matches what the constant ``text`` does; None: ``text`` matches as a term.

    Spellings of one exact value are one constant; floats and doubles are constants of their own.
    """
    return None if constant_number(text) is None else value_text(text)


@lru_cache(maxsize=1 << 16)
def constant_number(text: str) -> Number | None:
    """The same as `number_of`, of the canonical text of a constant."""
    return number_of(parse_canonical(text)) if text.startswith('"') else None


def marked(text: str) -> str:
    """A numeric constant as part of a pattern: no term is written like this."""
    return _MARK + text


def is_marked(text: str) -> bool:
    """Whether a constant of a pattern is a number that stands for its value."""
    return text.startswith(_MARK)


def unmarked(text: str) -> str:
    """The constant itself, and any other term as it is."""
    return text.removeprefix(_MARK)


class NumberIndex:
    """Numeric constants, found by the numbers that they match.

    Attributes:
        texts: the constants, each once.
    """

    __slots__ = ("_by_double", "_by_exact", "_by_single", "_doubles", "_floats", "_near", "texts")

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(dict.fromkeys(texts))
        self._by_exact: dict[Exact, list[str]] = {}
        self._by_double: dict[float, list[tuple[str, NumericClass]]] = {}
        self._floats: dict[float, list[str]] = {}
        for text in self.texts:
            number = constant_number(text)
            assert number is not None
            kind, value = number
            if not isinstance(value, float):
                self._by_exact.setdefault(value, []).append(text)
            elif kind == "float":
                self._floats.setdefault(value, []).append(text)
            self._by_double.setdefault(_as_double(value), []).append((text, kind))
        self._doubles = _sorted(self._by_double)
        near, inf = _sorted(self._floats).astype(np.float32), np.float32(math.inf)
        self._near = np.unique([near, np.nextafter(near, inf), np.nextafter(near, -inf)])
        self._by_single: dict[float, list[str]] | None = None

    def matching(self, number: Number | None) -> list[str]:
        """The constants that match a term that stands for ``number``."""
        if number is None:
            return []
        kind, value = number
        doubles = self._by_double.get(_as_double(value), ())
        if kind == "double":
            return [text for text, _ in doubles]
        if kind == "float":
            assert isinstance(value, float)
            found = [*self._singles.get(value, ())]
        else:
            assert not isinstance(value, float)
            found = [*self._by_exact.get(value, ())]
            found += self._floats.get(to_single(value), ()) if self._floats else ()
        return [*found, *(text for text, other in doubles if other == "double")]

    @property
    def _singles(self) -> dict[float, list[str]]:
        """The constants but doubles, by their values as floats; made once a float is met."""
        if self._by_single is None:
            self._by_single = {}
            for value, texts in self._by_exact.items():
                self._by_single.setdefault(to_single(value), []).extend(texts)
            for single, texts in self._floats.items():
                self._by_single.setdefault(single, []).extend(texts)
        return self._by_single

    def matches(self, ids: Column, terms: Dictionary) -> Iterator[tuple[int, list[str]]]:
        """Each term among ``ids`` that matches constants, once, with these."""
        ids = distinct(ids)
        for term in ids[self.may_match(*terms.numeric(ids))].tolist():
            if found := self.matching(number_of(terms.term(term))):
                yield term, found

    def may_match(self, values: Float64, classes: Int8) -> Mask:
        """Which numbers some constant may match; all others match none.

        ``values`` and ``classes`` are as `rete.terms.dictionary.Dictionary.numeric` gives them. A
        number is rounded to a float once: what is rounded to a double before lies near it.
        """
        is_float = classes == FLOAT
        found: Mask = _among(values, self._doubles)
        if is_float.any():
            found |= is_float & _among(values, _sorted(self._singles))
        if len(self._near):
            with np.errstate(over="ignore"):
                found |= _among(values.astype(np.float32), self._near)
        found &= classes > 0
        return found


def _as_double(value: Exact | float) -> float:
    return value if isinstance(value, float) else to_double(value)


def _sorted(values: Iterable[float]) -> Float64:
    return np.unique(np.fromiter(values, np.float64))


def _among(values: npt.NDArray[np.floating], known: npt.NDArray[np.floating]) -> Mask:
    if not len(known):
        return np.zeros(len(values), np.bool_)
    places = np.minimum(np.searchsorted(known, values), len(known) - 1)
    among: Mask = known[places] == values
    return among


def matches_number(term: GroundTerm, constant: GroundTerm) -> bool:
    """Whether a constant of a condition matches a term: the same term, or an equal number."""
    return term == constant or _EQUAL(term, constant) is True


def matches_members(term: GroundTerm, made: GroundTerm, numbers: GroundTerm) -> bool:
    """Whether a list of a condition, ``made``, matches a term: members that are numbers by value.

    ``numbers`` has the numbers of the condition, and `NO_NUMBER` at all other places, whose members
    must be the same terms.
    """
    if not isinstance(numbers, GroundList):
        return term == made or (numbers != NO_NUMBER and matches_number(term, made))
    if not isinstance(term, GroundList) or not isinstance(made, GroundList):
        return False
    lists = term.items, made.items, numbers.items
    return len(term.items) == len(made.items) and all(map(matches_members, *lists))
