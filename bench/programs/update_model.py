"""A live model follows deletions and insertions of 100 facts, and of a tenth of the facts.

Each change is done by Delete/Rederive, in another live model as ``auto`` does it, and by deriving
the model anew, one after the other; the models are compared after each. So Delete/Rederive finds
the caches of the processor full of another model. Then these facts and ten other samples of as many
go and come in succession, as facts do where a model is live, and the model of all facts is derived
anew; that is done three times over. Of two derivations anew, one after the other, the second
counts, as it finds memory that was used before. Facts are drawn from the first ``part`` of the
lines, and the model is of the first ``share``. It prints in JSON a list of what was measured, in
seconds of processor time. usage: update_model.py PROGRAM FACTS SHARE PART
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Final

from bench.workloads.temporal.metric_programs import fact_lines
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader, Dataset
from temporal.maintenance.live_model import LiveModel
from temporal.maintenance.net_change import subtract_models
from temporal.maintenance.update_method import Method
from temporal.model.materialisation import materialise
from temporal.mtl.analysis import analyse
from temporal.mtl.ast import MetricProgram, PredicateKey
from temporal.mtl.validation import arities
from temporal.periods.periodic_model import PeriodicModel
from temporal.text.program_parser import parse_program

SEED: Final = 7
FEW: Final = 100
CHANGES: Final = ("delete", "insert")
LARGE: Final = 10
"""The large change is of one fact in so many."""
WARM: Final = 8
"""The seed of other facts, which go and come first: indexes are made when they are first needed."""
SUCCESSION: Final = (*range(9, 14), SEED, *range(14, 19))
"""The seeds of the facts that go and come in succession."""
PLACE: Final = SUCCESSION.index(SEED)
"""The place among them of the facts that are measured."""
PASSES: Final = 3
"""They do so many times over."""
DERIVATIONS: Final = 2
"""A model is derived so many times; the last counts."""


def main(program: str, facts: str, share: str, part: str) -> None:
    """Measure; print."""
    rules, terms = parse_program(Path(program).read_text(encoding="utf-8")), Dictionary()
    lines = list(fact_lines(Path(facts)))
    drawn = lines[: round(float(part) * len(lines))]
    lines = lines[: round(float(share) * len(lines))]
    data = load_lines(rules, terms, lines)
    live = {method: LiveModel(rules, data, terms) for method in (Method.DRED, Method.AUTO)}

    def draw(seed: int, size: int) -> Dataset:
        return load_lines(rules, terms, random.Random(seed).sample(drawn, size))  # noqa: S311

    for each in live.values():
        follow(each, [draw(WARM, min(FEW, len(drawn)))])
    derive_anew(rules, data, terms)
    found = []
    for size in (FEW, len(lines) // LARGE):
        if size > len(drawn):
            continue
        changes, rows = [draw(seed, size) for seed in SUCCESSION], []
        for name in CHANGES:
            row: dict[str, object] = {"facts": len(lines), "changed": size, "change": name}
            for method, model in live.items():
                begun = process_time()
                model.update(**{name: changes[PLACE]}, method=method)
                row[method.value] = process_time() - begun
            explicit = Dataset(data.scale, live[Method.DRED].explicit)
            row["recompute"], anew = derive_anew(rules, explicit, terms)
            row["wrong"] = any(differ(model, anew) for model in live.values())
            rows.append(row)
        passes = []
        for _ in range(PASSES):
            deletions, insertions = follow(live[Method.DRED], changes)
            explicit = Dataset(data.scale, live[Method.DRED].explicit)
            seconds, anew = derive_anew(rules, explicit, terms)
            passes.append((deletions[PLACE], insertions[PLACE], seconds))
        for number, row in enumerate(rows):
            row["successive"] = median([times[number] for times in passes])
            row["successive_ratio"] = median([times[number] / times[-1] for times in passes])
        rows[-1]["wrong"] = rows[-1]["wrong"] or differ(live[Method.DRED], anew)
        found += rows
    print(json.dumps(found))


def follow(live: LiveModel, changes: Sequence[Dataset]) -> tuple[list[float], list[float]]:
    """Delete and insert again one change after the other; seconds of each deletion, insertion."""
    deletions, insertions = [], []
    for change in changes:
        begun = process_time()
        live.update(delete=change, method=Method.DRED)
        between = process_time()
        live.update(insert=change, method=Method.DRED)
        deletions.append(between - begun)
        insertions.append(process_time() - between)
    return deletions, insertions


def derive_anew(
    rules: MetricProgram, data: Dataset, terms: Dictionary
) -> tuple[float, PeriodicModel[PredicateKey]]:
    """The seconds that the last derivation took, and its model."""
    for _ in range(DERIVATIONS):  # one is there while the next is made
        begun = process_time()
        anew = materialise(rules, data, terms)
        seconds = process_time() - begun
    return seconds, anew.periodic


def differ(live: LiveModel, anew: PeriodicModel[PredicateKey]) -> bool:
    """Whether a live model is another than one derived anew."""
    mine = live.model().periodic
    return bool(subtract_models(mine, anew).facts or subtract_models(anew, mine).facts)


def load_lines(rules: MetricProgram, terms: Dictionary, lines: Sequence[str]) -> Dataset:
    """The facts of lines; raises `ValueError` if one is none."""
    loader = BulkLoader(terms, arities(rules))
    loader.text(["\n".join(lines).encode()])
    if loader.bad:
        raise ValueError(loader.faults[0].report("facts"))
    return loader.data(analyse(rules).scale)


if __name__ == "__main__":
    main(*sys.argv[1:])
