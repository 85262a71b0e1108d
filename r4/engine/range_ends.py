"""The ends of ranges that static data give a core: they are known once all of these are in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from r4.program.program import Program
from r4.program.range_ends import RANGE_END, EndValues, NewRangeEnd, RangeEndsRefused
from r4.time.ticks import Kind, StampFormat
from rete.arrays.delta import Rows, distinct
from rete.arrays.state_codec import Mask, State, StateReader
from rete.terms.builtin_calls import DomainErrors
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES
from rif.errors.report import RuleErrors
from temporal.metric_rif.range_ends import EndPattern


class RangeEnds:
    """What static data say of the variables of a program that end ranges.

    Until they are known it keeps the static triples: networks with these ends get them anew.
    """

    def __init__(self, program: Program, terms: Dictionary) -> None:
        """Begin, with no static data."""
        self._patterns = () if program.open_ends is None else program.open_ends.patterns
        self._terms = terms
        self._static: list[Rows] = []
        self._values: EndValues | None = None

    @property
    def _is_open(self) -> bool:
        return bool(self._patterns) and self._values is None

    def note(self, rows: Rows) -> None:
        """Note triples, (n, 3), that always hold."""
        if self._is_open:
            self._static.append(rows)

    def close(self, program: Program, derived: Rows | None) -> Program:
        """The program with what static data say; ``derived``: with what follows from them.

        Raises:
            RangeEndsRefused: it cannot be compiled so.
        """
        rows = np.concatenate([np.empty((0, 3), np.int64), *self._static])
        if derived is not None:
            rows = np.concatenate((rows, derived[:, :3]))
        facts = [(fact.relation, fact.texts) for fact in program.facts]
        terms = {}
        for pattern in self._patterns:
            found = {
                texts[pattern.place]
                for relation, texts in facts
                if relation == pattern.relation
                and (relation != TRIPLES or texts[1] == pattern.predicate)
            }
            terms[pattern] = tuple(sorted(found.union(self._texts(pattern, rows))))
        clock = self._terms.clock
        kind = clock.kind if isinstance(clock, StampFormat) else None
        return self._closed(program, EndValues(terms, kind))

    def _closed(self, program: Program, values: EndValues) -> Program:
        assert program.open_ends is not None
        try:
            closed = program.open_ends.close(values)
        except RuleErrors as errors:
            message = f"static data give ranges right ends with which rules do not run: {errors}"
            raise RangeEndsRefused(message) from None
        self._values = values
        return replace(closed, unites=program.unites)

    def _texts(self, pattern: EndPattern, rows: Rows) -> list[str]:
        """The terms that triples have in the place of a pattern."""
        predicate = self._terms.lookup(pattern.predicate) if pattern.predicate else 0
        if pattern.relation != TRIPLES or not predicate:
            return []
        found = rows[rows[:, 1] == predicate, pattern.place]
        return self._terms.decode_many(distinct(found))

    def take_static(self) -> list[Rows]:
        """The static triples, which it keeps no longer."""
        rows, self._static = self._static, []
        return rows

    def check(self, rows: Rows) -> None:
        """Refuse triples, (n, 3), with a value that no range was closed with.

        Raises:
            NewRangeEnd: there is one.
        """
        if self._values is None:
            return
        for pattern, known in self._values.terms.items():
            for text in self._texts(pattern, rows):
                if text not in known:
                    raise NewRangeEnd(text, pattern.predicate)

    def outside(self) -> Iterator[DomainErrors]:
        """The values that are no length of a range."""
        found = sorted(self._values.outside) if self._values is not None else []
        if found:
            errors = DomainErrors(RANGE_END, len(found))
            errors.sample((text,) for text in found)
            yield errors

    def saved(self) -> State:
        """As ``range_ends`` what ends ranges, or the static data so far; {}: no variable does."""
        if not self._patterns:
            return {}
        if self._values is None:
            rows = np.concatenate([np.empty((0, 3), np.int64), *self._static])
            return {"range_ends": {"static": rows, "terms": None}}
        terms: list[State] = [{"texts": each} for each in self._values.terms.values()]
        kind = self._values.kind
        values: State = {"terms": terms, "kind": None if kind is None else int(kind)}
        return {"range_ends": {"static": None, **values}}

    def rebuilt(self, program: Program, saved: StateReader | None) -> Program:
        """The program with the ends that were saved, if they were known.

        Raises:
            ValueError: no core can have saved it.
        """
        if saved is None or program.open_ends is None or "terms" not in saved:
            return program
        parts = saved.parts("terms", len(self._patterns))
        terms = {
            pattern: part.texts("texts")
            for pattern, part in zip(self._patterns, parts, strict=True)
        }
        kind = Kind(saved.integer("kind", 0, max(Kind))) if "kind" in saved else None
        return self._closed(program, EndValues(terms, kind))

    def restore(self, saved: StateReader | None, alive: Mask) -> None:
        """Keep the static data that were saved, if ends were not known."""
        if saved is not None and "static" in saved:
            rows = saved.array("static", np.int64, None, 3)
            saved.living("static", rows, alive)
            self._static = [rows]
