"""``r4 run --include-input``: its lines, and what the other options make of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r4.cli.terminal.console import NO
from tests.simulation.command import CommandOutput, call

PROV = "http://www.w3.org/ns/prov#"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
AT = f"<{PROV}generatedAtTime>"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("r.rif").write_text(
        "Document( Prefix(ex <urn:ex:>) Window(5)\n"
        "Group( Forall ?x (?x[ex:seen -> ex:yes] :- ?x[ex:p -> ex:q]) ex:f[ex:is -> ex:so] ) )"
    )
    Path("s.nq").write_text(
        f'<urn:g> {AT} "1"^^<{INTEGER}> .\n'
        "<urn:ex:a> <urn:ex:p> <urn:ex:q> <urn:g> .\n"
        "<urn:ex:b> <urn:ex:seen> <urn:ex:yes> <urn:g> .\n"
    )
    return tmp_path


def told(printed: CommandOutput) -> list[tuple[object, ...]]:
    assert printed.code == 0, printed.err
    rows = map(json.loads, printed.lines())
    return [tuple(row[key] for key in ("op", "at", "s", "p", "rule")) for row in rows]


@pytest.mark.parametrize("options", [(), ("--order", "arrival"), ("--semantics", "instances")])
@pytest.mark.parametrize("answer", ["answer", "urn:ex:seen"])
@pytest.mark.usefixtures("folder")
def test_what_is_asserted_before_it_is_derived_fails_a_run(
    answer: str, options: tuple[str, ...]
) -> None:
    elements = {1: ("b", "seen", "yes"), 2: ("b", "p", "q"), 3: ("c", "p", "z")}
    with Path("s.nq").open("w") as stream:
        for at, (s, p, o) in elements.items():
            stream.write(f'<urn:{at}> {AT} "{at}"^^<{INTEGER}> .\n')
            stream.write(f"<urn:ex:{s}> <urn:ex:{p}> <urn:ex:{o}> <urn:{at}> .\n")
    asked = ["run", "r.rif", "s.nq", "--include-input", *options]
    lines = call(asked).lines()
    found = call([*asked, "--fail-on", answer])
    assert (found.code, found.lines()) == (NO, lines)
    assert call([*asked, "--fail-on", "urn:ex:p"]).code == 0


@pytest.mark.usefixtures("folder")
def test_what_is_asserted_does_not_count_as_derived() -> None:
    Path("r.rif").write_text(
        "Document( Prefix(ex <urn:ex:>) Group(\n"
        "Forall ?x (?x[ex:seen -> ex:yes] :- ?x[ex:p -> ex:q])\n"
        "Forall ?x (?x[ex:told -> ex:yes] :- ?x[ex:seen -> ex:yes]) ) )"
    )
    with Path("s.nq").open("a") as stream:
        stream.writelines(f"<urn:ex:{n}> <urn:ex:r> <urn:ex:q> <urn:g> .\n" for n in range(9))
    found = call(["run", "r.rif", "s.nq", "--include-input", "--limit", "3"])
    assert len(told(found)) == 11 + 3


@pytest.mark.parametrize("form", ["nquads", "trig", "patch"])
@pytest.mark.usefixtures("folder")
def test_other_forms_have_it_too(form: str) -> None:
    plain = call(["run", "r.rif", "s.nq", "--as", form]).lines()
    more = call(["run", "r.rif", "s.nq", "--include-input", "--as", form]).lines()
    assert {line for line in plain if "urn:ex:" in line} < {*more}
    assert sum("<urn:ex:b> <urn:ex:seen> <urn:ex:yes>" in line for line in more) == 1
