"""What a person stumbles over: long names, the same twice, what was forgotten, dropped rules."""

from __future__ import annotations

import itertools
import json
import re
from xml.etree import ElementTree as ET

import pytest
from rdflib import RDF, RDFS, BNode, Literal, Namespace

from r4 import Engine
from r4.explain.explanation import AssertedNode, Explanation, FactOrigin, Statement
from r4.explain.question.fact_parser import NoFact, parse_fact, suggest
from r4.explain.rendering.phrases import Phrases
from r4.explain.rendering.text import as_text
from r4.explain.tick_spans import TickSpan
from r4.time.ticks import StampFormat
from rete.drawing.names import Names
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES

ex = Namespace("urn:ex:")
obs = Namespace("http://data.example.org/sensors/reading/")
RULES = """Document(Prefix(ex <urn:ex:>) Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
Window(3) Group(
(* ex:class *) Forall ?r ?of ?t ?class ?from (
  ?r[ex:is -> ?class  ex:place -> ?of] :- And(
    ?class[ex:from -> ?from] ?r[ex:of -> ?of ex:temp -> ?t]
    External(pred:numeric-greater-than-or-equal(?t ?from)) External(pred:numeric-less-than(?t 99))))
(* ex:broader *) Forall ?r ?one ?other (
  ?r[ex:is -> ?other] :- And(?one[ex:below -> ?other] ?r[ex:is -> ?one]))
(* ex:alarm *) Forall ?r ?place (
  ?place[ex:alarm -> ex:Fire] :- And(?r[ex:is -> ex:Warm] ?r[ex:place -> ?place]))
ex:Hot[ex:from -> 60]
))"""


@pytest.fixture
def oven() -> Engine:
    made = Engine.from_text(RULES, lenient=True)
    made.add_static([(ex.Hot, ex.below, ex.Warm)])
    reading = obs["1"]
    made.add(
        [(reading, ex.of, ex.oven), (reading, ex.temp, Literal(70))],
        at=1,
        name="http://data.example.org/sensors/element/1",
    )
    return made


def test_facts_that_came_together_are_one_line_and_long_names_are_short(oven: Engine) -> None:
    assert str(oven.explain("ex:oven ex:alarm ex:Fire")) == (
        "ex:oven[ex:alarm -> ex:Fire] holds at 1\n"
        "derived from 1 to 4, as far as is known\n"
        "it ends as sensors:element/1 leaves the window: "
        "sensors:reading/1[ex:of -> ex:oven  ex:temp -> 70]\n"
        "\n"
        "because of 4 facts, from 1 to 4\n"
        "ex:oven[ex:alarm -> ex:Fire]  by rule 3 ex:alarm\n"
        "├─ sensors:reading/1[ex:is -> ex:Warm]  by rule 2 ex:broader\n"
        "│  ├─ sensors:reading/1[ex:is -> ex:Hot]  by rule 1 ex:class\n"
        "│  │  ├─ sensors:reading/1[ex:of -> ex:oven  ex:temp -> 70]"
        "  asserted by sensors:element/1 from 1 to 4  ← ends first\n"
        "│  │  ├─ ex:Hot[ex:from -> 60]  stated as rule 4\n"
        "│  │  ├─ 70 < 99\n"
        "│  │  └─ 70 ≥ 60\n"
        "│  └─ ex:Hot[ex:below -> ex:Warm]  static data\n"
        "└─ sensors:reading/1[ex:place -> ex:oven]  by rule 1 ex:class, "
        "for the reasons of sensors:reading/1[ex:is -> ex:Hot]\n"
        "\n"
        "sensors: is short for http://data.example.org/sensors/"
    )


def test_labels_of_blank_nodes_that_say_nothing_are_shortened(oven: Engine) -> None:
    node = BNode("n92a3f7ea75224c16b62197ad84d96050b5401")
    oven.add([(node, ex.of, ex.stove), (node, ex.temp, Literal(61))], at=2)
    assert re.search(r"_:d\d_n92…5401\[ex:of", str(oven.explain("ex:stove ex:alarm ex:Fire")))


def test_rules_of_a_regime_say_what_they_mean_and_not_what_nobody_doubts() -> None:
    made = Engine.from_text(RULES, lenient=True, entailment="rdfs")
    made.add_static([(ex.B, RDFS.subClassOf, ex.A)])
    made.add([(ex.x, RDF.type, ex.B)], at=1)
    said = str(made.explain("ex:x a ex:A"))
    assert "ex:x[rdf:type -> ex:A]  by rdfs#rdfs9 (subclass)\n" in said
    assert "is not" not in said


