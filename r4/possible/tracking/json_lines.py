"""Status reports as JSON lines, one object a line."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from json.encoder import encode_basestring as quoted

from r4.possible.tracking.possible_answers import (
    AnswerFact,
    RetractedEvidence,
    StatusReport,
    Triple,
    WithdrawalReason,
)
from r4.time.ticks import StampFormat, Tick
from temporal.ranking.arrival_probability import format_confidence


class PossibleJsonLines:
    """Renders status reports, keys in a fixed order; escapes as `r4.sinks.json_lines.JsonLines`."""

    def __init__(self, clock: StampFormat) -> None:
        self._clock = clock

    def render(self, reports: Iterable[StatusReport]) -> bytes:
        """The lines in UTF-8, each with its line break."""
        return "".join(map(self._line, reports)).encode()

    def _line(self, report: StatusReport) -> str:
        known = report.possible
        evidence = ",".join(
            f'{{{_terms(each.triple)},"from":{self._time(each.start)},'
            f'"until":{self._time(each.until)}}}'
            for each in known.evidence
        )
        missing = ",".join(
            f'{{{_terms(each.triple)},"until":{self._time(each.until)}}}'
            for each in known.hypotheses
        )
        tests = ",".join(map(quoted, known.tests))
        return (
            f'{{"status":"{report.status.name.lower()}","at":{self._time(report.at)},'
            f'{_fact(known.fact)},"evidence":[{evidence}],"hypotheses":[{missing}],'
            f'"tests":[{tests}],"deadline":{self._time(known.deadline)},'
            f'"because":{_reason(report.reason)},"rule":{_rule(known.rule)}'
            f"{_confidence(known.confidence)}}}\n"
        )

    def _time(self, tick: Tick | None) -> str:
        if tick is None:
            return "null"
        text = self._clock.text(tick)
        return text if self._clock.layout[0] == 0 else f'"{text}"'


def _rule(rule: str | int) -> str:
    return quoted(rule) if isinstance(rule, str) else str(rule)


def _confidence(confidence: Fraction | None) -> str:
    return "" if confidence is None else f',"confidence":{format_confidence(confidence)}'


def _terms(triple: Triple) -> str:
    s, p, o = map(quoted, triple)
    return f'"s":{s},"p":{p},"o":{o}'


def _fact(fact: AnswerFact) -> str:
    if fact.triple is not None:
        return _terms(fact.triple)
    return '"error":true' if fact.is_error else f'"atom":{quoted(fact.atom)}'


def _reason(reason: WithdrawalReason) -> str:
    match reason:
        case None:
            return "null"
        case str():
            return quoted(reason)
        case RetractedEvidence(triple=triple):
            return f'{{"retracted":{{{_terms(triple)}}}}}'
    return f"{{{_terms(reason)}}}"
