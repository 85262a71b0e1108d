"""Engines with a state, which end as by a crash."""

from __future__ import annotations

import pytest
from rdflib import Namespace

from r4 import Engine

EX = Namespace("urn:ex:")

RULES = """
Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?x ?y ( ?x[ex:q -> ?y] :- ?x[ex:p -> ?y] ) ) )
"""

MORE = """
Document( Prefix(ex <urn:ex:>) Group( Forall ?x ?y ( ?y[ex:r -> ?x] :- ?x[ex:p -> ?y] ) ) )
"""


def crash(engine: Engine) -> None:
    """The process of the engine ends."""
    with pytest.raises(KeyboardInterrupt), engine:
        raise KeyboardInterrupt


def shown(engine: Engine) -> list[tuple[int | None, str, object]]:
    return [(change.seq, change.op, change.at) for change in engine.changes()]
