"""A fault says what to do about it, by what is found where something else was expected."""

from __future__ import annotations

import pytest

from rif.errors.base import RuleError
from rif.errors.report import RuleErrors
from rif.text.parser import parse, parse_formula
from rif.xml.parser import parse_xml

HEAD = (
    "Document( Prefix(ex <urn:ex:>) Prefix(xs <http://www.w3.org/2001/XMLSchema#>)"
    " Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)\n  Group(\n"
)


def faults_of(text: str) -> tuple[RuleError, ...]:
    with pytest.raises(RuleErrors) as caught:
        parse(text)
    return caught.value.errors


def faults(rule: str) -> tuple[RuleError, ...]:
    """Those of a rule that begins in line 3, column 5."""
    return faults_of(f"{HEAD}    {rule}\n  ) )")


AND = "several conditions have commas between them"
ARROW = "a rule is written conclusion :- condition"
SLOT = "a slot is written name -> value"


@pytest.mark.parametrize(
    ("rule", "code", "hint"),
    [
        ("Forall ?x (ex:p(?x) :- ex:q(?x) ex:r(?x))", "RIF101", AND),
        ("Forall ?x (ex:p(?x) :- ?x[ex:a -> 1] ?x[ex:b -> 2])", "RIF101", AND),
        ("Forall ?x (ex:p(?x) :- Exists ?y (ex:q(?x) ex:r(?y)))", "RIF101", AND),
        ("Forall ?x (?x[ex:a = ex:b] :- ex:q(?x))", "RIF101", SLOT),
        ("Forall ?x (?x[ex:a : ex:b] :- ex:q(?x))", "RIF101", SLOT),
        ("Forall ?x (?x[ex:a ex:b] :- ex:q(?x))", "RIF101", SLOT),
        ("Forall ?x (ex:q(?x) :- ?x ex:p 5)", "RIF101", "a triple is written ?x[ex:p -> 5]"),
        (
            "Forall ?x (ex:q(?x) :- And(?x ex:p ex:q ?x ex:r 5))",
            "RIF101",
            "a triple is written ?x[ex:p -> ex:q]",
        ),
        ("Forall ?x (ex:p(?x) -> ex:q(?x))", "RIF101", ARROW),
        ("Forall ?x (ex:p(?x) If ex:q(?x))", "RIF101", ARROW),
        ("Forall ?x (ex:p(?x) : - ex:q(?x))", "RIF101", ARROW),
        ("Forall ?x (ex:p(?x) <- ex:q(?x))", "RIF105", ARROW),
        ("Window(5 s)", "RIF101", "Base, Prefix, Import and Window stand before Group"),
        ("Prefix(a <urn:a>)", "RIF101", "Base, Prefix, Import and Window stand before Group"),
        ("Forall x (ex:p(?x) :- ex:q(?x))", "RIF101", "a variable is written ?x"),
        ("forall ?x (ex:p(?x) :- ex:q(?x))", "RIF108", "did you mean Forall?"),
        ("FORALL ?x (ex:p(?x) :- ex:q(?x))", "RIF108", "did you mean Forall?"),
        ("Forall ?x (if ex:q(?x) then ex:p(?x))", "RIF108", "did you mean If?"),
        ("Forall ?x (If ex:q(?x) then ex:p(?x))", "RIF101", "did you mean Then?"),
        ("Forall ?x (ex:p(?x) :- and(ex:q(?x) ex:r(?x)))", "RIF108", "did you mean And?"),
        ("Forall ?x (ex:p(?x) :- exists ?y (ex:r(?x ?y)))", "RIF108", "did you mean Exists?"),
        ("ex:p(list(1 2))", "RIF108", "did you mean List?"),
        ("group(ex:p(1))", "RIF108", "did you mean Group?"),
        ("ex:p(true)", "RIF108", 'write "true"^^xs:boolean'),
        ("ex:a[ex:b -> false]", "RIF108", 'write "false"^^xs:boolean'),
        ("Forall ?x (ex:p(?x) :- ?x[a -> ex:C])", "RIF108", "rdf:type"),
        ("Forall ?x (ex:p(?x) :- ?x a ex:C)", "RIF101", "?x[rdf:type -> ex:C]"),
        ("Forall ?x (ex:p(?x) :- And(ex:q(?x) FILTER(?x)))", "RIF108", "have commas between them"),
        ("Forall ?x (ex:p(?x) :- And(ex:q(?x) OPTIONAL ex:r(?x)))", "RIF108", "one without"),
        ("Forall ?x (ex:p(?x) :- And(ex:q(?x) NOT EXISTS ex:r(?x)))", "RIF108", "written not F"),
        (
            "Forall ?x (ex:p(?x) :- And(ex:q(?x) External(numeric-greater-than(?x 5))))",
            "RIF108",
            "write pred:numeric-greater-than",
        ),
        (
            "Forall ?x (ex:p(?x External(numeric-add(?x 5))) :- ex:q(?x))",
            "RIF108",
            "write func:numeric-add",
        ),
        (r'ex:p("\d+")', "RIF104", r"a backslash is written twice: \\d"),
        ("ex:p(1), ex:q(2)", "RIF101", "commas separate conditions"),
        ("# comment", "RIF101", "(* … *)"),
        (
            "Forall ?x (ex:p(?x) :- And(ex:q(?x) External(pred:numeric-less-than(?x))))",
            "RIF205",
            "1 argument is missing",
        ),
        (
            "Forall ?x (ex:p(?x) :- And(ex:q(?x) External(pred:numeric-less-than(?x 1 2 3))))",
            "RIF205",
            "2 arguments too many",
        ),
        (
            "Forall ?sensor ?v (ex:p(?sensor) :- And(ex:q(?sensr ?v) ex:r(?sensor)))",
            "RIF201",
            "did you mean ?sensor? Else declare it: Forall ?sensr",
        ),
        ("Forall ?x (ex:p(?x) :- ex:q(?x ?other))", "RIF201", "declare it: Forall ?other"),
    ],
)
def test_what_is_found_tells_the_hint(rule: str, code: str, hint: str) -> None:
    first = faults(rule)[0]
    assert (first.code, first.span.line) == (code, 3)
    assert hint in first.hint


