"""A graph that is followed: what is added to it is asserted, what is removed is retracted.

Of a graph that is reference data what is added holds from the frontier on, and what is removed up
to there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from rdflib import ConjunctiveGraph, Graph
from rdflib.term import Node

from r4.api.engine_lock import GRAPH_CHANGES
from r4.api.event_clock import Instant
from r4.api.graph_terms import statement_texts
from r4.api.run import UNNAMED, LibraryRun
from r4.engine.assertions import PermanentEquality
from rete.arrays.delta import Rows

_Triple: TypeAlias = tuple[Node, Node, Node]
_Pattern: TypeAlias = tuple[Node | None, Node | None, Node | None]


def follow(graph: Graph, run: LibraryRun, now: Callable[[], Instant]) -> None:
    """Assert the triples of ``graph``, and from now on its additions and removals.

    Its elements have a name of their own, so that only what it added is retracted for it. Where
    the run was saved with a graph in its place, only the difference is asserted and retracted.

    Raises:
        ValueError: that graph was static.
    """
    before = run.next_awaited(is_static=False)
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

    def assert_one(triple: _Triple) -> None:
        run.add(statement_texts([triple]), now(), None, name)

    def retract(gone: Sequence[_Triple]) -> None:
        run.retract(statement_texts(gone), name, now(), late=True)

    _listen(graph, run, assert_one, retract)


def follow_static(graph: Graph, run: LibraryRun) -> None:
    """Let the triples of ``graph`` be static, and from now on follow its additions and removals.

    A triple that another such graph has, too, stays, and one that a graph had that is still to be
    attached again. Where the run was saved with a graph in its place, only the difference changes.

    Raises:
        ValueError: that graph was not static.
        PermanentEquality: a triple that is gone cannot end; then the graph is not followed.
    """
    before = run.next_awaited(is_static=True)
    texts = statement_texts(list(graph))
    known, rows = run.encode(before or []), run.encode(texts)
    others = [statement_texts(list(each)) for each in run.static_graphs] if before else []
    held = np.concatenate([rows, *map(run.encode, others)])
    gone, new = (
        run.core.terms.decode_many(np.ascontiguousarray(_difference(*each)).ravel())
        for each in ((known, held), (rows, known))
    )
    if new:
        run.add_static(new)
    try:
        _end_static(gone, run)
    except PermanentEquality:
        run.awaited_graphs.insert(0, (True, before or []))
        raise
    run.followed_graphs.append(graph)
    run.static_graphs.append(graph)

    def add_one(triple: _Triple) -> None:
        if not any(_holds(each, triple) for each in run.static_graphs):
            run.add_static(statement_texts([triple]))

    def remove(gone: Sequence[_Triple]) -> None:
        left = [
            triple for triple in gone if not any(_holds(each, triple) for each in run.static_graphs)
        ]
        _end_static(statement_texts(left), run)

    _listen(graph, run, add_one, remove)


def _end_static(texts: Sequence[str], run: LibraryRun) -> None:
    """End triples, three texts each, but what graphs had that are still to be attached again.

    Raises:
        PermanentEquality: one of them cannot end.
    """
    awaited = [text for is_static, known in run.awaited_graphs if is_static for text in known]
    left = _difference(run.encode([*texts]), run.encode(awaited))
    if len(left):
        run.remove_static(run.core.terms.decode_many(left.ravel()))


def _listen(
    graph: Graph,
    run: LibraryRun,
    assert_one: Callable[[_Triple], object],
    retract: Callable[[Sequence[_Triple]], object],
) -> None:
    """Call ``assert_one`` before a triple is added to a graph, ``retract`` after some have gone."""
    add, remove = graph.store.add, graph.store.remove

    def added(triple: _Triple, context: Graph, quoted: bool = False) -> None:  # noqa: FBT001, FBT002
        with GRAPH_CHANGES, run.lock:
            if not quoted and _has(graph, context):
                assert_one(triple)
            add(triple, context, quoted)

    def removed(triple: _Pattern, context: Graph | None = None) -> None:
        with GRAPH_CHANGES, run.lock:
            matches = (each for each, _ in graph.store.triples(triple, context))
            found = [each for each in matches if _holds(graph, each)]
            remove(triple, context)
            gone = [each for each in found if not _holds(graph, each)]
            if gone:
                retract(gone)

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
