"""A run with possible answers begins: its rules are known, and what always holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from r4.engine import Core
from r4.possible.foreseeing import Foreseen, Wish
from r4.possible.foresight import Foresight
from r4.possible.lateness import Delays
from r4.possible.moments import Moments
from r4.program import Program
from rete.delta import Rows
from rete.dictionary import Dictionary

Begin: TypeAlias = Callable[[Program, Foresight], Core]
"""Makes the core of a program."""


def begin_with(  # noqa: PLR0913, PLR0917 - all that it hangs on
    foreseen: Foreseen,
    program: Program,
    wish: Wish,
    delays: Delays,
    always: Sequence[Rows],
    terms: Dictionary,
    begin: Begin,
) -> tuple[Core, Moments]:
    """The core of ``program`` with the rules of what is possible, and what tells that.

    Args:
        foreseen: these rules.
        program: what runs beside them.
        wish: what is asked for.
        delays: how late a unit may come.
        always: triples, (n, 3), that always hold; the core has them.
        terms: the dictionary of all ids.
        begin: makes the core.
    """
    foresight = Foresight(foreseen, terms, delays, program.labels, wish)
    core = begin(foreseen.joined(program), foresight)
    for rows in always:
        core.assert_static(rows)
    return core, Moments(foresight)
