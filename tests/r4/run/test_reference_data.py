"""Static documents that change, compared with sets of triples."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest

from r4.api import Engine
from r4.imports import Closure
from r4.language import LANGUAGE
from r4.run.reference_data import ReferenceData, RuleReading
from r4.stream.input_events import DocumentChange
from r4.time.ticks import TimeScale
from rif.syntax.terms import XSD
from tests.generators.rules.parsers import parse_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from r4.engine.core import Core

RULES = """Document( Prefix(ex <urn:ex:>) Group(
  Forall ?x ( ?x[ex:is -> ex:hot] :- ?x[ex:in -> ex:sun] ) ) )"""
_Triple = tuple[str, ...]


def _begin(engine: Engine | None = None) -> tuple[Core, ReferenceData]:
    core = (engine or Engine.from_text(RULES))._run.core
    parsed = parse_bytes(RULES.encode())
    closure = Closure((parsed.document,), (), (), None, (), (), 1, LANGUAGE)
    return core, ReferenceData(core, RuleReading(closure, TimeScale()), [], print)


def _triples(texts: Sequence[str]) -> set[_Triple]:
    return {tuple(texts[place : place + 3]) for place in range(0, len(texts), 3)}


def _texts(triples: Iterable[_Triple]) -> tuple[str, ...]:
    return tuple(text for triple in sorted(triples) for text in triple)


@pytest.mark.parametrize("seed", range(20))
def test_what_joins_and_leaves_is_the_difference_of_all_documents(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - not for secrets
    core, data = _begin()
    terms = [f"<urn:ex:{number}>" for number in range(4)]

    def some() -> set[_Triple]:
        return {tuple(random.choices(terms, k=3)) for _ in range(random.randint(0, 30))}

    documents = {number: some() for number in range(4)}
    for number, triples in documents.items():
        rows = core.terms.encode_many([*_texts(triples)]).reshape(-1, 3)
        for part in (rows[:9], rows[9:], rows[:2]):  # a document may repeat triples
            data.note(number, part)
    for _ in range(5):
        before = set().union(*documents.values())
        changes = []
        for number in random.sample(range(1, 4), random.randint(1, 3)):
            old, documents[number] = documents[number], some()
            added, removed = documents[number] - old, old - documents[number]
            changes.append(DocumentChange(number, _texts(added), _texts(removed)))
        joined, left = data._change_documents(changes)
        after = set().union(*documents.values())
        assert _triples(core.terms.decode_many(joined.ravel())) == after - before
        assert _triples(left) == before - after
        assert (len(joined), len(left)) == (len(after - before), 3 * len(before - after))
    for number in range(1, 4):
        rows = core.terms.encode_many([*_texts(documents[number])]).reshape(-1, 3)
        assert data.difference(number, rows) is None


def test_a_small_change_sorts_few_of_many_triples() -> None:
    core, data = _begin()
    ids = core.terms.encode_many([f"<urn:ex:{number}>" for number in range(5000)])
    data.note(1, np.stack([ids, ids, ids], axis=1))
    sorted_rows, unique, lexsort = [0], np.unique, np.lexsort

    def counted(rows: Any, **options: Any) -> Any:
        sorted_rows[0] += len(rows)
        return unique(rows, **options)

    def counted_keys(keys: Any) -> Any:
        sorted_rows[0] += len(keys[0])
        return lexsort(keys)

    one, other = (core.terms.decode(int(each)) for each in ids[:2])
    with patch.object(np, "unique", counted), patch.object(np, "lexsort", counted_keys):
        joined, left = data._change_documents([DocumentChange(1, (one, one, other), (one,) * 3)])
    assert (len(joined), left) == (1, [one] * 3)
    assert sorted_rows[0] < 20


def test_a_document_with_a_new_end_of_a_range_is_left_out(capsys: Any) -> None:
    engine = Engine.from_text(
        """Document( Prefix(ex <urn:ex:>) Group( Forall ?x ?d ( ?x[ex:was -> ex:hot] :-
          And( ?x[ex:cools -> ?d] DiamondMinus [0, ?d] ( ?x[ex:is -> ex:hot] ) ) ) ) )"""
    )
    engine.add_static("<urn:ex:a> <urn:ex:cools> 3 .")
    engine.advance(1)
    core, data = _begin(engine)
    three, nine = (f'"{number}"^^<{XSD}integer>' for number in (3, 9))
    new = ("<urn:ex:b>", "<urn:ex:cools>", nine, "<urn:ex:b>", "<urn:ex:is>", "<urn:ex:hot>")
    known = ("<urn:ex:c>", "<urn:ex:cools>", three)
    joined, _ = data._change_documents([DocumentChange(1, new, ()), DocumentChange(2, known, ())])
    assert _triples(core.terms.decode_many(joined.ravel())) == {known}
    assert f"R4603 document 1: R4606 {nine} is a new value" in capsys.readouterr().out
