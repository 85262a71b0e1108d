"""Joins in an order that follows from counts: when it changes, and what that costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from rdflib import PROV, Literal, Namespace

from r4.api import Engine
from rete.graph.streams import Stream
from rete.inference.agenda import Agenda
from rete.network.adaptive_order import count_rows
from rete.nodes.scan import Scan
from rete.terms.relations import Relation
from tests.simulation.command import call
from tests.simulation.shuffled_orders import shuffled_orders

EX = Namespace("http://e/")
NEAR = """
Document( Prefix(ex <http://e/>) Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
          Window(20)
  Group( Forall ?a ?b ?c ?d ( ?a[ex:near -> ?d] :-
    And(?a[ex:val -> ?c] ?b[ex:val -> ?c] ?b[ex:by -> ?d] TEST) ) ) )
"""
PLAIN = NEAR.replace("TEST", "")


def of_one_value(count: int) -> list:
    """So many things of one value, made by three others."""
    values: list = [(EX[f"s{number}"], EX.val, Literal("x")) for number in range(count)]
    return values + [(EX[f"s{n}"], EX.by, EX[f"d{n % 3}"]) for n in range(count)]


def static(rules: str, triples: list) -> Engine:
    engine = Engine.from_text(rules)
    engine.add_static(triples)
    engine.finish()
    return engine


@contextmanager
def pairs_made() -> Iterator[list[int]]:
    """The rows that joins make meanwhile."""
    made: list[int] = []
    deliver = Agenda.deliver

    def counted(agenda: Agenda, stream: Stream, rows: np.ndarray) -> None:
        if len(stream.sources) > 1:
            made.append(len(rows))
        deliver(agenda, stream, rows)

    with patch.object(Agenda, "deliver", counted):
        yield made


@contextmanager
def kept_orders() -> Iterator[None]:
    """No order changes meanwhile."""
    with patch.object(Agenda, "_adapt", lambda _: None):
        yield


def orders(engine: Engine) -> list:
    return list(engine.network.orders.values())


def test_a_key_that_all_rows_share_costs_what_is_derived() -> None:
    costs = []
    for count in (1500, 6000):
        with pairs_made() as made:
            engine = static(PLAIN, of_one_value(count))
        assert len(list(engine.changes())) == 3 * count
        assert orders(engine) == [(0, 1, 2, -1, -1)]
        costs.append(sum(made))
    assert costs[1] < 4.1 * costs[0]
    assert costs[0] < 10 * 1500


def test_so_it_does_with_a_test_in_between() -> None:
    rules = NEAR.replace("TEST", "External(pred:literal-not-identical(?a ?b))")
    with pairs_made() as made:
        engine = static(rules.replace("?a ?b)", "?c ?d)"), of_one_value(1500))
    assert orders(engine) == [(0, 1, 2, -1, -1)]
    assert sum(made) < 10 * 1500


def test_where_rows_do_not_multiply_the_order_stays() -> None:
    triples: list = [(EX[f"s{n}"], EX.val, Literal(n)) for n in range(3000)]
    triples += [(EX[f"s{n}"], EX.by, EX[f"d{n % 3}"]) for n in range(3000)]
    engine = static(PLAIN, triples)
    assert len(list(engine.changes())) == 3000
    assert not orders(engine)


def changing(engine: Engine, steps: int = 60, size: int = 24) -> list[str]:
    """First each thing has a value of its own, later all have one; what was answered."""
    for step in range(steps):
        some = range(step * size, (step + 1) * size)
        value = [Literal("x" if step > steps // 3 else number) for number in some]
        triples: list = [(EX[f"s{n}"], EX.val, each) for n, each in zip(some, value, strict=True)]
        triples += [(EX[f"s{n}"], EX.by, EX[f"d{n % 3}"]) for n in some]
        engine.add(triples, at=step)
    engine.finish()
    return [str(change) for change in engine.changes()]


@pytest.mark.rest
def test_a_stream_that_changes_changes_the_order_and_no_answer() -> None:
    with kept_orders():
        before = Engine.from_text(PLAIN)
        wanted = changing(before)
    engine = Engine.from_text(PLAIN)
    assert changing(engine) == wanted
    assert orders(engine)
    assert not orders(before)


def test_what_waits_before_an_aggregate_is_no_row_of_its_own(tmp_path: Path) -> None:
    """600 readings at once ended in a traceback: a reading has another width than a maximum."""
    (tmp_path / "rules.rif").write_text("""
Document( Prefix(ex <http://e/>) Window(20) Group( Forall ?a ?c ?m ?n ( ?a[ex:top -> ?m] :- And(
  ?a[ex:val -> ?c]
  ?m = max{ ?w [?a] | At ?t ( ?a[ex:val -> ?w] ) }
  ?n = count{ ?w [?a] | At ?t ( ?a[ex:val -> ?w] ) } ) ) ) )""")
    integer = "^^<http://www.w3.org/2001/XMLSchema#integer>"
    with (tmp_path / "stream.nq").open("w") as file:
        for at in range(600):
            file.write(f'<g{at}:> <{PROV}generatedAtTime> "{at}"{integer} .\n')
            file.write(f'<{EX.s}> <{EX.val}> "{at % 7}"{integer} <g{at}:> .\n')
    result = call(["run", str(tmp_path / "rules.rif"), str(tmp_path / "stream.nq"), "--ops", "+"])
    assert [json.loads(line)["from"] for line in result.lines()] == list(range(7))


def test_what_stands_behind_the_joins_keeps_its_rows() -> None:
    """A negation still knows what has passed it, whatever the order of its left side is now."""

    def answers() -> list[str]:
        engine = Engine.from_text(NEAR.replace("TEST", "Naf(?d[ex:is -> ex:off])"))
        engine.add(of_one_value(4), at=1)
        engine.add([(EX.s9, EX.val, Literal("y"))], at=2)
        engine.add([(EX.s8, EX.val, Literal("y"))], at=3)
        engine.add([(EX.d1, EX["is"], EX.off)], at=4)
        engine.finish()
        return [str(change) for change in engine.changes()]

    wanted = answers()
    assert len(wanted) == 4 * 3 + 4
    for seed in range(5):
        with shuffled_orders(seed, 90) as used:
            assert answers() == wanted
        assert used


def test_an_order_that_was_changed_is_resumed(tmp_path: Path) -> None:
    engine = Engine.from_text(PLAIN)
    engine.add_static(of_one_value(1500))
    engine.add([(EX.s1, EX.val, Literal("y"))], at=1)
    engine.save(tmp_path / "saved")
    (tmp_path / "rules.rif").write_text(PLAIN)
    other = Engine.load(tmp_path / "saved", tmp_path / "rules.rif")
    assert orders(engine) == orders(other) == [(0, 1, 2, -1, -1)]
    assert list(other.network.streams) == list(engine.network.streams)
    for each in (engine, other):
        each.add([(EX.s2, EX.val, Literal("y")), (EX.s2, EX.by, EX.d9)], at=2)
        each.finish()
    assert list(map(str, other.changes())) == list(map(str, engine.changes()))


def test_an_explanation_lists_conditions_as_the_text_does() -> None:
    texts = []
    for count in (1200, 3):
        engine = Engine.from_text(PLAIN)
        engine.add_static(of_one_value(count))
        engine.add([(EX.t, EX.val, Literal("z")), (EX.t, EX.by, EX.d)], at=1)
        engine.advance(1)
        texts.append(str(engine.explain((EX.t, EX.near, EX.d))))
        texts.append(str(engine.explain((EX.t, EX.near, EX.d0))))
        assert bool(orders(engine)) == (count > 3)
    assert texts[:2] == texts[2:]


def stream_of(rows: np.ndarray) -> Stream:
    width = rows.shape[1] - 2
    stream = Stream(Scan(Relation("p", width), (), (), tuple(range(width))))
    stream.pending.append(np.ascontiguousarray(rows))
    return stream


@pytest.mark.parametrize("count", [100, 5000, 100_000])
def test_counts_are_near_the_truth(count: int) -> None:
    numbers = np.arange(count)
    columns = (numbers, numbers % 7, np.where(numbers % 2, 0, numbers), np.zeros(count, int))
    rows = np.column_stack((*columns, numbers * 0, numbers * 0 + 10))
    found = count_rows(stream_of(rows), 5)
    assert found.rows == pytest.approx(count, rel=0.1)
    unique, seven, skewed, one = found.columns
    assert unique.distinct > count / 10
    assert unique.effective > count / 10
    assert seven == pytest.approx((7, 7), rel=0.1)
    assert skewed.effective == pytest.approx(4, rel=0.2)
    assert skewed.distinct > count / 20
    assert one == pytest.approx((1, 1))
    assert not count_rows(stream_of(rows), 10).rows
