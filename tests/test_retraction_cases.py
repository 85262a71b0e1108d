"""Retraction in cases by hand: many ways to the same fact, circles, chains that are cut."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from r4.forgetting import remembered
from rete.delta import POS_INF
from rif.ast import Document
from rif.parser import parse
from rif.terms import FUNC, IRI, OWL, PRED, RDF, XSD, Literal
from tests.cases.story import Always, Drop, Forget, Join, Move, Say, Step, Story
from tests.oracles.stream import Triple
from tests.oracles.taking_back import Assertion
from tests.retracting.faults.lost import what_waits_rests_on_what_is_lost
from tests.retracting.faults.proofs import conditions_are_met
from tests.retracting.player import Player
from tests.retracting.programs import compiled
from tests.retracting.run import Run
from tests.retracting.seeds import fault_of
from tests.retracting.showing import Disagreement

EX = "http://e/"
SAME = IRI(OWL + "sameAs")
TYPE = IRI(RDF + "type")
REACHES = (
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])",
    "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:p -> ?z]))",
)
CLOSED = (REACHES[0], "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z]))")
EITHER = (
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])",
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:q -> ?y])",
)
CIRCLE = (REACHES[0], "Forall ?x ?y (?y[ex:t -> ?x] :- ?x[ex:t -> ?y])")


def rules(*texts: str) -> Document:
    return parse(f"Document(Prefix(ex <{EX}>) Group({' '.join(texts)}))").document


def triple(text: str) -> Triple:
    s, p, o = (SAME if word == "same" else IRI(EX + word) for word in text.split())
    return s, p, o


def say(name: str, at: int, *facts: str, back: Iterable[str] = ()) -> Say:
    return Say(name, at, None, tuple(map(triple, facts)), tuple(back))


def holds(document: Document, *steps: Step, keep: bool = False, **options: str) -> set[str]:
    """What holds after the steps, of which each was compared with the definitions."""
    run = Run(Story(document, (), steps, keep=keep, **options))  # type: ignore[arg-type]
    for number, step in enumerate(steps):
        run.take(step, number)
    now = int(run.diary.frontier)
    found = {tuple(map(short, each)) for each in run.player.core.derived_at(now)}
    return {" ".join(each) for each in found}


def short(text: str) -> str:
    return text.rpartition("/")[2].rpartition("#")[2].rstrip(">")


both = pytest.mark.parametrize("keep", [False, True])


@both
@pytest.mark.parametrize("written", [REACHES, CLOSED])
def test_two_ways_hold_each_other_up(written: tuple[str, ...], keep: bool) -> None:
    ways = [say("b", 0, "a p b", "b p d"), say("c", 0, "a p c", "c p d")]
    one = [*ways, say("n", 1, back=["b"])]
    assert holds(rules(*written), *one, keep=keep) == {"a t c", "c t d", "a t d"}
    assert holds(rules(*written), *one, say("m", 2, back=["c"]), keep=keep) == set()


@both
def test_a_fact_of_two_rules_stays_until_both_are_gone(keep: bool) -> None:
    steps = [say("p", 0, "a p b"), say("q", 0, "a q b"), say("n", 1, back=["p"])]
    assert holds(rules(*EITHER), *steps, keep=keep) == {"a t b"}
    assert holds(rules(*EITHER), *steps, say("m", 2, back=["q"]), keep=keep) == set()


@both
def test_what_holds_itself_up_goes(keep: bool) -> None:
    steps = [say("p", 0, "a p b", "b p a"), say("q", 0, "a p b")]
    assert holds(rules(*CIRCLE), *steps, say("n", 1, back=["p"]), keep=keep) == {"a t b", "b t a"}
    assert holds(rules(*CIRCLE), *steps, say("n", 1, back=["p", "q"]), keep=keep) == set()


@both
@pytest.mark.parametrize("written", [REACHES, CLOSED])
def test_a_clique_loses_only_what_nothing_else_reaches(
    written: tuple[str, ...], keep: bool
) -> None:
    nodes = "abcd"
    steps: list[Step] = [say(f"{x}{y}", 0, f"{x} p {y}") for x in nodes for y in nodes if x != y]
    every = {f"{x} t {y}" for x in nodes for y in nodes}
    few: Step = say("n", 1, back=["ab", "bc", "cd"])
    assert holds(rules(*written), *steps, few, keep=keep) == every
    none = say("m", 2, back=[f"{x}a" for x in nodes[1:]])
    left = holds(rules(*written), *steps, few, none, keep=keep)
    assert left == {each for each in every if not each.endswith("a")}
    gone = say("k", 3, back=[f"{x}{y}" for x in nodes for y in nodes])
    assert holds(rules(*written), *steps, few, none, gone, Forget(), keep=keep) == set()


@both
@pytest.mark.parametrize("written", [REACHES, CLOSED])
def test_a_chain_that_is_cut_falls_into_two(written: tuple[str, ...], keep: bool) -> None:
    length, cut = 12, 5
    steps: list[Step] = [say(f"e{n}", 0, f"n{n} p n{n + 1}") for n in range(length)]
    left = holds(rules(*written), *steps, say("n", 1, back=[f"e{cut}"]), keep=keep)
    assert left == {
        f"n{x} t n{y}"
        for x in range(length + 1)
        for y in range(x + 1, length + 1)
        if not x <= cut < y
    }


@pytest.mark.parametrize("keep", [False, True])
def test_a_class_of_same_things_falls_apart(keep: bool) -> None:
    told = rules("Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])")
    steps: list[Step] = [
        say("0", 0, "x p y"),
        say("1", 0, "x same a", "a same b"),
        say("2", 0, "b same c", "c same x"),
        say("3", 0, "c same d"),
    ]
    everyone = {f"{x} t y" for x in "xabcd"}
    options = {"regime": "owl-rl"}
    assert holds(told, *steps, keep=keep, **options) == everyone
    without = [*steps, say("n", 1, back=["3"])]
    assert holds(told, *without, keep=keep, **options) == everyone - {"d t y"}
    assert holds(told, *without, say("m", 2, back=["1"]), keep=keep, **options) == {
        "x t y",
        "b t y",
        "c t y",
    }


SAME_IF_G = (
    f"ex:a[<{OWL}sameAs> -> ex:b] :- ex:g()",
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])",
)
"""Above a regime: what the rule says follows from what the background derives of that."""


@pytest.mark.parametrize("semantics", ["facts", "instances"])
@pytest.mark.parametrize("place", [0, 2])
def test_a_circle_through_the_background_holds_nothing_up(place: int, semantics: str) -> None:
    options = {"regime": "owl-rl", "semantics": semantics}
    steps: list[Step] = [say("p", 0, "a p c"), Join(rules("ex:g()"))]
    every = {"a sameAs b", "a t c", "b t c"}
    assert holds(rules(*SAME_IF_G), *steps, keep=True, **options) == every
    assert holds(rules(*SAME_IF_G), *steps, Drop(place), keep=True, **options) == {"a t c"}


@both
@pytest.mark.parametrize("place", [0, 2])
def test_what_was_the_same_always_is_no_longer_without_the_rule(place: int, keep: bool) -> None:
    told, said = rules(*SAME_IF_G, "ex:g()"), say("p", 0, "a p c")
    options = {"regime": "owl-rl"}
    assert holds(told, said, keep=keep, **options) == {"a sameAs b", "a t c", "b t c"}
    assert holds(told, said, Drop(place), keep=keep, **options) == {"a t c"}


@both
def test_neither_is_what_was_the_same_by_a_rule_that_needs_no_fact(keep: bool) -> None:
    told = rules(f"ex:a[<{OWL}sameAs> -> ex:b] :- External(pred:is-list(List()))", SAME_IF_G[1])
    said, options = say("p", 0, "a p c"), {"regime": "owl-rl"}
    assert holds(told, said, keep=keep, **options) == {"a sameAs b", "a t c", "b t c"}
    assert holds(told, said, Drop(0), keep=keep, **options) == {"a t c"}


def test_nothing_is_kept_of_a_name_that_another_stands_for() -> None:
    told = rules(
        "Forall ?w ?y ?z (And(ex:a[?w -> ?w] ?y[ex:p -> ex:d])"
        f" :- And(?w[<{TYPE.value}> -> ?y] ?y[ex:r -> ?z]))",
    )
    always = tuple(map(triple, ("a r d", "d same c", "a same c")))
    of_type = Say("t", 0, None, ((IRI(EX + "a"), TYPE, IRI(EX + "D")),))
    steps = (of_type, say("s", 1, "b same a"), say("n", 1, back=["t"]))
    one = Story(told, always, steps, regime="owl-rl", keep=True)
    assert fault_of(one)[1] is None


def test_a_fact_of_the_rules_goes_under_all_names() -> None:
    told = rules("ex:c[ex:p -> ex:d]", "Forall ?x (ex:atom(?x) :- ?x[ex:p -> ?x])")
    always = (triple("d same c"),)
    one = Story(told, always, (say("g", 2),), regime="owl-rl", keep=True, ends="rules too")
    assert fault_of(one)[1] is None


def test_what_a_regime_finds_wrong_stays_wrong_without_the_rules() -> None:
    told = rules("Forall ?y (rif:error() :- ex:b[?y -> ?y])")
    always = ((IRI(EX + "b"), TYPE, IRI(OWL + "Nothing")),)
    one = Story(told, always, (say("g", 8),), regime="owl-rl", keep=True, ends="rules too")
    assert fault_of(one)[1] is None


def test_the_end_of_what_a_regime_finds_wrong_names_the_rule_it_began_with() -> None:
    told = rules("rif:error() :- And()")
    wrong = IRI(EX + "c"), IRI(EX + "q"), Literal("1.5", XSD + "decimal")
    of_truth = (
        IRI(EX + "q"),
        IRI("http://www.w3.org/2000/01/rdf-schema#range"),
        IRI(XSD + "boolean"),
    )
    steps = (say("g", 7), Always((of_truth,)))
    one = Story(told, (wrong,), steps, regime="d", keep=True, ends="rules too")
    assert fault_of(one)[1] is None


def test_atoms_of_one_name_and_other_arities_are_apart() -> None:
    told = rules("ex:pair(ex:a ex:b)", "ex:pair(ex:c)")
    one = Story(told, (triple("b p b"),), (say("g", 7), say("h", 7, "b p a")), ends="rules too")
    assert fault_of(one)[1] is None


def test_the_end_of_an_instance_is_told_once_though_it_is_derived_again() -> None:
    told = rules(
        f"Forall ?x ?y ?z (?x[<{TYPE.value}> -> ex:C]"
        f" :- And(?x[<{SAME.value}> -> ?y] ?y[<{SAME.value}> -> ?z]))",
        "ex:c[ex:p -> ex:c]",
    )
    always = tuple(map(triple, ("c same a", "c same d", "d same b")))
    apart = IRI(EX + "d"), IRI(OWL + "differentFrom"), IRI(EX + "a")
    steps = (
        say("h", 2, "d q b"),
        say("i", 7, back=["h"]),
        Say("j", 10, 13, (triple("a p x"),)),
        Say("k", 11, None, (apart,)),
        Drop(5),
    )
    one = Story(
        *(told, always, steps, "instances"),
        window=8,
        delay=2,
        batch=1,
        keep=True,
        regime="owl-rl",
    )
    assert fault_of(one, every=1)[1] is None


@both
@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_what_began_with_what_is_taken_back_goes_where_it_held_before(
    semantics: str, keep: bool
) -> None:
    told = rules(
        "Forall ?x ?y ?z ?w (?x[ex:u -> ?y] :- And(?z[ex:u -> ?w] ?z[ex:p -> ?x] ?w[ex:p -> ?y]))",
        "Forall ?x ?y ?z (?x[ex:u -> ?y] :- And(?x[ex:p -> ?z] ?y[ex:p -> ?z]))",
    )
    said = (say("a", 12, "a p d"),)  # in the end it is taken back
    one = Story(told, (triple("d p c"),), said, semantics=semantics, keep=keep)
    assert fault_of(one)[1] is None


@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_added_rules_lose_what_was_there_before_them(semantics: str) -> None:
    steps: list[Step] = [say("c", 3, "c q b"), Move(11), Join(rules(EITHER[1]))]
    options = {"semantics": semantics}
    assert holds(rules(), *steps, keep=True, **options) == {"c t b"}
    assert holds(rules(), *steps, say("n", 11, back=["c"]), keep=True, **options) == set()


@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_a_rule_that_added_ones_went_on_from_is_dropped(semantics: str) -> None:
    more = rules(
        "Forall ?x ?y (?x[ex:v -> ?y] :- ?x[ex:p -> ?y])",
        "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:v -> ?y] ?y[ex:t -> ?z]))",
    )
    steps: list[Step] = [say("q", 2, "b q a"), say("p", 5, "a p b"), Join(more)]
    options = {"semantics": semantics}
    before = {"b t a", "a t a", "a v b"}
    assert holds(rules(EITHER[1]), *steps, keep=True, **options) == before
    assert holds(rules(EITHER[1]), *steps, Drop(0), keep=True, **options) == {"a v b"}


@pytest.mark.parametrize("semantics", ["facts", "instances"])
def test_a_circle_through_added_rules_holds_nothing_up(semantics: str) -> None:
    told = rules(
        "Forall ?x ?y (?x[ex:p -> ?y] :- ?x[ex:v -> ?y])",
        "Forall ?w ?x ?y ?z (?x[ex:u -> ?y] :- And(?z[ex:p -> ?x] ?w[ex:p -> ?y]))",
    )
    more = rules(
        "Forall ?x ?y (?x[ex:u -> ?y] :- ?x[ex:v -> ?y])",
        "Forall ?x ?y (?x[ex:v -> ?y] :- ?x[ex:u -> ?y])",
    )
    steps: list[Step] = [say("c", 1, "c u c"), Join(more), say("b", 8, "b u c")]
    options = {"semantics": semantics}
    every = {f"{x} {k} c" for x in "bc" for k in "puv"}
    assert holds(told, *steps, keep=True, **options) == every
    assert holds(told, *steps, say("n", 8, back=["b"]), keep=True, **options) == {
        "c p c",
        "c u c",
        "c v c",
    }


def test_what_lets_a_row_pass_and_takes_its_partner_derives_nothing() -> None:
    told = rules(
        "Forall ?x ?y (?x[ex:u -> ?y] :- And(?x[ex:p -> ?y] Naf(?x[ex:q -> ?y])))",
        "Forall ?x ?y (?x[ex:w -> ?y] :- ?x[ex:k -> ?y])",
        "Forall ?x ?y (?x[ex:v -> ?y] :- And(?x[ex:u -> ?y] ?x[ex:w -> ?y]))",
    )
    steps = (say("p", 0, "a p b"), say("q", 1, "a q b", "a k b"), say("n", 2, back=["q"]))
    assert holds(told, *steps, keep=True) == {"a u b"}
    with what_waits_rests_on_what_is_lost():
        assert fault_of(Story(told, (), steps, keep=True))[1] is not None


def test_what_is_not_there_is_not_taken_back() -> None:
    told = rules(*REACHES)
    before = [say("m", 0, back=["p"]), say("p", 0, "a p b")]
    assert holds(told, *before) == {"a t b"}
    late = [say("p", 5, "a p b"), say("m", 3, back=["p"])]
    assert holds(told, *late) == {"a t b"}
    twice = [say("p", 0, "a p b"), say("m", 1, back=["p"]), say("p", 1, "a p b")]
    assert holds(told, *twice) == {"a t b"}
    assert holds(told, *twice, say("k", 2, back=["p"]), say("k", 2, back=["p"])) == set()


def test_one_triple_of_an_element_goes_and_the_rest_stays() -> None:
    one = Say("n", 1, None, (), (), ((triple("a p b"), "p"),))
    assert holds(rules(*REACHES), say("p", 0, "a p b", "b p c"), one) == {"b t c"}
    assert holds(rules(*REACHES), say("p", 0, "a p b"), say("q", 0, "a p b"), one) == {"a t b"}


@pytest.mark.parametrize("added", [True, False])
def test_a_fact_that_waits_to_be_judged_holds_up_no_other(added: bool) -> None:
    copies = "Forall ?x ?y ?z ?k (?x[?k -> ?y] :- And(?x[ex:same -> ?z] ?z[?k -> ?y]))"
    body = "?x[ex:v -> ?x ex:same -> 1] ?x[ex:same -> ?y] ?y[ex:p -> 1 ex:t -> ?z]"
    more = (
        f"Forall ?x ?y ?z (?y[ex:u -> ?z] :- And({body}))",
        "Forall ?x ?z (?x[ex:t -> ?z] :- Or(?x[ex:same -> ?z] ?z[ex:v -> ?x]))",
    )
    first = rules(copies) if added else rules(copies, *more)
    joined: list[Step] = [Join(rules(*more))] if added else []
    first_said = Say("n", 0, None, ((IRI(EX + "a"), IRI(EX + "same"), IRI(EX + "a")),))
    steps: list[Step] = [first_said, *joined]
    assert holds(first, *steps, keep=True) == {"a same a", "a t a"}
    assert holds(first, *steps, say("m", 1, back=["n"]), keep=True) == set()


def test_a_negation_inside_of_a_negation_is_derived_again() -> None:
    told = rules("Forall ?x ?y ?z (?y[ex:r -> ex:c] :- And(Naf(Naf(?z[ex:q -> ?x])) ?x[?y -> ?z]))")
    steps = [say("n", 0, "a q a"), say("m", 0, "b q b")]
    assert holds(told, *steps, keep=True) == {"q r c"}
    assert holds(told, *steps, say("k", 1, back=["n"]), keep=True) == {"q r c"}
    assert holds(told, *steps, say("k", 1, back=["n", "m"]), keep=True) == set()


def test_a_printed_instance_keeps_its_line_and_ends_at_the_frontier() -> None:
    told = rules(*EITHER)
    story = Story(told, (), (), semantics="instances", window=9)
    player = Player(compiled(told, story), story, keep=False)
    player.begin([])
    fact = ("triple", f"<{EX}a>", f"<{EX}p>", f"<{EX}b>")
    other = ("triple", f"<{EX}a>", f"<{EX}q>", f"<{EX}b>")
    player.step([Assertion(fact, "n", 0, 9), Assertion(other, "m", 0, 4)], 0, 0)
    player.step([], 2, 2, ["n"])
    player.close(20)
    assert [(line.op, line.at, line.e, line.n, line.rule) for line in player.lines] == [
        ("+", 0, 0, 9, 1),
        ("-", 4, 0, 4, 1),
    ]


def test_nothing_is_left_of_what_was_said_and_taken_back_again_and_again() -> None:
    told = rules(*CLOSED)
    story = Story(told, (), (), window=None)
    player = Player(compiled(told, story), story, keep=False)
    player.begin([])
    before = len(player.core.terms)
    for turn in range(20):
        facts = [
            ("triple", f"<{EX}{turn}n{n}>", f"<{EX}p>", f"<{EX}{turn}n{n + 1}>") for n in range(5)
        ]
        said = [Assertion(fact, f"g{turn}", turn, math.inf) for fact in facts]
        player.step(said, turn, turn)
        player.step([], turn, turn, [f"g{turn}"])
    player.close(50)
    player.core.forget()
    assert len(player.core.terms) == before
    assert sum(len(rows) for rows in remembered(player.core.layers)) == 0


def test_what_static_data_say_too_leaves_no_name_behind() -> None:
    told = rules()
    story = Story(told, (), ())
    player = Player(compiled(told, story), story, keep=False)
    fact = ("triple", f"<{EX}a>", f"<{EX}p>", f"<{EX}b>")
    player.begin([fact])
    before = len(player.core.terms)
    player.step([Assertion(fact, "n", 5, math.inf)], 5, 5)
    player.step([], 5, 5, ["n"])
    player.close(7)
    player.core.forget()
    assert len(player.core.terms) == before
    assert np.all(next(iter(remembered(player.core.layers)))[:, -1] == POS_INF)


def test_what_was_computed_on_the_way_from_static_data_is_forgotten() -> None:
    small = f"External(<{PRED}numeric-less-than>(External(<{FUNC}numeric-add>(?y 1)) 9))"
    told = rules("ex:a[ex:p -> 3]", f"Forall ?x ?y (?x[ex:t -> ?x] :- And(?x[ex:p -> ?y] {small}))")
    assert fault_of(Story(told, (), (say("g", 7),)))[1] is None


def test_a_dropped_rule_leaves_no_trace_where_only_one_is_left() -> None:
    told = rules(*EITHER, "ex:a[ex:p -> ex:b]")
    story = Story(told, (), ())
    player = Player(compiled(told, story), story, keep=False)
    player.begin([])
    player.close(10)
    player.core.drop({2})
    player.core.drop({3})
    (table,) = player.core.layers.tables
    assert not any(len(stem.content()[stem.content()[:, -1] > 20]) for stem in table.stems)


@both
def test_what_a_dropped_rule_gave_is_asked_what_the_last_one_tests(keep: bool) -> None:
    small = f"External(<{PRED}numeric-less-than>(?x 2))"
    told = rules(
        f"Forall ?x (?x[ex:t -> ex:c] :- And(?x[ex:t -> ex:c] {small}))",
        "Forall ?x (ex:a[ex:t -> ex:c] :- ?x[ex:t -> ex:c])",
    )
    assert holds(told, say("g", 1, "a t c"), Drop(1), keep=keep) == set()


def test_time_that_is_moved_cuts_there() -> None:
    told = rules(*REACHES)
    steps: list[Step] = [
        say("p", 0, "a p b"),
        Move(7),
        say("q", 9, "b p c"),
        say("n", 9, back=["p"]),
    ]
    assert holds(told, *steps) == {"b t c"}


LIKE = "Forall ?x ?y (?x[ex:t -> ?y] :- And(?x[ex:q -> ?y] ?y[ex:t -> ?y]))"


@both
def test_what_passes_no_test_holds_nothing_up(keep: bool) -> None:
    told = (
        "Forall ?x ?y (?x[ex:t -> ?x] :- "
        "And(?x[ex:p -> ?y] External(pred:numeric-greater-than(?y 5))))"
    )
    seven, three = (
        Say(text, 0, None, ((IRI(EX + "a"), IRI(EX + "p"), Literal(text, XSD + "integer")),), ())
        for text in ("7", "3")
    )
    steps = [seven, three, say("n", 1, back=["7"])]
    written = parse(f"Document(Prefix(ex <{EX}>) Prefix(pred <{PRED}>) Group({LIKE} {told}))")
    assert holds(written.document, *steps[:2], keep=keep) == {"a t a"}
    assert holds(written.document, *steps, keep=keep) == set()
    with conditions_are_met(), pytest.raises(Disagreement):
        holds(written.document, *steps, keep=keep)
