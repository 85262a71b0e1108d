"""Closures of static data, by one network and by shards: ``python -m tests.sharding.lasting``.

``[COUNT [FIRST]]``: nothing is ever lost, so facts may go in circles through shards.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

import numpy as np

from r4.compile import compile_document
from r4.entailment import regime
from r4.program import Program
from r4.spark.partition.program import partition
from r4.time import TimeScale
from rete.agenda import LimitReached
from rete.delta import NEG_INF
from rif.ast import Document
from rif.datatypes import value_of
from tests.cases.ontologies import OWL_AXIOMS, RDFS_AXIOMS, graph_of
from tests.cases.ranked_rules import ranked
from tests.cases.rules import document
from tests.cases.saying import Sayer
from tests.cases.vocabulary import vocabulary
from tests.draw import Draw, from_seed
from tests.oracles.patterns import Triple
from tests.profile import table, verdict
from tests.sharding.cases import SHARDS
from tests.sharding.scattering import scattered
from tests.sharding.telling import Sharded, Single

MIX: Final = ("ranked", "plain", "rdfs", "ranked", "owl-rl", "above rdfs")
"""The kinds of cases, by seed."""


@dataclass(frozen=True, slots=True)
class Closing:
    """A program, and triples that always hold."""

    program: Program
    triples: tuple[Triple, ...]
    by_value: bool


def closing_of(seed: int) -> Closing:
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
    sayer = Sayer(draw, vocabulary(draw), 9)
    return [sayer.triple() for _ in range(draw.integer(4, 30))]


def _of(rules: Document, triples: Iterable[Triple], name: str = "") -> Closing:
    background = regime(name) if name else None
    program = compile_document(rules, TimeScale(), background=background).in_front()
    if name:
        triples = [(value_of(s), value_of(p), value_of(o)) for s, p, o in triples]
    return Closing(program, tuple(dict.fromkeys(triples)), bool(name))


def closed(case: Closing, to: Single | Sharded) -> list[str]:
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
        case = closing_of(seed)
        by_value = case.by_value
        try:
            right = closed(case, Single(case.program, instances=False, by_value=by_value))
        except LimitReached:
            continue
        features.update(["case", MIX[seed % len(MIX)], *(["answers"] if right else [])])
        rounds = 0
        for each in shards:
            with nullcontext() if seed % 2 else scattered(seed + each):
                given = partition(case.program, each, by_value=by_value, lasting=True)
            sharded = Sharded(given, instances=False, by_value=by_value)
            found = closed(case, sharded)
            rounds = max(rounds, sharded.rounds.traffic.rounds)
            if found != right:
                more, less = sorted({*found} - {*right}), sorted({*right} - {*found})
                faults[seed] = (
                    f"{each} shards\ntoo much: {more}\ntoo little: {less}\n{case.triples}"
                )
        features.update(name for name, most in _ROUNDS.items() if rounds > most)
    return features, faults


_ROUNDS: Final = {"facts that travel": 0, "second round": 1, "fourth round": 3}


def main(count: str = "300", first: str = "0") -> int:
    """Print a profile, and the first disagreements; 1 if there are any."""
    features, failed = compare(int(count), int(first))
    cases = features["case"]
    sys.stdout.write(table(features, cases))
    return verdict(failed, f"{cases} closures from seed {first} on, each in {SHARDS} shards")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
