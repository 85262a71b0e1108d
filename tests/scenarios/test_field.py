"""What people asked of engines like R4, as the smallest streams: what is wanted, by definition."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import is_hypothesis_test, settings

from tests.agreement import test_loops
from tests.r4.program import test_range_ends
from tests.r4.rdf.gates import test_xml_encoding
from tests.r4.sources import test_reified_triples, test_stamp_datatypes, test_stamp_paths
from tests.r4.sources.tables import (
    test_json_rows,
    test_local_times,
    test_long_tables,
    test_tables,
)
from tests.r4.time import test_epoch
from tests.rif.builtins import test_mathematics
from tests.rif.text import test_other_languages
from tests.simulation.command import call


class Kind(NamedTuple):
    """The test of the whole kind of a folder, whose variants have answers by definition.

    Attributes:
        test: a parametrised test, or a law.
        only: which values of parameters count, by name; of others all do.
        cases: how many each parameter stands for.
    """

    test: Callable[..., None]
    only: Mapping[str, object] = {}
    cases: int = 1

    def variants(self) -> int:
        """How many `make test` runs: what is for `make soak` alone does not count."""
        count = self.cases
        for mark in getattr(self.test, "pytestmark", []):
            if mark.name == "parametrize":
                names, values = mark.args
                count *= sum(map(self._counts, [names] * len(values), values))
        return count * settings().max_examples if is_hypothesis_test(self.test) else count

    def _counts(self, names: object, value: Any) -> bool:
        marks = getattr(value, "marks", ())
        return self.only.get(str(names), value) == value and "soak" not in {m.name for m in marks}


FEWEST = 20
"""So many variants the test of a kind has, or more."""
KINDS = {
    "01-stamp-datetimestamp": Kind(
        test_stamp_datatypes.test_a_date_time_of_any_datatype_is_its_instant,
        {"datatype": f"{test_stamp_datatypes.XSD}dateTimeStamp"},
    ),
    "03-rdfxml-encodings": Kind(test_xml_encoding.test_each_encoding_is_read),
    "07-send-on-delta": Kind(
        test_loops.test_rules_have_the_answers_of_a_loop,
        {"family": "deadbands"},
        test_loops.PART,
    ),
    "08-average-of-a-window": Kind(
        test_loops.test_rules_have_the_answers_of_a_loop, {"family": "windows"}, test_loops.PART
    ),
    "09-time-behind-a-node": Kind(
        test_stamp_paths.test_paths_lead_to_begin_and_end, {"paths": "two"}
    ),
    "10-fhir-effective": Kind(
        test_stamp_datatypes.test_of_nodes_with_one_predicate_the_path_says_which_has_the_time
    ),
    "12-date-stamps": Kind(
        test_stamp_datatypes.test_a_day_a_month_and_a_year_are_their_first_instants
    ),
    "13-end-predicate": Kind(test_stamp_paths.test_paths_lead_to_begin_and_end, {"paths": "one"}),
    "14-local-times-in-autumn": Kind(
        test_local_times.test_what_clocks_show_in_order_is_when_it_was
    ),
    "15-epoch-seconds": Kind(test_epoch.test_a_number_is_so_many_units_since_1970),
    "16-arrays-in-json": Kind(
        test_json_rows.test_the_items_of_arrays_are_the_rows_that_a_loop_over_them_finds
    ),
    "17-csv-encoding": Kind(test_tables.test_a_table_may_be_in_another_encoding),
    "18-predicate-of-a-column": Kind(test_long_tables.test_a_row_is_about_what_its_column_says),
    "19-duration-of-each-sensor": Kind(
        test_range_ends.test_a_thing_is_silent_when_it_said_nothing_for_as_long_as_it_waits
    ),
    "21-annotated-times": Kind(test_reified_triples.test_a_triple_holds_when_its_reifier_does),
    "22-last-three-readings": Kind(
        test_loops.test_rules_have_the_answers_of_a_loop,
        {"family": "last readings"},
        test_loops.PART,
    ),
    "24-rules-of-other-languages": Kind(
        test_other_languages.test_the_language_is_named_with_a_hint
    ),
    "25-schema-datetime": Kind(
        test_stamp_datatypes.test_a_date_time_of_any_datatype_is_its_instant,
        {"datatype": "https://schema.org/DateTime"},
    ),
    "27-rounding": Kind(test_mathematics.test_a_number_is_rounded_to_places_halves_up),
    "29-owl-xml": Kind(test_xml_encoding.test_other_syntaxes_of_owl_are_called_by_their_names),
}
"""By folder of the test data, where its kind is tested."""

MEAN = """
    Forall ?s ?n ?m (
      ?s[ex:count -> ?n ex:mean -> ?m] :- And(
        ?n = count{ ?v [?s] | At ?t ( ?s[ex:v -> ?v] ) }
        ?m = avg{ ?v [?s] | At ?t ( ?s[ex:v -> ?v] ) } ) )
