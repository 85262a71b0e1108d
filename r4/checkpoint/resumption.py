"""Resumption: which program a state belongs to, and how an engine is made of it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r4.checkpoint.errors import OtherFunctions, OtherRules, naming_state
from rete.arrays import state_codec
from rete.graph.plan import hash_lines, plan_lines
from rete.nodes.builtin import called_builtins

if TYPE_CHECKING:
    from r4.engine.core import Core
    from rif.builtins import Builtin
    from rif.syntax.ast import Document


def fingerprint(core: Core) -> str:
    """The hash of all plans as they were compiled, and of what else a program is.

    In which order joins are done now is part of the state, as it follows from the data.
    Comments, prefixes and the order of conditions that are planned alike make no difference. Rules
    that other versions plan in another way do: their nodes would not be those that were saved.
    Linear in the nodes, as a plan refers to its sources by number.
    """
    return hash_lines(_lines(core))


def _lines(core: Core) -> Iterator[str]:
    program = core.program
    # ascii, as what repr takes for printable is not the same in all versions of Python
    yield ascii((program.labels, program.facts, program.window, program.unites))
    if program.windows.lengths:
        yield ascii((program.windows.sources, program.windows.predicates))
    known: set[int] = set()
    for network in core.layers.networks:
        yield f"network {network.instances}"
        yield from plan_lines(network.compiled)
        for table in network.tables:
            yield f"table {table.answers} {table.heads!a}"
        known.update(emit.rule for emit in network.compiled)
    waiting = [emit for emit in program.emits if emit.rule not in known]
    yield from plan_lines(waiting)


def function_versions(core: Core) -> dict[str, str]:
    """The versions of the functions that the rules of a core call, by IRI. Linear in the plans."""
    emits = [emit for network in core.layers.networks for emit in network.compiled]
    builtins = core.program.language.builtins
    called = called_builtins([*emits, *core.program.emits])
    versions = {name: builtins[name].version for name in sorted(called)}
    return {name: version for name, version in versions.items() if version is not None}


def version_lines(core: Core) -> list[str]:
    """The same as texts, ``IRI VERSION``."""
    return [f"{name} {version}" for name, version in function_versions(core).items()]


def read_version_lines(lines: Sequence[str]) -> dict[str, str]:
    """What `version_lines` wrote."""
    return {name: version for name, _, version in (line.partition(" ") for line in lines)}


def other_version(saved: Mapping[str, str], builtins: Mapping[str, Builtin]) -> str | None:
    """What is wrong with ``builtins`` for a state that was ``saved``; None: nothing."""
    for name, version in saved.items():
        found = builtins.get(name)
        if found is None:
            return f"calls the function <{name}>, which is not given"
        if found.version != version:
            was, now = (_named(each) for each in (version, found.version))
            return f"calls <{name}> of {was}; given was one of {now}"
    return None


def _named(version: str | None) -> str:
    return f"version {version}" if version else "no version"


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
        for name in ("ahead", "retract_within", "every", "offset", "zone", "report", "ops"):
            if name in options:
                found[name] = options.text(name)
        if "windows" in options:
            pairs = (each.rpartition("=") for each in options.texts("windows"))
            found["windows"] = {key: duration for key, _, duration in pairs}
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
