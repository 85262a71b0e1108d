"""Calls that change what an engine knows: made, recorded, and made again."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from functools import partial
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from r4.api.run.engine_run import UNNAMED, AwaitedGraph, EngineRun, Texts
from r4.api.run.rulebook import Rulebook, check_type
from r4.api.values.change import Change
from r4.api.values.event_clock import Admission, Instant, plain_instant
from r4.api.values.graph_terms import Triples, plain_lines
from r4.language import LANGUAGE
from r4.run.driver import MOST
from r4.run.run_bounds import MemoryFull
from r4.state.errors import StateError
from r4.state.journal.records import CLOCK_MOVE, GRAPH_CALL
from rete.inference.errors import LimitReached
from rete.whole_calls import WholeCalls
from rif.errors.report import RuleErrors
from rif.syntax.ast import Document

if TYPE_CHECKING:
    from r4.api.state.engine_state import EngineState
    from r4.api.values.mapped_rows import Row
    from r4.api.values.term_texts import Statements

_Result = TypeVar("_Result")
_Item = TypeVar("_Item")
_Argument: TypeAlias = "Triples | Instant | str | bool | None"


class EngineCalls:
    """Passes calls on to a run; where there is a state, each is recorded once it was made.

    Terms are canonical texts where there is a state, and rules are texts. What is recorded is what
    the run was given: arguments are made plain before. A call that raises has no effect, and is not
    recorded; but one that ends the input does so even if there is no end to what is derived. After
    a call that was cut short, nobody knows where, none is made any more.

    Attributes:
        state: where they are recorded; None: nowhere.
        whole: the context of each call.
    """

    def __init__(self, run: EngineRun, rulebook: Rulebook) -> None:
        self.state: EngineState | None = None
        self.whole = WholeCalls(*_REFUSALS)
        self._run = run
        self._rulebook = rulebook

    def add_static(self, data: Triples) -> None:
        """As of `EngineRun`; so are the others."""
        self._make(lambda: self._run.add_static(data), "add_static", data)

    def remove_static(self, data: Triples) -> int:
        """End static triples; how many there were."""
        return self._make(lambda: self._run.remove_static(data), "remove_static", data)

    def add(
        self, data: Triples | str, at: Instant, until: Instant | None, name: str | None
    ) -> Admission:
        """Assert an element; whether it counts."""
        begin, name = plain_instant(at), _name(name)
        end = None if until is None else plain_instant(until)
        return self._make(
            lambda: self._run.add(data, begin, end, name), "add", data, begin, end, name
        )

    def add_rows(
        self, data: Statements | Row, at: Instant, until: Instant | None, name: str | None
    ) -> Admission | None:
        """Assert a short element row by row; None: `add` has to."""
        run = self._run
        if type(data) is not str:
            text = plain_lines(data) if run.takes_rows else None
            if text is None:
                return None
            data = text
        name = name if name is None else _name(name)
        if self.state is None:
            with run.lock, self.whole:
                return run.add_rows(data, at, until, name)
        self.whole.check()
        begin, end = plain_instant(at), None if until is None else plain_instant(until)
        with run.lock:
            add = partial(run.add_rows, data, begin, end, name)
            return self._make(add, "add", data, begin, end, name)

    def retract(self, data: Triples | None, name: str | None, at: Instant | None) -> int:
        """Retract elements, or some of their triples; how many facts they were."""
        name, when = _name(name), None if at is None else plain_instant(at)
        return self._make(lambda: self._run.retract(data, name, when), "retract", data, name, when)

    def advance(self, to: Instant) -> None:
        """Move event time."""
        when = plain_instant(to)
        self._make(lambda: self._run.advance(when), "advance", when)

    def heartbeat(self, at: Instant) -> None:
        """Let event time come to ``at``."""
        when = plain_instant(at)
        self._make(lambda: self._run.heartbeat(when), "heartbeat", when)

    def move_clock(self, at: Instant) -> None:
        """The same by a clock: it is recorded if time moves, and does not count as a call."""
        when, event_clock = plain_instant(at), self._run.event_clock
        event_clock.check_open()
        if event_clock.stamp(when).tick > event_clock.last:
            self._make(lambda: self._run.heartbeat(when, by_clock=True), CLOCK_MOVE, when)

    def finish(self, drain: str | None) -> None:
        """End the input."""
        self._make(lambda: self._run.finish(drain), "finish", drain)

    def drop_rules(self, rule: str | int) -> int:
        """Drop rules; how many they were."""
        plain = _rule(rule)
        return self._make(lambda: self._run.drop(plain), "drop_rules", plain)

    def add_rules(self, rules: str | Path | Document, name: str) -> None:
        """Compile rules, and add them to those that run; `ValueError` if no text records them."""
        name = str(rules if isinstance(rules, Path) else name)
        if self.state is None:
            with self.whole:
                self._join(rules, name)
            return
        text = _rules_text(rules, name)
        self._make(lambda: self._join(text, name), "add_rules", text, name)

    def _join(self, rules: str | Path | Document, name: str) -> None:
        self._run.event_clock.check_open()
        self._run.close_ranges()
        core = self._run.core
        kept = core.lookback if core.keeps else math.inf
        self._run.join(self._rulebook.compile_added(rules, name, core.program, kept))
        if self._rulebook.may_not_end:
            core.limit_endless(MOST)

    def graph_follow(self, number: int, is_static: bool) -> None:  # noqa: FBT001 - as recorded
        """A graph is followed from now on: the one of that number, from 0, in their order."""
        self._make(lambda: None, "graph_follow", number, is_static)

    def graph_add(self, number: int, data: Texts, at: Instant) -> None:
        """A graph that is followed has more triples."""
        when, name = plain_instant(at), _graph_name(number)
        self._make(lambda: self._run.add(data, when, None, name), "graph_add", number, data, when)

    def graph_retract(self, number: int, data: Texts, at: Instant) -> None:
        """A graph that is followed lacks triples."""
        when, name = plain_instant(at), _graph_name(number)
        self._make(
            lambda: self._run.retract(data, name, when, late=True),
            *("graph_retract", number, data, when),
        )

    def graph_add_static(self, number: int, data: Texts, new: Texts) -> None:
        """A static graph has more triples, of which some are ``new``: no other has them."""
        self._make(
            lambda: self._run.add_static(new) if new else None,
            *("graph_add_static", number, data, new),
        )

    def graph_end_static(self, number: int, data: Texts, ended: Texts) -> None:
        """A static graph lacks triples, of which some have ``ended``: no other has them."""
        self._make(
            lambda: self._run.remove_static(ended) if ended else None,
            *("graph_end_static", number, data, ended),
        )

    @property
    def is_closed(self) -> bool:
        """Whether no calls are taken any more: one was cut short, or there is a closed state."""
        return self.whole.is_broken or (self.state is not None and not self.state.is_open)

    def as_one(self) -> AbstractContextManager[object]:
        """What is called within belongs together: checkpoints come before it or behind it."""
        return nullcontext() if self.state is None else self.state.without_checkpoint()

    def take(self) -> Iterator[Change]:
        """Take out all changes, in order; what each depends on is on the disk before."""
        state = self.state
        return self.taken(self._run.change_queue.take() if state is None else self._take(state))

    def taken(self, items: Iterator[_Item]) -> Iterator[_Item]:
        """The same items; none is lost without a word, where taking it out is cut short."""
        with self.whole:
            yield from items

    def _take(self, state: EngineState) -> Iterator[Change]:
        hand = state.hand()
        while True:
            with self._run.lock:
                change = state.take(hand)
            if change is None:
                break
            try:
                yield change
            except GeneratorExit:  # closed, so it was dealt with
                break
        state.release(hand)

    def _make(self, call: Callable[[], _Result], name: str, *arguments: _Argument) -> _Result:
        state = self.state
        if state is None:
            with self.whole:
                return call()
        content = _content(name, arguments)
        state.begin_call(content)
        try:
            with self.whole:
                try:
                    made = call()
                except LimitReached:
                    state.append(content)
                    raise
                if made is None and name == "add":  # it was not, and has no effect
                    return made
                state.append(content)
                if name == "add_rules":
                    state.rules.append(str(arguments[0]))
        except BaseException:
            if self.whole.is_broken:  # nobody knows how far it came
                state.abandon()
            raise
        return made

    def replay(self, content: bytes) -> None:
        """Make a call that was recorded.

        Raises:
            ValueError: it is none, or the run does not take it.
        """
        try:
            name, *arguments = json.loads(content)
            if name not in _NAMES:
                message = f"no engine has a call {name!r:.40}"
                raise ValueError(message)
            getattr(self, name)(*map(_argument, arguments))
            if name.startswith(GRAPH_CALL):
                self._note_graph(name, *arguments[:2])
        except LimitReached:
            pass  # as it was then
        except (TypeError, LookupError, AttributeError, RecursionError, RuleErrors) as error:
            message = f"a call cannot be made again: {error}"
            raise ValueError(message) from None

    def _note_graph(self, name: str, number: int, what: Texts | bool) -> None:  # noqa: FBT001
        """Note ``what`` a followed graph has, or lacks, by a recorded call; or if it is static."""
        awaited = self._run.awaited_graphs
        if isinstance(what, bool):
            if number == len(awaited):  # else it is attached again
                awaited.append(AwaitedGraph([], is_static=what))
            return
        terms = self._run.core.terms
        # As they were when they were compared: a literal may be another one of the same value.
        texts = terms.decode_many(terms.encode_many(what))
        if name in {"graph_add", "graph_add_static"}:
            awaited[number].add(texts)
        else:
            awaited[number].remove(texts)


_NAMES = frozenset(
    {
        *("add_static", "remove_static", "add", "retract", "advance", "heartbeat", CLOCK_MOVE),
        *("finish", "drop_rules", "add_rules", "graph_follow", "graph_add", "graph_retract"),
        *("graph_add_static", "graph_end_static"),
    }
)
_REFUSALS: Final = (
    *(ValueError, TypeError, RuleErrors, MemoryFull),  # without effect
    LimitReached,  # the next call derives the rest
    StateError,  # which closes the engine
    GeneratorExit,  # what was taken out last was dealt with
)
"""What ends a call and leaves the engine whole."""


def _content(name: str, arguments: Sequence[_Argument]) -> bytes:
    """The record of a call."""
    plain = json.dumps([name, *map(_plain, arguments)], ensure_ascii=False)
    return plain.encode("utf-8", "surrogatepass")  # as `json.loads` decodes it


def _plain(argument: _Argument) -> object:
    if isinstance(argument, datetime):
        return {"datetime": datetime.isoformat(argument)}
    return argument


def _argument(plain: object) -> object:
    if isinstance(plain, dict):
        return datetime.fromisoformat(plain["datetime"])
    return plain


def _name(name: str | None) -> str | None:
    check_type(name, str | None, "the name of an element is an IRI")
    return None if name is None else str(name)


def _graph_name(number: int) -> str:
    """The name of the elements of a graph that is followed."""
    return f"{UNNAMED}#{number + 1}"


def _rule(rule: str | int) -> str | int:
    if isinstance(rule, str):
        return str(rule)
    try:
        return index(rule)
    except TypeError:
        message = f"rules are dropped by an IRI or a number, not {rule!r}"
        raise TypeError(message) from None


def _rules_text(rules: object, name: str) -> str:
    """Rules as a text that can be recorded."""
    match rules:
        case str():
            return str(rules)
        case Document():
            from rif.text.writer import unparse  # noqa: PLC0415 - for those who keep a state

            return unparse(rules, LANGUAGE)
        case Path():
            data = rules.read_bytes()
            try:
                return data.decode()
            except UnicodeDecodeError:
                from r4.foreign.rule_parser import parse_rules  # noqa: PLC0415 - the same

                parse_rules(data, name=name)
            message = f"{name} is not in UTF-8, so its rules cannot be recorded"
            raise ValueError(message)
    message = f"rules are a text, a Path or a Document, not {type(rules).__name__}"
    raise TypeError(message)