@pytest.mark.parametrize(
    "rule",
    [
        "forall ?x (ex:p(?x) :- ex:q(?x))",
        "Forall ?x (ex:p(?x) :- and(ex:q(?x) ex:r(?x)))",
        "Forall ?x (ex:p(?x) => ex:q(?x))",
    ],
)
def test_one_slip_is_one_fault(rule: str) -> None:
    assert len(faults(rule)) == 1


def test_lower_case_words_are_names_in_lenient_mode() -> None:
    parsed = parse("Document( Group( _p(window list true) ) )", lenient=True)
    assert [each.code for each in parsed.warnings] == ["RIF108"] * 3


@pytest.mark.parametrize(
    ("rule", "place"),
    [
        ("Forall ?x (ex:p(?x) :- ex:q(?x)", "( of 3:15"),
        ("Forall ?x (ex:p(?x) :- And(ex:q(?x) ex:r(?x))", "( of 3:15"),
        ("Forall ?x (ex:p(?x) :- And(ex:q(?x) ex:r(?x)", "( of 3:31"),
        ("ex:p(1\n    ex:q(2)", "( of 3:9"),
        (
            (
                "Forall ?x (ex:p(?x) :- And(ex:q(?x)\n    ex:r(?x))\n"
                "    Forall ?y (ex:p(?y) :- ex:q(?y))"
            ),
            "( of 3:15",
        ),
        ("Forall ?x (ex:p(?x) :- External(pred:numeric-less-than(?x 3) ex:r(?x)))", "( of 3:36"),
    ],
)
def test_a_missing_bracket_is_looked_for_where_the_innermost_is_open(rule: str, place: str) -> None:
    found = faults(rule)
    assert any(place in f"{fault.message} {fault.hint}" for fault in found), found
    assert "conditions stand" not in " ".join(fault.hint for fault in found)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('Document( Import("a.rif") )', "in angle brackets: <a.rif>"),
        ("Document( Import(a.rif) )", "in angle brackets: <a.rif>"),
        ('Document( Prefix(ex "urn:ex:") )', "in angle brackets: <urn:ex:>"),
        ("document( Group() )", "did you mean Document?"),
        ("Document( prefix(ex <urn:ex:>) )", "did you mean Prefix?"),
        ("Document( window(5 s) )", "did you mean Window?"),
        ("Document( Prefix ex: <urn:ex:> )", "Prefix(ex <urn:ex:>)"),
        ("Document( Group( _p(1) _q(2) ) ", "( of 1:9"),
    ],
)
def test_directives_have_hints_too(text: str, hint: str) -> None:
    first = faults_of(text)[0]
    assert hint in f"{first.message} {first.hint}"


