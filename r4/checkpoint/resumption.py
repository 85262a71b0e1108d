"""Resumption: a snapshot that was read, from which an engine is made again."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r4.checkpoint.errors import OtherFunctions, OtherRules, naming_state
from r4.checkpoint.fingerprint import fingerprint, other_version, read_version_lines
from rete.arrays import state_codec

if TYPE_CHECKING:
    from r4.engine.core import Core
    from rif.builtins import Builtin
    from rif.syntax.ast import Document


@dataclass(frozen=True, slots=True)
class Resumption:
    """What an engine is resumed from.

    Attributes:
        given: the state.
        path: where it was read.
        added: the rules that were added, in their order.
        program: the fingerprint of the rules before that; None: it is not known.
    """

    given: state_codec.StateReader
    path: Path
    added: tuple[str | Path | Document, ...] = ()
    program: str | None = None

    def options(self) -> dict[str, Any]:
        """The options of the engine; raises `OtherRules` if more rules were added, or fewer."""
        steps = self.given.part("core").parts("history")
        count = sum("dropped" not in step for step in steps)
        if count != len(self.added):
            message = (
                f"{self.path} is of an engine to which rules were added {count} times; "
                f"given were {len(self.added)}"
            )
            raise OtherRules(message)
        options = self.given.part("options")
        texts = ("semantics", "tick", "delay", "entailment", "literals", "order")
        found: dict[str, Any] = {name: options.text(name) for name in texts}
        found["window"] = options.maybe_text("window")
        found["lookback"] = options.maybe_text("lookback")
        found["keep"] = options.flag("keep")
        found["journal"] = options.integer("journal", 0)
        if "ahead" in options:
            found["ahead"] = options.text("ahead")
        for name in ("max_term", "limit", "memory"):
            if name in options:
                found[name] = options.integer(name, 1)
        return found

    def check_functions(self, builtins: Mapping[str, Builtin]) -> None:
        """Raise `OtherFunctions` if one that the rules call is missing, or of another version."""
        saved = read_version_lines(self.given.texts("functions"))
        if wrong := other_version(saved, builtins):
            message = f"{self.path} {wrong}"
            raise OtherFunctions(message)

    def check(self, core: Core) -> None:
        """Raise `OtherRules` for other rules than those whose state it is."""
        self._check(core, self.given.text("program"))

    def check_begin(self, core: Core) -> None:
        """Raise `OtherRules` for other rules than those that it began with, if they are known."""
        if self.program is not None:
            self._check(core, self.program)

    def _check(self, core: Core, program: str) -> None:
        if fingerprint(core) != program:
            message = f"{self.path} is of other rules, or of an R4 that compiles these otherwise"
            raise OtherRules(message)

    def naming_file(self) -> AbstractContextManager[None]:
        """Turn a `ValueError` about the state into `NotAState`, which names the file."""
        return naming_state(self.path, "an engine")
