"""Queries of a run: what holds at an instant, and why a fact holds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from r4.api.run.engine_run import EngineRun
from r4.api.values.change import Change, fact_terms
from r4.api.values.event_clock import Instant
from r4.api.values.graph_terms import statement_texts
from r4.time.ticks import NEG_INF
from rete.drawing.names import Names
from rete.terms.relations import TRIPLES, Relation
from rif.syntax.terms import CUSTOMARY_PREFIXES

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

    from r4.explain.question.explainer import ExplanationAnswer


class ForgottenInstant(ValueError):
    """An instant of which not all is known any more: facts are forgotten that may have held."""


def current_graph(run: EngineRun, at: Instant | None) -> Graph:
    """The derived triples that hold at ``at``; None: at the last time that is final.

    Raises:
        ForgottenInstant: some may be forgotten.
    """
    from rdflib import Graph  # noqa: PLC0415 - it is slow to load

    run.run.begin()
    tick = (run.core.progress.final - 1) >> 1 if at is None else run.event_clock.tick(at)
    since = run.core.known_since
    if tick < since and at is not None:
        known = run.event_clock.instant(since)
        message = f"what held at {at} is forgotten in part; all is known from {known} on"
        raise ForgottenInstant(message)
    graph = Graph()
    for texts in run.core.derived_at(tick):
        triple, _ = fact_terms(texts)
        if triple is not None:
            graph.add(triple)
    return graph


def explain_fact(
    run: EngineRun,
    names: Names,
    fact: tuple[Node, Node, Node] | str | Change,
    at: Instant | None,
    limit: int,
) -> ExplanationAnswer:
    """At most ``limit`` minimal reasons why ``fact`` holds, at the last stamp if ``at`` is None.

    Where instants were forgotten, the rules run once more over the journal.

    Raises:
        NoFact: the text is no fact.
    """
    from r4.explain.question.explainer import (  # noqa: PLC0415 - most engines explain nothing
        Explainer,
        ExplanationAnswer,
    )
    from r4.explain.question.playback import Playback  # noqa: PLC0415

    run.run.begin()
    run.core.derive()  # rules that were just added
    relation, ids, unknown = _ids(run, names, fact)
    event_clock, core, journal = run.event_clock, run.core, run.journal
    now = event_clock.last if event_clock.last > NEG_INF else 0
    if at is None and isinstance(fact, Change) and not isinstance(fact.at, str):
        at = fact.at
    tick = now if at is None else event_clock.tick(at)
    is_past = tick < min(event_clock.frontier, now)
    if (
        (is_past or core.program.metric)
        and journal is not None
        and journal.reaches(tick - core.program.reach.back)
    ):
        replay = journal.engine(core)
        explainer = Explainer(replay, names, limit, unknown=unknown)
        batches = journal.batches(event_clock.frontier)
        found = Playback(replay, explainer, relation, ids, tick).run(batches, lambda: now)
        if found.span is not None:
            found = replace(found, final=found.span.until <= event_clock.frontier)
    else:
        explainer = Explainer(
            *(core, names, limit),
            settled=event_clock.frontier,
            unknown=unknown,
        )
        core.know(min(tick, event_clock.frontier))
        found = explainer.explain(relation, ids, tick, gone=is_past)
        if found.trees:
            found = explainer.with_end(found, explainer.fact(relation, ids))
    return ExplanationAnswer(found, names, replace(event_clock.clock))


def _ids(
    run: EngineRun, names: Names, fact: tuple[Node, Node, Node] | str | Change
) -> tuple[Relation, list[int], tuple[str, ...]]:
    """The relation and the ids of a fact, and those of its IRIs that the run did not know."""
    if isinstance(fact, Change):
        fact = fact.triple or fact.atom or ""
    if not isinstance(fact, str):
        return TRIPLES, run.encode(statement_texts([fact]))[0].tolist(), ()
    from r4.explain.question.fact_parser import parse_fact, unknown_iris  # noqa: PLC0415

    relation, texts = parse_fact(fact, {**CUSTOMARY_PREFIXES, **dict(names.prefixes)})
    terms = run.core.terms
    unknown = unknown_iris(terms, texts)
    return relation, terms.encode_many(texts).tolist(), unknown