def test_under_a_regime_the_time_of_the_answer_is_told_beside_that_of_the_fact() -> None:
    rules = "Document( Prefix(ex <urn:ex:>) Window(3) Group("
    rules += " Forall ?x (?x[rdf:type -> ex:A] :- And(?x[rdf:type -> ex:B] ?x[ex:is -> ex:b])) ) )"
    made = Engine.from_text(rules, lenient=True, entailment="rdfs")
    made.add_static([(ex.B, RDFS.subClassOf, ex.A)])
    made.add([(ex.x, RDF.type, ex.B)], at=1)
    alone = made.explain("ex:x a ex:A")
    assert "derived from 1 to 4, no answer at 1: only the regime derives it" in str(alone)
    assert json.loads(alone.json())["answer"] is None
    made.add([(ex.x, ex["is"], ex.b)], at=2)
    both = made.explain("ex:x a ex:A")
    assert "derived from 1 to 4, an answer from 2 to 4, as far as is known\n" in str(both)
    assert json.loads(both.json())["answer"] == {"from": 2, "until": 4}


def test_of_what_was_not_kept_the_rules_are_named() -> None:
    fact = Statement(TRIPLES, ("<urn:ex:x>", "<urn:ex:is>", "<urn:ex:a>"))
    names = Names(prefixes=(("ex", "urn:ex:"),), labels={1: "urn:ex:one"})
    span = TickSpan(1, 4)
    alone = Explanation(fact, 2, span, derived=True, answer=span, rules=(1,))
    assert as_text(alone, names, StampFormat()) == (
        "ex:x[ex:is -> ex:a] holds at 2\n"
        "derived from 1 to 4\n"
        "it follows by rule 1 ex:one; the input it followed from was not kept; a journal keeps it"
    )
    leaf = AssertedNode(fact, FactOrigin.UNKEPT, (), TickSpan(1, 4), 1)
    said = "  by rule 1 ex:one, from 1 to 4; what it follows from was not kept"
    assert Phrases(names, StampFormat()).origin(leaf) == said


def test_a_rule_that_was_dropped_is_named_as_the_cause(oven: Engine) -> None:
    oven.advance(2)
    oven.drop_rules("urn:ex:class")
    oven.add([], at=3)
    said = str(oven.explain("ex:oven ex:alarm ex:Fire", at=1))
    assert "derived from 1 to 3\n" in said
    assert "it ends as rule 1 ex:class is dropped: " in said
    assert "by rule 1 ex:class, which has been dropped, from 1 to 3  ← ends first" in said
    itself = oven.explain(f"<{obs['1']}> ex:is ex:Hot", at=1)
    assert "it follows by rule 1 ex:class, which has been dropped" in str(itself)
    assert json.loads(itself.json())["dropped"] == ["urn:ex:class"]
    after = str(oven.explain(f"<{obs['1']}> ex:is ex:Hot", at=3))
    assert "it held from 1 to 3 by rule 1 ex:class, which has been dropped" in after


def test_a_fact_of_the_rules_that_was_dropped_did_not_leave_a_window(oven: Engine) -> None:
    oven.advance(2)
    oven.drop_rules(4)
    oven.add([], at=3)
    said = str(oven.explain("ex:oven ex:alarm ex:Fire", at=1))
    assert "it ends as rule 4 is dropped: ex:Hot[ex:from -> 60]" in said


def test_what_does_not_hold_is_placed_beside_what_does(oven: Engine) -> None:
    found = oven.explain("ex:ovn ex:alarm ex:Fire")
    assert "ex:ovn is not known from rules or data; is it ex:oven?" in str(found)
    value = json.loads(found.json())
    assert value["unknown"] == [{"term": "<urn:ex:ovn>", "like": ["<urn:ex:oven>"]}]
    said = str(oven.explain("ex:oven ex:alarm ex:Flood"))
    assert "what holds then: ex:oven[ex:alarm -> ex:Fire]" in said
    oven.add([], at=6)
    assert "\nit held from 1 to 4\n" in str(oven.explain("ex:oven ex:alarm ex:Fire"))


def test_tests_that_fail_are_listed_in_the_order_of_the_data(oven: Engine) -> None:
    for place, degrees in enumerate([40, 30, 50, 20]):
        oven.add([(ex.r, ex.of, ex[f"p{place}"]), (ex.r, ex.temp, Literal(degrees))], at=2)
    said = str(oven.explain("ex:r ex:is ex:Hot"))
    assert "none of these is so: 40 ≥ 60, 30 ≥ 60, 50 ≥ 60, and so on" in said


