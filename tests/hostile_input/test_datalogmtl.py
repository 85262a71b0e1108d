"""DatalogMTL made to hurt: coded, in its place, in a moment; and the other facts count."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile_input.commands import CommandOutcome, Commands, check_bounds, check_refused

MILLION = 1_000_000
RULES = "A(X) :- Diamondminus[0,1]Z(X)\n"
FACT = "A(b)@1\n"
LEFT_OVER = "A(b)@[1,1]\n"

PROGRAMS: dict[str, tuple[Callable[[], str | bytes], str]] = {
    "operators over operators": (lambda: f"A :- {'Boxminus[0,1]' * 20_000}B", "MTL107"),
    "boxes in a head": (lambda: f"{'Boxplus[0,1]' * 20_000}A :- B", "MTL107"),
    "brackets": (lambda: f"A :- {'(' * 100_000}B{')' * 100_000}", "MTL107"),
    "brackets that stay open": (lambda: f"A :- {'(' * 200_000}", "MTL107"),
    "a chain of Since": (lambda: f"A :- {'B Since[0,1] ' * 20_000}B", "MTL107"),
    "a long body": (lambda: f"A :- {'B, ' * 50_000}B", "MTL207"),
    "a number of digits": (lambda: f"A :- Boxminus[0,{'9' * 500_000}]B", "MTL108"),
    "a fraction of digits": (lambda: f"A :- Boxminus[0,1/1{'0' * 5_000}]B", "MTL108"),
    "a decimal of digits": (lambda: f"A :- Boxminus[0,0.{'0' * 900}1]B", "MTL206"),
    "a range far away": (lambda: f"A :- Boxminus[{2**60},{2**62}]B", "MTL206"),
    "no common denominator": (
        lambda: "".join(f"A :- Boxminus[0,1/{n}]B\n" for n in range(10**9 + 1, 10**9 + 2000, 2)),
        "MTL206",
    ),
    "ranges without a point": (lambda: "A :- Boxminus[2,1]B\nA :- Boxminus(1,1)B", "MTL201"),
    "negative ranges": (lambda: "A :- Boxminus[-2,-1]B", "MTL202"),
    "no ends": (lambda: "A :- Boxminus[]B", "MTL101"),
    "a name of megabytes": (lambda: f"{'A' * 10 * MILLION} :- B", "MTL108"),
    "a constant of megabytes": (lambda: f"A :- B({'b' * 10 * MILLION})", "MTL108"),
    "many arguments": (lambda: f"A :- B({'b,' * 20_000}b)", "MTL108"),
    "an open quote": (lambda: f'A :- B("{"b" * MILLION}', "MTL103"),
    "a comment of megabytes": (lambda: f"#{'x' * 10 * MILLION}\nA :- B", "MTL108"),
    "empty lines without end": (lambda: "\n" * 20 * MILLION, "MTL108"),
    "faults without end": (lambda: "A(X :- B\n" * 100_000, "MTL101"),
    "unsafe rules": (lambda: "A(X) :- B(Y)\n" * 3_000, "MTL301"),
    "NUL": (lambda: b"\0" * 100_000, "MTL101"),
    "Latin-1": (lambda: b"A :- B(\xe9)", "MTL101"),
    "UTF-16": (lambda: RULES.encode("utf-16"), "MTL101"),
}

FACTS: dict[str, tuple[Callable[[], str | bytes], str]] = {
    "long.txt": (lambda: f"A({'x' * 10 * MILLION})@1\n{FACT}", "MTL108"),
    "one_line.txt": (lambda: f"{'A(a)@[0,1] ' * MILLION}\n{FACT}", "MTL108"),
    "digits.txt": (lambda: f"A(a)@{'9' * MILLION}\n{FACT}", "MTL108"),
    "far.txt": (lambda: f"A(a)@{'9' * 900}\n{FACT}", "MTL206"),
    "fine.txt": (lambda: f"A(a)@1/1{'0' * 900}\n{FACT}", "MTL206"),
    "primes.txt": (
        lambda: "".join(f"Y(a)@1/{n}\n" for n in range(10**17 + 1, 10**17 + 1999, 2)) + FACT,
        "MTL206",
    ),
    "arguments.txt": (lambda: f"A({'a,' * 30_000}a)@1\n{FACT}", "MTL108"),
    "commas.txt": (lambda: f"A({',' * MILLION})@1\n{FACT}", "MTL101"),
    "empty.txt": (lambda: f"A(a)@[2,1]\nA(a)@(1,1)\nA(a)@inf\nA(a)@[1\n{FACT}", "MTL201"),
    "nul.txt": (lambda: b"\0" * 2 * MILLION + b"\nA(\0)@1\n" + FACT.encode(), "MTL102"),
    "latin.txt": (lambda: b"\xe9" * MILLION + b"\n" + FACT.encode(), "MTL101"),
    "quote.txt": (lambda: f'A("{"x" * MILLION}\n{FACT}', "MTL103"),
    "escapes.txt": (lambda: 'A("' + "\\\\" * 300_000 + f'")@1\n{FACT}', "MTL108"),
    "bad.txt": (lambda: "A(\n" * 5_000 + FACT, "MTL101"),
    "A.csv": (lambda: f'a,"{"x" * 200_000}",1\nb,1,1\n', "MTL111"),
    "long/A.csv": (lambda: f'a,"{"x" * 10 * MILLION}",1\nb,1,1\n', "MTL108"),
    "wide/A.csv": (lambda: f"b,1,1\na{',' * MILLION}1,2\n", "MTL111"),
    "bomb.txt.gz": (
        lambda: gzip.compress(b"x" * (100 << 20) + f"\n{FACT}".encode(), 1),
        "MTL108",
    ),
}


LONG = {
    "faults without end",
    "unsafe rules",
    "a constant of megabytes",
    "a comment of megabytes",
    "empty lines without end",
    "one_line.txt",
    "long/A.csv",
    "bomb.txt.gz",
}


def each(*names: str) -> list[object]:
    """``names``, the longest of them left to a full run."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in names]


