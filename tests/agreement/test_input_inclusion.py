"""``r4 run --include-input``: what is asserted is told beside what is derived."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.oracles.streams.early_results
import tests.oracles.streams.run
from tests.generators.draw import Draw, from_hypothesis, from_seed
from tests.generators.rules.parsers import parse
from tests.generators.streams.runs import RunCase, cases, random_case
from tests.oracles.rules.formulas import Fact, Instance, TooBig
from tests.oracles.rules.input_inclusion import ProgramWithInput
from tests.oracles.streams.early_results import expected_early, standing_lines
from tests.oracles.streams.output_lines import Line, json_of, lines_of
from tests.oracles.streams.retraction import Assertion, ElementLog
from tests.oracles.streams.run import expected
from tests.seeds import parts
from tests.simulation.command import call, run, small_batches
from tests.simulation.early_results import out_of_order_case
from tests.simulation.stream_comparison import cut_of

PART = 25


@contextmanager
def by_definition() -> Iterator[None]:
    """The oracle tells what is asserted, too."""
    with ExitStack() as stack:
        for module in (tests.oracles.streams.run, tests.oracles.streams.early_results):
            stack.enter_context(patch.object(module, "Program", ProgramWithInput))
        yield


def wanted(case: RunCase, *, arrival: bool) -> list[str] | None:
    """The lines; ``None`` where the oracle gives up."""
    try:
        with by_definition():
            return expected_early(case.scenario) if arrival else expected(case.scenario).lines
    except TooBig:
        return None


def check(case: RunCase, cut: int | None = None, *, arrival: bool = False) -> None:
    lines = wanted(case, arrival=arrival)
    if lines is None:
        return
    order = ["--order", "arrival"] if arrival else []
    with (
        tempfile.TemporaryDirectory() as folder,
        nullcontext() if cut is None else small_batches(cut),
    ):
        printed = run(case, Path(folder), "--include-input", *order)
    assert printed.code == 0, f"{case}\n{printed.err}"
    assert printed.lines() == lines, str(case)


@given(cases(), st.none() | st.integers(1, 500))
def test_all_that_holds_is_printed_as_the_oracle_expects(case: RunCase, cut: int | None) -> None:
    check(case, cut)


@given(cases(negation=True), st.none() | st.integers(1, 500))
def test_so_it_is_under_negation(case: RunCase, cut: int | None) -> None:
    check(case, cut)


@given(st.data(), st.none() | st.integers(1, 500))
def test_so_it_is_as_it_arrives(data: st.DataObject, cut: int | None) -> None:
    check(
        data.draw(st.composite(lambda draw: out_of_order_case(from_hypothesis(draw)))()),
        cut,
        arrival=True,
    )


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=4))
def test_so_it_is_for_many_seeds(first: int) -> None:
    for seed in range(first, first + PART):
        check(random_case(seed, negation=seed % 3 == 0), cut_of(seed))
        check(out_of_order_case(from_seed(seed)), cut_of(seed), arrival=True)


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=4))
def test_a_run_fails_by_the_facts_that_fail_it_without_input(first: int) -> None:
    for seed in range(first, first + PART):
        case = random_case(seed, negation=seed % 3 == 0)
        for answer in ("answer", *(f"http://e/{word}" for word in "pt")):
            codes = []
            for options in ((), ("--include-input",)):
                with tempfile.TemporaryDirectory() as folder:
                    printed = run(case, Path(folder), "--fail-on", answer, *options)
                codes.append(printed.code)
            assert codes[0] == codes[1], f"{answer} {case}"


RULES = """Document( Prefix(ex <urn:ex:>) Window(4) Group(
  Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])
  Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z]))
  Forall ?x ?y (?x[ex:p -> ?y] :- And(?x[ex:q -> ?y] ?y[ex:q -> ?x]))
  ex:a[ex:q -> ex:b] ex:known(ex:a) ) )
"""
PROV = "http://www.w3.org/ns/prov#"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def spoken(draw: Draw) -> list[tuple[str, int, list[Fact], list[str]]]:
    """Elements: name, stamp, facts, and the names that it takes back."""
    now, elements = 0, []
    for _ in range(draw.integer(2, 9)):
        now += draw.integer(0, 2)
        facts = [
            ("triple", *(f"<urn:ex:{draw.choice(words)}>" for words in ("abc", "pqt", "abc")))
            for _ in range(draw.integer(0, 3))
        ]
        taken = draw.some(["g1", "g2", "g3"], 0, 2) if draw.chance(40) else []
        name = draw.choice(["g1", "g2", "g3"])
        elements.append((name, now, facts, [one for one in taken if one != name]))
    return elements


def quads(elements: Sequence[tuple[str, int, list[Fact], list[str]]]) -> str:
    lines: list[str] = []
    for name, now, facts, taken in elements:
        lines.append(f'<urn:{name}> <{PROV}generatedAtTime> "{now}"^^<{INTEGER}> .')
        lines += [f"<urn:{name}> <urn:r4:retracts> <urn:{one}> ." for one in taken]
        lines += [f"{' '.join(fact[1:])} <urn:{name}> ." for fact in facts]
        lines.append("")
    return "\n".join(lines)


class Reasoning:
    """The lines of what is asserted, and of what follows."""

    def __init__(self, program: ProgramWithInput, semantics: str) -> None:
        self._reason = program.facts if semantics == "facts" else program.instances
        self._semantics = semantics

    def lines(self, assertions: Sequence[Assertion]) -> list[Line]:
        known = [Instance(one.fact, one.start, one.until) for one in assertions if one.counts]
        return lines_of(self._reason(known), self._semantics, math.inf)


@pytest.mark.parametrize("semantics", ["facts", "instances"])
@pytest.mark.parametrize("seed", range(12))
def test_what_is_taken_back_is_told_as_by_definition(
    tmp_path: Path, semantics: str, seed: int
) -> None:
    elements = spoken(from_seed(seed))
    document = parse(RULES).document
    program = ProgramWithInput(document)
    instances = semantics == "instances"
    diary = ElementLog(Reasoning(program, semantics), [], window=4, delay=0, instances=instances)
    lines = diary.due(-math.inf, math.nextafter(-math.inf, 0))
    for name, now, facts, taken in elements:
        told, frontier = math.nextafter(-math.inf, 0), diary.frontier
        diary.arrive(now)
        lines += diary.due(max(told, frontier), diary.frontier)
        for one in taken:
            diary.retract(one)
        diary.add(name, now, None, facts)
    lines += diary.due(diary.frontier, diary.last + 10)
    (tmp_path / "rules.rif").write_text(RULES)
    (tmp_path / "stream.nq").write_text(quads(elements))
    args = [str(tmp_path / "rules.rif"), str(tmp_path / "stream.nq"), "--semantics", semantics]
    for order in ("time", "arrival"):
        found = call(["run", *args, "--include-input", "--drain", "--order", order])
        assert found.code == 0, found.err
        assert sorted(standing_lines(found.lines())) == sorted(
            json_of(line, program.names, "integer") for line in lines
        ), quads(elements)
