"""Peer: DREDmtl, which brings a model with metric time up to date by Delete/Rederive, in Python.

It is the code of [DRedMTL26], which is no package: FOLDER has its repository and that of the MeTeoR
that it needs, under their names. It derives the model of FACTS, deletes CHANGED, and inserts them
again; after each change it writes the model, as far as it is asked for, to PREFIX-delete and
PREFIX-insert. It stops after ten minutes of processor time, with an error.
usage: mtl_dred.py FOLDER PROGRAM FACTS CHANGED PREFIX
"""

from __future__ import annotations

import json
import signal
import sys
from collections import defaultdict
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import Any, Final

MOST_SECONDS: Final = 600
SOURCES: Final = ("DREDmtl-for-DatalogMTL/code", "MeTeoR")
"""In FOLDER, what its modules are imported from."""
TURNS: Final = 2
"""So many turns of a period are written beyond the one that was found."""


def main(folder: str, program: str, facts: str, changed: str, prefix: str) -> None:
    """Follow the change; say how long it took, and in which interval each model is whole."""
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    with redirect_stdout(sys.stderr):
        told = follow(folder, program, facts, changed, prefix)
    print(json.dumps(told))


def follow(folder: str, program: str, facts: str, changed: str, prefix: str) -> dict[str, object]:
    """Derive the model, follow both changes, and give the report of `SliceReport`."""
    _import_from(Path(folder))
    from DRED_mtl import DRED, has_cycle  # noqa: PLC0415 - from FOLDER
    from meteor_reasoner.canonical.canonical_representation import (  # noqa: PLC0415
        CanonicalRepresentation,
    )
    from meteor_reasoner.canonical.utils import find_periods  # noqa: PLC0415
    from meteor_reasoner.materialization.coalesce import coalescing_d  # noqa: PLC0415
    from meteor_reasoner.utils.loader import load_dataset, load_program  # noqa: PLC0415

    begun = process_time()
    lines = Path(program).read_text(encoding="utf-8").splitlines()
    rules = load_program([line for line in lines if line.strip()])
    known, change = load_dataset(facts), load_dataset(changed)
    coalescing_d(known)
    read = process_time()
    model = CanonicalRepresentation(deepcopy(known), rules)
    model.initilization()
    found, _, *periods = find_periods(model)
    model.D = found
    told: dict[str, object] = {"load": read - begun, "derive": process_time() - read}
    within = []
    for name in ("delete", "insert"):
        some = deepcopy(change)
        none: dict[str, dict[object, list[object]]] = defaultdict(lambda: defaultdict(list))
        goes, comes = (some, none) if name == "delete" else (none, some)
        begun = process_time()
        ways = {"do_count": False, "is_acyclic": not has_cycle(rules)}
        known, model, left, right, *rest = DRED(known, model, goes, comes, *periods, **ways)
        told[name] = process_time() - begun
        lefts, rights, left_turn, right_turn = rest
        periods = [left, lefts, left_turn, right, rights, right_turn]
        within.append(write_model(model.D, left, right, Path(f"{prefix}-{name}")))
    return {**told, "within": within}


def write_model(found: Any, left: Any, right: Any, output: Path) -> str:  # noqa: ANN401
    """Write the facts, and how they go on as its own code unfolds them; say in which interval."""
    from DRED_mtl import unfold  # noqa: PLC0415 - from FOLDER
    from meteor_reasoner.utils.operate_dataset import yield_dataset  # noqa: PLC0415

    first = last = None
    if left is not None:
        first = left.left_value - TURNS * (left.right_value - left.left_value)
    if right is not None:
        last = right.right_value + TURNS * (right.right_value - right.left_value)
    whole = unfold(deepcopy(found), left, right, first, last)
    with output.open("w", encoding="utf-8") as file:
        file.writelines(f"{fact}\n" for fact in yield_dataset(whole))
    begin = "(-inf" if first is None else f"[{first}"
    return f"{begin},{'+inf)' if last is None else f'{last}]'}"


def _import_from(folder: Path) -> None:
    """Its modules before those that are installed; of `line_profiler` it needs a decorator."""
    sys.path[:0] = [str(folder / part) for part in SOURCES]
    profiler = ModuleType("line_profiler")
    profiler.profile = lambda function: function  # type: ignore[attr-defined]
    sys.modules["line_profiler"] = profiler


def _stop(_signal: int, _frame: object) -> None:
    message = f"stopped after {MOST_SECONDS} s of processor time"
    raise TimeoutError(message)


if __name__ == "__main__":
    main(*sys.argv[1:])