def put(path: Path, data: str | bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize("kind", each(*PROGRAMS))
def test_a_hostile_program_is_refused(r4: Commands, tmp_path: Path, kind: str) -> None:
    text, code = PROGRAMS[kind]
    bad = put(tmp_path / "bad.txt", text())
    found = r4("mtl", "check", bad)
    check_refused(found, [bad], code)
    assert len(found.err) < 50_000


@pytest.mark.slow
@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_other_commands_refuse_it_too(r4: Commands, tmp_path: Path, kind: str) -> None:
    text, code = PROGRAMS[kind]
    bad, facts = put(tmp_path / "bad.txt", text()), put(tmp_path / "facts.txt", FACT)
    for args in (("materialise", bad, facts), ("entails", bad, facts, "A(b)@1")):
        check_refused(r4("mtl", *args), [bad], code)


@pytest.mark.parametrize("name", each(*FACTS))
def test_hostile_facts_are_refused_or_left_out(r4: Commands, tmp_path: Path, name: str) -> None:
    text, code = FACTS[name]
    rules, facts = put(tmp_path / "rules.txt", RULES), put(tmp_path / name, text())
    found = r4("mtl", "materialise", rules, facts)
    check_refused(found, [rules, facts], code, code=4)
    assert found.out == ""
    assert len(found.err) < 50_000
    found = r4("mtl", "materialise", rules, facts, "--skip-bad", "--only", "A")
    check_bounds(found, [rules, facts])
    assert (found.code, found.out) == (0, LEFT_OVER)


def test_a_row_of_nothing_is_bounded(r4: Commands, tmp_path: Path) -> None:
    rules = put(tmp_path / "rules.txt", RULES)
    facts = put(tmp_path / "facts.txt.gz", gzip.compress(b"\n" * (50 << 20) + FACT.encode(), 1))
    found = r4("mtl", "materialise", rules, facts)
    check_bounds(found, [rules, facts])
    assert (found.code, found.out) == (0, LEFT_OVER)


def test_thousands_of_rules_are_run(r4: Commands, tmp_path: Path) -> None:
    text = "".join(f"P{n + 1} :- Diamondminus[1,1]P{n}\n" for n in range(1_000))
    rules, facts = put(tmp_path / "rules.txt", text), put(tmp_path / "facts.txt", "P0@0\n")
    found = r4("mtl", "entails", rules, facts, "P1000@1000")
    check_bounds(found, [rules, facts])
    assert (found.code, found.out) == (0, "yes\n")


def ways(r4: Commands, path: Path) -> list[CommandOutcome]:
    rules = put(path.with_name("rules.txt"), RULES)
    return [
        r4("mtl", "check", path),
        r4("mtl", "materialise", path, rules),
        r4("mtl", "materialise", rules, path),
        r4("mtl", "entails", rules, path, "A(b)@1"),
    ]


@pytest.mark.parametrize("kind", ["folder", "missing", "circle"])
def test_what_is_no_file_is_wrong_usage(r4: Commands, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "there"
    if kind == "folder":
        path.mkdir()
    elif kind == "circle":
        (tmp_path / "back").symlink_to(path)
        path.symlink_to(tmp_path / "back")
    for found in ways(r4, path):
        assert found.code == 2
        assert str(path) in found.err


@pytest.mark.parametrize(
    "asked",
    [
        f"A(b)@1/1{'0' * 900}",
        f"A(b)@{'9' * 900}",
        f"A({'x' * 100_000})@1",
        f"A({'b,' * 300}b)@1",
        "A(b)@[2,1]",
        "A(\0)@1",
    ],
    ids=["fine", "far", "long", "wide", "empty", "nul"],
)
def test_a_hostile_question_is_wrong_usage(r4: Commands, tmp_path: Path, asked: str) -> None:
    rules, facts = put(tmp_path / "rules.txt", RULES), put(tmp_path / "facts.txt", FACT)
    found = r4("mtl", "entails", rules, facts, asked)
    check_bounds(found, [rules, facts])
    assert (found.code, found.out) == (2, "")
    assert len(found.err) < 5_000


@pytest.mark.parametrize(
    "given",
    [
        ("--from", f"1/1{'0' * 900}"),
        ("--to", "9" * 900),
        ("--to", "9" * 9000),
        ("--only", "x" * 99_999),
    ],
    ids=["fine", "far", "long", "name"],
)
def test_a_hostile_option_is_wrong_usage(
    r4: Commands, tmp_path: Path, given: tuple[str, str]
) -> None:
    rules, facts = put(tmp_path / "rules.txt", RULES), put(tmp_path / "facts.txt", FACT)
    found = r4("mtl", "materialise", rules, facts, *given)
    check_bounds(found, [rules, facts])
    assert (found.code, found.out) == (2, "")
    assert len(found.err) < 5_000
