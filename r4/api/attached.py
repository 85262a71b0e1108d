"""A graph that is followed: what is added to it is an element, what is removed is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from rdflib import Graph
from rdflib.store import TripleAddedEvent
from rdflib.term import Node

from r4.api.course import Instant
from r4.api.run import UNNAMED, Run

_Pattern: TypeAlias = tuple[Node | None, Node | None, Node | None]


def follow(graph: Graph, run: Run, now: Callable[[], Instant]) -> None:
    """Add what ``graph`` holds to ``run``, and from now on what becomes of it.

    Its elements have a name of their own, so that only what it added is taken back for it.
    """
    run.attached += 1
    name = f"{UNNAMED}#{run.attached}"
    if len(graph):
        run.add(list(graph), now(), None, name)

    def added(event: TripleAddedEvent) -> None:
        triple: tuple[Node, Node, Node] = event.triple  # type: ignore[attr-defined]
        run.add([triple], now(), None, name)

    remove = graph.store.remove

    def removed(triple: _Pattern, context: Graph | None = None) -> None:
        gone = [found for found, _ in graph.store.triples(triple, context)]
        remove(triple, context)
        gone = [found for found in gone if found not in graph]
        if gone:
            run.retract(gone, name, now())

    graph.store.dispatcher.subscribe(TripleAddedEvent, added)  # type: ignore[no-untyped-call]
    graph.store.remove = removed  # type: ignore[method-assign]  # stores in memory tell nothing
