"""Status reports as JSON lines, one object a line, made in columns."""

from __future__ import annotations

from json.encoder import encode_basestring as quoted
from typing import Final

import numpy as np

from r4.time.ticks import StampFormat
from rete.arrays.delta import NEG_INF, POS_INF, Column
from rete.terms.relations import TRIPLES
from temporal.hypothetical.ranking.arrival_probability import format_confidence
from temporal.hypothetical.rif_rules.reports.possible_answers import Status
from temporal.hypothetical.rif_rules.reports.row_lists import Texts, TripleLists
from temporal.hypothetical.rif_rules.reports.status_reports import (
    NO_REASON,
    NOT_ARRIVED,
    RETRACTED,
    StatusReports,
)

_TRIPLE: Final = '"s":%s,"p":%s,"o":%s'
_EVIDENCE: Final = f'{{{_TRIPLE},"from":%s,"until":%s}}'
_MISSING: Final = f'{{{_TRIPLE},"until":%s}}'


class PossibleJsonLines:
    """Renders status reports, keys in a fixed order; escapes as `r4.sinks.json_lines.JsonLines`."""

    def __init__(self, clock: StampFormat) -> None:
        self._clock = clock

    def render(self, reports: StatusReports) -> bytes:
        """The lines in UTF-8, each with its line break."""
        out: Texts = np.empty(len(reports), object)
        lists = reports.lists
        relation = reports.facts[:, 0]
        counts = lists.evidence.counts, lists.missing.counts
        layouts = np.column_stack([reports.status, relation, *counts, reports.reasons[:, 0]])
        order = np.lexsort(layouts.T)
        changes = np.flatnonzero((np.diff(layouts[order], axis=0) != 0).any(axis=1)) + 1
        for rows in np.split(order, changes):
            if len(rows):
                out[rows] = self._lines(reports, rows, layouts[rows[0]].tolist())
        return "".join(out.tolist()).encode()

    def _lines(self, reports: StatusReports, rows: Column, layout: list[int]) -> list[str]:
        """The lines of ``rows``, whose parts are alike."""
        status, relation, evidence, missing, reason = layout
        lists = reports.lists
        head = f'{{"status":"{Status(status).name.lower()}","at":{self._time(reports.at * 2)},'
        slots: list[Texts] = []
        if reports.relations[relation] == TRIPLES:
            fact = _TRIPLE
            slots.extend(lists.ranks.quoted[reports.facts[rows, 1:4]].T)
        else:
            facts = reports.facts_at(rows.tolist())
            fact = "%s"
            texts = ['"error":true' if e.is_error else f'"atom":{quoted(e.atom)}' for e in facts]
            slots.append(np.array(texts, object))
        for counted, each, times in ((evidence, lists.evidence, 2), (missing, lists.missing, 1)):
            slots += self._triples(reports, each, rows, counted, times)
        slots.append(np.array([",".join(map(quoted, e)) for e in lists.tests[rows]], object))
        slots.append(self._times(lists.deadlines[rows]))
        because = "null"
        if reason in {NOT_ARRIVED, RETRACTED}:
            because = (
                f"{{{_TRIPLE}}}" if reason == NOT_ARRIVED else f'{{"retracted":{{{_TRIPLE}}}}}'
            )
            slots.extend(lists.ranks.quoted[reports.reasons[rows, 1:]].T)
        elif reason != NO_REASON:
            because = quoted(reports.text).replace("%", "%%")
        labels = [quoted(e) if isinstance(e, str) else str(e) for e in reports.labels]
        slots.append(np.array(labels, object)[reports.rules[rows] - 1])
        confidence = ""
        if reports.confidences is not None:
            confidence = ',"confidence":%s'
            texts = [format_confidence(reports.confidences[row]) for row in rows.tolist()]
            slots.append(np.array(texts, object))
        form = (
            f'{head.replace("%", "%%")}{fact},"evidence":[{",".join([_EVIDENCE] * evidence)}],'
            f'"hypotheses":[{",".join([_MISSING] * missing)}],"tests":[%s],"deadline":%s,'
            f'"because":{because},"rule":%s{confidence}}}\n'
        )
        return [form % line for line in zip(*(slot.tolist() for slot in slots), strict=True)]

    def _triples(
        self, reports: StatusReports, lists: TripleLists, rows: Column, count: int, times: int
    ) -> list[Texts]:
        """Per place of a list the texts of its terms, and of so many times."""
        found: list[Texts] = []
        for place in range(count):
            found.extend(reports.lists.ranks.quoted[lists.terms[rows, place]].T)
            found += (self._times(lists.times[rows, place, each]) for each in range(times))
        return found

    def _times(self, cells: Column) -> Texts:
        listed = cells.tolist()
        texts = {cell: self._time(cell) for cell in {*listed}}
        return np.array([texts[cell] for cell in listed], object)

    def _time(self, cell: int) -> str:
        if cell <= NEG_INF or cell >= POS_INF:
            return "null"
        text = self._clock.text(cell >> 1)
        return text if self._clock.layout[0] == 0 else f'"{text}"'
