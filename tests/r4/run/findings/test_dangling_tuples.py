"""``r4 run`` ends with values of a stream for which static data have no partner."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.syntax.terms import XSD
from tests.simulation.command import call
from tests.simulation.core_run import tiny_stores

AT = "<http://www.w3.org/ns/prov#generatedAtTime>"
READ = "Forall ?s ?v ?r (?r[ex:has -> ?v] :- And(?s[ex:reads -> ?v] ?s[ex:room -> ?r]))"
ROOM = "?s[ex:reads -> ?v] match no static ?s[ex:room -> ?r]"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stream(*elements: str) -> str:
    """N-Quads of elements at 1, 2, …; each is triples such as ``s1 reads 5; s2 reads 6``."""
    lines = []
    for stamp, text in enumerate(elements, 1):
        lines.append(f'<urn:g{stamp}> {AT} "{stamp}"^^<{XSD}integer> .')
        lines += [f"{triple(each)} <urn:g{stamp}> ." for each in text.split("; ") if each]
    return "\n".join([*lines, ""])


def triple(text: str) -> str:
    subject, predicate, value = text.split()
    end = f'"{value}"^^<{XSD}integer>' if value.isdigit() else f"<urn:ex:{value}>"
    return f"<urn:ex:{subject}> <urn:ex:{predicate}> {end}"


def told(
    folder: Path,
    rules: str,
    data: str,
    *static: str,
    window: str = "5 ms",
    order: str = "time",
) -> list[str]:
    """The lines of the summary behind the first, of a run with static triples."""
    text = f"Document( Prefix(ex <urn:ex:>) Window({window}) Group({rules}) )"
    (folder / "r.rif").write_text(text, "utf-8")
    (folder / "s.nq").write_text(data, "utf-8")
    (folder / "static.nt").write_text("".join(f"{triple(each)} .\n" for each in static), "utf-8")
    output = call(["run", "r.rif", "s.nq", "--static", "static.nt", "--order", order])
    assert output.code == 0
    return output.err.splitlines()[1:]


def test_values_without_static_partner_are_counted_and_shown(folder: Path) -> None:
    data = stream("s1 reads 5; s3 reads 6", "s2 reads 7; s3 reads 8; s4 reads 8")
    assert told(folder, f"(* ex:own *) {READ}", data, "s1 room hall", "s2 room hall") == [
        f"rule 1 ex:own: 2 of 4 values of ?s in {ROOM}: ex:s3, ex:s4"
    ]


def test_variables_are_those_of_the_rule_that_is_told(folder: Path) -> None:
    place = "Forall ?x ?y (?x[ex:place -> ?y] :- ?x[ex:room -> ?y])"
    data = stream("s1 reads 5; s3 reads 6")
    assert told(folder, f"{place} {READ}", data, "s1 room hall") == [
        f"rule 2: 1 of 2 values of ?s in {ROOM}: ex:s3"
    ]


def test_three_values_are_shown_and_long_ones_are_cut(folder: Path) -> None:
    long = "t" + "x" * 100
    data = stream("; ".join(f"{name} reads 5" for name in ("s1", "s5", "s4", long, "s3")))
    assert told(folder, READ, data, "s1 room hall") == [
        f"rule 1: 4 of 5 values of ?s in {ROOM}: ex:s3, ex:s4, ex:s5 and others"
    ]
    assert told(folder, READ, stream(f"s1 reads 5; {long} reads 6"), "s1 room hall") == [
        f"rule 1: 1 of 2 values of ?s in {ROOM}: {f'ex:{long}'[:60]}…"
    ]


def test_nothing_is_told_where_all_have_one(folder: Path) -> None:
    data = stream("s1 reads 5; s2 reads 6")
    assert told(folder, READ, data, "s1 room hall", "s2 room hall", "s3 room hall") == []


def test_a_rule_that_sees_them_without_static_data_says_what_is_missing_itself(
    folder: Path,
) -> None:
    lost = (
        "Forall ?s ?v (?s[ex:lost -> ?v] :- "
        "And(?s[ex:reads -> ?v] Naf (Exists ?r (?s[ex:room -> ?r]))))"
    )
    seen = "Forall ?s ?v (?s[ex:seen -> ?v] :- ?s[ex:reads -> ?v])"
    data = stream("s1 reads 5; s3 reads 6")
    for other in (lost, seen):
        assert told(folder, READ + other, data, "s1 room hall") == []
    silent = (
        "Forall ?s ?r (?s[ex:silent -> ?r] :- And(?s[ex:room -> ?r] "
        "Naf (Exists ?v (DiamondMinus [0,2] (?s[ex:reads -> ?v])))))"
    )
    assert told(folder, READ + silent, data, "s1 room hall") == [
        f"rule 1: 1 of 2 values of ?s in {ROOM}: ex:s3"
    ]


def test_a_value_counts_that_has_a_partner_in_one_of_several_rules(folder: Path) -> None:
    heat = "Forall ?s ?v ?m (?s[ex:hot -> ?m] :- And(?s[ex:reads -> ?v] ?s[ex:most -> ?m]))"
    damp = "Forall ?s ?v ?m (?s[ex:damp -> ?m] :- And(?s[ex:reads -> ?v] ?s[ex:least -> ?m]))"
    data = stream("s1 reads 5; s2 reads 6; s3 reads 7")
    assert told(folder, heat + damp, data, "s1 most 1", "s2 least 1") == [
        (
            "rule 1: 1 of 3 values of ?s in ?s[ex:reads -> ?v] match no static "
            "?s[ex:most -> ?m]: ex:s3"
        )
    ]
    assert told(folder, heat + damp, data, "s1 most 1", "s2 least 1", "s3 least 1") == []


def test_a_static_pattern_with_a_constant_selects_so_nothing_is_missing(folder: Path) -> None:
    rule = "Forall ?s ?v (?s[ex:seen -> ?v] :- And(?s[ex:reads -> ?v] ?s[ex:room -> ex:hall]))"
    assert told(folder, rule, stream("s1 reads 5; s2 reads 6"), "s1 room hall") == []


def test_a_pattern_that_the_stream_matches_too_is_not_static(folder: Path) -> None:
    data = stream("s1 reads 5; s3 reads 6; s2 room hall")
    assert told(folder, READ, data, "s1 room hall") == []
    later = ["s1 reads 5"] * 20
    with tiny_stores():  # so that the one in the stream is forgotten
        given = stream("s2 room hall", *later, "s3 reads 6")
        assert told(folder, READ, given, "s1 room hall", order="arrival") == []


def test_static_facts_of_the_streamed_pattern_are_no_readings(folder: Path) -> None:
    assert told(folder, READ, stream("s1 reads 5"), "s1 room hall", "s3 reads 6") == []


@pytest.mark.parametrize(
    ("body", "values", "stated"),
    [
        ("?s[ex:reads -> ?v] ?s[ex:room -> ?r] ?v = 8", "1 of 1 values of ?s", ROOM),
        ("DiamondMinus [0,2] (?s[ex:reads -> ?v]) ?s[ex:room -> ?r]", "1 of 2 values of ?s", ROOM),
        (
            "?o[ex:by -> ?s] ?o[ex:value -> ?v] ?s[ex:room -> ?r]",
            "1 of 2 values of ?s",
            "?o[ex:by -> ?s] match no static ?s[ex:room -> ?r]",
        ),
        (
            "?s[ex:reads -> ?v] ?s[ex:room -> ?r] ?r[ex:floor -> ?f] ?s[ex:unit -> ?u]",
            "1 of 2 values of ?s",
            ROOM,
        ),
    ],
)
def test_filters_operators_and_further_patterns_are_seen_through(
    folder: Path, body: str, values: str, stated: str
) -> None:
    rule = f"Forall ?s ?v ?r ?o ?f ?u (?r[ex:has -> ?v] :- And({body}))"
    data = stream("s1 reads 5; s3 reads 8", "o1 by s1; o1 value 3; o2 by s3; o2 value 4")
    lines = told(folder, rule, data, "s1 room hall", "hall floor f1", "s1 unit c", "s3 unit c")
    assert [line for line in lines if "static" in line] == [f"rule 1: {values} in {stated}: ex:s3"]


def test_five_are_shown_and_the_others_counted(folder: Path) -> None:
    rules = "".join(READ.replace("reads", f"p{n}") for n in range(7))
    data = stream("; ".join(f"s1 p{n} 5; s3 p{n} 5" for n in range(7)))
    lines = told(folder, rules, data, "s1 room hall")
    assert [line.startswith("rule") for line in lines] == [True] * 5 + [False]
    assert lines[-1] == "2 further patterns have values without a static partner"


SENSORS = st.sets(st.integers(0, 9))


@given(st.lists(SENSORS, min_size=1, max_size=4), SENSORS, st.sampled_from(["1 ms", "9 ms"]))
def test_the_counts_are_those_of_sets(
    tmp_path_factory: pytest.TempPathFactory,
    readings: list[set[int]],
    listed: set[int],
    window: str,
) -> None:
    folder = tmp_path_factory.mktemp("dangling")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        data = stream(*("; ".join(f"s{n} reads 1" for n in sorted(each)) for each in readings))
        lines = told(folder, READ, data, *(f"s{n} room hall" for n in listed), window=window)
    spoken = set().union(*readings)
    dangling = spoken - listed
    found = [line for line in lines if "match no static" in line]
    if not listed or not dangling:
        assert found == []
    else:  # so few rows are never forgotten before the end
        (line,) = found
        assert line.startswith(f"rule 1: {len(dangling)} of {len(spoken)} values of ?s in {ROOM}")
