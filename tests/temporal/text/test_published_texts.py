"""Programs and data of others: every file is read whole, and survives writing."""

from __future__ import annotations

import json

import pytest

from temporal.mtl.validation import arities
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_program
from tests.generators.metric.fact_text import write_facts
from tests.simulation.metric.single_texts import parse_facts, parse_table

FOLDER = "datalogmtl"
PROGRAMS = {
    "itemporal/program.txt": 11,
    "lubm_t/program.txt": 85,
    "weather/program.txt": 4,
    "itemporal_EHM/itemporal_program_E": 9,
    "itemporal_EHM/itemporal_program_H": 18,
    "itemporal_EHM/itemporal_program_M": 9,
    "periodicity_cases/lubm_program.txt": 85,
    "periodicity_cases/itemporal_program.txt": 19,
    "stream_sumo/meteor_recursive.txt": 4,
    "stream_sumo/meteor_nonrecursive.txt": 3,
    "stream_sumo/short_stop.txt": 5,
}
DATA = {
    "lubm_t/lubm_10^3.txt": 1000,
    "itemporal/delta/iTemporal_10^5_fixed_100.txt": 100,
    "weather/delta/weather_dataset_fixed_100.txt": 100,
    "itemporal_EHM/itemporal_M_data_1000": 1000,
    "golden/lubm_10e2.txt": 188,
    "golden/itemporal_10e2.txt": 136,
}


@pytest.mark.parametrize("place", PROGRAMS)
def test_programs_are_read_whole(test_data, place):
    program = parse_program(test_data(f"{FOLDER}/{place}").read_text())
    assert len(program.rules) == PROGRAMS[place]
    assert parse_program(write_program(program)) == program


@pytest.mark.parametrize("place", DATA)
def test_facts_are_read_whole(test_data, place):
    text = test_data(f"{FOLDER}/{place}").read_text()
    read = parse_facts(text)
    assert (read.faults, read.bad) == ((), 0)
    assert len(read.facts) == DATA[place] == len(text.split())
    assert set(parse_facts(write_facts(read.facts)).facts) == set(read.facts)


@pytest.mark.parametrize("number", range(16))
def test_the_periodic_cases_are_read_whole(test_data, number):
    folder = test_data(f"{FOLDER}/periodicity_cases")
    text = (folder / f"case_{number}_program.txt").read_text()
    data = (folder / f"case_{number}_dataset.txt").read_text()
    program = parse_program(text)
    read = parse_facts(data, arities=arities(program))
    assert read.bad == 0
    assert len(program.rules) == sum(bool(line.strip()) for line in text.split("\n"))
    assert len(read.facts) == sum(bool(line.strip()) for line in data.split("\n"))


def test_tables_are_read_whole(test_data):
    for path in sorted(test_data(f"{FOLDER}/itemporal/10^3").glob("*.csv")):
        text = path.read_text()
        read = parse_table(text, path.stem)
        assert read.bad == 0
        assert len(read.facts) == len(text.split()) - 1


def test_the_conformance_programs_are_read_and_written(test_data):
    for line in test_data(f"{FOLDER}/golden/conformance_300.jsonl").read_text().splitlines():
        case = json.loads(line)
        program = parse_program("\n".join(case["rules"]))
        assert len(program.rules) == len(case["rules"])
        assert parse_program(write_program(program)) == program
        facts = parse_facts("\n".join([*case["facts"], case["delete"]]))
        assert (len(facts.facts), facts.bad) == (len(case["facts"]) + 1, 0)
        assert write_facts(facts.facts[:1]) == case["facts"][0] + "\n"
