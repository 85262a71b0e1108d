"""`r4 mtl`: rules with metric time over facts with intervals.

| file or room | what it is |
|---|---|
| `commands` | the commands |
| `inputs` | reads a program, data and limits |
| `misspellings` | warnings of predicates and constants that were most likely meant otherwise |
| `limited_model` | the model of a program, as far as the limits allow, and its inconsistencies |
| `model_text` | which facts of a model are shown, from when to when, a fact a line |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import click

from r4.cli.terminal.lazy_group import LazyCommand, LazyGroup

COMMANDS: Final[Mapping[str, LazyCommand]] = {
    "materialise": LazyCommand(
        "r4.cli.mtl.commands.materialise", "Print what follows from rules and facts, without end."
    ),
    "entails": LazyCommand("r4.cli.mtl.commands.entails", "Say whether a fact follows."),
    "stream": LazyCommand("r4.cli.mtl.commands.stream", "Follow a query along a stream of facts."),
    "update": LazyCommand(
        "r4.cli.mtl.commands.update", "Print what follows once facts were deleted or inserted."
    ),
    "explain": LazyCommand(
        "r4.cli.mtl.commands.explain", "Say why a fact holds at every point of an interval."
    ),
    "check": LazyCommand(
        "r4.cli.mtl.commands.check", "Say what is wrong with rules, or what kind they are."
    ),
}
"""The commands in the order of the help."""


@click.group(cls=LazyGroup, rows=COMMANDS)
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
