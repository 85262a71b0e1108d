"""The windows of a query as R4 has them: a Window of the document, or operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from r4.foreign.errors import SaidByOption
from r4.foreign.sparql.continuous import ContinuousQuery, StreamWindow, seconds, streams_of
from r4.foreign.sparql.patterns import WindowContent
from rif.errors.base import RuleError
from rif.syntax import ast
from temporal.intervals.durations import INFINITY, DurationLiteral, Durations
from temporal.metric_rif.syntax import make_range
from temporal.mtl.ast import DiamondMinus

_NOW = DurationLiteral("0", "s")


@dataclass(frozen=True, slots=True)
class QueryWindows:
    """What windows a query has.

    Attributes:
        document: the Window of the document; None: it has none.
        content: by the variable that stands for a window in the pattern, what is true of a triple.
        warnings: what R4 does otherwise.
    """

    document: ast.Window | None = None
    content: Mapping[str, WindowContent] = field(default_factory=dict)
    warnings: tuple[RuleError, ...] = ()


def windows_of(query: ContinuousQuery) -> QueryWindows:
    """One Window, if all are as long; else operators for each that a pattern asks."""
    every = [*query.windows, *query.asked.values()]
    lengths = dict.fromkeys(each.length for each in every)
    warnings = tuple(_warnings(query))
    (first, *others) = lengths or [None]
    if every and not others and first is not None and first.amount != INFINITY:
        window = ast.Window(first.amount, first.unit, span=every[0].span)
        return QueryWindows(window, dict.fromkeys(query.asked, WindowContent()), warnings)
    if query.windows and not query.asked:
        longest = max(query.windows, key=lambda each: seconds(each.length) or 0)
        assert longest.length is not None
        window = ast.Window(longest.length.amount, longest.length.unit, span=longest.span)
        return QueryWindows(window, {}, warnings)
    content = {name: _content(window) for name, window in query.asked.items()}
    return QueryWindows(None, content, warnings)


def _content(window: StreamWindow) -> WindowContent:
    rho = _range(window)
    return WindowContent(str(rho), partial(_within, rho))


def _within(rho: Durations, formula: ast.Formula) -> ast.Formula:
    return DiamondMinus(rho, formula)


def _range(window: StreamWindow) -> Durations:
    """The distances, back from the close of a window, of what is in it."""
    return make_range(
        _NOW,
        window.length or _NOW,
        window.span,
        left_closed=True,
        right_closed=window.length is None,
    )


def _warnings(query: ContinuousQuery) -> Iterator[RuleError]:
    if query.every is not None:
        message = f"the query reports every {query.every}"
        hint = f"r4 run does so, unless --every says otherwise; Engine(every={str(query.every)!r})"
        yield SaidByOption(message, query.every_span, hint)
    lengths = {each.length for each in query.windows}
    if query.windows and not query.asked and len(lengths) > 1:
        message = "the streams have windows of several lengths, the rules the longest of them"
        hint = "give each its own: --window FILE=DURATION"
        yield SaidByOption(message, query.windows[0].span, hint)
    elif query.asked and len(list(streams_of(list(query.asked.values())))) > 1:
        message = "a window has what all streams say, and these windows are of several"
        hint = "tell streams apart by what their triples say"
        yield SaidByOption(message, next(iter(query.asked.values())).span, hint)