"""
RECENT = """
    Forall ?s ?three ?place ?v (
      ?s[ex:recent -> ?v] :- And(
        ?three = last 3{ ?x ?t [?s] | DiamondMinus [0 s, inf) ( At ?t ( ?s[ex:v -> ?x] ) ) }
        ex:place(?place)
        ?v = External(func:get(?three ?place)) ) )
    ex:place(0) ex:place(1) ex:place(2)
"""


@pytest.mark.parametrize("folder", KINDS)
def test_a_kind_has_many_variants(folder: str) -> None:
    assert KINDS[folder].variants() >= FEWEST


def test_each_folder_is_of_a_kind(test_data) -> None:
    folders = {each.name for each in test_data("field").iterdir() if each.name[0].isdigit()}
    assert folders <= KINDS.keys()


@pytest.mark.parametrize(
    "name",
    [
        "01-stamp-datetimestamp",
        "03-rdfxml-encodings",
        "07-send-on-delta",
        "12-date-stamps",
        "15-epoch-seconds",
        "16-arrays-in-json",
        "17-csv-encoding",
        "18-predicate-of-a-column",
        "19-duration-of-each-sensor",
        "25-schema-datetime",
        "27-rounding",
    ],
)
def test_the_command_of_a_folder_prints_what_is_expected(name, test_data, monkeypatch) -> None:
    folder = test_data(f"field/{name}")
    monkeypatch.chdir(folder)
    words = Path("cmd").read_text("utf-8").split()
    assert words[0] == "$R4"
    assert call([*words[1:], "--quiet"]).out == Path("expected.txt").read_text("utf-8")


def test_the_average_of_a_window(test_data, tmp_path) -> None:
    folder = test_data("field/08-average-of-a-window")
    found = intervals(folder, MEAN, tmp_path)
    states: list[str] = []
    for line in (folder / "expected.txt").read_text("utf-8").splitlines():
        span, what = line.split(" ", 1)
        for predicate, value in re.findall(r"(\w+) (\d+)", what):
            states.append(f"{span} {predicate} {value}")
    assert sorted(found) == sorted(states)


def test_the_last_three_readings(test_data, tmp_path) -> None:
    folder = test_data("field/22-last-three-readings")
    found = intervals(folder, RECENT, tmp_path)
    expected = (folder / "expected.txt").read_text("utf-8").splitlines()
    assert sorted(found) == sorted(line.replace(")", ") recent") for line in expected)


def intervals(folder: Path, wanted: str, place: Path) -> list[str]:
    """The answers as ``[00:04,00:08) predicate value``, with the rules that are asked for."""
    text, count = re.subn(
        r"\(\* wanted: .* \*\)", wanted, (folder / "rules.rif").read_text("utf-8")
    )
    assert count == 1
    rules = place / "rules.rif"
    rules.write_text(text, "utf-8")
    result = call(["run", str(rules), str(folder / "stream.nq"), "--drain", "--quiet"])
    assert result.code == 0
    open_ones: dict[tuple[str, str], str] = {}
    for line in result.lines():
        change = json.loads(line)
        predicate = change["p"].rpartition(":")[2].removesuffix(">")
        value = change["o"].split('"')[1]
        begin = clock(change["from"])
        end = "" if change["op"] == "+" else clock(change["until"])
        open_ones[f"{predicate} {value}", begin] = f"[{begin},{end}) {predicate} {value}"
    return list(open_ones.values())


def clock(time: str) -> str:
    return f"{datetime.fromisoformat(time):%H:%M}"


def test_rules_of_other_languages_are_read_or_called_by_their_names(test_data) -> None:
    folder = test_data("field/24-rules-of-other-languages")
    wanted = (folder / "expected.txt").read_text("utf-8").split()
    files = ("jena.rules", "rules.n3", "rule.rq")
    for name, word in zip(files, wanted, strict=True):
        found = call(["check", str(folder / name)])
        if name == "rules.n3":
            assert word in found.err
        else:
            assert (found.code, found.err) == (0, "")


def test_another_syntax_of_ontologies_is_called_by_its_name(test_data) -> None:
    folder = test_data("field/29-owl-xml")
    found = call(["run", str(folder / "rules.rif"), "--static", str(folder / "data.owl")])
    assert "OWL/XML" in found.err
