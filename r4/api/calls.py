"""Calls that change what an engine knows: made, recorded, and made again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from r4.api.change import Change
from r4.api.event_clock import Instant
from r4.api.rulebook import Rulebook
from r4.api.run import LibraryRun, Texts
from rete.agenda import LimitReached
from rif.errors.report import RuleErrors
from rif.syntax.ast import Document
from rif.text.writer import unparse

if TYPE_CHECKING:
    from r4.api.engine_state import EngineState

_Result = TypeVar("_Result")
_Argument: TypeAlias = "Texts | Instant | str | None"


class EngineCalls:
    """Passes calls on to a run; where there is a state, each is recorded once it was made.

    Terms are canonical texts here, and rules are texts. A call that raises has no effect, and is
    not recorded; but one that ends the input does so even if there is no end to what is derived.

    Attributes:
        state: where they are recorded; None: nowhere.
    """

    def __init__(self, run: LibraryRun, rulebook: Rulebook) -> None:
        self.state: EngineState | None = None
        self._run = run
        self._rulebook = rulebook

    def add_static(self, data: Texts) -> None:
        """As of `LibraryRun`; so are the others."""
        self._make(lambda: self._run.add_static(data), "add_static", data)

    def remove_static(self, data: Texts) -> int:
        """End static triples; how many there were."""
        return self._make(lambda: self._run.remove_static(data), "remove_static", data)

    def add(self, data: Texts, at: Instant, until: Instant | None, name: str | None) -> bool:
        """Assert an element; whether it was in time."""
        return self._make(
            lambda: self._run.add(data, at, until, name), "add", data, at, until, name
        )

    def retract(self, data: Texts | None, name: str | None, at: Instant | None) -> int:
        """Retract elements, or some of their triples; how many facts they were."""
        return self._make(lambda: self._run.retract(data, name, at), "retract", data, name, at)

    def advance(self, to: Instant) -> None:
        """Move event time."""
        self._make(lambda: self._run.advance(to), "advance", to)

    def heartbeat(self, at: Instant) -> None:
        """Let event time come to ``at``."""
        self._make(lambda: self._run.heartbeat(at), "heartbeat", at)

    def finish(self, drain: str | int | None) -> None:
        """End the input."""
        self._make(lambda: self._run.finish(drain), "finish", drain)

    def drop_rules(self, rule: str | int) -> int:
        """Drop rules; how many they were."""
        return self._make(lambda: self._run.drop(rule), "drop_rules", rule)

    def add_rules(self, rules: str | Path | Document, name: str) -> None:
        """Compile rules, and add them to those that run.

        Raises:
            ValueError: they are to be recorded, and no text in UTF-8 says them.
        """
        if self.state is not None and isinstance(rules, Path):
            rules, name = rules.read_bytes().decode(), str(rules)
        elif self.state is not None and isinstance(rules, Document):
            rules = unparse(rules)
        self._make(lambda: self._join(rules, name), "add_rules", _text(rules), name)
        if self.state is not None:
            self.state.rules.append(_text(rules))

    def _join(self, rules: str | Path | Document, name: str) -> None:
        self._run.event_clock.check_open()
        core = self._run.core
        self._run.join(self._rulebook.compile_added(rules, name, core.program, core.lookback))

    def take(self) -> Iterator[Change]:
        """Take out all changes, in order; what each depends on is on the disk before."""
        queue, state = self._run.change_queue, self.state
        if state is None:
            return queue.take()
        return self._take(state)

    def _take(self, state: EngineState) -> Iterator[Change]:
        queue = self._run.change_queue
        while True:
            with self._run.lock:
                state.check_open()
                if not len(queue):
                    return
                state.sync()
                change = next(queue.take())
            yield change

    def _make(self, call: Callable[[], _Result], name: str, *arguments: _Argument) -> _Result:
        state = self.state
        if state is None:
            return call()
        content = _content(name, arguments)
        state.begin_call()
        try:
            made = call()
        except (ValueError, TypeError, RuleErrors):
            raise
        except LimitReached:
            state.append(content)
            raise
        except BaseException:
            state.abandon()  # nobody knows how far it came
            raise
        state.append(content)
        return made

    def make_again(self, content: bytes) -> None:
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
        except LimitReached:
            pass  # as it was then
        except (TypeError, LookupError, AttributeError, RecursionError, RuleErrors) as error:
            message = f"a call cannot be made again: {error}"
            raise ValueError(message) from None


_NAMES = frozenset(
    {
        *("add_static", "remove_static", "add", "retract", "advance", "heartbeat", "finish"),
        *("drop_rules", "add_rules"),
    }
)


def _content(name: str, arguments: Sequence[_Argument]) -> bytes:
    """The record of a call."""
    return json.dumps([name, *map(_plain, arguments)], default=_other).encode()


def _other(argument: object) -> object:
    """A number of another library as one of Python; of what no call takes, something."""
    try:
        return index(argument)  # type: ignore[arg-type]  # so it raises
    except TypeError:
        return repr(argument)


def _plain(argument: _Argument) -> object:
    if isinstance(argument, datetime):
        return {"datetime": datetime.isoformat(argument)}
    return argument


def _argument(plain: object) -> object:
    if isinstance(plain, dict):
        return datetime.fromisoformat(plain["datetime"])
    return plain


def _text(rules: object) -> str:
    """Rules that are recorded; of others it does not matter."""
    return rules if isinstance(rules, str) else ""
