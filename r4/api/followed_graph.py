"""A graph that is followed: what is added to it is asserted, what is removed is retracted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from rdflib import ConjunctiveGraph, Graph
from rdflib.term import Node

from r4.api.engine_lock import GRAPH_CHANGES
from r4.api.event_clock import Instant
from r4.api.graph_terms import statement_texts
from r4.api.run import UNNAMED, LibraryRun
from rete.arrays.delta import Rows

_Triple: TypeAlias = tuple[Node, Node, Node]
_Pattern: TypeAlias = tuple[Node | None, Node | None, Node | None]


def follow(graph: Graph, run: LibraryRun, now: Callable[[], Instant]) -> None:
    """Assert the triples of ``graph``, and from now on its additions and removals.

    Its elements have a name of their own, so that only what it added is retracted for it. Where
    the run was saved with a graph in its place, only the difference is asserted and retracted.
    """
    before = run.awaited_graphs.pop(0) if run.awaited_graphs else None
    run.followed_graphs.append(graph)
    name = f"{UNNAMED}#{len(run.followed_graphs)}"
    texts = statement_texts(list(graph))
    if before is None:
        if texts:
            run.add(texts, now(), None, name)
    elif before or texts:
        at = now()  # before there are ids, which a call by the clock could forget
        known, rows = run.encode(before), run.encode(texts)
        removed_rows, new = _difference(known, rows), _difference(rows, known)
        if len(removed_rows):
            run.retract(removed_rows, name, at, late=True)
        if len(new):
            run.add(new, at, None, name)

    add, remove = graph.store.add, graph.store.remove

    def added(triple: _Triple, context: Graph, quoted: bool = False) -> None:  # noqa: FBT001, FBT002
        with GRAPH_CHANGES, run.lock:
            if not quoted and _has(graph, context):
                run.add(statement_texts([triple]), now(), None, name)
            add(triple, context, quoted)

    def removed(triple: _Pattern, context: Graph | None = None) -> None:
        with GRAPH_CHANGES, run.lock:
            matches = (each for each, _ in graph.store.triples(triple, context))
            found = [each for each in matches if _holds(graph, each)]
            remove(triple, context)
            gone = [each for each in found if not _holds(graph, each)]
            if gone:
                run.retract(statement_texts(gone), name, now(), late=True)

    # The events of stores leave out removals, and with some of them additions.
    graph.store.add = added  # type: ignore[method-assign]
    graph.store.remove = removed  # type: ignore[method-assign]


def _has(graph: Graph, context: Graph | None) -> bool:
    """Whether what is in a context of its store is in ``graph``."""
    return (
        context is None
        or isinstance(graph, ConjunctiveGraph)
        or not graph.store.context_aware
        or context.identifier == graph.identifier
    )


def _holds(graph: Graph, triple: _Triple) -> bool:
    """Whether ``graph`` has a triple; a dataset in any of its graphs."""
    context = None if isinstance(graph, ConjunctiveGraph) else graph
    return next(iter(graph.store.triples(triple, context)), None) is not None


def _difference(rows: Rows, others: Rows) -> Rows:
    """The rows (n, 3) that are not among ``others``, each once."""
    known = {*map(tuple, others.tolist())}
    rows = np.unique(rows, axis=0)
    return rows[[tuple(row) not in known for row in rows.tolist()]]
