"""A run as a file, and a run that goes on from one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from r4.api.options import Options
from r4.api.rulebook import Rulebook
from r4.api.run import LibraryRun
from r4.checkpoint import Resumption, fingerprint, write
from rete.arrays.state_codec import Mask


def save(path: Path, run: LibraryRun, options: Options) -> None:
    """Write all that ``run`` is to go on with, whole or not at all.

    Raises:
        OSError: the file cannot be written; what was there before still is.
    """
    core = run.core.saved()  # first, as it does what is pending
    attached = [run.encode(list(graph)) for graph in run.followed_graphs]
    attached += [run.core.terms.encode_many(texts).reshape(-1, 3) for texts in run.awaited_graphs]
    state = {
        "options": options.saved(),
        "program": fingerprint(run.core),
        "terms": run.core.terms.saved(),
        "core": core,
        "counters": run.counters.saved(),
        **run.event_clock.saved(),
        "journal": None if run.journal is None else run.journal.saved(),
        "attached": [{"triples": rows} for rows in attached],
        "changes": run.change_queue.saved(),
    }
    write(path, state)


def resume(saved: Resumption, run: LibraryRun, rulebook: Rulebook, alive: Mask) -> None:
    """Let ``run``, which has not begun, be as the one was that saved this.

    Args:
        saved: what was saved; its terms are restored.
        run: a run with the rules and the options of that.
        rulebook: is added to, as it was then.
        alive: which terms there are.

    Raises:
        OtherRules: the rules are others.
        ValueError: no run was ever in such a state.
    """
    given, core = saved.given, run.core
    joined = (rulebook.joining(rules, "<text>", core.program) for rules in saved.added)
    core.rebuild(given.part("core"), joined)
    saved.check(core)
    core.restore(given.part("core"), alive)
    run.counters.restore(given.part("counters"))
    run.event_clock.restore(given)
    if run.journal is not None:
        run.journal.restore(given.part("journal"), alive)
    for part in given.parts("attached"):
        rows = part.array("triples", np.int64, None, 3)
        part.living("triples", rows, alive)
        run.awaited_graphs.append(core.terms.decode_many(rows.ravel()))
    run.change_queue.restore(given.parts("changes"))
