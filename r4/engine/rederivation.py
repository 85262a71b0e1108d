"""Rederivation: a core goes on from the state of other networks than its own.

What is asserted, and the answers that were told, are taken as they were saved. All else follows
from what is asserted, and is derived anew. Up to where answers are final they stay as they are;
from there on they are what is derived, and where that differs they begin or end.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from r4.answers.emitter import Emitter
from rete import kernels
from rete.arrays.delta import NEG_INF, Rows, concat, empty
from rete.arrays.state_codec import Mask, StateReader
from rete.graph.streams import FactTable
from rete.inference.inference_engine import InferenceEngine
from rete.storage.derived_facts import round_to_ticks
from rete.storage.fact_set import FactSet
from rete.storage.row_algebra import begin_at
from rete.storage.stem import Stem
from rete.terms.relations import TRIPLES, Relation


def follow_answers(
    inference: InferenceEngine, emitter: Emitter, given: StateReader, alive: Mask, final: int
) -> Counter[Relation]:
    """Let tables have what was told before the cell ``final``, and from there on what is derived.

    Answers that change by that are still to be emitted. Of how many facts, by relation.
    """
    told: dict[FactTable, list[StateReader]] = {}
    tables: list[FactSet] = []
    for part in given.part("layers").parts("tables"):
        table = inference.layers.find_answers(part)
        if table is None:
            tables.append(FactSet(TRIPLES, instances=False, answers=False))  # nothing is of it
            continue
        tables.append(table.answer_facts)
        told.setdefault(table, []).append(part.part("ticks") if "ticks" in part else part)
    emitter.restore(given.part("ledger"), alive, tables)
    changed: Counter[Relation] = Counter()
    for table in (each for each in inference.layers.all_tables if each.answers):
        saved, facts = told.get(table, []), table.answer_facts
        derived = {rule: _at_ticks(table, table.of_rule(rule)) for rule in facts.by_rule}
        everything = _at_ticks(table, table.facts.content())
        for rule, stem in facts.by_rule.items():
            parts = [each for part in saved for each in part.parts("rules")]
            had = [each for each in parts if each.integer("rule") == rule]
            _follow(stem, _rows(had, stem, alive) if had else derived[rule], derived[rule], final)
        had = [part.part("facts") for part in saved]
        lost, gained = _follow(facts.facts, _rows(had, facts.facts, alive), everything, final)
        table.leveled = None
        if len(lost):
            emitter.lose(facts, lost)
        if len(gained):
            emitter.gain(facts, gained)
        changed[table.relation] += len(lost) + len(gained)
    return +changed


def _at_ticks(table: FactTable, rows: Rows) -> Rows:
    return rows if table.ticks is None else round_to_ticks(rows)


def _rows(parts: list[StateReader], stem: Stem, alive: Mask) -> Rows:
    return concat([empty(stem.width), *(part.rows("rows", stem.width, alive) for part in parts)])


def _follow(stem: Stem, had: Rows, derived: Rows, final: int) -> tuple[Rows, Rows]:
    """Let ``stem`` have what it had before ``final``, and then what is derived; losses and gains.

    An instance that has begun before goes on; none can begin there.
    """
    before = kernels.clip(had, NEG_INF, final)
    if stem.instances:
        known = _stem(had, stem)
        begun = known.find(np.ascontiguousarray(derived[:, :-1]), kernels.BEGINS_AT) >= 0
        begun |= derived[:, -2] >= final
        had, derived = had[had[:, -1] > final], derived[(derived[:, -1] > final) & begun]
    else:
        had, derived = begin_at(had, final), begin_at(derived, final)
    lost, gained = _stem(derived, stem).missing(had), _stem(had, stem).missing(derived)
    stem.clear()
    stem.absorb(before, NEG_INF)
    stem.absorb(derived, NEG_INF)
    return lost, gained


def _stem(rows: Rows, like: Stem) -> Stem:
    stem = Stem(like.width, instances=like.instances)
    stem.absorb(rows, NEG_INF)
    return stem
