"""The predicates of times, in data that lack the one that was asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from r4.nearest_name import nearest_name
from r4.stream.elements.segmentation import GRAPH, OBJECT, PREDICATE, SUBJECT
from r4.time.ticks import DATE_TIME_TYPES, DATE_TYPES
from rete.arrays.delta import Column, Rows, distinct
from rete.arrays.term_columns import KIND_BLANK
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD

_SAMPLED: Final = 4096
"""Statements of a call that are looked at, at most."""
_DAY: Final = 3
"""Numbers of a day: a month or a year is rarely the time of an element."""
_MOST: Final = 1 << 16
"""Statements that are looked at in all."""
_DATE_TIME: Final = tuple(f"^^<{datatype}>" for datatype in sorted(DATE_TIME_TYPES))
_DATE: Final = tuple(f"^^<{datatype}>" for datatype, parts in DATE_TYPES.items() if parts == _DAY)
_INTEGER: Final = (f"^^<{XSD}integer>",)


_LOCAL: Final = re.compile(r"([^<>/#:]*)>")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+")
_END_WORDS: Final = frozenset({"end", "ended", "ends", "expires", "expiry", "through", "until"})
"""Words that names of ends have, in vocabularies such as OWL-Time, PROV-O and schema.org."""
_LONGEST: Final = 4
"""Predicates of a path."""


def _paths(timed: Rows, statements: Rows, dictionary: Dictionary) -> list[str]:
    """By row of ``timed`` its predicate, or the path to it if ``statements`` lead to its subject.

    They lead to it if it is a blank node.
    """
    to: dict[int, tuple[int, int]] = {}
    nodes = distinct(timed[:, SUBJECT])
    for _ in range(_LONGEST - 1):
        nodes = nodes[dictionary.kinds(np.maximum(nodes, 0)) == KIND_BLANK]
        led = statements[np.isin(statements[:, OBJECT], nodes)] if len(nodes) else statements[:0]
        to |= {node: (s, p) for s, p, node in led[::-1, :GRAPH].tolist()}
        nodes = distinct(led[:, SUBJECT])
    found: list[str] = []
    for subject, predicate in timed[:, [SUBJECT, PREDICATE]].tolist():
        path, passed = [predicate], [subject]
        while len(path) < _LONGEST and passed[-1] in to:
            node, lead = to[passed[-1]]
            if node in passed:
                break
            passed.append(node)
            path.insert(0, lead)
        found.append("/".join(dictionary.decode_many(np.array(path, np.int64))))
    return found


def _names_end(path: str) -> bool:
    """Whether a step of a path, in brackets, is named as an end is: ``validTo``, ``hasEnd``."""
    for local in _LOCAL.findall(path):
        words = [word.lower() for word in _WORD.findall(local)]
        if not _END_WORDS.isdisjoint(words) or words[-1:] == ["to"]:
            return True
    return False


class TimePredicates:
    """The predicates of dateTimes and of integers, as far as statements were looked at.

    Where the subject is a blank node that others lead to, it is a path, as ``<urn:p>/<urn:q>``.
    """

    __slots__ = ("_dates", "_days", "_looked_at", "_numbers", "_repeated")

    def __init__(self) -> None:
        self._dates: Counter[str] = Counter()
        self._days: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()
        self._repeated: set[str] = set()
        self._looked_at = 0

    def note(self, statements: Rows, dictionary: Dictionary, owner: Column | None = None) -> None:
        """Look at some of ``statements``, (n, 3) and more columns.

        ``owner`` (n,) has their graphs, 0 for the default one; None: times are not compared.
        """
        if self._looked_at >= _MOST or not len(statements):
            return
        step = -(-len(statements) // _SAMPLED)
        some = statements[::step]
        self._looked_at += len(some)
        texts = dictionary.decode_many(np.ascontiguousarray(some[:, OBJECT]))
        for ending, found in (
            (_DATE_TIME, self._dates),
            (_DATE, self._days),
            (_INTEGER, self._numbers),
        ):
            timed = [place for place, text in enumerate(texts) if text.endswith(ending)]
            names = _paths(some[timed], statements, dictionary)
            found.update(names)
            if owner is not None:
                self._note_repeated(names, owner[::step][timed], some[timed, OBJECT])

    def _note_repeated(self, names: Sequence[str], owners: Column, times: Column) -> None:
        seen: dict[tuple[int, str], int] = {}
        for name, owner, time in zip(names, owners.tolist(), times.tolist(), strict=True):
            if owner and seen.setdefault((owner, name), time) != time:
                self._repeated.add(name)

    def is_repeated(self, name: str) -> bool:
        """Whether a predicate, in brackets, has different times in one graph."""
        return name in self._repeated

    def is_known(self, name: str) -> bool:
        """Whether a predicate, in brackets, has times."""
        return any(name in each for each in (self._dates, self._days, self._numbers))

    def likely(self, asked: str) -> str | None:
        """The one that is most likely meant by ``asked``, another one; None: there is none.

        Both are in brackets.

        The one whose name is most like it, else the one that has most dateTimes, else dates, and is
        not named as an end. Integers are mostly values: they count only if the name is alike.
        """
        known = (*self._dates, *self._days, *self._numbers)
        others = [name for name in known if name != asked and not _names_end(name)]
        if near := nearest_name(asked, others):
            return near
        common = (*self._dates.most_common(), *self._days.most_common())
        dates = [name for name, _ in common if name != asked]
        return next((name for name in dates if not _names_end(name)), next(iter(dates), None))

    def likely_end(self, start: str) -> str | None:
        """The predicate or path of ends beside ``start``, by its name; None: there is none."""
        alike = (each for each in (self._dates, self._days, self._numbers) if start in each)
        ends = (name for each in alike for name, _ in each.most_common() if _names_end(name))
        return None if _names_end(start) else next(ends, None)
