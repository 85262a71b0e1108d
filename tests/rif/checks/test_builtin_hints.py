"""What is said of a built-in that is none."""

from __future__ import annotations

import pytest

from rif.errors.report import RuleErrors
from rif.syntax.terms import FUNC
from rif.text.parser import parse


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("now", "At ?t"),
        ("rand", "At ?t"),
        ("current-dateTime", "At ?t"),
        ("numeric-round", "did you mean <urn:r4:builtin#round>"),
        ("numeric-floor", "did you mean <urn:r4:builtin#floor>"),
        ("sqrt", "did you mean <urn:r4:builtin#sqrt>"),
        ("UUID", "<urn:r4:builtin#iri> of func:concat"),
        ("bnode", "answers follow from data alone"),
        ("coalesce", "a rule for each case"),
        ("strlen", "did you mean func:string-length"),
        ("UCASE", "did you mean func:upper-case"),
        ("datatype", "did you mean <urn:r4:builtin#datatype-of>"),
        ("year", "did you mean func:year-from-dateTime or func:year-from-date"),
        ("numeric-ad", "did you mean func:numeric-add"),
    ],
)
def test_a_hint_says_what_there_is(name: str, hint: str) -> None:
    body = f"And( ?s[ex:v -> ?v] ?w = External(func:{name}(?v)) )"
    rule = f"Forall ?s ?v ?w ( ?s[ex:r -> ?w] :- {body} )"
    with pytest.raises(RuleErrors) as caught:
        parse(f"Document( Prefix(ex <urn:ex:>) Prefix(func <{FUNC}>) Group( {rule} ) )")
    (fault,) = caught.value.errors
    assert fault.code == "RIF204"
    assert hint in fault.hint
