"""R4's JSON lines as a stream: what a line asserts, ends or undoes, and which are left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r4.cli.terminal.console import USAGE
from tests.simulation.command import CommandOutput, call, small_batches

HEAD = "Document( Prefix(ex <urn:ex:>) "
COPY = "Forall ?x ?y (?x[ex:copy -> ?y] :- ?x[ex:p -> ?y])"
RECENT = "Forall ?x ?y (?x[ex:recent -> ?y] :- DiamondMinus [0, 4] (?x[ex:p -> ?y]))"


def line(op: str, at: int | str | None, *, begin: int | str | None = None, **more: object) -> str:
    """A line about one triple."""
    known: dict[str, object] = {"s": "<urn:ex:a>", "p": "<urn:ex:p>", "o": '"1"'}
    start = at if begin is None else begin
    until = at if op == "-" else None
    return json.dumps(
        {"op": op, "at": at, **known, "from": start, "until": until, "rule": 1, **more}
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(folder: Path, rules: str, *lines: str, options: tuple[str, ...] = ()) -> CommandOutput:
    (folder / "b.rif").write_text(f"{HEAD}{rules})", "utf-8")
    (folder / "a.jsonl").write_text("".join(f"{each}\n" for each in lines), "utf-8")
    return call(["run", "b.rif", "a.jsonl", "--quiet", *options])


def told(output: CommandOutput) -> list[tuple[str, object, object]]:
    found = map(json.loads, output.lines())
    return [(each["op"], each["at"], each["from"]) for each in found]


@pytest.mark.parametrize("cut", [1, 1 << 20])
def test_an_answer_holds_until_its_end_whatever_the_window_is(folder: Path, cut: int) -> None:
    rules = f"Window(2) Group({COPY})"
    lines = (line("+", 1), line("-", 9, begin=1), line("+", 12))
    with small_batches(cut):
        found = run(folder, rules, *lines, options=("--drain",))
    assert told(found) == [("+", 1, 1), ("-", 9, 1), ("+", 12, 12)]


@pytest.mark.parametrize("cut", [1, 1 << 20])
def test_operators_look_back_on_answers_that_ended(folder: Path, cut: int) -> None:
    with small_batches(cut):
        found = run(
            folder, f"Group({RECENT})", line("+", 1), line("-", 5, begin=1), options=("--drain",)
        )
    assert told(found) == [("+", 1, 1), ("-", 9, 1)]


def test_an_end_counts_at_its_own_time_behind_a_frontier_that_is_held_back(folder: Path) -> None:
    (folder / "slow.nq").write_text(
        "".join(
            f'<urn:g{at}> <http://www.w3.org/ns/prov#generatedAtTime> "{at}"^^'
            "<http://www.w3.org/2001/XMLSchema#integer> .\n"
            for at in (0, 30)
        )
    )
    with small_batches(1):
        found = run(
            folder, f"Group({COPY})", line("+", 1), line("-", 5, begin=1), options=("slow.nq",)
        )
    assert told(found) == [("+", 1, 1), ("-", 5, 1)]


def test_lines_that_are_undone_are_taken_back(folder: Path) -> None:
    lines = (
        line("+", 3),
        line("+", 3, undone=True),
        line("+", 1),
        line("-", 4, begin=1),
        line("-", 4, begin=1, undone=True),
        line("-", 6, begin=1),
    )
    found = run(folder, f"Group({COPY})", *lines, options=("--delay", "9"))
    assert told(found) == [("+", 1, 1), ("-", 6, 1)]


def test_what_always_holds_is_static(folder: Path) -> None:
    found = run(folder, f"Group({COPY})", line("+", None))
    assert told(found) == [("+", None, None)]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("nonsense", "DAT101"),
        ("[" * 5000, "DAT101"),
        ('{"op":"+"}', "DAT101"),
        (line("+", 2, s=7), "DAT101"),
        (line("+", 2, s="no term"), "DAT101"),
        (line("+", 2, o="List(<urn:a>"), "DAT101"),
        (line("+", 2, o="List(" * 101 + ")" * 101), "DAT101"),
        (line("+", 2, o="List(" * 9999 + ")" * 9999), "DAT101"),
        (line("+", 2, o='"x" .\n<urn:a> <urn:ex:p> "y"'), "DAT101"),
        (line("+", 2, o="<urn:\ud800>"), "DAT101"),
        (line("+", 2, s='List("\udfff")'), "DAT101"),
        (line("+", "\ud800"), "DAT101"),
        (line("*", 2), "DAT101"),
        (line("+", "yesterday"), "DAT203"),
        (line("+", "2020-01-01T00:00\r\n:00Z"), "DAT101"),
        (line("+", 2, begin="1> <urn:p> <urn:o> .\n<urn:s> <urn:p> <urn:o> .\n"), "DAT101"),
        (line("+", "2020-01-01T00:00:00Z"), "DAT205"),
        (line("-", 2, **{"from": None}), "DAT209"),
        ('{"op":"+","at":2,"atom":"<urn:ex:p>()","from":2,"until":null,"rule":1}', "DAT211"),
        ('{"op":"+","at":2,"error":true,"from":2,"until":null,"rule":1}', "DAT211"),
    ],
)
def test_other_lines_are_left_out_with_their_place(folder: Path, bad: str, code: str) -> None:
    found = run(folder, f"Group({COPY})", line("+", 1), bad, "", line("-", 5, begin=1))
    assert told(found) == [("+", 1, 1), ("-", 5, 1)]
    assert f"a.jsonl:2: {code}" in found.err
    assert f"left out: 1 × {code}" in found.err


@pytest.mark.parametrize(
    "subject", ['"1"', "List(<urn:a> _:d1_b)", "_:d1_b", "List(" * 100 + ")" * 100]
)
def test_terms_stand_where_only_rules_put_them(folder: Path, subject: str) -> None:
    found = run(folder, f"Group({COPY})", line("+", 1, s=subject))
    (read,) = map(json.loads, found.lines())
    assert read["s"] == subject.replace("_:d1_b", "_:d1_d1_b")


def test_a_format_is_named_where_no_suffix_says_it(folder: Path) -> None:
    (folder / "b.rif").write_text(f"{HEAD}Group({COPY}))", "utf-8")
    (folder / "a.log").write_text(line("+", 1) + "\n", "utf-8")
    (folder / "a").write_text(line("+", 1).replace('": ', '":') + "\n", "utf-8")
    named = [["-i", "jsonl"], ["--input-format=jsonl"], ["-i", "jsonl=a.log"]]
    for options in named:
        assert told(call(["run", "b.rif", "a.log", *options])) == [("+", 1, 1)]
    unnamed = call(["run", "b.rif", "a.log"])
    assert unnamed.code == USAGE
    assert "--input-format" in " ".join(unnamed.err.split())
    assert "looks like answers of R4: give -i jsonl" in call(["run", "b.rif", "a"]).err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["-i", "html"], "known are nquads"),
        (["-i", "jsonl=other"], "other is no input of this run"),
        (["-i", "jsonl", "-i", "trig"], "is given twice"),
        (["--hypotheses"], "a stream of r4 run alone"),
    ],
)
def test_formats_that_cannot_be_are_refused(folder: Path, options: list[str], why: str) -> None:
    found = run(folder, f"Group({COPY})", line("+", 1), options=tuple(options))
    assert found.code == USAGE
    assert why in " ".join(found.err.split())


def test_a_run_with_a_state_goes_on_between_a_begin_and_its_end(folder: Path) -> None:
    (folder / "b.rif").write_text(f"{HEAD}Window(2) Group({COPY} {RECENT}))", "utf-8")
    lines = [line("+", at) + "\n" + line("-", at + 3, begin=at) + "\n" for at in range(1, 40, 5)]
    (folder / "a.jsonl").write_text("".join(lines), "utf-8")
    whole = call(["run", "b.rif", "a.jsonl", "--quiet", "--output", "whole"])
    with small_batches(7):
        kept = call(["run", "b.rif", "a.jsonl", "--state", "s", "--quiet", "--output", "kept"])
    assert (whole.code, kept.code) == (0, 0)
    assert (folder / "whole").read_bytes() == (folder / "kept").read_bytes()
