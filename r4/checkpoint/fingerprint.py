"""Which program a state belongs to: its fingerprint, the versions of the functions it calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rete.graph.plan import hash_lines, plan_lines
from rete.nodes.builtin import called_builtins
from rif.builtins import Builtin

if TYPE_CHECKING:
    from r4.engine.core import Core


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
