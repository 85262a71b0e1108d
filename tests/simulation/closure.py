"""The closure of a set of triples by the rules of a regime, as the engine computes it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import numpy as np

import r4.engine.core
import rete.storage.row_algebra
from r4.engine.core import Core
from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.time.ticks import TimeScale
from rete.terms.dictionary import Dictionary
from rif.syntax import ast
from rif.syntax.terms import parse_canonical
from rif.values.datatypes import value_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rif.language import Language
    from rif.syntax.terms import GroundTerm

Triple = tuple["GroundTerm", "GroundTerm", "GroundTerm"]


class Closure(NamedTuple):
    """What holds in the end, and whether that is inconsistent."""

    triples: frozenset[Triple]
    inconsistent: bool


@lru_cache(maxsize=8)
def _compiled(rules: ast.Document) -> Program:
    return compile_document(ast.Document(), TimeScale(), background=rules)


def close(
    triples: Iterable[Triple],
    rules: ast.Document,
    *,
    united: bool = True,
    language: Language = LANGUAGE,
) -> Closure:
    """What follows by ``rules``; literals of one value are taken for one term.

    What follows from some of the triples is derived before the next ones come in, where they are
    an even number. What was asserted is kept, to be retracted, but where they are a multiple of
    three. Unless ``united``, terms that are the same are left to the rules: no representative is
    kept.
    """
    terms = Dictionary()
    program = replace(_compiled(rules), language=language)
    given = {(value_of(s), value_of(p), value_of(o)) for s, p, o in triples}
    retracts = len(given) % 3 > 0
    core = Core(program if united else program.in_front(), terms, retracts=retracts)
    texts = [str(term) for triple in given for term in triple]
    rows = terms.encode_many(texts).reshape(-1, 3)
    few = patch.object(rete.storage.row_algebra, "_MANY_ROWS", 1)
    with patch.object(r4.engine.core, "_MEANWHILE", 1), few:
        for part in np.array_split(rows, max(len(rows) // 3, 1) if len(rows) % 2 == 0 else 1):
            core.assert_static(part)
        core.close_background()
    if core.layers.statics is None:
        found = [text for triple in core.derived_at(0) for text in triple]
    else:
        facts = np.concatenate([*core.layers.statics.facts()])
        rows = core.layers.classes.expand(facts)
        found = terms.decode_many(np.ascontiguousarray(rows[:, :3]).ravel())
    derived = zip(*[map(parse_canonical, found)] * 3, strict=True)
    return Closure(frozenset({*given, *derived}), core.inconsistent)
