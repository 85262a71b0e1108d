"""Another version of R4, as far as states can tell: it plans rules otherwise, and writes otherwise.

What it cannot read of a state is taken out of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from r4.checkpoint import archive
from rete.arrays.state_codec import StateReader
from rete.planning import join_order


@contextmanager
def other_plans() -> Iterator[None]:
    """Conjunctions are joined from the other end."""
    cost = join_order._cost

    def other(*given: Any) -> Any:
        many, columns, text = cost(*given)
        return -many, -columns, [-ord(letter) for letter in text]

    with patch.object(join_order, "_cost", other):
        yield


@contextmanager
def other_version(number: int = archive.VERSION + 1) -> Iterator[None]:
    """Rules are planned otherwise, and states written by a format of this number."""
    with other_plans(), patch.object(archive, "VERSION", number):
        yield


def portable_part(core: StateReader) -> StateReader:
    """What `r4.state.run_checkpoint` says that other versions read of a core."""
    state: dict[str, Any] = dict(core._state)
    agenda, layers = state["agenda"], dict(state["layers"])
    names = ("bound", "horizon", "derived", "maintains")
    layers["networks"] = [{"since": each["since"]} for each in layers["networks"]]
    layers["tables"] = [_portable_table(each) for each in layers["tables"]]
    state |= {"agenda": {name: agenda[name] for name in names}, "layers": layers}
    return StateReader(state, core.place)


def _portable_table(table: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: table[name] for name in ("op", "arity", "by", "answers", "head") if name in table
    }
    if "ticks" in table:
        return {**found, "ticks": _portable_facts(table["ticks"])}
    return {**found, **_portable_facts(table)}


def _portable_facts(facts: dict[str, Any]) -> dict[str, Any]:
    rules = [{"rule": each["rule"], "rows": each["rows"]} for each in facts["rules"]]
    return {"facts": {"rows": facts["facts"]["rows"]}, "rules": rules}