def test_names_that_are_alike_are_found_by_their_last_part() -> None:
    terms = Dictionary()
    terms.encode_many(["<urn:a:NewYork>", "<urn:b:newyork>", "<urn:a:Boston>", '"NewYork"'])
    assert suggest(terms, "<urn:c:NewYorck>") == ("<urn:a:NewYork>", "<urn:b:newyork>")
    assert suggest(terms, "<urn:a:x>") == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("exx:a ex:b ex:c", "the rules declare no prefix exx:; is it ex:? They have ex:"),
        ("ex:a ex:b", "it has 2 terms, not three"),
        ("ex:a", "it has 1 term, not three"),
        ("a ex:b ex:c", "write a prefixed name"),
        ("ex:a ex:b ?x", "a fact has no variables"),
    ],
)
def test_a_text_that_is_no_fact_is_told_from_one(text: str, says: str) -> None:
    with pytest.raises(NoFact) as found:
        parse_fact(text, {"ex": "urn:ex:"})
    assert says in str(found.value)
    assert "line" not in str(found.value)


@pytest.mark.parametrize("text", ["ex:a/1 ex:b ex:c/2/d", "ex:a/1[ex:b -> ex:c/2/d]"])
def test_names_with_slashes_are_read_as_they_are_written(text: str) -> None:
    _, terms = parse_fact(text, {"ex": "urn:ex:"})
    assert terms == ("<urn:ex:a/1>", "<urn:ex:b>", "<urn:ex:c/2/d>")


@pytest.mark.parametrize("text", ["rif:error", "rif:error()", "error"])
def test_an_error_is_asked_for_by_its_name(text: str) -> None:
    relation, terms = parse_fact(text, {"rif": "http://www.w3.org/2007/rif#"})
    assert (relation.op, terms) == ("<http://www.w3.org/2007/rif#error>", ())


def test_boxes_of_a_picture_are_apart_and_have_what_they_say_inside(oven: Engine) -> None:
    root = ET.fromstring(oven.explain("ex:oven ex:alarm ex:Fire").svg())  # noqa: S314 - our own
    space = "{http://www.w3.org/2000/svg}"
    width, height = (float(root.attrib[key]) for key in ("width", "height"))
    boxes = []
    for group in root.iter(f"{space}g"):
        rect = group.find(f"{space}rect")
        texts = list(group.iter(f"{space}text"))
        if rect is None:
            continue
        x, y, w, h = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        assert 0 < x < x + w < width
        assert 0 < y < y + h < height
        for text in texts:
            assert x < float(text.attrib["x"]) < x + w
            assert y < float(text.attrib["y"]) < y + h
        boxes.append((x, y, x + w, y + h))
    assert len(boxes) == 6, "three rules, two leaves, and the reading"
    for (a, b, c, d), (e, f, g, h) in itertools.combinations(boxes, 2):
        assert c <= e or g <= a or d <= f or h <= b
    said = [text.text for text in root.iter(f"{space}text")]
    assert said.count("70 ≥ 60") == said.count("rule 1 ex:class") == 1


def test_what_an_operator_lacks_is_told_in_the_names_of_the_rule() -> None:
    made = Engine.from_text(
        """Document(Prefix(ex <urn:ex:>) Window(3) Group(
        Forall ?pump ?watts ?kind (?pump[ex:is -> ex:on] :-
          Since [0, 9] (?pump[ex:power -> ?watts] ?pump[ex:switch -> ?kind]))
        Forall ?pump ?watts ?kind (?pump[ex:is -> ex:odd] :- And(?pump[ex:kind -> ?kind]
          DiamondMinus [0, 9] (And(?pump[ex:level -> ?watts] Naf (?pump[ex:stops -> ex:it])))
          Naf (DiamondMinus [0, 9] (?pump[ex:level -> ?kind]))))
        ))"""
    )
    made.add([(ex.p, ex.kind, ex.big)], at=1)
    assert str(made.explain("ex:p ex:is ex:on")).splitlines()[-1] == (
        "  rule 1: not so: Since [0, 9] (ex:p[ex:power -> ?watts]; ex:p[ex:switch -> ?kind])"
    )
    assert str(made.explain("ex:p ex:is ex:odd")).splitlines()[-1] == (
        "  rule 2: not so: DiamondMinus [0, 9] "
        "(ex:p[ex:level -> ?watts] and not (ex:p[ex:stops -> ex:it])), "
        "as that does not hold from -8 through 1"
    )
