"""What queries over streams have beside SPARQL: names, windows, reports.

RSP-QL writes ``REGISTER RSTREAM <out> AS CONSTRUCT … FROM NAMED WINDOW <w> ON <s> [RANGE PT10M STEP
PT1M] WHERE { WINDOW <w> { … } }``, C-SPARQL ``REGISTER QUERY q AS … FROM STREAM <s> [RANGE 10m STEP
1m]``, CQELS ``STREAM <s> [RANGE 10m] { … }`` in the pattern; a number without a unit is of ticks.
`ContinuousQuery.of` takes that out of the text: blanks stand in its place, and ``GRAPH ?0`` in
place of the first window of a pattern, so that all else is SPARQL 1.1 and stands where it stood.

A window that closes at t has what came in (t − RANGE, t] [RSP-QL]: what R4 calls a Window of that
length, and `DiamondMinus [0 s, RANGE)` says of one triple.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final
from typing import Literal as Choice
from urllib.parse import urljoin

from r4.foreign.errors import NoCounterpart, NotReadable
from r4.foreign.places import Places
from r4.foreign.sparql.tokens import Token, tokens
from rif.errors.base import NOWHERE, Span
from rif.errors.report import shorten
from rif.syntax.lexical import SECONDS
from temporal.intervals.durations import INFINITY, DurationLiteral, in_units

_OUTPUTS: Final = {"RSTREAM": "state", "ISTREAM": "+", "DSTREAM": "-"}
_REGISTERED: Final = frozenset((*_OUTPUTS, "STREAM", "QUERY"))
_XSD: Final = re.compile(
    r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.IGNORECASE
)
_SHORT: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|us|ns|s|m|min|h|d)?", re.IGNORECASE)
_WORDS: Final = re.compile(r"RANGE|STEP|SLIDE|TUMBLING|NOW|ALL", re.IGNORECASE)
_DURATION_HINT: Final = "such as [RANGE PT10M STEP PT1M] or [RANGE 10m STEP 1m]"


@dataclass(frozen=True, slots=True)
class StreamWindow:
    """A window of a stream.

    Attributes:
        name: how patterns call it, or "": it has no name.
        stream: the stream, as it is written.
        length: its RANGE; None: the instant alone.
        step: its STEP; None: it has none.
    """

    name: str
    stream: str
    length: DurationLiteral | None
    step: DurationLiteral | None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ContinuousQuery:
    """A query without what SPARQL does not have.

    Attributes:
        text: a query of SPARQL 1.1, as long as the whole.
        name: what it is registered as, an IRI or a name; "" if it is not.
        output: ``state``, ``+`` or ``-`` for RSTREAM, ISTREAM, DSTREAM; "" if it says none.
        every: how far apart its reports are; None: it does not say.
        windows: those of its FROM.
        asked: by the variable that stands for it in ``text``, the window that a pattern asks.
    """

    text: str
    name: str = ""
    output: Choice["", "state", "+", "-"] = ""
    every: DurationLiteral | None = None
    every_span: Span = NOWHERE
    windows: tuple[StreamWindow, ...] = ()
    asked: dict[str, StreamWindow] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> ContinuousQuery:
        """The query in a text.

        Raises:
            NotReadable: a window or what a query is registered as is not as it has to be.
            NoCounterpart: a window is none of time.
        """
        reader = _Reader(text)
        reader.read()
        steps = [each for each in (*reader.windows, *reader.asked.values()) if each.step]
        every, span = reader.every, reader.every_span
        if every is None and steps:
            least = min(steps, key=lambda each: seconds(each.step) or 0)
            every, span = least.step, least.span
        return cls(
            "".join(reader.characters),
            reader.name,
            reader.output,
            every,
            span,
            tuple(reader.windows),
            reader.asked,
        )


def seconds(duration: DurationLiteral | None) -> Fraction | None:
    """A duration in seconds, a tick as a millisecond; None: there is none, or it has no end."""
    if duration is None or duration.number is None:
        return None
    return duration.number * SECONDS[duration.unit or "ms"]


class _Reader:
    """The tokens of a text, and what was found in them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(tokens(text))
        self._places = Places(text)
        self._at = 0
        self._prefixes: dict[str, str] = {}
        self._base = ""
        self.characters = list(text)
        self.name = ""
        self.output: Choice["", "state", "+", "-"] = ""
        self.every: DurationLiteral | None = None
        self.every_span = NOWHERE
        self.windows: list[StreamWindow] = []
        self.asked: dict[str, StreamWindow] = {}

    def _word(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at].word if at < len(self._tokens) else ""

    def _span(self, begin: int, end: int) -> Span:
        return self._places.span(begin, end)

    def _take(self, due: str) -> Token:
        if self._at >= len(self._tokens):
            message = f"expected {due}, found the end"
            raise NotReadable(message, self._span(len(self._text), len(self._text)))
        self._at += 1
        return self._tokens[self._at - 1]

    def _blank(self, begin: int, end: int, instead: str = "") -> None:
        for at in range(begin, end):
            if self.characters[at] not in "\r\n":
                self.characters[at] = " "
        self.characters[begin : begin + len(instead)] = instead

    def read(self) -> None:
        """All tokens."""
        while self._at < len(self._tokens):
            begin = self._tokens[self._at].begin
            match (self._word(), self._word(1), self._word(2)):
                case ("PREFIX", _, _):
                    self._prefix()
                case ("BASE", _, _):
                    self._at += 1
                    self._base = self._take("an IRI").text.strip("<>")
                case ("REGISTER", kind, _) if kind in _REGISTERED:
                    self._register(begin)
                case ("SELECT" | "CONSTRUCT", kind, _) if kind in _OUTPUTS:
                    token = self._tokens[self._at + 1]
                    self._set_output(kind)
                    self._blank(token.begin, token.end)
                    self._at += 2
                case ("FROM", "NAMED", "WINDOW" | "STREAM"):
                    self._from(begin, 2)
                case ("FROM", "STREAM", _):
                    self._from(begin, 1)
                case ("WINDOW", _, _):
                    self._ask(begin)
                case ("STREAM", _, _):
                    self._at += 1
                    window = self._window("", begin)
                    self._stand_for(window, begin, self._tokens[self._at - 1].end)
                case _:
                    self._at += 1

    def _set_output(self, word: str) -> None:
        match word:
            case "RSTREAM":
                self.output = "state"
            case "ISTREAM":
                self.output = "+"
            case "DSTREAM":
                self.output = "-"

    def _prefix(self) -> None:
        self._at += 1
        name = self._take("a prefix").text
        self._prefixes[name.removesuffix(":")] = self._take("an IRI").text.strip("<>")

    def _register(self, begin: int) -> None:
        """``REGISTER QUERY q COMPUTED EVERY 1m AS``; more words of other dialects are left out."""
        self._set_output(self._word(1))
        self._at += 2
        first = self._take("a name")
        end = first.end
        while self._word() != "AS":
            if self._word() == "EVERY":
                after = self._tokens[self._at].end
                stop = next((x.begin for x in self._tokens[self._at :] if x.word == "AS"), after)
                self.every_span = self._span(after, stop)
                self.every = self._duration(self._text[after:stop].strip(), self.every_span)
            token = self._take("AS")
            if token.word not in {"EVERY", "COMPUTED"} and self.every is None:
                end = token.end
        stop = self._take("AS").end
        self.name = (
            self._iri(first)
            if first.kind in {"iri", "name"}
            else self._text[first.begin : end].strip("\"' ")
        )
        self._blank(begin, stop)

    def _from(self, begin: int, words: int) -> None:
        """``FROM NAMED WINDOW <w> ON <s> […]``, ``FROM STREAM <s> […]``."""
        is_named = self._word(words) == "WINDOW"
        self._at += words + 1
        name = self._iri(self._take("the name of a window")) if is_named else ""
        self._skip_on()
        window = self._window(name, begin)
        self.windows.append(window)
        self._blank(begin, self._tokens[self._at - 1].end)

    def _skip_on(self) -> bool:
        """``ON``, ``ON STREAM``."""
        is_next = self._word() == "ON"
        self._at += is_next
        self._at += is_next and self._word() == "STREAM"
        return is_next

    def _window(self, name: str, begin: int) -> StreamWindow:
        """A stream and its brackets, in either order."""
        stream = ""
        if self._tokens[self._at : self._at + 1] and self._tokens[self._at].text != "[":
            stream = self._iri(self._take("a stream"))
        opened = self._take("[")
        if opened.text != "[":
            message = f"expected [ and a RANGE, found {shorten(opened.text)}"
            raise NotReadable(message, self._span(opened.begin, opened.end), _DURATION_HINT)
        while (closed := self._take("]")).text != "]":
            pass
        if not stream and self._skip_on():
            stream = self._iri(self._take("a stream"))
        span = self._span(opened.begin, closed.end)
        inside = self._text[opened.end : closed.begin]
        length, step = self._brackets(inside, span)
        if not stream:
            message = "a window is of a stream, which is not named here"
            raise NotReadable(message, self._span(begin, closed.end))
        return StreamWindow(name, stream, length, step, span)

    def _brackets(
        self, inside: str, span: Span
    ) -> tuple[DurationLiteral | None, DurationLiteral | None]:
        parts = _WORDS.split(inside)
        words = [word.upper() for word in _WORDS.findall(inside)]
        texts = [part.strip() for part in parts[1:]]
        if parts[0].strip() or not words:
            message = f"[{shorten(inside.strip())}] is no window of time"
            hint = "an aggregate chooses the last of a number: avg last 10{ ?v ?t | … } in RIF"
            raise NoCounterpart(message, span, hint)
        match words, texts:
            case (["NOW"], [""]):
                return None, None
            case (["ALL"], [""]):
                return DurationLiteral(INFINITY), None
            case (["RANGE"], [length]):
                return self._duration(length, span), None
            case (["RANGE", "STEP" | "SLIDE"], [length, step]):
                return self._duration(length, span), self._duration(step, span)
            case (["RANGE", "TUMBLING"], [length, ""]):
                whole = self._duration(length, span)
                return whole, whole
        message = f"[{shorten(inside.strip())}] has no counterpart"
        raise NoCounterpart(message, span, _DURATION_HINT)

    def _duration(self, text: str, span: Span) -> DurationLiteral:
        if short := _SHORT.fullmatch(text):
            unit = (short[2] or "").lower()
            found = DurationLiteral(short[1], "m" if unit == "min" else unit)
        elif (long := _XSD.fullmatch(text.strip('"'))) and any(long.groups()):
            days, hours, minutes, rest = (Fraction(part or 0) for part in long.groups())
            found = in_units(((days * 24 + hours) * 60 + minutes) * 60 + rest)
        else:
            message = f"{shorten(text) or 'nothing'} is no duration"
            raise NotReadable(message, span, _DURATION_HINT)
        if not found.number:
            message = "a window of no length is always empty"
            raise NotReadable(message, span)
        return found

    def _ask(self, begin: int) -> None:
        """``WINDOW <w> {``."""
        self._at += 1
        token = self._take("the name of a window")
        name = self._iri(token)
        window = next((each for each in self.windows if each.name == name), None)
        if window is None:
            message = f"the window {shorten(token.text)} is not declared"
            hint = "add FROM NAMED WINDOW … ON <stream> [RANGE PT10M STEP PT1M] before WHERE"
            raise NotReadable(message, self._span(token.begin, token.end), hint)
        self._stand_for(window, begin, token.end)

    def _stand_for(self, window: StreamWindow, begin: int, end: int) -> None:
        """Put ``GRAPH ?0`` in place of a window in a pattern."""
        name = str(len(self.asked))
        self.asked[name] = window
        self._blank(begin, end, f"GRAPH ?{name}")

    def _iri(self, token: Token) -> str:
        if token.kind == "iri":
            return urljoin(self._base, token.text[1:-1])
        if token.kind == "name":
            prefix, _, local = token.text.partition(":")
            return self._prefixes.get(prefix, f"{prefix}:") + local
        return token.text


def streams_of(windows: Sequence[StreamWindow]) -> Iterator[str]:
    """The streams, each once."""
    yield from dict.fromkeys(each.stream for each in windows)
