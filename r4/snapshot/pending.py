"""Changes that were told and not taken out yet, as plain values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from r4.api.change import Change
from r4.graphs import to_node, to_text
from rete.saved import Given, State

if TYPE_CHECKING:
    from rdflib.term import Node

    from r4.api.course import Instant


def saved_change(change: Change) -> State:
    """A change as it is saved."""
    triple = change.triple
    return {
        "inserted": change.op == "+",
        "undone": change.undone,
        "error": change.error,
        "atom": change.atom,
        "triple": None if triple is None else [to_text(node) for node in triple],
        "rule": {"iri" if isinstance(change.rule, str) else "number": change.rule},
        "at": _saved_time(change.at),
        "start": _saved_time(change.start),
        "until": _saved_time(change.until),
    }


def change_of(given: Given) -> Change:
    """It, read back."""
    rule = given.part("rule")
    return Change(
        op="+" if given.flag("inserted") else "-",
        at=_time(given, "at"),
        triple=_triple(given) if "triple" in given else None,
        atom=given.maybe_text("atom"),
        error=given.flag("error"),
        start=_time(given, "start"),
        until=_time(given, "until"),
        rule=rule.text("iri") if "iri" in rule else rule.whole("number"),
        undone=given.flag("undone"),
    )


def _saved_time(when: Instant | str | None) -> State | None:
    match when:
        case datetime():
            return {"datetime": when.astimezone(UTC).isoformat()}
        case str():
            return {"text": when}  # as no datetime can say it
        case None:
            return None
    return {"tick": when}


def _time(given: Given, name: str) -> Instant | str | None:
    when = given.maybe(name)
    if when is None:
        return None
    if "tick" in when:
        return when.whole("tick")
    if "text" in when:
        return when.text("text")
    try:
        return datetime.fromisoformat(when.text("datetime"))
    except ValueError:
        when.refuse("datetime", "is none")


def _triple(given: Given) -> tuple[Node, Node, Node]:
    try:
        s, p, o = map(to_node, given.texts("triple"))
    except ValueError:
        s = p = o = None
    if s is None or p is None or o is None:
        given.refuse("triple", "is none")
    return s, p, o
