"""A graph that is followed: what is added to it is asserted, what is removed is retracted.

Of a graph that is reference data what is added holds from the frontier on, and what is removed up
to there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from rdflib import ConjunctiveGraph, Graph
from rdflib.term import Node

from r4.api.run.engine_lock import GRAPH_CHANGES
from r4.api.run.engine_run import AwaitedGraph, EngineRun
from r4.api.state.calls import EngineCalls
from r4.api.values.event_clock import Instant
from r4.api.values.graph_terms import statement_texts
from r4.engine.assertions import PermanentEquality
from rete.arrays.delta import Rows

_Triple: TypeAlias = tuple[Node, Node, Node]
_Pattern: TypeAlias = tuple[Node | None, Node | None, Node | None]


def follow(graph: Graph, run: EngineRun, calls: EngineCalls, now: Callable[[], Instant]) -> None:
    """Assert the triples of ``graph``, and from now on its additions and removals.

    Its elements have a name of their own, so that only what it added is retracted for it. Where
    the run was saved with a graph in its place, only the difference is asserted and retracted;
    `ValueError` if that was static.
    """
    number = len(run.followed_graphs)
    before = run.next_awaited(is_static=False)
    run.followed_graphs.append(graph)
    calls.graph_follow(number, False)  # noqa: FBT003 - not static
    texts = statement_texts(list(graph))
    if before is None:
        if texts:
            calls.graph_add(number, texts, now())
    elif before.triples or texts:
        at = now()  # before there are ids, which a call by the clock could forget
        gone, new = _changes(before.texts, texts, run)
        if gone:
            calls.graph_retract(number, gone, at)
        if new:
            calls.graph_add(number, new, at)

    def assertion(triple: _Triple) -> Callable[[], object]:
        return partial(calls.graph_add, number, statement_texts([triple]), now())

    def retract(gone: Sequence[_Triple]) -> None:
        calls.graph_retract(number, statement_texts(gone), now())

    _listen(graph, run, calls, assertion, retract)


def follow_static(graph: Graph, run: EngineRun, calls: EngineCalls) -> None:
    """Let the triples of ``graph`` be static, and from now on follow its additions and removals.

    A triple that another such graph has, too, stays, and one that a graph had that is still to be
    attached again. Where the run was saved with a graph in its place, only the difference changes.

    Raises:
        ValueError: that graph was not static.
        PermanentEquality: a triple that is gone cannot end; then the graph is not followed.
    """
    number = len(run.followed_graphs)
    before = run.next_awaited(is_static=True) or AwaitedGraph([], is_static=True)
    calls.graph_follow(number, True)  # noqa: FBT003 - static
    texts = statement_texts(list(graph))
    gone, new = _changes(before.texts, texts, run)
    if new:
        calls.graph_add_static(number, new, new)
    others = [text for each in run.static_graphs for text in statement_texts(list(each))]
    try:
        if gone:
            left, _ = _changes(gone, others, run)
            calls.graph_end_static(number, gone, _unawaited(left, run))
    except PermanentEquality:
        before.add(new)
        run.awaited_graphs.insert(0, before)
        raise
    run.followed_graphs.append(graph)
    run.static_graphs.append(graph)

    def assertion(triple: _Triple) -> Callable[[], object]:
        texts = statement_texts([triple])
        is_known = any(_holds(each, triple) for each in run.static_graphs)
        return partial(calls.graph_add_static, number, texts, [] if is_known else texts)

    def remove(gone: Sequence[_Triple]) -> None:
        left = [
            triple for triple in gone if not any(_holds(each, triple) for each in run.static_graphs)
        ]
        ended = _unawaited(statement_texts(left), run)
        calls.graph_end_static(number, statement_texts(gone), ended)

    _listen(graph, run, calls, assertion, remove)


def _unawaited(texts: list[str], run: EngineRun) -> list[str]:
    """Of triples, three texts each, those that no graph had that is still to be attached again."""
    awaited = [text for each in run.awaited_graphs if each.is_static for text in each.texts]
    return _changes(texts, awaited, run)[0] if texts and awaited else texts


def _listen(
    graph: Graph,
    run: EngineRun,
    calls: EngineCalls,
    assertion: Callable[[_Triple], Callable[[], object]],
    retract: Callable[[Sequence[_Triple]], object],
) -> None:
    """Assert a triple before it is added to a graph, and ``retract`` those that have gone.

    ``assertion`` makes the call that asserts one; it may ask the clock of the user, so that an
    error of that changes nothing.

    Where the engine was closed, or a call was cut short, nothing is called: what changes then is
    found when the graph is attached again.
    """
    add, remove = graph.store.add, graph.store.remove

    def added(triple: _Triple, context: Graph, quoted: bool = False) -> None:  # noqa: FBT001, FBT002
        with GRAPH_CHANGES, run.lock:
            if calls.is_closed:
                add(triple, context, quoted)
                return
            with calls.as_one():
                counts = not quoted and _has(graph, context)
                make = assertion(triple) if counts else None
                with calls.whole:
                    if make is not None:
                        make()
                    add(triple, context, quoted)

    def removed(triple: _Pattern, context: Graph | None = None) -> None:
        with GRAPH_CHANGES, run.lock:
            if calls.is_closed:
                remove(triple, context)
                return
            with calls.as_one(), calls.whole:
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


def _changes(before: list[str], after: list[str], run: EngineRun) -> tuple[list[str], list[str]]:
    """The triples that are gone and those that are new, three texts each, each triple once."""
    known, rows = run.encode(before), run.encode(after)
    gone, new = _difference(known, rows), _difference(rows, known)
    texts = run.core.terms.decode_many(np.concatenate([gone, new]).ravel())
    return texts[: gone.size], texts[gone.size :]


def _difference(rows: Rows, others: Rows) -> Rows:
    """The rows (n, 3) that are not among ``others``, each once."""
    known = {*map(tuple, others.tolist())}
    rows = np.unique(rows, axis=0)
    return rows[[tuple(row) not in known for row in rows.tolist()]]
