"""Closures of static data, by one network and by shards.

Nothing is ever lost, so facts may go in circles through shards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

import numpy as np

from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.program.regimes import regime
from r4.spark.partition.program_partition import partition
from r4.time.ticks import TimeScale
from rete.arrays.delta import NEG_INF
from rete.inference.errors import LimitReached
from rif.syntax.ast import Document
from rif.values.datatypes import value_of
from tests.generators.draw import Draw, from_seed
from tests.generators.ontologies.graphs import OWL_AXIOMS, RDFS_AXIOMS, graph_of
from tests.generators.rules.documents import document
from tests.generators.stories.elements import ElementGenerator
from tests.generators.stories.ranked_rules import ranked
from tests.generators.vocabulary import vocabulary
from tests.oracles.rdf.rule_tables import Triple
from tests.simulation.shards.mix import SHARDS
from tests.simulation.shards.random_placement import random_placement
from tests.simulation.shards.story_run import ShardedNetwork, SingleNetwork

MIX: Final = ("ranked", "plain", "rdfs", "ranked", "owl-rl", "above rdfs")
"""The kinds of cases, by seed."""


@dataclass(frozen=True, slots=True)
class StaticClosure:
    """A program, and triples that always hold."""

    program: Program
    triples: tuple[Triple, ...]
    by_value: bool


def closure_of_seed(seed: int) -> StaticClosure:
    """The case of a seed, in the mix."""
    draw = from_seed(seed)
    match MIX[seed % len(MIX)]:
        case "ranked":
            return _of(ranked(draw, negation=False), _said(draw))
        case "plain":
            return _of(document(draw, vocabulary(draw), negation=False), _said(draw))
        case "rdfs":
            return _of(Document(), graph_of(draw, RDFS_AXIOMS), "rdfs")
        case "owl-rl":
            return _of(Document(), graph_of(draw, OWL_AXIOMS), "owl-rl")
        case _:
            graph = graph_of(draw, RDFS_AXIOMS)
            return _of(ranked(draw, negation=False), [*graph, *_said(draw)], "rdfs")


def _said(draw: Draw) -> list[Triple]:
    sayer = ElementGenerator(draw, vocabulary(draw), 9)
    return [sayer.triple() for _ in range(draw.integer(4, 30))]


def _of(rules: Document, triples: Iterable[Triple], name: str = "") -> StaticClosure:
    background = regime(name) if name else None
    program = compile_document(rules, TimeScale(), background=background).in_front()
    if name:
        triples = [(value_of(s), value_of(p), value_of(o)) for s, p, o in triples]
    return StaticClosure(program, tuple(dict.fromkeys(triples)), bool(name))


def closure_lines(case: StaticClosure, to: SingleNetwork | ShardedNetwork) -> list[str]:
    """The lines of what follows, in order of text."""
    texts = [str(term) for triple in case.triples for term in triple]
    ids = to.terms.encode_many(texts).reshape(-1, 3) if texts else np.empty((0, 3), np.int64)
    to.assert_static(ids)
    to.close(NEG_INF)
    return sorted(to.lines)


def compare(
    count: int, first: int = 0, shards: Iterable[int] = SHARDS
) -> tuple[Counter[str], dict[int, str]]:
    """What ``count`` cases by seed exercise, and where shards disagree."""
    features: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        case = closure_of_seed(seed)
        by_value = case.by_value
        try:
            right = closure_lines(
                case, SingleNetwork(case.program, instances=False, by_value=by_value)
            )
        except LimitReached:
            continue
        features.update(["case", MIX[seed % len(MIX)], *(["answers"] if right else [])])
        rounds = 0
        for each in shards:
            with nullcontext() if seed % 2 else random_placement(seed + each):
                given = partition(case.program, each, by_value=by_value, lasting=True)
            sharded = ShardedNetwork(given, instances=False, by_value=by_value)
            found = closure_lines(case, sharded)
            rounds = max(rounds, sharded.rounds.traffic.rounds)
            if found != right:
                more, less = sorted({*found} - {*right}), sorted({*right} - {*found})
                faults[seed] = (
                    f"{each} shards\ntoo much: {more}\ntoo little: {less}\n{case.triples}"
                )
        features.update(name for name, most in _ROUNDS.items() if rounds > most)
    return features, faults


_ROUNDS: Final = {"facts that travel": 0, "second round": 1, "fourth round": 3}
