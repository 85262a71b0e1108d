"""The functions of one's own that a program calls: a state goes on with the same versions only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rete.nodes.builtin import called_builtins
from rif.builtins import Builtin

if TYPE_CHECKING:
    from r4.engine.core import Core


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
