"""Status reports as JSON lines, one object a line, made in columns."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from json.encoder import encode_basestring as quoted
from typing import Final, TypeAlias

import numpy as np

from r4.time.ticks import StampFormat
from rete.arrays.delta import NEG_INF, POS_INF, Column, columns
from rete.terms.relations import TRIPLES
from temporal.hypothetical.ranking.arrival_probability import format_confidence
from temporal.hypothetical.rif_rules.reports.row_lists import Texts, TripleLists
from temporal.hypothetical.rif_rules.reports.status_reports import (
    NEEDLESS,
    NO_REASON,
    NOT_ARRIVED,
    RETRACTED,
    WITHOUT_EVIDENCE,
    Status,
    StatusReports,
)

_SLOT: Final = "\0"
"""Stands for a text in the form of a line; JSON strings have none, as they escape it."""
_TRIPLE: Final = f'"s":{_SLOT},"p":{_SLOT},"o":{_SLOT}'
_EVIDENCE: Final = f'{{{_TRIPLE},"from":{_SLOT},"until":{_SLOT}}}'
_MISSING: Final = f'{{{_TRIPLE},"until":{_SLOT}}}'
_Layout: TypeAlias = tuple[int, ...]
"""Of a line its status, the number of the relation, two lengths of lists, the kind of reason."""


class PossibleJsonLines:
    """Renders status reports, keys in a fixed order; escapes as `r4.sinks.json_lines.JsonLines`."""

    def __init__(self, clock: StampFormat) -> None:
        self._clock = clock

    def lines(self, reports: StatusReports) -> list[str]:
        """The lines, each with its line break."""
        out: Texts = np.empty(len(reports), object)
        counts = reports.lists.evidence.counts, reports.lists.missing.counts
        layouts = reports.status, reports.facts[:, 0], *counts, reports.reasons[:, 0]
        groups: dict[_Layout, list[int]] = {}
        for row, layout in enumerate(zip(*(each.tolist() for each in layouts), strict=True)):
            groups.setdefault(layout, []).append(row)
        for layout, rows in groups.items():
            out[rows] = self._lines(reports, columns(rows), layout)
        lines: list[str] = out.tolist()
        return lines

    def _lines(self, reports: StatusReports, rows: Column, layout: _Layout) -> list[str]:
        """The lines of ``rows``, whose parts are alike."""
        status, relation, evidence, missing, reason = layout
        lists = reports.lists
        head = f'{{"status":"{Status(status).name.lower()}","at":{_SLOT},'
        slots = [self._times(reports.at[rows] * 2)]
        if reports.relations[relation] == TRIPLES:
            fact = _TRIPLE
            slots += lists.ranks.quoted.take(reports.facts[rows, 1:4].T).tolist()
        else:
            facts = reports.facts_at(rows.tolist())
            fact = _SLOT
            slots.append(
                ['"error":true' if e.is_error else f'"atom":{quoted(e.atom)}' for e in facts]
            )
        for counted, each, times in ((evidence, lists.evidence, 2), (missing, lists.missing, 1)):
            slots += self._triples(reports, each, rows, counted, times)
        slots.append([",".join(map(quoted, each)) for each in lists.tests[rows].tolist()])
        slots.append(self._times(lists.deadlines[rows]))
        because = "null"
        if reason in {NOT_ARRIVED, RETRACTED}:
            because = (
                f"{{{_TRIPLE}}}" if reason == NOT_ARRIVED else f'{{"retracted":{{{_TRIPLE}}}}}'
            )
            slots += lists.ranks.quoted.take(reports.reasons[rows, 1:].T).tolist()
        elif reason != NO_REASON:
            text = WITHOUT_EVIDENCE if reason == NEEDLESS else reports.text
            because = quoted(text)
        labels = [quoted(e) if isinstance(e, str) else str(e) for e in reports.labels]
        slots.append([labels[rule - 1] for rule in reports.rules[rows].tolist()])
        confidence = ""
        if reports.confidences is not None:
            confidence = f',"confidence":{_SLOT}'
            slots.append([format_confidence(reports.confidences[row]) for row in rows.tolist()])
        form = (
            f'{head}{fact},"evidence":[{",".join([_EVIDENCE] * evidence)}],'
            f'"hypotheses":[{",".join([_MISSING] * missing)}],"tests":[{_SLOT}],'
            f'"deadline":{_SLOT},"because":{because},"rule":{_SLOT}{confidence}}}\n'
        )
        first, *others = form.split(_SLOT)
        parts: list[Iterable[str]] = [repeat(first, len(rows))]
        for slot, text in zip(slots, others, strict=True):
            parts += slot, repeat(text, len(rows))
        return [*map("".join, zip(*parts, strict=True))]

    def _triples(
        self, reports: StatusReports, lists: TripleLists, rows: Column, count: int, times: int
    ) -> list[list[str]]:
        """Per place of a list the texts of its terms, and of so many times."""
        found: Texts = np.empty((count, 3 + times, len(rows)), object)
        terms = lists.terms.take(rows, axis=0)[:, :count]
        found[:, :3] = reports.lists.ranks.quoted.take(terms.transpose(1, 2, 0))
        cells = lists.times.take(rows, axis=0)[:, :count, :times].transpose(1, 2, 0)
        found[:, 3:] = np.array(self._times(cells), object).reshape(cells.shape)
        texts: list[list[str]] = found.reshape(-1, len(rows)).tolist()
        return texts

    def _times(self, cells: Column) -> list[str]:
        listed = cells.ravel().tolist()
        texts = {cell: self._time(cell) for cell in {*listed}}
        return [texts[cell] for cell in listed]

    def _time(self, cell: int) -> str:
        if cell <= NEG_INF or cell >= POS_INF:
            return "null"
        text = self._clock.text(cell >> 1)
        return text if self._clock.layout[0] == 0 else f'"{text}"'
