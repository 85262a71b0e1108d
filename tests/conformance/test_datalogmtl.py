"""Golden models of published programs and data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rete.storage.row_algebra import subtract
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import BulkLoader, Dataset
from temporal.intervals.interval import Interval
from temporal.maintenance.live_model import LiveModel
from temporal.maintenance.net_change import subtract_models
from temporal.maintenance.update_method import Method
from temporal.model.least_model import Model
from temporal.model.materialisation import materialise
from temporal.mtl.analysis import analyse
from temporal.mtl.validation import arities
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_fact
from tests.generators.metric.programs import MetricCase
from tests.simulation.metric.models import differs, runs_of
from tests.simulation.metric.single_texts import parse_facts

FOLDER = "datalogmtl"
CASES = Path(__file__).parent / "conformance_300.jsonl"


def model_of(rules: str, loaded, *, deleted: str = "") -> Model:
    """The model; ``loaded`` fills the loader, ``deleted`` is taken from the data."""
    program, terms = parse_program(rules), Dictionary()
    loader, less = BulkLoader(terms, arities(program)), BulkLoader(terms, arities(program))
    loaded(loader)
    less.text([deleted.encode()])
    assert not loader.faults
    assert not less.faults
    data, taken = loader.data(analyse(program).scale), less.data()
    assert data.scale == taken.scale
    for key, rows in taken.rows.items():
        if key in data.rows:
            data.rows[key] = subtract(data.rows[key], rows)
    return materialise(program, data, terms)


def shown(model: Model, low: int, high: int, *, derived_only: bool = False) -> dict[str, list[str]]:
    """All facts clipped to ``[low,high]``, as the golden files have them.

    ``derived_only``: of predicates that are not in the data.
    """
    hidden = {name for name, _ in model.explicit} if derived_only else ()
    found = runs_of(model, 2 * low * model.scale, 2 * high * model.scale + 1, hidden=hidden)
    return {
        f"{name}({','.join(args)})" if args else name: [
            str(Interval.of_cells(lo, hi, model.scale)) for lo, hi in runs
        ]
        for (name, args), runs in found.items()
    }


def golden(path: Path) -> set[str]:
    """The facts of a golden file, in our spelling."""
    read = parse_facts(path.read_text())
    assert not read.faults
    return set(map(write_fact, read.facts))


def printed(model: Model, low: int, high: int, *, derived_only: bool = False) -> set[str]:
    found = shown(model, low, high, derived_only=derived_only)
    return {f"{atom}@{one}" for atom, runs in found.items() for one in runs}


@pytest.mark.parametrize("part", range(6))
def test_the_conformance_cases_come_out_before_and_after_the_deletion(part) -> None:
    cases = CASES.read_text().splitlines()
    assert len(cases) == 300
    for line in cases[part::6]:
        case = json.loads(line)
        rules, facts = "\n".join(case["rules"]), "\n".join(case["facts"])

        def loaded(loader: BulkLoader, facts: str = facts) -> None:
            loader.text([facts.encode()])

        assert shown(model_of(rules, loaded), *case["window"]) == case["expect"], case["id"]
        after = model_of(rules, loaded, deleted=case["delete"])
        assert shown(after, *case["window"]) == case["expect_after_delete"], case["id"]


@pytest.mark.parametrize("part", range(6))
def test_live_models_of_the_conformance_cases_follow_the_deletion_and_back(part) -> None:
    for line in CASES.read_text().splitlines()[part::6]:
        case = json.loads(line)
        program, terms = parse_program("\n".join(case["rules"])), Dictionary()
        scale = analyse(program).scale

        def loaded(text: str, program=program, terms=terms, scale=scale) -> Dataset:
            loader = BulkLoader(terms, arities(program))
            loader.text([text.encode()])
            assert not loader.faults
            return loader.data(scale)

        live = LiveModel(program, loaded("\n".join(case["facts"])), terms)
        first, deleted = live.model(), loaded(case["delete"])
        assert shown(first, *case["window"]) == case["expect"], case["id"]
        gone = live.update(delete=deleted, method=Method.DRED).change
        assert shown(live.model(), *case["window"]) == case["expect_after_delete"], case["id"]
        back = live.update(insert=deleted, method=Method.DRED).change
        again = live.model()
        assert again.period_lines() == first.period_lines()
        for one, other in (
            (first.periodic, again.periodic),
            (again.periodic, first.periodic),
            (gone.lost, back.gained),
            (back.lost, gone.gained),
        ):
            assert not subtract_models(one, other).facts, case["id"]


@pytest.mark.parametrize(("size", "until"), [(2, 300), (3, 65)])
def test_the_university_comes_out(test_data, size, until) -> None:
    """Beyond 65 the golden file of the larger one has only a part."""
    rules = test_data(f"{FOLDER}/lubm_t/program.txt").read_text()
    facts = test_data(f"{FOLDER}/lubm_t/lubm_10^{size}.txt").read_bytes()
    found = model_of(rules, lambda loader: loader.text([facts]))
    expected = golden(test_data(f"{FOLDER}/golden/lubm_10e{size}.txt"))
    assert printed(found, -20, until) == clipped(expected, until)


def clipped(facts: set[str], until: int) -> set[str]:
    """Facts up to an instant, that one included."""
    found = set()
    for fact in parse_facts("\n".join(facts)).facts:
        held = fact.interval
        assert held.left is not None
        if held.left > until:
            continue
        if held.right is None or held.right >= until:
            held = Interval(held.left, parse_facts(f"P@{until}").facts[0].interval.left,
                            held.left_closed, until in held)  # fmt: skip
        if not held.is_empty:
            found.add(f"{write_fact(fact).rpartition('@')[0]}@{held}")
    return found


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_tables_of_itemporal_come_out(test_data, size) -> None:
    rules = test_data(f"{FOLDER}/itemporal/program.txt").read_text()
    tables = sorted(test_data(f"{FOLDER}/itemporal/10^{size}").glob("*.csv"))

    def loaded(loader: BulkLoader) -> None:
        for table in tables:
            loader.table([table.read_bytes()], table.stem)

    found = printed(model_of(rules, loaded), -(10**6), 10**6)
    assert found == golden(test_data(f"{FOLDER}/golden/itemporal_10e{size}.txt"))


def test_the_weather_comes_out(test_data) -> None:
    rules = test_data(f"{FOLDER}/weather/program.txt").read_text()
    facts = test_data(f"{FOLDER}/weather/weather_59981.txt").read_bytes()
    model = model_of(rules, lambda loader: loader.text([facts]))
    found = printed(model, -(10**6), 10**6, derived_only=True)
    assert found == golden(test_data(f"{FOLDER}/golden/weather_59981_derived_only.txt"))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(16))
def test_the_periodic_cases_are_those_of_the_definition(test_data, number) -> None:
    folder = test_data(f"{FOLDER}/periodicity_cases")
    program = parse_program((folder / f"case_{number}_program.txt").read_text())
    facts = parse_facts((folder / f"case_{number}_dataset.txt").read_text())
    assert not facts.faults
    assert differs(MetricCase(program, facts.facts)) is None
