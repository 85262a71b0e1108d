"""Where negation has no meaning the rules are refused, with the reason and the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.api import Engine
from r4.entailment import query_parts
from r4.program.compiler import compile_document
from r4.program.regimes.background import background_of
from r4.time.ticks import TimeScale
from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from tests.generators.rules.parsers import parse, parse_formula
from tests.rif.rule_parser import parse_rules
from tests.simulation.command import call

NEXT = "Forall ?x (?x[_r -> 1] :- And(?x[_q -> 1] Naf(?x[_s -> 1])))"


def faults(
    rules: str, entailment: str = "none", *, instances: bool = False, by_value: bool = False
) -> list[RuleError]:
    document = parse_rules(rules).document
    background = background_of(entailment)
    try:
        compile_document(
            document,
            TimeScale(),
            background=background,
            instances=instances,
            literals_by_value=by_value,
        )
    except RuleErrors as found:
        return list(found.errors)
    return []


def told(rules: str, entailment: str = "none") -> str:
    (fault,) = faults(rules, entailment)
    assert fault.code == "R4105"
    return fault.message


def test_a_rule_that_denies_itself_is_told_with_its_place() -> None:
    rules = "_q(1)\nForall ?x (_p(?x) :- And(_q(?x) Naf(_p(?x))))"
    assert told(rules) == (
        "not stratified: rule 2 (2:1) asks for the absence of _p(?), which it derives itself"
    )
    (fault,) = faults(rules)
    assert (fault.span.line, fault.span.column) == (2, 1)


TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@pytest.mark.parametrize(
    ("general", "what"),
    [
        (
            "Forall ?a ?b ?p (?b[?p -> ?a] :- And(?p[<urn:is> -> 1] ?a[?p -> ?b]))",
            "property",
        ),
        (
            f"Forall ?a ?c ?d (?a[{TYPE} -> ?d] :- And(?a[{TYPE} -> ?c] ?c[<urn:sub> -> ?d]))",
            "class",
        ),
    ],
)
def test_a_rule_that_derives_anything_is_named(general: str, what: str) -> None:
    first = f"Forall ?x (?x[{TYPE} -> <urn:c>] :- And(_q(?x) Naf(?x[{TYPE} -> <urn:d>])))"
    (fault,) = faults(f"{first}\n{general}")
    assert fault.code == "R4105"
    assert fault.hint == (
        f"rule 2 derives any {what}, as its head has a variable there: write it for each {what} "
        "that it is about, or let rule 1 conclude an atom, such as ex:p(?x)"
    )


def test_a_cycle_is_shown_rule_by_rule() -> None:
    rules = """Forall ?x (_p(?x) :- And(_q(?x) Naf(?x[<urn:k> -> 1])))
        (* <urn:two> *) Forall ?x (?x[<urn:k> -> 1] :- _s(?x List(1)))
        Forall ?x (And(_s(?x List(1)) _t(?x)) :- And(_q(?x) Naf(_u())))
        _u() :- Exists ?x (_p(?x))"""
    assert told(rules) == (
        "not stratified: rule 1 (1:1) asks for the absence of ?[<urn:k> -> 1], "
        "which rule 2 <urn:two> (2:9) derives from _s(? List(1)), "
        "which rule 3 (3:9) derives from the absence of _u(), "
        "which rule 4 (4:9) derives from _p(?), which rule 1 derives"
    )


def test_rules_of_a_regime_take_part_and_are_said_to_be_background() -> None:
    assert faults(NEXT) == []
    message = told(NEXT, "rdfs")
    assert ", background) derives from ?[? -> ?], which rule 1 derives" in message
    assert faults(NEXT.replace("?x[_r -> 1]", "_r(?x)"), "rdfs") == []


def test_it_is_judged_by_values_where_literals_are() -> None:
    rules = 'Forall ?x (_p(?x 1) :- And(_q(?x) Naf(_p(?x "01"^^xs:integer))))'
    assert faults(rules) == []
    assert [fault.code for fault in faults(rules, by_value=True)] == ["R4105"]


@pytest.mark.parametrize("number", ["01", '"1"^^xs:double', "1.0"])
def test_it_is_judged_by_numbers_where_these_stand_for_values(number: str, tmp_path: Path) -> None:
    rule = f"Forall ?x (ex:p(?x 1) :- And(ex:q(?x) Naf(ex:p(?x {number}))))"
    rules = tmp_path / "r.rif"
    xs = "Prefix(xs <http://www.w3.org/2001/XMLSchema#>)"
    rules.write_text(f"Document( Prefix(ex <urn:ex:>) {xs} Group({rule}) )", "utf-8")
    assert "R4105" in call(["check", str(rules), "--lenient"]).err
    assert "R4105" not in call(["check", str(rules), "--lenient", "--literals", "term"]).err


def test_instances_have_no_negation() -> None:
    assert [fault.code for fault in faults(NEXT, instances=True)] == ["R4106"]
    rule = "Forall ?x (_p(?x) :- And(_q(?x) Naf(?x = 1)))"
    assert [fault.code for fault in faults(rule, instances=True)] == ["R4106"]
    assert faults("Forall ?x (_p(?x) :- _q(?x))", instances=True) == []
    with pytest.raises(RuleErrors, match="R4106"):
        Engine(parse_rules(NEXT).document, semantics="instances")


def test_rules_that_join_in_must_go_with_those_that_run() -> None:
    engine = Engine.from_text("Document(Group(Forall ?x (_p(?x) :- _q(?x))))")
    program = engine._run.core.program
    added = parse("Document(Group(Forall ?x (_q(?x) :- And(_s(?x) Naf(_p(?x))))))").document
    with pytest.raises(RuleErrors) as found:
        compile_document(added, TimeScale(), running=program)
    (fault,) = found.value.errors
    assert "rule 2 (1:16) asks for the absence of _p(?), which rule 1 (1:16)" in str(fault)
    assert compile_document(added, TimeScale()).labels == (1,)


def test_a_negation_is_no_conclusion() -> None:
    conclusion = parse_formula("And(_p() Or(_q() Naf(And(_r() Naf(_s())))) Naf(_t()))")
    with pytest.raises(RuleErrors) as found:
        query_parts.query_parts(conclusion)
    assert [(one.code, one.span.column) for one in found.value.errors] == [
        ("R4112", 18),
        ("R4112", 44),
    ]


def test_entails_refuses_such_a_conclusion(tmp_path: Path) -> None:
    premise, conclusion = tmp_path / "premise.rif", tmp_path / "conclusion.rif"
    premise.write_text("Document(Group(<urn:p>()))")
    conclusion.write_text("Naf(<urn:q>())")
    printed = call(["entails", str(premise), str(conclusion)])
    assert printed.code not in {0, 1}
    assert "R4112" in printed.err


MAIN = """Document(Import(<b.rif>) Group(
Forall ?x (<urn:p>(?x) :- And(<urn:d>(?x) Naf(<urn:q>(?x))))))"""
OTHER = "Document(Group(\n\nForall ?x (<urn:q>(?x) :- <urn:p>(?x))))"


def test_a_cycle_over_documents_is_told_by_check(tmp_path: Path) -> None:
    main = tmp_path / "a.rif"
    main.write_text(MAIN)
    (tmp_path / "b.rif").write_text(OTHER)
    printed = call(["check", str(main)])
    assert printed.code == 3
    assert f"{main}:2:1: R4105 not stratified" in printed.err
    assert "rule 2 (3:1, imported document 1) derives from <urn:p>(?)" in printed.err


def test_a_cycle_is_told_in_the_document_whose_rule_negates(tmp_path: Path) -> None:
    main, other = tmp_path / "a.rif", tmp_path / "b.rif"
    main.write_text(OTHER.replace("Group", "Import(<b.rif>) Group"))
    other.write_text(MAIN.replace("Import(<b.rif>) ", ""))
    printed = call(["check", str(main)])
    assert printed.code == 3
    assert f"{other}:2:1: R4105 not stratified" in printed.err


def test_check_warns_once_and_accepts_it(tmp_path: Path) -> None:
    main = tmp_path / "a.rif"
    main.write_text(f"Document(Group({NEXT} {NEXT}))")
    printed = call(["check", str(main)])
    assert printed.code == 0
    assert printed.err.count("RIF161") == 1
    assert "1 warning" in printed.out


def test_a_run_warns_of_it_with_strict_alone(tmp_path: Path) -> None:
    main, other, stream = tmp_path / "a.rif", tmp_path / "b.rif", tmp_path / "s.nq"
    main.write_text(f"Document(Import(<b.rif>) Group({NEXT}))")
    other.write_text(f"Document(Group({NEXT}))")
    stream.write_text("")
    run = call(["run", str(main), str(stream)])
    assert run.code == 0
    assert "RIF161" not in run.err
    assert call(["run", str(main), str(stream), "--strict"]).err.count("RIF161") == 2


def test_a_run_of_instances_is_refused(tmp_path: Path) -> None:
    main = tmp_path / "a.rif"
    main.write_text(f"Document(Group({NEXT}))")
    stream = tmp_path / "s.nq"
    stream.write_text("")
    printed = call(["run", str(main), str(stream), "--semantics", "instances"])
    assert printed.code == 3
    assert f"{main}:1:16: R4106" in printed.err


def test_convert_writes_it_in_both_syntaxes(tmp_path: Path) -> None:
    main, xml, back = (tmp_path / name for name in ("a.rif", "b.xml", "c.rif"))
    main.write_text(f"Document(Group({NEXT}))")
    assert call(["convert", str(main), str(xml)]).code == 0
    assert "<Naf>" in xml.read_text()
    assert call(["convert", str(xml), str(back)]).code == 0
    assert parse(back.read_text()).document == parse(main.read_text()).document
