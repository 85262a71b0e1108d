"""A run saved to a file, and a run that goes on from the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from r4.api.run.engine_run import AwaitedGraph, EngineRun
from r4.api.run.rulebook import Rulebook
from r4.api.values.change import Change, saved_change
from r4.api.values.graph_terms import statement_texts
from r4.checkpoint import Resumption, fingerprint, version_lines, write
from r4.options.engine_options import EngineOptions
from rete.arrays.state_codec import Mask, State


def save(path: Path, run: EngineRun, options: EngineOptions) -> None:
    """Write the state of ``run`` to a file, whole or not at all.

    Raises:
        OSError: the file cannot be written; what was there before still is.
    """
    write(path, saved_run(run, options))


def saved_run(
    run: EngineRun, options: EngineOptions, changes: Sequence[Change] | None = None
) -> State:
    """The state of ``run``, with these ``changes``; None: with those that were not taken out."""
    core = run.core.saved()  # first, as it runs what is pending
    attached = [
        (any(graph is each for each in run.static_graphs), statement_texts(list(graph)))
        for graph in run.followed_graphs
    ]
    attached += [(each.is_static, each.texts) for each in run.awaited_graphs]
    # Before the terms, of which those may be missing whose facts have ended, or were late.
    graphs: list[State] = [
        {"static": is_static, "triples": run.encode(texts)} for is_static, texts in attached
    ]
    changes = run.change_queue.queued if changes is None else changes
    return {
        "options": options.saved(),
        "program": fingerprint(run.core),
        "functions": version_lines(run.core),
        "terms": run.core.terms.saved(),
        "core": core,
        "counters": run.counters.saved(),
        **run.event_clock.saved(),
        "journal": None if run.journal is None else run.journal.saved(),
        "attached": graphs,
        "changes": [saved_change(each) for each in changes],
        "report": None if run.periodic is None else run.periodic.saved(),
    }


def resume(saved: Resumption, run: EngineRun, rulebook: Rulebook, alive: Mask) -> None:
    """Restore a state, whose terms are restored already, into ``run``, which has not begun.

    The run has the same rules and options; the rules that were added are added to its rulebook.
    ``alive`` says which ids are in use.

    Raises:
        OtherRules: the rules are others than those of the state.
        ValueError: the saved state is none that a run can have.
    """
    state, core = saved.given, run.core
    added = (rulebook.compile_added(rules, "<text>", core.program) for rules in saved.added)
    core.rebuild(state.part("core"), added)
    saved.check(core)
    core.restore(state.part("core"), alive)
    run.counters.restore(state.part("counters"))
    run.event_clock.restore(state)
    if run.journal is not None:
        run.journal.restore(state.part("journal"), alive)
    for part in state.parts("attached"):
        rows = part.array("triples", np.int64, None, 3)
        part.living("triples", rows, alive)
        texts = core.terms.decode_many(rows.ravel())
        run.awaited_graphs.append(AwaitedGraph(texts, is_static=part.flag("static")))
    run.change_queue.restore(state.parts("changes"))
    if run.periodic is not None:
        run.periodic.restore(state.part("report"), alive)
