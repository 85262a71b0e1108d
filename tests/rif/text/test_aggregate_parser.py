"""Aggregates and event times in both syntaxes, and what is wrong with those that are."""

from __future__ import annotations

import pytest

from r4.language import LANGUAGE
from rif.errors.report import RuleErrors
from rif.language import CORE
from rif.text.parser import parse
from rif.text.writer import unparse
from rif.xml.parser import parse_xml
from rif.xml.writer import write_xml

FACT = "?s[ex:reads -> ?v]"
NEGATED = "And( ?s # ex:S ?m = avg{ ?v [?s] | Naf( ?s[ex:reads -> ?v] ) } )"


def document(body: str, head: str = "?s[ex:m -> ?m]") -> str:
    names = "?s ?m ?v ?t ?x ?g ?f ?u ?h"
    return f"Document( Prefix(ex <urn:ex:>) Group( Forall {names} ( {head} :- {body} ) ) )"


@pytest.mark.parametrize(
    "body",
    [
        f"?m = avg{{ ?v [?s] | {FACT} }}",
        f"?m = quantile 0.95{{ ?v [?s] | Exists ?x ( And( {FACT} ?s[ex:y -> ?x] ) ) }}",
        f"And( ?s # ex:S ?m = sum last 10{{ ?v ?t [?s] | And( {FACT} ?v[ex:at -> ?t] ) }} )",
        f"?m = quantile 0.5 last 3{{ ?v ?t [?s] | At ?t ( {FACT} ) }}",
        f"?m = last{{ ?v ?t [?s] | At ?t ( {FACT} ) }}",
        f"?m = first 3{{ ?v ?t [?s] | DiamondMinus [0 s, inf) ( At ?t ( {FACT} ) ) }}",
        f"And( ?s[ex:m -> ?m] count{{ ?v [?s] | {FACT} }} = count{{ ?s | {FACT} }} )",
        f"And( ?s[ex:m -> ?m] count{{ ?v ?s | {FACT} }} = 3 )".replace("?v ?s", "?v [?s]"),
        f"And( ?s[ex:m -> ?m] (* <urn:a> *) ?x = list{{ ?v [?s] | {FACT} }} )",
        f"And( From ?g ( {FACT} ) At ?t ( ?s # ex:S ) ?m = max{{ ?v [?s] | {FACT} }} )",
        f"And( Ended ?f ?u ( {FACT} ) ?s[ex:m -> ?m] )",
        'And( Every 1 h at ?h ?s[ex:m -> ?m] Every 1 d offset 8 h zone "Europe/Berlin" )',
        "And( Every 2 month at ?t ?s[ex:m -> ?m] Every 10 offset 2 )",
    ],
)
def test_both_syntaxes_say_the_same(body: str) -> None:
    read = parse(document(body), language=LANGUAGE).document
    assert parse(unparse(read, LANGUAGE), language=LANGUAGE).document == read
    written = write_xml(read, LANGUAGE).encode()
    assert parse_xml(written, language=LANGUAGE).document.group == read.group


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (f"?m = avg{{ ?v ?t [?s] | {FACT} }}", "RIF213", "avg has no order, as ?t would be"),
        (f"?m = last{{ ?v [?s] | {FACT} }}", "RIF213", "last needs an order"),
        (f"?m = avg last 2{{ ?v [?s] | {FACT} }}", "RIF213", "last needs an order"),
        ("?m = list last 3{ ?v ?t [?s] | ?s[?t -> ?v] }", "RIF213", "list is not of the last"),
        (f"?m = avg{{ ?s [?s] | {FACT} }}", "RIF213", "?s is the value, and groups"),
        ("?m = last{ ?v ?s [?s] | ?s[ex:p -> ?v] }", "RIF213", "?s is the order, and groups"),
        (f"?m = avg{{ ?w [?s] | {FACT} }}", "RIF213", "?w does not occur in the condition"),
        (f"?m = quantile 2{{ ?v [?s] | {FACT} }}", "RIF213", "a share above 0 and up to 1"),
        (f"?m = quantile 0{{ ?v [?s] | {FACT} }}", "RIF213", "a share above 0 and up to 1"),
        (f"?m = first 0{{ ?v ?t [?s] | {FACT} }}", "RIF213", "how many members, 1 or more"),
        (f"?m = mean{{ ?v [?s] | {FACT} }}", "RIF108", "mean is no constant"),
        (f"avg{{ ?v [?s] | {FACT} }}", "RIF101", "expected a comparison"),
        (f"?m = avg{{ ?v [?s] {FACT} }}", "RIF101", "expected | before the condition"),
        ("And( ?s[ex:x -> ?x] ?m = avg{ ?v [?s] | ?s[?x -> ?v] } )", "RIF214", "?x is of the"),
        (
            "Exists ?y ( And( ?s[ex:x -> ?y] ?m = avg{ ?v [?s] | ?s[?y -> ?v] } ) )",
            "RIF214",
            "?y is of the aggregate alone",
        ),
        (
            "And( ?s # ex:S ?m = avg{ ?v [?s] | Naf( ?s[ex:reads -> ?v] ) } )",
            "RIF305",
            "?v is not bound under",
        ),
        (f"And( ?s[ex:m -> ?m] At ?t ( And( {FACT} ?s # ex:S ) ) )", "RIF215", "an atom, a frame"),
        ("And( ?s[ex:m -> ?m] Every 0 month )", "RIF216", "a whole number, 1 or more"),
        ("And( ?s[ex:m -> ?m] Every inf )", "RIF216", "expected a duration"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(body: str, code: str, words: str) -> None:
    with pytest.raises(RuleErrors) as found:
        parse(document(body), language=LANGUAGE)
    said = [f"{each.code} {each}" for each in found.value.errors]
    assert any(code in each and words in each for each in said), said


def test_the_value_and_the_order_may_have_names_that_others_have_outside() -> None:
    body = "And( ?s[ex:x -> ?v] ?s[ex:m -> ?t] ?m = last{ ?v ?t [?s] | ?s[?t -> ?v] } )"
    parse(document(body), language=LANGUAGE)


def test_an_aggregate_is_no_conclusion() -> None:
    with pytest.raises(RuleErrors):
        parse(document(FACT, f"?m = avg{{ ?v [?s] | {FACT} }}"), language=LANGUAGE)


def test_the_core_has_none() -> None:
    with pytest.raises(RuleErrors):
        parse(document(f"?m = avg{{ ?v [?s] | {FACT} }}"), language=CORE)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('function="avg"', 'function="mean"', "'mean' is no aggregate"),
        ('function="avg"', 'function="avg" share="0.5"', "quantile has a share"),
        ('function="avg"', 'function="avg" part="last"', "a part has a size"),
        ('function="avg"', 'function="avg" part="middle" size="2"', "neither first nor last"),
        ('function="avg"', "", "'' is no aggregate"),
    ],
)
def test_what_is_wrong_in_xml(old: str, new: str, words: str) -> None:
    read = parse(document(f"?m = avg{{ ?v [?s] | {FACT} }}"), language=LANGUAGE).document
    written = write_xml(read, LANGUAGE).replace(old, new).encode()
    with pytest.raises(RuleErrors, match=words):
        parse_xml(written, language=LANGUAGE)
