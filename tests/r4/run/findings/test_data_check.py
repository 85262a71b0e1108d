"""What a check of rules with data tells: patterns and joins that no datum meets, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.command import call

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = f"Prefix(ex <urn:ex:>) Prefix(xs <{XSD}>)"


def element(number: int, at: str, *triples: str) -> str:
    graph = f"<urn:g{number}>"
    quads = [f"{triple} {graph} .\n" for triple in triples]
    stamp = f"{graph} <http://www.w3.org/ns/prov#generatedAtTime> {at} .\n"
    return "".join([*quads, stamp])


def integer(number: int) -> str:
    return f'"{number}"^^<{XSD}integer>'


def checked(folder: Path, window: str, rule: str, *elements: str, static: str = "") -> list[str]:
    """The lines after those about the rules, and about what was read."""
    rules, stream, facts = (folder / name for name in ("r.rif", "s.nq", "f.nt"))
    rules.write_text(f"Document( {PREFIXES} {window} Group( {rule} ) )", "utf-8")
    stream.write_text("".join(elements), "utf-8")
    facts.write_text(static, "utf-8")
    found = call(["check", str(rules), "--with", str(stream), "--static", str(facts)])
    assert found.code == 0, found.err
    lines = found.out.splitlines()
    (begin,) = (number for number, line in enumerate(lines) if line.endswith(" late, 0 bad"))
    return lines[begin + 1 :]


def of_value(asked: str) -> str:
    return f"Forall ?s (?s[ex:is -> ex:Hot] :- ?s[ex:state -> {asked}])"


JOIN = "Forall ?s ?r ?v (?r[ex:a -> ?v] :- And(?s[ex:reads -> ?v] ?s[ex:in -> ?r]))"
STATE = '<urn:ex:s> <urn:ex:state> "hot"@en'


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ('"hot"', 'with "hot"@en, not with "hot"'),
        ("ex:hot", 'with "hot"@en, not with ex:hot'),
        ('"Hot"@en', 'with "hot"@en, not with "Hot"@en'),
        ('"closed"', 'with "hot"@en, not with "closed"'),
    ],
)
def test_of_a_constant_that_never_occurs_what_occurs_is_told(
    tmp_path: Path, asked: str, told: str
) -> None:
    (line,) = checked(tmp_path, "Window(5)", of_value(asked), element(1, integer(1), STATE))
    assert line.endswith(f"of rule 1; ex:state occurs, but not like this: {told}")


def test_of_many_other_values_some_are_told(tmp_path: Path) -> None:
    values = [f'<urn:ex:s> <urn:ex:state> "{name}"' for name in ("dim", "fog", "ice", "sun")]
    (line,) = checked(tmp_path, "Window(5)", of_value('"x"'), element(1, integer(1), *values))
    assert line.endswith('like this: with "dim", "fog", "ice", and others, not with "x"')


def test_a_predicate_that_never_occurs_is_told_with_the_nearest(tmp_path: Path) -> None:
    rule = "Forall ?s ?v (?s[ex:is -> ?v] :- ?s[ex:staate -> ?v])"
    (line,) = checked(tmp_path, "Window(5)", rule, element(1, integer(1), STATE))
    assert line == "no fact matches ?x[ex:staate -> ?y] of rule 1; ex:state occurs"


def test_a_join_without_a_common_value_is_told_with_what_is_alike(tmp_path: Path) -> None:
    reads, place = f"<urn:ex:S1> <urn:ex:reads> {integer(1)}", "<urn:ex:s1> <urn:ex:in> <urn:ex:r>"
    told = "rule 1: ?s has no value both in ?s[ex:in -> ?r] and in ?s[ex:reads -> ?v]: "
    told += "ex:s1 in the first is much like ex:S1 in the second"
    assert checked(tmp_path, "Window(5)", JOIN, element(1, integer(1), reads, place)) == [told]
    later = [element(1, integer(1), reads), element(2, integer(100), place)]
    assert checked(tmp_path, "Window(5)", JOIN, *later) == [told], "of forgotten facts, too"
    found = checked(
        tmp_path, "Window(5)", JOIN, element(1, integer(1), reads), static=f"{place} .\n"
    )
    assert told in found


def test_terms_of_one_value_are_told_once(tmp_path: Path) -> None:
    rule = "Forall ?s ?r ?v (?r[ex:a -> ?s] :- And(?s[ex:reads -> ?v] ?r[ex:limit -> ?v]))"
    facts = [
        f"<urn:ex:s> <urn:ex:reads> {integer(3)}",
        f'<urn:ex:r> <urn:ex:limit> "3.0"^^<{XSD}decimal>',
    ]
    (line,) = checked(tmp_path, "Window(5)", rule, element(1, integer(1), *facts))
    assert "equal values, but two terms, which never met; --literals value joins them" in line


def readings(period: int, off: int, count: int) -> list[str]:
    """One reading a period, in turn early and late."""
    stamps = [number * period + (off if number % 2 else 0) for number in range(count)]
    fact = f"<urn:ex:s> <urn:ex:reads> {integer(1)}"
    return [element(number, integer(at), fact) for number, at in enumerate(stamps)]


COPY = "Forall ?s ?v (?s[ex:is -> ?v] :- ?s[ex:reads -> ?v])"
BOX = "Forall ?s (?s[ex:up -> ex:yes] :- BoxMinus [0 s, 900 s] (Exists ?v (?s[ex:reads -> ?v])))"


def test_a_window_shorter_than_some_gaps_is_told(tmp_path: Path) -> None:
    (line,) = checked(tmp_path, "Window(300 s)", COPY, *readings(300_000, 3_000, 11))
    assert line == (
        "ex:reads: 5 of 10 times from a fact of a subject to the next are longer than the 5 m that "
        "it lasts, so that nothing holds in between; the longest is 303 s; a Window as long "
        "bridges all"
    )
    good = ["each pattern of the rules, and each join, is met by some of the data"]
    assert checked(tmp_path, "Window(303 s)", COPY, *readings(300_000, 3_000, 11)) == good
    assert checked(tmp_path, "Window(5 s)", COPY, *readings(300_000, 3_000, 11)) == good


def test_under_a_box_every_gap_is_told_that_no_diamond_bridges(tmp_path: Path) -> None:
    found = checked(tmp_path, "Window(5 s)", BOX, *readings(300_000, 3_000, 11))
    assert found[0].startswith("ex:reads: 10 of 10 times")
    assert any("BoxMinus" in line for line in found[1:])
    exists = "Exists ?v (?s[ex:reads -> ?v])"
    rule = BOX.replace(f"({exists})", f"(DiamondMinus [0 s, 300 s] ({exists}))")
    found = checked(tmp_path, "Window(5 s)", rule, *readings(300_000, 3_000, 11))
    assert not any(line.startswith("ex:reads") for line in found)


def test_data_that_cannot_be_read_end_it(tmp_path: Path) -> None:
    rules = tmp_path / "r.rif"
    rules.write_text(f"Document( {PREFIXES} Window(5) Group( {COPY} ) )", "utf-8")
    found = call(["check", str(rules), "--with", str(tmp_path / "none.nq")])
    assert found.code not in {0, 3}
    assert "none.nq" in found.err
    assert call(["check", str(rules), "--with", "x.nq", "--format", "json"]).code == 2