def test_the_hint_of_a_free_variable_of_a_condition_is_a_quantifier() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_formula("_p(?x)")
    assert caught.value.errors[0].hint == "bind it: Exists ?x ( … )"


@pytest.mark.parametrize("space", ["rif:iri", "xs:string", "xsd:integer"])
def test_symbol_spaces_of_xml_are_iris_in_full(space: str) -> None:
    text = (
        '<Document xmlns="http://www.w3.org/2007/rif#"><payload><Group><sentence><Atom><op>'
        f'<Const type="{space}">urn:p</Const></op></Atom></sentence></Group></payload></Document>'
    )
    with pytest.raises(RuleErrors) as caught:
        parse_xml(text.encode())
    first = caught.value.errors[0]
    assert first.code == "RIF130"
    assert "http://www.w3.org/" in first.hint
    assert first.hint.endswith(f'#{space.partition(":")[2]}"')


def test_a_built_in_spelled_with_a_prefix_in_xml_is_named_in_full() -> None:
    text = (
        '<Document xmlns="http://www.w3.org/2007/rif#"><payload><Group><sentence><Implies>'
        '<if><External><content><Atom><op><Const type="http://www.w3.org/2007/rif#iri">'
        "pred:numeric-less-than</Const></op></Atom></content></External></if>"
        '<then><Atom><op><Const type="http://www.w3.org/2007/rif#iri">urn:p</Const></op></Atom>'
        "</then></Implies></sentence></Group></payload></Document>"
    )
    with pytest.raises(RuleErrors) as caught:
        parse_xml(text.encode())
    (fault,) = caught.value.errors
    assert fault.code == "RIF204"
    assert "pred:numeric-less-than" in fault.hint


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("Forall ?x (rif:error(?x) :- ex:q(?x))", "rif:error takes no arguments"),
        ("Forall ?x (ex:p(?x) :- And(ex:q(?x) rif:error(?x)))", "rif:error takes no arguments"),
        ("Forall ?x (rif:eror() :- ex:q(?x))", "RIF has no predicate rif:eror"),
        ("Forall ?x (rif:error() :- ex:q(?x))", None),
    ],
)
def test_predicates_that_only_look_like_those_of_rif_are_warned_of(
    rule: str, message: str | None
) -> None:
    head = HEAD.replace("Prefix(ex", "Prefix(rif <http://www.w3.org/2007/rif#>) Prefix(ex", 1)
    warnings = parse(f"{head}{rule} ) )").warnings
    assert [each.code for each in warnings] == (["RIF210"] if message else [])
    assert all(message in each.message for each in warnings if message)


def test_a_condition_may_ask_for_any_predicate() -> None:
    parse_formula("rif:error(1)")


@pytest.mark.parametrize(
    "text", ["Raum;Zeit;Wert\nbad,1;2,5\n" * 20, '[stream]\nformat = "csv"\n', "P(a,b)@[1,2]\n" * 9]
)
def test_what_is_no_document_is_one_fault(text: str) -> None:
    (fault,) = faults_of(text)
    assert fault.code == "RIF101"
    assert "the rules come first, and the data after them" in (fault.hint or "")
