"""Rule texts made to hurt, through the commands: refused with a code, and nothing else touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile_input.commands import Commands, check_bounds, check_refused
from tests.rif.text import test_hostile_text
from tests.rif.xml import test_hostile_xml as test_xml_hostile

PROLOGUE = (
    "Document(Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)"
    "Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)"
    "Prefix(xs <http://www.w3.org/2001/XMLSchema#>)"
    "Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)Group("
)
FACT = "Document(Group(<urn:p>(1)))"


def text(rules: str) -> bytes:
    return f"{PROLOGUE}{rules}))".encode()


def deep(kind: str, levels: int = 20_000) -> bytes:
    opening, closing = test_hostile_text.DEEP[kind]
    begin = {"groups": "", "lists": "_p("}.get(kind, "_q() :- ")
    return text(begin + opening * levels + closing * levels)


def holding(call: str) -> bytes:
    return text(f"Forall ?x (_p(?x) :- And(_q(?x) External({call})))")


SYNTAX: dict[str, tuple[bytes, str]] = {
    **{f"XML, {kind}": case for kind, case in test_xml_hostile.REFUSED.items()},
    **{f"deep {kind}": (deep(kind), "RIF111") for kind in test_hostile_text.DEEP},
    **{
        kind: (text(rules), code)
        for kind, (rules, code) in test_hostile_text.LONG.items()
        if code not in {"", "RIF204"}
    },
    "Latin-1": (b'Document(Group(<urn:p>("\xe9")))', "RIF122"),
    "UTF-16": (FACT.encode("utf-16"), "RIF122"),
    "UTF-16, not whole": (b"\xff\xfe<\x00a", "RIF122"),
    "NUL bytes": (b"\0" * 100_000, "RIF102"),
    "a NUL in a document": (FACT.replace("1", "\0").encode(), "RIF102"),
    "a NUL in XML": (b"<Document>\0</Document>", "RIF121"),
    "nothing": (b"", "RIF101"),
}
"""What no command can read, and the code of one of the reasons."""

MEANING: dict[str, tuple[bytes, str]] = {
    "an unknown built-in": (holding("pred:numeric-greater-then(?x 1)"), "RIF204"),
    "a long unknown built-in": (holding("pred:" + "numeric-" * 5_000 + "(?x)"), "RIF204"),
    "many unknown built-ins": (text(test_hostile_text.WIDE["unknown built-ins"][0]), "RIF204"),
    "too few arguments": (holding("pred:numeric-greater-than(?x)"), "RIF205"),
    "too many arguments": (holding("pred:numeric-greater-than(?x" + " 1" * 1_000 + ")"), "RIF205"),
    "clashes of roles": (text(test_hostile_text.WIDE["roles of many"][0]), "RIF203"),
    "a pattern of ever more": (
        holding(f'pred:matches(?x "{"(" * 40}a{"){1,999}" * 40}")'),
        "RIF212",
    ),
    "a deep pattern": (holding(f'pred:matches(?x "{"(" * 4_000}a{")" * 4_000}")'), "RIF212"),
    "a pattern that refers back": (holding('pred:matches(?x "(a*)*\\\\1")'), "RIF212"),
    "a normal form that explodes": (text(f"_p() :- And({'Or(_q() _r()) ' * 40})"), "RIF209"),
}
"""What can be written in another syntax, but not be run."""


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    return tmp_path / "bad.rif"


@pytest.mark.parametrize("kind", [*SYNTAX, *MEANING])
def test_check_says_what_is_wrong(r4: Commands, bad: Path, kind: str) -> None:
    data, code = (SYNTAX | MEANING)[kind]
    bad.write_bytes(data)
    check_refused(r4("check", bad), [bad], code)


@pytest.mark.soak
@pytest.mark.parametrize("kind", [*SYNTAX, *MEANING])
def test_every_other_command_refuses_it_too(r4: Commands, bad: Path, kind: str) -> None:
    data, code = (SYNTAX | MEANING)[kind]
    bad.write_bytes(data)
    good, out = bad.with_name("good.rif"), bad.with_name("out.rif")
    good.write_text(FACT, "utf-8")
    check_refused(r4("run", bad), [bad], code)
    check_refused(r4("entails", bad, good), [bad, good], code)
    check_refused(r4("entails", good, bad), [bad, good], code, "R4111")
    converted = r4("convert", bad, out)
    if kind in SYNTAX:
        check_refused(converted, [bad], code)
        assert not out.exists()
    else:
        check_bounds(converted, [bad, out])


def test_the_name_that_was_meant_is_suggested(r4: Commands, bad: Path) -> None:
    bad.write_bytes(MEANING["an unknown built-in"][0])
    assert "numeric-greater-than" in r4("check", bad).err


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*a){12}", "a{0,900}b"])
def test_a_pattern_that_would_explode_elsewhere_takes_linear_time(
    r4: Commands, tmp_path: Path, pattern: str
) -> None:
    rules = tmp_path / "rules.rif"
    value = "a" * 20_000 + "c"
    body = f'And(<urn:q>(?x) External(pred:matches(?x "{pattern}")))'
    rules.write_bytes(text(f'<urn:q>("{value}") Forall ?x (<urn:p>(?x) :- {body})'))
    found = r4("run", rules)
    assert found.code == 0
    check_bounds(found, [rules])


def test_the_watch_sees_what_a_command_opens(r4: Commands, bad: Path) -> None:
    bad.write_text(FACT, "utf-8")
    out = bad.with_name("out.rif")
    assert r4("convert", bad, out).touched == {str(bad), str(out)}
