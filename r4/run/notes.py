"""Notes about a run: what was left out, late, without effect, or outside of a domain.

Nothing is lost without a count: samples are said as they come, counts at the end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from r4.engine.core import Core
from r4.errors import Counters, Flaw
from r4.time.zone_shift import hours_text
from rete.terms.builtin_calls import UNKNOWN_ARGUMENT, DomainErrors
from rif.builtins import operators
from rif.errors.report import shorten
from rif.syntax.terms import CUSTOMARY_PREFIXES, IRI, display_name, parse_canonical

if TYPE_CHECKING:
    from rif.text.writer import TextWriter

_LONGEST: Final = 60
"""Characters of an argument that are shown."""
_LONGEST_REASON: Final = 200
"""Characters of the last line of an exception that are shown."""
_MOST: Final = 6
"""Arguments that are shown."""
_NUMBER: Final = re.compile(r'"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"')
"""A string that is written as a number is."""
_OPERATORS: Final = frozenset(builtin.name for builtin in operators.BUILTINS)
A_WRONG_CLOCK: Final = (
    "; where a wrong clock gave the stamp that they lie before, --ahead leaves its element out"
)
LONGER_DELAY: Final = "more than the delay behind; with a longer --delay they count"


class RunNotes:
    """Says the faults and counts of a run, line by line.

    Attributes:
        say: called with each line.
    """

    def __init__(self, say: Callable[[str], object]) -> None:
        self.say = say
        self._shown: Counter[str] = Counter()

    def samples(self, counters: Counters) -> None:
        """Say the samples of bad and late data that were not said yet."""
        for code, samples in counters.samples.items():
            for sample in samples[self._shown[code] :]:
                self.say(str(sample))
            self._shown[code] = len(samples)

    def counts(
        self,
        counters: Counters,
        core: Core | None = None,
        *,
        dropped: tuple[int, int] | None = None,
        left_out: int = 0,
        late_advice: str = LONGER_DELAY,
    ) -> bool:
        """Say the counts at the end of a run, but none of 0; whether an input was cut short.

        Args:
            counters: of the data.
            core: what ran, if it ran here.
            dropped: possible answers that were dropped, and how many may be open.
            left_out: answers that the form of output cannot express.
            late_advice: what is said of late elements, as of `advise_late`.
        """
        if parts := [f"{count} × {code}" for code, count in sorted(counters.bad.items())]:
            self.say(f"left out: {', '.join(parts)}")
        if counters.late:
            self.say(f"late: {counters.late} element(s) came {late_advice}")
        if core is not None:
            if count := core.without_effect:
                old = (
                    "" if core.layers.retractable is None else ", or is older than may be retracted"
                )
                self.say(
                    f"without effect: {count} retraction(s) of what is not there, or ended{old}"
                )
            for line in domain_error_lines(core.outside()):
                self.say(line)
        if counters.rounded:
            self.say(f"rounded down to the tick: {counters.rounded} stamp(s)")
        if dropped is not None and dropped[0]:
            self.say(f"dropped: {dropped[0]} possible answers, as more than {dropped[1]} were open")
        if left_out:
            self.say(f"no RDF: {left_out} answer(s), which --as jsonl, parquet or csv can say")
        return counters.bad[Flaw.CUT_SHORT.code] > 0


def advise_late(*, shift: int, is_empty: bool, is_table: bool, is_most: bool) -> str:
    """Advice about late elements.

    Args:
        shift: minutes by which all of them were behind the clock, if that may be a difference of
            zones; else 0.
        is_empty: whether elements have no triples, as these stand apart from their stamps.
        is_table: whether some of them are of a table that could be sorted.
        is_most: whether most elements are late, and nothing bounds how far ahead a stamp may be.
    """
    if is_empty:
        return "more than the delay behind; they have no triples, so no delay helps"
    if shift:
        return (
            f"{hours_text(shift)} behind the clock: a stamp without a zone is UTC; write the zone "
            "behind it, as in 2026-01-31T07:00:00+01:00, or as zone in the mapping of a table"
        )
    if is_table:
        return (
            'more than the delay behind; order = "time" in the mapping of the table sorts its '
            "rows, and with a longer --delay they count"
        )
    return f"{LONGER_DELAY}{A_WRONG_CLOCK if is_most else ''}"


def domain_error_lines(errors: Sequence[DomainErrors]) -> Iterator[str]:
    """A line for each built-in: how often, and as an example the shortest call that was kept.

    Of a function that says why, the example is its first call, with the reason.
    """
    if not errors:
        return
    from rif.text.writer import TextWriter  # noqa: PLC0415 - few runs have such errors

    writer = TextWriter(CUSTOMARY_PREFIXES)
    for each in errors:
        name = display_name(IRI(each.builtin))
        if not each.samples:  # of a group that lost a member
            yield f"outside the domain: {each.count} × {name}"
            continue
        texts = each.samples[0]
        if not each.reason:
            texts = min(each.samples, key=lambda texts: (sum(map(len, texts)), texts))
        shown = [_shown(text, writer) for text in texts[:_MOST]]
        if len(texts) > _MOST:
            shown.append("…")
        hint = _text_hint(texts) if ":numeric-" in name or each.builtin in _OPERATORS else ""
        call = f"{name}({' '.join(shown)})"
        reason = f": {shorten(each.reason, _LONGEST_REASON)}" if each.reason else ""
        yield f"outside the domain: {each.count} × {name}, such as {call}{reason}{hint}"


def _text_hint(texts: Sequence[str]) -> str:
    """A hint how strings become numbers, if an argument is written as a number is."""
    if not any(_NUMBER.fullmatch(text) for text in texts):
        return ""
    return (
        '; a string is no number: datatype = "xsd:decimal" in the mapping of a table, or '
        "^^xsd:decimal in RDF, makes it one"
    )


def _shown(text: str, writer: TextWriter) -> str:
    """A term as it stands in rules; a blank node, which cannot stand there, as in answers."""
    if text == UNKNOWN_ARGUMENT:
        return text
    if len(text) > _LONGEST:
        return text[:_LONGEST] + "…"
    try:
        return writer.constant(parse_canonical(text))
    except ValueError:
        return text
