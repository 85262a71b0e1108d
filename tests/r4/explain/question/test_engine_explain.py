"""``Engine.explain``: what a person reads."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rdflib import OWL, RDF, RDFS, Namespace

from r4 import Engine
from r4.explain.question.fact_parser import NoFact
from r4.explain.rendering.tree_writer import DEEPEST

ex = Namespace("urn:ex:")
PREFIXES = """Prefix(ex <urn:ex:>) Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)
  Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)"""
RULES = """
(* ex:both *) Forall ?x (
  ?x[ex:is -> ex:c] :-
    And(?x[ex:is -> ex:a] ?x[ex:is -> ex:b] Naf(Exists ?y (?x[ex:shut -> ?y]))))
Forall ?x ?y ?z (?x[ex:on -> ?z] :- And(?x[ex:on -> ?y] ?y[ex:next -> ?z]))
Forall ?x ?y (?x[ex:on -> ?y] :- ?x[ex:next -> ?y])
ex:size(ex:x 4)
Forall ?x ?n ?m (ex:large(?x ?m) :- And(ex:size(?x ?n)
  ?m = External(func:numeric-add(?n 1)) External(pred:numeric-greater-than(?m 3))))
"""


def engine(rules: str = RULES, **options: str | int) -> Engine:
    text = f"Document({PREFIXES} Window(3) Group({rules}))"
    return Engine.from_text(text, lenient=True, **options)  # type: ignore[arg-type]


@pytest.fixture
def running() -> Engine:
    made = engine()
    made.add([(ex.x, ex["is"], ex.a)], at=1, name="urn:ex:g1")
    made.add([(ex.x, ex["is"], ex.b)], at=2)
    return made


def test_it_is_said_why_since_when_and_until_when(running: Engine) -> None:
    assert str(running.explain("ex:x ex:is ex:c")) == (
        "ex:x[ex:is -> ex:c] holds at 2\n"
        "derived from 2 to 4, as far as is known\n"
        "it ends as ex:g1 leaves the window: ex:x[ex:is -> ex:a]\n"
        "\n"
        "because of 2 facts, from 2 to 4\n"
        "ex:x[ex:is -> ex:c]  by rule 1 ex:both\n"
        "├─ ex:x[ex:is -> ex:a]  asserted by ex:g1 from 1 to 4  ← ends first\n"
        "├─ ex:x[ex:is -> ex:b]  asserted from 2 to 5\n"
        "└─ no ex:x[ex:shut -> ?y]"
    )


def test_what_must_be_absent_ends_an_answer_when_it_comes(running: Engine) -> None:
    running.add([(ex.x, ex.shut, ex.door)], at=3)
    said = str(running.explain((ex.x, ex["is"], ex.c), at=2))
    assert "derived from 2 to 3" in said
    assert "it ends as there is ex:x[ex:shut -> ?y]" in said
    assert "└─ no ex:x[ex:shut -> ?y]  ← ends first" in said
    said = str(running.explain((ex.x, ex["is"], ex.c), at=3))
    assert "rule 1 ex:both: there is ex:x[ex:shut -> ?y]" in said


def test_what_is_taken_back_ends_where_the_frontier_was(running: Engine) -> None:
    running.add([], at=3)
    assert "from 2 to 4" in str(running.explain("ex:x ex:is ex:c", at=3))
    running.retract(name="urn:ex:g1")
    assert not running.explain("ex:x ex:is ex:c", at=3).holds


def test_built_ins_are_shown_with_their_values(running: Engine) -> None:
    said = str(running.explain("ex:large(ex:x 5)"))
    assert "ex:large(ex:x 5)  by rule 5" in said
    assert "├─ ex:size(ex:x 4)  stated as rule 4" in said
    assert "4 + 1 = 5" in said
    assert "5 > 3" in said


@pytest.mark.parametrize(
    ("fact", "lacks"),
    [
        ("ex:y ex:is ex:c", "there is no ex:y[ex:is -> ex:a]; there is no ex:y[ex:is -> ex:b]"),
        ("ex:large(ex:x 6)", "4 + 1 = 5, not 6"),
        ("ex:y ex:was ex:c", "it is not asserted then, and no rule derives such a fact"),
        ("ex:large(ex:y 6)", "there is no ex:size(ex:y ?n)"),
    ],
)
def test_it_is_said_what_rules_lack(running: Engine, fact: str, lacks: str) -> None:
    found = running.explain(fact)
    assert not found.holds
    assert lacks in str(found)


@pytest.mark.parametrize("negated", ["Naf( ?x = ?y )", "Naf( ?x[ex:by -> ?y] ) Naf( ?x = ?y )"])
def test_where_one_term_fits_two_variables_that_differ_it_is_named(negated: str) -> None:
    pairs = "?x[ex:is -> ex:hot] ?y[ex:is -> ex:hot] ?x[ex:on -> ?f] ?y[ex:on -> ?f]"
    made = engine(f"Forall ?x ?y ?f (?f[ex:is -> ex:c] :- And({pairs} {negated}))")
    made.add([(ex.hall, ex["is"], ex.hot), (ex.hall, ex.on, ex.f)], at=1)
    found = str(made.explain("ex:f ex:is ex:c"))
    assert "no other ?y than ?x, ex:hall, fits ?y[ex:on -> ex:f]" in found


def test_a_negated_equality_is_asked_before_what_is_joined_after_it() -> None:
    pairs = "?x[ex:is -> ex:hot] ?y[ex:is -> ex:hot] ?x[ex:on -> ?f] ?y[ex:on -> ?f]"
    made = engine(f"Forall ?x ?y ?f (?f[ex:is -> ex:c] :- And({pairs} Naf( ?x = ?y )))")
    made.add([(ex.hall, ex["is"], ex.hot), (ex.hall, ex.on, ex.f), (ex.room, ex.on, ex.f)], at=1)
    assert "rule 1: there is no ex:room[ex:is -> ex:hot]" in str(made.explain("ex:f ex:is ex:c"))


def test_another_negated_equality_is_told_as_it_is() -> None:
    made = engine("Forall ?x (?x[ex:is -> ex:c] :- And(?x[ex:is -> ex:hot] Naf( ?x = ex:hall )))")
    made.add([(ex.hall, ex["is"], ex.hot)], at=1)
    assert "there is ex:hall = ex:hall" in str(made.explain("ex:hall ex:is ex:c"))


def test_patterns_that_match_apart_but_not_together_are_named() -> None:
    made = engine("Forall ?x ?y (?y[ex:is -> ex:c] :- And(?x[ex:is -> ex:a] ?x[ex:of -> ?y]))")
    made.add([(ex.x, ex["is"], ex.a), (ex.z, ex["is"], ex.a), (ex.y, ex.of, ex.b)], at=1)
    lacks = "nothing fits ?x[ex:is -> ex:a] and ?x[ex:of -> ex:b] at once"
    assert lacks in str(made.explain("ex:b ex:is ex:c"))


def test_an_asserted_fact_is_its_own_reason(running: Engine) -> None:
    assert str(running.explain("ex:x ex:is ex:b")) == (
        "ex:x[ex:is -> ex:b] holds at 2\n"
        "asserted from 2 to 5, as far as is known\n"
        "it ends as this leaves the window: ex:x[ex:is -> ex:b]\n"
        "\n"
        "because of 1 fact, from 2 to 5\n"
        "ex:x[ex:is -> ex:b]  asserted from 2 to 5  ← ends first"
    )


def test_an_element_that_says_its_end_is_said_to_end_then() -> None:
    made = engine()
    made.add([(ex.x, ex.next, ex.y)], at=1, until=2, name="urn:ex:g")
    assert "it ends as ex:g ends: ex:x[ex:next -> ex:y]" in str(made.explain("ex:x ex:on ex:y"))


def test_what_ended_may_be_forgotten_and_that_is_said(running: Engine) -> None:
    for at in range(10, 400):
        running.add([(ex[f"n{at}"], ex["is"], ex[f"m{at}"])], at=at)
    found = running.explain("ex:x ex:is ex:c", at=2)
    assert not found.value.known
    assert "forgotten" in str(found) or "not kept" in str(found)


def test_with_a_journal_what_ended_is_explained_nevertheless() -> None:
    made = engine(journal=1000)
    made.add_static([(ex.z, ex["is"], ex.a)])
    made.add([(ex.x, ex["is"], ex.a)], at=1, name="urn:ex:g1")
    made.add([(ex.x, ex["is"], ex.b), (ex.z, ex["is"], ex.b)], at=2)
    for at in range(4, 400):
        made.add([(ex[f"n{at}"], ex["is"], ex[f"m{at}"])], at=at)
    said = str(made.explain("ex:x ex:is ex:c", at=2))
    assert "ex:x[ex:is -> ex:c] holds at 2\nderived from 2 to 4" in said
    assert "asserted by ex:g1 from 1 to 4" in said
    assert "ex:z[ex:is -> ex:a]  static" in str(made.explain("ex:z ex:is ex:c", at=3))
    assert not made.explain("ex:x ex:is ex:c", at=4).holds


def test_a_journal_knows_what_was_taken_back() -> None:
    made = engine(journal=10)
    made.add([(ex.x, ex.next, ex.y), (ex.y, ex.next, ex.z)], at=1, name="urn:ex:g1")
    made.retract([(ex.y, ex.next, ex.z)], name="urn:ex:g1", at=2)
    made.retract(name="urn:ex:g1", at=3)
    made.add([], at=9)
    assert "from 1 to 2" in str(made.explain("ex:x ex:on ex:z", at=1))
    assert not made.explain("ex:x ex:on ex:z", at=2).holds
    assert "from 1 to 3" in str(made.explain("ex:x ex:on ex:y", at=2))


@pytest.mark.parametrize("within", [None, "2"])
def test_a_journal_knows_what_was_too_old_to_be_taken_back(within: str | None) -> None:
    rules = """Forall ?x ( ?x[ex:on -> 1] :- ?x[ex:is -> ex:a] )
    Forall ?x ( ?x[ex:on -> 1] :- And( ?x[ex:is -> ex:b] DiamondMinus [1, 1] (?x[ex:on -> 1]) ) )"""
    text = f"Document({PREFIXES} Group({rules}))"
    made = Engine.from_text(text, retract_within=within, journal=100)
    made.add([(ex.x, ex["is"], ex.a)], at=1, name="urn:ex:e")
    for at in (2, 3, 4, 5, 6):
        if at == 5:
            made.retract(name="urn:ex:e", at=4)
        made.add([(ex.x, ex["is"], ex.b)], at=at)
    holds = [change.op for change in made.changes()][-1] == "+"
    assert holds == (within is not None)
    assert made.explain("ex:x ex:on 1", at=5).holds == holds


def test_what_was_taken_back_ends_by_that_as_far_as_is_remembered() -> None:
    for journal in (0, 10):
        made = engine(journal=journal)
        made.add([(ex.x, ex.next, ex.y)], at=1, name="urn:ex:g1")
        made.retract(name="urn:ex:g1", at=2)
        said = str(made.explain("ex:x ex:on ex:y", at=1))
        how, until = ("is", 4) if journal else ("ends or is", 2)
        assert f"it ends as ex:g1 {how} taken back" in said
        assert f"asserted by ex:g1 from 1 to {until}" in said
        made.add([(ex.x, ex.next, ex.y)], at=3, until=5, name="urn:ex:g1")
        assert "it ends as ex:g1 ends: " in str(made.explain("ex:x ex:on ex:y", at=3))


@pytest.mark.parametrize("journal", [0, 10])
def test_what_operators_look_back_on_is_taken_back_whole(journal: int) -> None:
    hot = "Forall ?x (?x[ex:is -> ex:c] :- DiamondMinus [0, 10] (?x[ex:is -> ex:a]))"
    made = engine(hot, journal=journal)
    made.add([(ex.x, ex["is"], ex.a)], at=5, name="urn:ex:g1")
    assert "derived from 5 to 18" in str(made.explain("ex:x ex:is ex:c", at=6))
    made.retract(name="urn:ex:g1", at=7)
    said = str(made.explain("ex:x ex:is ex:c", at=6))
    if journal:
        assert "derived from 5 to 7\nit ends as ex:g1 is taken back: ex:x[ex:is -> ex:a]" in said
    else:
        assert "not known to hold at 6: what ended since then is forgotten; Engine(…, jour" in said
    lacks = str(made.explain("ex:x ex:is ex:c", at=7))
    assert "does not hold at 7" in lacks
    assert "not so: DiamondMinus [0, 10] (ex:x[ex:is -> ex:a])" in lacks


def test_what_an_element_says_again_and_again_leaves_the_window() -> None:
    made = engine(journal=10)
    for at in (1, 3):
        made.add([(ex.x, ex.next, ex.y)], at=at)
    made.add([(ex.z, ex.next, ex.y)], at=9)
    leaves = "it ends as this leaves the window: ex:x"
    assert leaves in str(made.explain("ex:x ex:on ex:y", at=3))
    made.add([(ex.x, ex.next, ex.y)], at=9)
    made.add([(ex.x, ex.next, ex.y)], at=10)
    assert leaves in str(made.explain("ex:x ex:on ex:y"))
    made.add([(ex.x, ex.next, ex.y)], at=11, until=19)
    assert "it ends as this ends: ex:x" in str(made.explain("ex:x ex:on ex:y"))


def test_added_rules_are_not_said_to_have_seen_what_was_there_before() -> None:
    made = engine(journal=100)
    made.add([(ex.x, ex.next, ex.y)], at=2)
    made.add([(ex.z, ex.next, ex.z)], at=3)
    made.add_rules(
        f"Document({PREFIXES} Group(Forall ?x ?y (?x[ex:far -> ?y] :- ?x[ex:next -> ?y])))"
    )
    made.add([(ex.c, ex.next, ex.d)], at=4)
    for at in range(20, 200):
        made.add([(ex.z, ex.next, ex[f"z{at}"])], at=at)
    assert not made.explain("ex:x ex:far ex:y", at=4).holds
    assert made.explain("ex:z ex:far ex:z100", at=101).holds


def test_a_journal_is_saved(tmp_path: Path) -> None:
    made = engine(journal=8)
    made.add_static([(ex.z, ex.next, ex.w)])
    for at in range(700):
        made.add([(ex[f"n{at}"], ex.next, ex.m)], at=at, name=f"urn:ex:g{at}")
    made.retract(name="urn:ex:g699", at=699)
    made.save(tmp_path / "engine.r4")
    text = f"Document({PREFIXES} Window(3) Group({RULES}))"
    loaded = Engine.load(tmp_path / "engine.r4", text, lenient=True)
    for each in (made, loaded):
        each.retract(name="urn:ex:g698", at=700)
        each.add([(ex.x, ex.next, ex.y)], at=800)
        each.add([(ex.x, ex.next, ex.z)], at=900)
    asked = [("ex:n1", 2), ("ex:n698", 699), ("ex:n699", 698), ("ex:x", 801), ("ex:z", 500)]
    for thing, at in asked:
        fact = f"{thing} ex:on ex:{'w' if thing == 'ex:z' else 'y' if thing == 'ex:x' else 'm'}"
        assert str(loaded.explain(fact, at=at)) == str(made.explain(fact, at=at))
    assert "ex:g698 is taken back" in str(loaded.explain("ex:n698 ex:on ex:m", at=699))
    assert not loaded.explain("ex:n1 ex:on ex:m", at=2).value.known


def test_a_journal_keeps_what_ended_last_and_says_what_it_does_not_know() -> None:
    made = engine(journal=5)
    for at in range(1, 700):
        made.add([(ex[f"n{at}"], ex.next, ex.m)], at=at)
    assert "forgotten" in str(made.explain("ex:n1 ex:on ex:m", at=1))
    assert made.explain("ex:n690 ex:on ex:m", at=692).holds
    made.add_rules(f"Document({PREFIXES} Group(ex:size(ex:y 5)))")
    assert not made.explain("ex:n690 ex:on ex:m", at=692).value.known


def test_the_rules_of_a_regime_are_called_by_their_names() -> None:
    made = engine("Forall ?x (?x[ex:is -> ex:c] :- ?x[rdf:type -> ex:A])", entailment="rdfs")
    made.add_static([(ex.B, RDFS.subClassOf, ex.A)])
    made.add([(ex.x, RDF.type, ex.B)], at=1)
    said = str(made.explain("ex:x ex:is ex:c"))
    assert "ex:x[rdf:type -> ex:A]  by rdfs#rdfs9" in said
    assert "ex:B[rdfs:subClassOf -> ex:A]  static" in said


def test_terms_that_are_the_same_for_ever_are_said_to_be() -> None:
    made = engine("Forall ?x (?x[ex:is -> ex:c] :- ?x[ex:is -> ex:a])", entailment="owl-rl")
    made.add_static([(ex.x, OWL.sameAs, ex.y)])
    made.add([(ex.x, ex["is"], ex.a)], at=1)
    said = str(made.explain("ex:y ex:is ex:c"))
    assert "ex:y[ex:is -> ex:c] holds at 1" in said
    assert "with ex:x the same as ex:y" in said


def test_added_rules_explain_what_they_saw(running: Engine) -> None:
    text = """(* ex:more *) Forall ?x (?x[ex:is -> ex:d] :- ?x[ex:is -> ex:b])
      (* ex:late *) Forall ?x (?x[ex:is -> ex:d] :- ?x[ex:is -> ex:a])"""
    running.add_rules(f"Document({PREFIXES} Group({text}))")
    assert "rule 6 ex:more: its conditions are not true" in str(running.explain("ex:x ex:is ex:d"))
    running.add([(ex.x, ex["is"], ex.b)], at=3)
    said = str(running.explain("ex:x ex:is ex:d"))
    assert "by rule 6 ex:more" in said
    assert "ex:late" not in said


def test_a_recursive_proof_never_rests_on_itself() -> None:
    made = engine()
    ring = [(ex[f"n{i}"], ex.next, ex[f"n{(i + 1) % 5}"]) for i in range(5)]
    made.add(ring, at=1)
    found = made.explain("ex:n0 ex:on ex:n3", limit=9).value
    assert found.complete
    assert [tree.size for tree in found.trees] == [3]
    assert [tree.size for tree in made.explain("ex:n0 ex:on ex:n0").value.trees] == [5]


def test_a_deep_proof_is_said_in_every_form() -> None:
    made = engine("Forall ?x ?y (ex:at(?y) :- And(ex:at(?x) ?x[ex:next -> ?y])) ex:at(ex:n0)")
    length = 3 * DEEPEST
    made.add([(ex[f"n{i}"], ex.next, ex[f"n{i + 1}"]) for i in range(length)], at=1)
    found = made.explain(f"ex:at(ex:n{length})")
    assert len(str(found).splitlines()) > 2 * length
    value = json.loads(found.json())
    (only,) = value["justifications"]
    assert only["size"] == len(only["facts"]) == length + 1
    assert only["continued"]


def test_the_same_is_said_as_json(running: Engine) -> None:
    value = json.loads(running.explain("ex:x ex:is ex:c").json())
    assert (value["holds"], value["from"], value["until"]) == (True, 2, 4)
    (tree,) = value["justifications"]
    assert tree["proof"]["rule"] == "urn:ex:both"
    because = tree["proof"]["because"]
    assert because[0]["fact"] == {"s": "<urn:ex:x>", "p": "<urn:ex:is>", "o": "<urn:ex:a>"}
    assert because[0]["elements"] == [{"name": "<urn:ex:g1>", "from": 1, "until": 4}]
    assert because[2]["absent"] == "ex:x[ex:shut -> ?y]"
    assert [end["why"] for end in value["ends"]] == ["expired"]


def test_a_picture_has_each_fact_once(running: Engine) -> None:
    root = ET.fromstring(running.explain("ex:x ex:is ex:c").svg())  # noqa: S314 - our own
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("ex:x[ex:is -> ex:a]") == 1
    assert "rule 1 ex:both" in texts
    assert "no ex:x[ex:shut -> ?y]" in texts


@pytest.mark.parametrize("body", ["?x[ex:p -> ?p] ?x[ex:a -> ?a]", "?x[ex:a -> ?a] ?x[ex:p -> ?p]"])
def test_what_came_together_is_one_frame_in_order_of_properties(body: str) -> None:
    made = engine(f"Forall ?x ?a ?p (?x[ex:is -> ?a] :- And({body}))")
    made.add([(ex.x, ex.p, ex.b), (ex.x, ex.a, ex.b)], at=1)
    said = str(made.explain("ex:x ex:is ex:b"))
    assert said.count("ex:x[ex:a -> ex:b  ex:p -> ex:b]") == 2


@pytest.mark.parametrize("order", list(permutations("abc")), ids="".join)
def test_what_a_rule_rests_on_stands_as_in_its_body(order: tuple[str, ...]) -> None:
    conditions = {"a": "?x[ex:is -> ex:a]", "b": "ex:b(?x ?y)", "c": "?y[ex:next -> ?z]"}
    body = " ".join(conditions[each] for each in order)
    made = engine(
        f"Forall ?x ?y ?z (?x[ex:on -> ?z] :- And({body}))"
        "Forall ?x ?y (ex:b(?x ?y) :- ?x[ex:near -> ?y])"
    )
    came = [(ex.x, ex["is"], ex.a), (ex.x, ex.near, ex.y), (ex.y, ex.next, ex.z)]
    for at, triple in enumerate(came, 1):
        made.add([triple], at=at)
    said = str(made.explain("ex:x ex:on ex:z", at=3)).splitlines()
    shown = {"a": "ex:x[ex:is -> ex:a]", "b": "ex:b(ex:x ex:y)", "c": "ex:y[ex:next -> ex:z]"}
    below = [line[3:].split("  ")[0] for line in said if line.startswith(("├", "└"))]
    assert below == [shown[each] for each in order]


@pytest.mark.parametrize(
    "text", ["", "ex:x ex:is", "ex:x ex:is ex:a, ex:b", "ex:p(?x)", "no:x a 1"]
)
def test_a_text_that_is_no_fact_is_refused(running: Engine, text: str) -> None:
    with pytest.raises(NoFact):
        running.explain(text)


def test_a_fact_that_would_exhaust_the_parser_is_refused() -> None:
    made = Engine.from_text("Document( Group( Forall ?x (?x[<urn:q> -> 1] :- ?x[<urn:p> -> 1]) ) )")
    nested = "<<( <urn:a> <urn:p> " * 20_000 + "1 " + ")>> " * 20_000
    with pytest.raises(NoFact, match="one triple is asked for"):
        made.explain(f"<urn:a> <urn:p> {nested}")
