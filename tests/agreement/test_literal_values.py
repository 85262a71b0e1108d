"""``--literals value``: as if every literal had been written in the one form of its value."""

from __future__ import annotations

import tempfile
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rif.syntax.terms import Literal, parse_canonical
from tests.generators.streams.runs import RunCase, cases
from tests.oracles.rdf import values
from tests.oracles.rdf.canonical_form import one_form
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.run import expected
from tests.simulation.command import call, run, small_batches

T = TypeVar("T")


def by_value(thing: T) -> T:
    """A scenario, or a part of it, in which each literal has the one form of its value."""
    if isinstance(thing, Literal):
        return parse_canonical(one_form(str(thing)))  # type: ignore[return-value]
    if isinstance(thing, tuple):
        return tuple(map(by_value, thing))  # type: ignore[return-value]
    if is_dataclass(thing):
        changed = {f.name: by_value(getattr(thing, f.name)) for f in fields(thing)}
        return replace(thing, **changed)  # type: ignore[type-var]
    return thing


def lines_by_value(case: RunCase) -> str:
    def in_one_form(function):
        def result(*args: str) -> str | None:
            found = function(*args)
            return None if found is None else one_form(found)

        return result

    functions = {name: in_one_form(function) for name, function in values.FUNCTIONS.items()}
    with patch.dict(values.FUNCTIONS, functions):
        return "".join(f"{line}\n" for line in expected(by_value(case.scenario)).lines)


@given(cases(), st.none() | st.integers(1, 500))
def test_answers_are_those_of_the_same_data_in_one_form(case: RunCase, cut: int | None) -> None:
    try:
        wanted = lines_by_value(case)
    except TooBig:
        return
    with tempfile.TemporaryDirectory() as folder:
        if cut is None:
            printed = run(case, Path(folder), "--literals", "value")
        else:
            with small_batches(cut):
                printed = run(case, Path(folder), "--literals", "value")
    assert (printed.code, printed.out) == (0, wanted), f"{case}\n{printed.err}"


PROLOGUE = """Document( Prefix(ex <http://example.org/>) Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
Prefix(func <http://www.w3.org/2007/rif-builtin-function#>) Window(10) Group("""
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
DECIMAL = "<http://www.w3.org/2001/XMLSchema#decimal>"


def printed(folder: Path, name: str, rules: str, data: str, *options: str) -> list[str]:
    (folder / "rules.rif").write_text(f"{PROLOGUE}{rules}))", "utf-8")
    (folder / name).write_text(data, "utf-8")
    found = call(["run", "--quiet", str(folder / "rules.rif"), str(folder / name), *options])
    assert found.code == 0, found.err
    return [*found.lines(), *found.err.splitlines()]


@pytest.mark.parametrize("form", ["nq", "trig"])
def test_a_pattern_meets_a_value_however_it_is_written(form: str, tmp_path: Path) -> None:
    triple = f'<http://example.org/a> <http://example.org/p> "+01.0"^^{DECIMAL}'
    data = f'<a:g> {STAMP} "7"^^<http://www.w3.org/2001/XMLSchema#byte> .\n'
    data += f"{triple} <a:g> .\n" if form == "nq" else f"<a:g> {{ {triple} }}\n"
    rules = (
        "Forall ?x (?x[ex:one -> 1.0] :- ?x[ex:p -> 1])\n"
        "Forall ?x (?x[ex:is -> ?x] :- ?x[ex:one -> 1])"
    )
    name = f"stream.{form}"
    found = printed(tmp_path, name, rules, data, "--literals", "value")
    assert [line.partition('"p":')[2].partition(',"from"')[0] for line in found] == [
        '"<http://example.org/is>","o":"<http://example.org/a>"',
        '"<http://example.org/one>","o":"\\"1\\"^^<http://www.w3.org/2001/XMLSchema#integer>"',
    ]
    assert printed(tmp_path, name, rules, data, "--literals", "term") == []
