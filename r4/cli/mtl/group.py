"""``r4 mtl``: rules with metric time (DatalogMTL) over facts with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import click

from r4.cli.terminal.lazy_group import LazyGroup

COMMANDS: Final[Mapping[str, str]] = {
    "materialise": "r4.cli.mtl.materialise",
    "entails": "r4.cli.mtl.entails",
    "stream": "r4.cli.mtl.stream",
    "update": "r4.cli.mtl.update",
    "explain": "r4.cli.mtl.explain",
    "check": "r4.cli.mtl.check",
}
"""Command → the module whose ``command`` it is."""


@click.group(cls=LazyGroup, modules=COMMANDS)
def command() -> None:
    """Rules with metric time over facts with intervals.

    \b
      Alarm(X) :- Boxminus[0,5]Hot(X), Diamondminus[0,1]Loud(X)      a rule
      Hot(a)@[0,10)                                                  a fact
      Diamondminus[a,b]A     A held at some distance from a to b ago
      Boxminus[a,b]A         A held at every such distance ago
      A Since[a,b] B         B held at one of them, and A ever since
      Diamondplus, Boxplus, Until                      the same ahead
    """  # noqa: D301 - \b keeps click from filling the example
