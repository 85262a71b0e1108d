"""Live models: the examples of the paper step by step, phases, periods that come and go."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from rete.retraction.loss_propagation import LossPropagation
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader, Dataset
from temporal.facts.bulk_writer import lexical
from temporal.intervals.interval import Interval
from temporal.maintenance.live_model import LiveModel, Update
from temporal.maintenance.net_change import subtract_models
from temporal.maintenance.update_method import Method
from temporal.model.limits import LimitReached, Limits
from temporal.model.materialisation import materialise
from temporal.mtl.ast import PredicateKey
from temporal.mtl.validation import arities
from temporal.periods.periodic_model import PeriodicModel
from temporal.text.program_parser import parse_program


class Run:
    """A live model whose facts are given and shown as text."""

    def __init__(self, rules: str, facts: str, limits: Limits | None = None) -> None:
        self.program = parse_program(rules)
        self.terms = Dictionary()
        self.live = LiveModel(self.program, self.loaded(facts), self.terms, limits=limits)

    def loaded(self, facts: str) -> Dataset:
        loader = BulkLoader(self.terms, arities(self.program))
        loader.text([facts.replace("; ", "\n").encode()])
        assert not loader.faults
        return loader.data()

    def update(self, delete: str = "", insert: str = "") -> Update:
        return self.live.update(self.loaded(delete), self.loaded(insert), Method.DRED)

    def shown(self, model: PeriodicModel[PredicateKey], low: int, high: int) -> set[str]:
        """The facts from one number to another, both included."""
        scale = self.live.scale
        found = set()
        for (name, _), rows in model.unfold(2 * low * scale, 2 * high * scale + 1):
            for row in rows.tolist():
                ids = np.array(row[:-2], np.int64)
                words = list(map(lexical, self.terms.decode_many(ids)))
                args = f"({','.join(words)})" if words else ""
                found.add(f"{name}{args}@{Interval.of_cells(row[-2], row[-1], scale)}")
        return found

    def holds(self, low: int, high: int) -> set[str]:
        return self.shown(self.live.model().periodic, low, high)

    def periods(self) -> tuple[str, str]:
        return self.live.model().period_lines()


EXAMPLE_1 = "Boxplus[1,1]P(X) :- P(X)"
MANY = "; ".join(f"P(a{n})@0" for n in range(1, 101))


def test_example_1_deletes_one_of_many_and_inserts_another() -> None:
    """Of n facts that repeat for ever one goes and another comes: its facts alone are touched."""
    run = Run(EXAMPLE_1, MANY)
    assert run.periods() == ("left period none", "right period (3,4]")
    found = run.update(delete="P(a1)@0", insert="P(b)@0")
    statistics, reach = found.statistics, 7
    assert run.shown(found.change.lost, -5, reach) == {f"P(a1)@[{t},{t}]" for t in range(reach + 1)}
    assert run.shown(found.change.gained, -5, reach) == {
        f"P(b)@[{t},{t}]" for t in range(reach + 1)
    }
    assert (statistics.deleted, statistics.added) == (1, 1)
    few = Run(EXAMPLE_1, "P(a1)@0").update(delete="P(a1)@0", insert="P(b)@0").statistics
    assert statistics.overdeleted == few.overdeleted > 0
    assert statistics.inserted == few.inserted > 0
    assert statistics.rederived == few.rederived == 0
    assert run.periods() == ("left period none", "right period (3,4]")


def test_overdeletion_goes_with_the_derivations_and_rederivation_brings_back_what_follows() -> None:
    """Algorithm 1: Q and R depend on P@0; R follows from S, too."""
    rules = (
        "Q :- Diamondminus[0,2]P\nBoxplus[1,1]R :- Q\nR :- Boxminus[0,1]S\nR :- Diamondminus[1,1]R"
    )
    run = Run(rules, "P@0; S@[4,6]")
    assert run.holds(0, 6) == {"P@[0,0]", "Q@[0,2]", "S@[4,6]", "R@[1,6]"}
    found = run.update(delete="P@0")
    assert run.shown(found.change.lost, 0, 6) == {"P@[0,0]", "Q@[0,2]", "R@[1,5)"}
    assert run.shown(found.change.gained, 0, 6) == set()
    assert found.statistics.overdeleted > 0
    assert run.holds(0, 9) == {"S@[4,6]", "R@[5,9]"}
    back = run.update(insert="P@0")
    assert run.shown(back.change.gained, 0, 6) == {"P@[0,0]", "Q@[0,2]", "R@[1,5)"}
    assert back.statistics.overdeleted == back.statistics.rederived == 0


def test_of_a_fact_that_grew_only_what_no_rule_derives_is_deleted() -> None:
    """Such a fact has no level, so levels would suspect it at all its times."""
    run = Run("A :- B\nB :- A\nA :- C\nA :- D", "C@[0,9]; D@[5,20]")
    found = run.update(delete="D@[5,20]")
    assert run.shown(found.change.lost, 0, 20) == {"A@(9,20]", "B@(9,20]", "D@[5,20]"}
    assert (found.statistics.overdeleted, found.statistics.rederived) == (2, 0)


def test_what_a_box_loses_is_lost_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run("Q :- Boxminus[1,3]P, S\nR :- Boxplus(0,2)P", "P@[0,20]; S@[0,30]")
    run.update(insert="P@40")  # the network is arranged for losses
    monkeypatch.setattr(LossPropagation, "no_longer_derived", None)
    assert run.holds(0, 30) == {"P@[0,20]", "S@[0,30]", "Q@[3,21]", "R@[0,18]"}
    run.update(delete="P@[7,7]; P@(12,14]")
    rest = {"P@[0,7)", "P@(7,12]", "P@(14,20]", "S@[0,30]"}
    assert run.holds(0, 30) == rest | {
        *("Q@[3,8)", "Q@(10,13]", "Q@(17,21]"),
        *("R@[0,5]", "R@[7,10]", "R@[14,18]"),
    }


def test_a_row_that_two_facts_make_stays_with_one_of_them() -> None:
    run = Run("P(c) :- S, P(Y)", "P(b)@[-6,-2]; S@[-3,4]")
    run.update(delete="S@(-3,-1]")
    run.update(insert="S@(-4,3)")
    assert run.holds(-7, 5) == {"P(b)@[-6,-2]", "P(c)@(-4,-2]", "S@(-4,4]"}


@pytest.mark.parametrize(
    "rules", ["Q(X) :- P(X)\nQ(X) :- R(X)", "Q(X) :- P(X)\nQ(X) :- R(X), R(X)"]
)
def test_facts_of_a_predicate_that_had_none_derive_a_fact_too(rules: str) -> None:
    """Where facts are looked up is noted when the first are: R has none then."""
    run = Run(rules, "P(a)@0; P(b)@0")
    run.update(delete="P(b)@0")
    run.update(insert="R(a)@0")
    run.update(delete="P(a)@0")
    assert run.holds(0, 1) == {"R(a)@[0,0]", "Q(a)@[0,0]"}
    run.update(delete="R(a)@0")
    assert run.holds(0, 1) == set()


@pytest.mark.parametrize(
    "rules",
    [
        "A :- C\nA :- B\nB :- Diamondminus[0,0]A",
        "A :- D\nA :- B\nB :- Diamondminus[0,0]A\nD :- Diamondminus[0,0]A\nA :- C",
    ],
)
def test_what_is_pending_goes_whatever_rule_it_is_named_after(rules: str) -> None:
    """A run ends while A, deleted and derived again by B, is pending; then B goes, too."""
    run = Run(rules, "C@0; B@0; C@5")
    run.update(delete="C@5")
    live = run.live
    made, explicit = live._made, live._indexed_data()
    (table,) = (each for each in made.inference.network.tables if each.relation.op.endswith("A"))

    def stop() -> None:
        if any(len(rows) for _, rows in table.pending):
            raise TimeoutError

    made.withdraw(explicit.change(run.loaded("C@0").rows, {}).lost)
    made.inference.watch = stop
    with pytest.raises(TimeoutError):
        made.inference.run()
    made.inference.watch = None
    made.withdraw(explicit.change(run.loaded("B@0").rows, {}).lost)
    made.inference.run()
    assert not any(len(each.facts.content()) for each in made.inference.network.tables)


def test_a_circle_does_not_keep_itself() -> None:
    run = Run("A :- B\nB :- Diamondminus[0,0]A\nA :- C", "C@[0,3]")
    assert run.holds(0, 5) == {"A@[0,3]", "B@[0,3]", "C@[0,3]"}
    run.update(delete="C@(1,5]")
    assert run.holds(0, 5) == {"A@[0,1]", "B@[0,1]", "C@[0,1]"}


@pytest.mark.parametrize(
    ("delete", "left"),
    [
        ("P@[2,3]", {"P@[0,2)", "P@(3,9]"}),
        ("P@(2,3)", {"P@[0,2]", "P@[3,9]"}),
        ("P@0", {"P@(0,9]"}),
        ("P@[9,12]", {"P@[0,9)"}),
        ("P@[0,3); P@(3,9]", {"P@[3,3]"}),
        ("P@(-inf,inf)", set()),
    ],
)
def test_a_part_of_an_interval_is_deleted(delete: str, left: set[str]) -> None:
    run = Run("Q :- R", "P@[0,4]; P@(4,9]")
    assert run.update(delete=delete).statistics.without_effect == 0
    assert run.holds(-5, 20) == left


def test_what_is_not_explicit_is_counted_and_stays() -> None:
    run = Run("Q :- P", "P@[0,4]")
    found = run.update(delete="Q@[0,4]; P@[5,6]; P@[4,5]; R(a)@1").statistics
    assert (found.without_effect, found.deleted) == (3, 1)
    assert run.holds(0, 9) == {"P@[0,4)", "Q@[0,4)"}


def test_a_fact_that_is_derived_too_stays_until_it_is_neither() -> None:
    run = Run("Q :- P", "P@[0,4]; Q@[2,6]")
    assert run.update(delete="Q@[2,6]").statistics.deleted == 1
    assert run.holds(0, 9) == {"P@[0,4]", "Q@[0,4]"}
    run.update(delete="P@[0,4]", insert="Q@[3,3]")
    assert run.holds(0, 9) == {"Q@[3,3]"}


TWO = "Boxplus[2,2]P(X) :- P(X), Two(X)\nBoxplus[3,3]P(X) :- P(X), Three(X)\nBoxminus[1,1]L :- L"
ALWAYS = "Two(a)@[0,inf); Three(b)@[0,inf)"


def test_periods_become_longer_and_shorter_as_atoms_come_and_go() -> None:
    """The period of all is the least common multiple of those of the atoms."""
    run = Run(TWO, f"{ALWAYS}; P(a)@0; P(b)@0")

    def shifts() -> tuple[int, int]:
        found = run.live.model()
        expected = materialise(run.program, Dataset(1, run.live.explicit), run.terms)
        assert found.period_lines() == expected.period_lines()
        return found.periodic.left.shift, found.periodic.right.shift

    assert shifts() == (1, 6)
    found = run.update(delete="P(b)@0")
    assert shifts() == (1, 2)
    assert run.shown(found.change.lost, 300, 306) == {f"P(b)@[{t},{t}]" for t in (300, 303, 306)}
    run.update(delete="P(a)@0")
    assert shifts() == (1, 1)
    run.update(insert="P(a)@0; P(b)@0; L@0")
    assert shifts() == (1, 6)
    assert run.periods()[0] != "left period none"
    run.update(delete="L@0")
    assert shifts() == (1, 6)
    assert run.periods()[0] == "left period none"


@pytest.mark.parametrize("method", Method)
@pytest.mark.parametrize(
    ("delete", "insert"),
    [
        ("P(b)@0", ""),
        ("P(a)@0; P(b)@0", "P(a)@1"),
        ("P(a)@0", "L@0"),
        ("Two(a)@[7,8]", "P(c)@0; Two(c)@[0,inf)"),
    ],
)
def test_the_net_change_leads_from_one_model_to_the_other(
    delete: str, insert: str, method: Method
) -> None:
    """The old model without what is lost is the new one without what is gained."""
    run = Run(TWO, f"{ALWAYS}; P(a)@0; P(b)@0")
    before = run.live.model().periodic
    change = run.live.update(run.loaded(delete), run.loaded(insert), method).change
    after = run.live.model().periodic
    assert change.lost.facts
    rest = subtract_models(before, change.lost)
    assert not subtract_models(rest, after).facts
    assert not subtract_models(change.gained, after).facts
    assert not subtract_models(subtract_models(after, change.gained), rest).facts


def test_finer_numbers_make_the_tick_shorter() -> None:
    run = Run("Boxplus[1,1]P :- P", "P@0")
    run.update(insert="P@1/3")
    assert run.live.scale == 3
    assert run.holds(7, 8) == {"P@[7,7]", "P@[22/3,22/3]", "P@[8,8]"}


def test_data_that_move_far_away_are_followed() -> None:
    run = Run("Boxplus[2,2]P :- P", "P@0; Q@0")
    run.update(delete="Q@0", insert="Q@1000")
    assert run.periods()[1].startswith("right period (100")
    run.update(delete="Q@1000", insert="Q@-500")
    expected = materialise(run.program, Dataset(1, run.live.explicit), run.terms)
    assert run.periods() == expected.period_lines()
    assert run.holds(99_998, 100_001) == {"P@[99998,99998]", "P@[100000,100000]"}


def test_a_limit_ends_an_update_and_the_next_recomputes() -> None:
    limits = Limits(facts=200)
    run = Run("Q(X) :- P(X)\nR(X,Y) :- Q(X), Q(Y), S\nT :- R(X,Y)", "P(a)@0", limits)
    many = "; ".join(f"P(c{n})@0" for n in range(40))
    with pytest.raises(LimitReached):
        run.update(insert=f"{many}; S@0")
    found = run.update(delete="S@0")
    assert found.statistics.method is Method.RECOMPUTE
    assert len(run.holds(0, 0)) == 2 * 41
    assert Fraction(run.live.scale) == 1
