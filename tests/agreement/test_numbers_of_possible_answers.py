"""Possible answers of rules with numbers are those of the same rules with variables and tests."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from r4.language import LANGUAGE
from rif.syntax.terms import XSD
from rif.text.parser import parse
from rif.text.writer import unparse
from tests.generators.draw import from_seed
from tests.generators.hypothetical.worlds import of_seed, texts
from tests.oracles.rules.number_constants import numbers_apart
from tests.seeds import parts
from tests.simulation.command import call

if TYPE_CHECKING:
    from pathlib import Path

PART = 80
INTEGER = re.compile(rf'"(\d+)"\^\^<{XSD}integer>')


def respelled(seed: int, data: str) -> str:
    """Statements in which some integers have other spellings, stamps aside."""
    draw = from_seed(seed)

    def other(found: re.Match[str]) -> str:
        others = f'"{found[1]}.0"^^<{XSD}decimal>', f'"0{found[1]}"^^<{XSD}integer>'
        return draw.choice([found[0], *others])

    lines = data.splitlines(keepends=True)
    return "".join(each if "prov#" in each else INTEGER.sub(other, each) for each in lines)


def told(printed: str) -> list[str]:
    """The lines, with one name for the variables of numbers, and tests in order."""
    found = []
    for line in map(json.loads, printed.splitlines()):
        line["tests"] = sorted(set(line.get("tests", ())))
        found.append(re.sub(r"\?number\d*", "?number", json.dumps(line)))
    return sorted(found)


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=10))
def test_a_number_is_a_variable_with_a_test(first: int, tmp_path: Path) -> None:
    with_numbers = 0
    for seed in range(first, first + PART):
        world = texts(of_seed(seed))
        document = parse(world.rules, language=LANGUAGE).document
        apart = numbers_apart(document)
        with_numbers += apart != document
        (tmp_path / "numbers.rif").write_text(world.rules)
        (tmp_path / "apart.rif").write_text(unparse(apart, LANGUAGE))
        (tmp_path / "static.nt").write_text(respelled(seed, world.static))
        (tmp_path / "stream.nq").write_text(respelled(seed + 1, world.stream))
        files = [str(tmp_path / "stream.nq"), "--static", str(tmp_path / "static.nt")]
        given = [*files, *world.delays, *world.wishes]
        found = call(["run", str(tmp_path / "numbers.rif"), *given])
        wanted = call(["run", str(tmp_path / "apart.rif"), *given, "--literals", "term"])
        assert (found.code, told(found.out)) == (wanted.code, told(wanted.out)), seed
    assert with_numbers >= PART / 5
