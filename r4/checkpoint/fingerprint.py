"""The fingerprint of a program: which program a state belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rete.graph.fingerprint import hash_lines, plan_lines

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
