"""Every fault has its code and its place, and one fault does not hide another."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from rif.text.parser import parse, parse_formula
from tests.rif.rule_parser import parse_rule, parse_rules


def faults(text: str, *, lenient: bool = False) -> list[str]:
    """``line:column code`` of every fault of some rules."""
    try:
        parse_rules(text, lenient=lenient)
    except RuleErrors as found:
        return [
            f"{e.span.line}:{e.span.column} {e.code}" for e in found.errors if e.severity == "error"
        ]
    return []


def document_faults(text: str) -> list[str]:
    try:
        parse(text)
    except RuleErrors as found:
        return [
            f"{e.span.line}:{e.span.column} {e.code}" for e in found.errors if e.severity == "error"
        ]
    return []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_p(", ["1:4 RIF101"]),
        ("_p(1))", ["1:6 RIF101"]),
        ("_p(1) :- ", ["1:10 RIF101"]),
        (":- _p()", ["1:1 RIF101"]),
        ("Forall (_p())", ["1:8 RIF101"]),
        ("Forall ?x _p(?x)", ["1:11 RIF101"]),
        ("_o[_a _b]", ["1:7 RIF101"]),
        ("_o[_a -> ]", ["1:10 RIF101"]),
        ("_p(?x[_a -> _b])", ["1:6 RIF101"]),
        ("_a", ["1:3 RIF101"]),
        ("_p() ; _q()", ["1:6 RIF102"]),
        ('_p("abc)', ["1:4 RIF103"]),
        (r'_p("a\qb")', ["1:6 RIF104"]),
        (r'_p("\uD800")', ["1:5 RIF104"]),
        ("_p(<a b>)", ["1:4 RIF105"]),
        ("_p(<a>)", ["1:4 RIF105"]),
        ('_p("a"^^rif:iri)', ["1:4 RIF105"]),
        ("_p(ex:a ex:b foo:c)", ["1:4 RIF106", "1:14 RIF106"]),
        ("_p(_:b)", ["1:4 RIF106"]),
        ("_p(word)", ["1:4 RIF108"]),
        ("_o[_k -> wind_speed]", ["1:10 RIF108"]),
        ('_p("x"^^xs:integer)', ["1:4 RIF109"]),
        ('_p("300"^^xs:byte)', ["1:4 RIF109"]),
        ('_p("2000-02-30"^^xs:date)', ["1:4 RIF109"]),
        ('_p("text"^^rdf:PlainLiteral)', ["1:4 RIF109"]),
        ('_p("2000"^^xs:dayTime)', ["1:4 RIF110"]),
        ("(* _a *) _p()", ["1:4 RIF113"]),
        ("(* <urn:a> <urn:b>[] *) _p() (* <urn:a>[", ["1:41 RIF101"]),
        ("(* <urn:a> _p()", ["1:1 RIF119"]),
        ("_p(1\n_q(2)\n_r(word)", ["2:1 RIF101", "3:4 RIF108"]),
        ("(* <urn:a> *) (* <urn:b> *) _p()", ["1:15 RIF113"]),
        ("(* <urn:a> *) (* <urn:b> *) And(_p()) :- _q()", ["1:15 RIF113"]),
        ("If _q() Then (* <urn:b> *) And(_p())", ["1:14 RIF113"]),
        ("_p() :- And _q()", ["1:13 RIF101"]),
        ("_p() :- Exists (_q())", ["1:16 RIF101"]),
        ("_p() :- _a = _b = _c", ["1:17 RIF101"]),
        ("_a ## _b", ["1:4 RIF151"]),
        ("_p(a -> 1 _b -> 2)", ["1:4 RIF152", "1:11 RIF152"]),
        ("_p() :- Not(_q())", ["1:9 RIF153"]),
        ("_p() :- Neg _q()", ["1:9 RIF153"]),
        ("_a = _b", ["1:1 RIF154"]),
        ("_a = _b :- _p()", ["1:1 RIF154"]),
        ("_a # _b :- _p()", ["1:1 RIF155"]),
        ("_p(_f(1))", ["1:4 RIF156"]),
        ("_p() :- _f(1) = 2", ["1:9 RIF156"]),
        ("External(pred:numeric-equal(1 1)) :- _p()", ["1:1 RIF157"]),
        ("Or(_p() _q()) :- _r()", ["1:1 RIF157"]),
        ("And(_p() And(_q())) :- _r()", ["1:10 RIF157"]),
        ("And(_p() _q())", ["1:1 RIF157"]),
        ("Forall ?x (_p() :- _q(List(?x)))", ["1:28 RIF158", "1:20 RIF302"][:1]),
        ("_p(List(1 | 2))", ["1:11 RIF158"]),
        ("Forall ?x (?x(1) :- _p(?x))", ["1:12 RIF159"]),
        ('"a"(1)', ["1:1 RIF159"]),
        ("_p() :- External(?x(1))", ["1:18 RIF159"]),
        ("If _p() Then Do(Assert(_q()))", ["1:14 RIF160"]),
        ("Forall ?x ?x (_p(?x) :- _q(?x))", ["1:11 RIF202"]),
        ("_p(_p)", ["1:4 RIF203"]),
        ("_p(_a) _a[_b -> _p]", ["1:17 RIF203"]),
        ("_p() :- External(pred:numeric-eqal(1 1))", ["1:9 RIF204"]),
        ("_p() :- External(pred:numeric-equal(1))", ["1:9 RIF205"]),
        ("_p() :- External(pred:numeric-equal(1 1 1))", ["1:9 RIF205"]),
        ("_p() :- External(func:numeric-add(1 1))", ["1:9 RIF208"]),
        ("_p() :- 1 = External(pred:numeric-equal(1 1))", ["1:13 RIF208"]),
        ("Forall ?x (_p(?x) :- _q())", ["1:15 RIF301"]),
        ("Forall ?x (_p() :- External(pred:is-list(?x)))", ["1:42 RIF302"]),
        ("Forall ?x (_p(?x))", ["1:15 RIF303"]),
    ],
)
def test_faults_of_rules(text: str, expected: list[str]) -> None:
    assert faults(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["1:1 RIF101"]),
        ("Forall ?x (_p(?x) :- _q(?x))", ["1:29 RIF101"]),
        ("Document", ["1:9 RIF101"]),
        ("Document(", ["1:10 RIF101"]),
        ("Document() Group()", ["1:12 RIF101"]),
        ("Document(Prefix(ex: <http://e/>))", ["1:17 RIF101"]),
        ("Document(Prefix(ex <http://e/>) Prefix(ex <http://f/>))", ["1:40 RIF107"]),
        ("Document(Prefix(ex <e/>))", ["1:20 RIF105"]),
        ("Document(Group() Prefix(ex <http://e/>))", ["1:18 RIF116"]),
        ("Document(Base(<http://e/>) Base(<http://e/>))", ["1:28 RIF116"]),
        ("Document(Window(5 s) Import(<http://e/>))", ["1:22 RIF116"]),
        ("Document(Window(5 s) Window(5 s))", ["1:22 RIF116"]),
        ("Document(Window(-5 s))", ["1:17 RIF115"]),
        ("Document(Window(1e3 s))", ["1:17 RIF115"]),
        ("Document(Window(5 sec))", ["1:19 RIF115"]),
        ("Document(Window(s))", ["1:17 RIF115"]),
        ("Document((* <urn:a> *) Window(5 s))", ["1:10 RIF113"]),
        ("Document(_p())", ["1:10 RIF101"]),
        ("Document(Forall ?x (_p(?x) :- _q(?y)))", ["1:10 RIF101", "1:32 RIF201"][:1]),
        ("Document(Group(_p(1) ) ) )", ["1:26 RIF101"]),
        ("Document(Import(ex:a))", ["1:17 RIF101"]),
    ],
)
def test_faults_of_documents(text: str, expected: list[str]) -> None:
    assert document_faults(text) == expected


def test_all_faults_of_a_file_are_found_at_once() -> None:
    text = """Document(
  Prefix(ex <http://e/>)
  Group(
    Forall ?x (
      ex:p(?x ?y) :- ex:q(?x)
    )
    ex:p(1 2
    Forall ?x ( ex:p(?x foo:a) :- And( ex:q(?x) ] )
    Forall ?x ( ex:p(?x) :- Neg(ex:q(?x)) )
    ex:a ## ex:b
    Group( ex:r( $ 1) ex:s(word) )
    Forall ?z ( ex:t(?z) :- External(pred:numeric-les-than(?z 1)) )
  )
)"""
    assert document_faults(text) == [
        "5:15 RIF201",
        "5:15 RIF301",
        "8:5 RIF101",
        "8:25 RIF106",
        "8:49 RIF101",
        "9:29 RIF153",
        "10:10 RIF151",
        "11:18 RIF102",
        "11:28 RIF108",
        "12:22 RIF301",
        "12:29 RIF204",
    ]


def test_a_missing_bracket_is_told_with_the_one_it_would_close() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse(
            "Document(\n Group(\n  Forall ?x (_p(?x) :- And(_q(?x) _r(?x))\n"
            "  Forall ?y (_p(?y) :- _q(?y))\n ))"
        )
    (fault,) = caught.value.errors
    assert str(fault) == "4:3: RIF101 expected ) for the ( of 3:13, found Forall"


def test_a_bracket_too_many_is_one_fault_and_the_rest_is_read() -> None:
    text = "Document(Group(\n Forall ?x (_p(?x) :- _q(?x)))\n Forall ?y (_p(?y) :- _q(?z))\n))"
    with pytest.raises(RuleErrors) as caught:
        parse(text)
    assert [fault.code for fault in caught.value.errors] == ["RIF101"]
    assert "too many" in caught.value.errors[0].hint


def test_stray_characters_do_not_bring_faults_after_them() -> None:
    assert faults('_p("a)\n_q(1)\n_r(word)') == ["1:4 RIF103", "3:4 RIF108"]


def test_hints() -> None:
    def hint(text: str) -> str:
        with pytest.raises(RuleErrors) as caught:
            parse_rules(text)
        return caught.value.errors[0].hint

    assert "lenient mode" in hint("_p(word)")
    assert hint("_p() :- External(pred:numeric-gretaer-than(1 2))") == (
        "did you mean pred:numeric-greater-than or pred:numeric-greater-than-or-equal"
        " or pred:numeric-less-than?"
    ) or "pred:numeric-greater-than" in hint("_p() :- External(pred:numeric-gretaer-than(1 2))")
    assert "func:numeric-add" in hint("_p() :- 1 = External(<http://e/numeric-add>(1 2))")
    assert "(* … *)" in hint("// a comment\n_p()")
    assert "Prefix(foo" in hint("_p(foo:a)")
    assert "did you mean func:?" in hint("_p(fucn:a)")
    assert "an aggregate is written" in hint("_p() :- _o[_k -> External(func:avg(1 2))]")
    assert "an aggregate is written" in hint("_p() :- 1 = _avg(2)")
    assert "an aggregate is written" in hint("_p() :- <urn:e:count>(2) = 1")
    assert "an aggregate is written" not in hint("_p() :- 1 = _discount(2)")
    for name in ("sum", "average", "max"):
        call = f"External(func:numeric-{name}(1))"
        assert "an aggregate is written" in hint(f"_p() :- _o[_k -> {call}]")
    for call in ("External(func:avg{ ?v })", "Sum(?v)"):
        assert "an aggregate is written" in hint(f"_p() :- 1 = {call}")
    assert "square brackets" in hint("_p() :- 1 = _discount{2}")
    assert "write func:count" in hint("_p() :- 1 = count(2)")
    assert "lenient mode" in hint("_p(sum)")


def test_a_report_quotes_the_line_and_points_at_the_place() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse("Document(Group(\n\tForall ?x ( _p(?x)\n\t\t:- _q() )\n))", name="rules.rif")
    assert caught.value.report() == (
        "rules.rif:2:17: RIF301 ?x is used in the head but bound nowhere in the body\n"
        "   Forall ?x ( _p(?x)\n"
        "                  ^^\n"
        "  hint: bind it in an atom, a frame, or an equality with a bound term"
    )
    assert caught.value.report("other").startswith("other:2:17: ")


def test_a_report_of_a_long_line_quotes_a_part_of_it() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_rules("_p(" + "1 " * 10_000 + "word" + " 2" * 10_000 + ")")
    line, caret = caught.value.report().splitlines()[1:3]
    assert len(line) < 130
    assert line[caret.index("^") :][:4] == "word"
    assert caret.endswith("^^^^")


def test_a_report_shows_no_control_characters() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_rules("_p(word\x1b[31m \x07 )")
    assert caught.value.report("f").replace("\n", "").isprintable()


def test_warnings_are_reported_beside_errors_and_refuse_nothing() -> None:
    text = '_p("1"^^xs:integer word)'
    with pytest.raises(RuleErrors) as caught:
        parse_rules(text, {})
    assert [(e.code, e.severity) for e in caught.value.errors] == [
        ("RIF106", "warning"),
        ("RIF108", "error"),
    ]
    assert len(parse_rules(text, {}, lenient=True).warnings) == 2


def test_at_most_a_hundred_faults_are_listed() -> None:
    with pytest.raises(RuleErrors) as caught:
        parse_rules("\n".join(f"_p(w{n})" for n in range(1000)))
    assert len(caught.value.errors) == 100
    with pytest.raises(RuleErrors) as caught:
        parse_rules("\n".join(f"_p(?x{n})" for n in range(1000)), strict=True)
    assert len(caught.value.errors) == 100
    assert caught.value.report().endswith("1980 more faults are not listed")
    assert caught.value.report().count("hint: ") == 20
    with pytest.raises(RuleErrors) as caught:
        parse_rules("\n".join(f"_p(w{n})" for n in range(20)))
    assert "not listed" not in caught.value.report()


def test_one_rule_is_one_rule() -> None:
    for text in ("", "_p() _q()", "Group(_p())"):
        with pytest.raises(RuleErrors, match="RIF101"):
            parse_rule(text)


def test_a_formula_alone() -> None:
    with pytest.raises(RuleErrors, match="1:4: RIF201"):
        parse_formula("_p(?x)")
    parse_formula("_p(?x)", closed=False)
    parse_formula("Exists ?x (_p(?x))")
    with pytest.raises(RuleErrors, match="1:6: RIF101"):
        parse_formula("_p() _q()")
    with pytest.raises(RuleErrors, match="RIF205"):
        parse_formula("External(pred:is-list())")
