"""Each sentence of SECURITY.md about what R4 does has tests that fail if it is false."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Mapping
from itertools import chain

import pytest

from tests.paths import ROOT

HOSTILE, CLI, STATE = "hostile_input", "r4/cli", "r4/state"
PROMISES: Mapping[str, tuple[str, ...]] = {
    "Rules and data are not trusted": (
        f"{HOSTILE}/test_effects.py::test_rules_open_nothing",
        f"{HOSTILE}/test_effects.py::test_data_open_nothing",
    ),
    "opens a network connection": (
        (
            f"{HOSTILE}/test_effects.py::test_no_command_opens_a_connection_starts_a_program_or_opens_"
            "what_was_not_named"
        ),
        f"{HOSTILE}/test_effects.py::test_nor_do_the_parsers_that_are_no_python",
        "r4/rdf/test_documents.py::test_no_context_is_ever_loaded",
        "laws/test_security_promises.py::test_spark_is_reached_from_this_machine_alone",
    ),
    "reads or writes a file that was not named": (
        f"{HOSTILE}/test_imports.py::test_an_import_leads_nowhere_else",
        f"{HOSTILE}/test_effects.py::test_rules_open_nothing",
        f"{CLI}/streams/test_case_arguments.py::test_files_outside_the_folder_are_refused",
        f"{CLI}/test_configuration.py::test_paths_of_a_file_do_not_lead_out_of_its_folder",
        (
            "r4/imports/test_locations.py::test_a_link_within_the_folder_is_followed_and_one_out_of_it_"
            "is_not"
        ),
        "r4/imports/test_locations.py::test_the_import_folder_may_be_read_from_as_well",
        (
            f"{STATE}/test_forged_states.py::test_a_replay_writes_nothing_that_its_command_does_not_"
            "name"
        ),
    ),
    "executes text": (
        "laws/test_security_promises.py::test_the_linter_refuses_what_is_promised_not_to_be_there",
        "laws/test_security_promises.py::test_code_that_the_linter_does_not_read_executes_no_text",
        "r4/checkpoint/test_archive.py::test_arrays_are_what_numpy_reads_without_pickle",
    ),
    "starts a program": (
        (
            f"{HOSTILE}/test_effects.py::test_no_command_opens_a_connection_starts_a_program_or_opens_"
            "what_was_not_named"
        ),
        "laws/test_security_promises.py::test_programs_are_started_in_three_places",
    ),
    "A package that you install may add sources": (
        "r4/test_extras.py::test_what_the_command_line_names_is_imported",
    ),
    "R4 imports it only if": (
        "r4/test_extras.py::test_what_rules_and_data_name_imports_no_package",
        "r4/test_extras.py::test_what_the_command_line_names_is_imported",
    ),
    "A package may add functions, too": (
        "r4/test_functions.py::test_rules_call_functions_of_a_dict",
    ),
    "R4 imports the function then": (
        (
            "r4/test_functions.py::test_a_package_is_imported_where_a_rule_calls_its_function_and_never"
            "_else"
        ),
    ),
    "The linters refuse code": (
        "laws/test_security_promises.py::test_the_linter_refuses_what_is_promised_not_to_be_there",
    ),
    "Malformed rules": (f"{HOSTILE}/test_rule_texts.py::test_check_says_what_is_wrong",),
    "Malformed data": (
        "r4/rdf/test_documents.py::test_malformed_statements_are_left_out_or_refused",
    ),
    "Neither causes a traceback": (
        f"{HOSTILE}/fuzzing/test_fuzzing.py::test_mutated_inputs_break_no_reader",
    ),
    "Text is parsed in linear time": (
        f"{HOSTILE}/growth.py::main",
        "rete/terms/test_nquads.py::test_a_hostile_text_costs_no_more_than_its_length",
        f"{HOSTILE}/test_graphs.py::test_a_hostile_graph_is_refused_in_its_own_name",
    ),
    "RDF/XML and JSON-LD pass a gate": (
        "r4/rdf/test_gates.py::test_bombs_do_not_reach_the_parser",
        "r4/rdf/test_gates.py::test_what_follows_the_first_fault_of_xml_is_not_parsed",
        (
            "r4/rdf/test_gates.py::test_terms_of_a_context_that_need_each_other_in_a_long_chain_are_"
            "refused"
        ),
        (
            "r4/rdf/test_documents.py::test_compressed_documents_that_grow_beyond_measure_are_read_no_"
            "further"
        ),
    ),
    "No term is much longer": (
        "r4/rdf/test_gates.py::test_a_text_of_xml_has_a_greatest_length",
        "r4/sources/test_parquet.py::test_a_row_that_is_too_long_is_left_out_alone",
    ),
    "Of more than 256 KiB": (
        "r4/rdf/whole/test_reader_process.py::test_memory_has_a_bound",
        "r4/rdf/whole/test_reader_process.py::test_a_process_without_an_end_is_an_error",
        ("r4/rdf/whole/test_reader_process.py::test_nothing_is_imported_from_where_r4_was_started"),
    ),
    "Regular expressions run": (
        (
            f"{HOSTILE}/test_rule_texts.py::test_a_pattern_that_would_explode_elsewhere_takes_linear_"
            "time"
        ),
    ),
    "R4 warns of the latter two": (
        (
            "r4/api/run/test_rulebook.py::test_rules_that_may_derive_for_ever_have_a_limit_and_a_"
            "warning"
        ),
        "r4/api/test_comfort.py::test_facts_that_hold_for_ever_are_warned_of_once_for_each_engine",
    ),
    "If you run untrusted rules": (
        f"{CLI}/commands/test_limit_options.py::test_a_limit_of_memory_ends_a_run_with_what_grew",
    ),
    "Memory that is exhausted": (
        f"{HOSTILE}/test_exhaustion.py::test_some_of_them",
        (
            f"{HOSTILE}/test_exhaustion.py::test_what_was_lost_with_memory_is_never_taken_for_all_that_"
            "follows"
        ),
        f"{CLI}/test_main.py::test_exhausted_memory_is_a_limit_and_said_with_what_grew",
    ),
    "A signal ends": (
        (
            f"{CLI}/commands/test_limit_options.py::test_while_static_data_are_read_a_signal_ends_the_"
            "run_at_once"
        ),
        f"{CLI}/commands/test_limit_options.py::test_a_signal_ends_a_derivation_that_goes_on",
        f"{HOSTILE}/test_interruption.py::test_a_cross_join",
    ),
    "The hash tables of terms": (
        "rete/kernels/test_chosen_keys.py::test_rows_chosen_to_share_a_chain_are_spread",
        "rete/kernels/test_chosen_keys.py::test_chains_are_others_in_each_process",
        "rete/terms/test_dictionary.py::test_no_two_dictionaries_hash_alike",
    ),
    "Every byte of a snapshot": (
        "r4/checkpoint/test_archive.py::test_each_byte_changed_is_refused_or_tells_the_same",
        "r4/checkpoint/test_archive.py::test_numbers_that_no_state_has_are_refused",
        "r4/checkpoint/test_live_models.py::test_each_byte_changed_is_refused_or_changes_no_answer",
        "r4/store/test_static_folders.py::test_each_byte_changed_is_refused_or_tells_the_same",
        "r4/store/test_static_folders.py::test_ids_that_no_term_has_are_refused",
    ),
    "Damage is refused": (
        f"{STATE}/test_damage.py::test_a_byte_that_is_another_is_noticed_or_says_the_same",
    ),
    "Checksums are no": (
        f"{STATE}/test_forged_states.py::test_a_manifest_of_other_kinds_of_values_is_damaged",
        (
            "r4/checkpoint/test_archive.py::test_a_state_that_no_engine_has_is_refused_or_loaded_but_"
            "never_breaks"
        ),
    ),
    "Checkpoints, journals and manifests": (
        f"{STATE}/test_files.py::test_files_of_a_state_are_read_by_nobody_else",
        f"{STATE}/test_files.py::test_what_others_could_read_becomes_private",
    ),
    "`--state DIR` removes only": (
        f"{STATE}/test_files.py::test_only_files_of_the_state_are_removed",
    ),
    "An output, a folder or a checkpoint": (
        (
            "r4/cli/mtl/commands/test_update.py::"
            "test_a_state_that_another_update_has_is_refused_by_name_and_stays"
        ),
        "r4/sinks/test_file.py::test_a_second_run_on_the_same_output_is_refused_by_name",
        (
            f"{STATE}/test_refused_states.py::test_a_folder_that_is_used_or_is_something_else_is_"
            "refused"
        ),
        (
            "r4/spark/loading/test_loader.py::test_of_two_simultaneous_loads_into_one_folder_the_second"
            "_is_refused"
        ),
    ),
    "Control characters of the input": (
        f"{CLI}/terminal/test_terminal_output.py::test_no_command_lets_text_control_the_terminal",
        f"{CLI}/terminal/test_terminal_output.py::test_models_are_escaped_always",
        (
            f"{CLI}/terminal/test_progress.py::test_names_of_files_neither_control_the_terminal_nor_end"
            "_the_run"
        ),
    ),
}
"""How a sentence begins → tests, a file of `tests` and a function each."""
EXPLAINED = (
    "R4 trusts the command line",
    "It is code that you trust",
    "Rules name these by their IRIs",
    "If you run rules that you do not trust",
    "Rules can still be expensive",
    "The pure kernels",
)
"""Sentences about what is trusted, and about what R4 does not do."""


def promises() -> list[str]:
    """The sentences, and the rows of the table, before the section about tests."""
    text = (ROOT / "SECURITY.md").read_text("utf-8").partition("## How this is tested")[0]
    lines = [line for line in text.splitlines() if not line.startswith(("#", "| R4 never", "|---"))]
    rows = [line.removeprefix("| ") for line in lines if line.startswith("|")]
    prose = "\n".join(line for line in lines if not line.startswith("|")).replace("*", "")
    prose = re.sub(r"^- ((?!Malformed)[A-Z][\w ]+\.\s)?", "\n\n", prose, flags=re.MULTILINE)
    parts = (re.split(r"(?<=[.:])\s+(?=[A-Z`])", each.strip()) for each in prose.split("\n\n"))
    return [*rows, *(" ".join(part.split()) for part in chain(*parts) if part)]


@pytest.mark.parametrize("sentence", promises())
def test_a_sentence_has_a_test(sentence: str) -> None:
    begins = [each for each in (*PROMISES, *EXPLAINED) if sentence.startswith(each)]
    assert len(begins) == 1, sentence


def test_no_test_is_of_a_sentence_that_is_gone() -> None:
    found = promises()
    for begin in (*PROMISES, *EXPLAINED):
        assert any(sentence.startswith(begin) for sentence in found), begin


@pytest.mark.parametrize("test", sorted(set(chain(*PROMISES.values()))))
def test_a_test_of_a_sentence_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    assert name in {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}


REFUSED = """
import http, marshal, pickle, shelve, socket, os, subprocess, urllib.request
exec("1")
eval("1")
pickle.loads(b"")
os.system("true")
os.execv("/bin/true", [])
subprocess.run(os.environ["COMMAND"].split())
subprocess.run("true", shell=True)
urllib.request.urlopen(os.environ["PLACE"])
"""
CODES = {"S102", "S307", "S301", "S605", "S606", "S603", "S602", "S310"}


@pytest.mark.parametrize("folder", ["r4", "rete/terms", "rif", "temporal"])
def test_the_linter_refuses_what_is_promised_not_to_be_there(folder: str) -> None:
    name = f"{folder}/some_module.py"
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise"]
    found = subprocess.run(
        [*command, "--stdin-filename", name, "-"],
        cwd=ROOT,
        input=REFUSED,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert set(re.findall(r"\bS\d{3}\b", found)) >= CODES, found
    banned = set(re.findall(r"TID251 `([\w.]+)` is banned", found))
    assert banned == {"http", "marshal", "pickle", "shelve", "socket", "urllib.request"}


def sources(*suffixes: str) -> list[tuple[str, str]]:
    """The files of the packages that are installed, each with its text."""
    return [
        (str(path.relative_to(ROOT)), path.read_text("utf-8"))
        for package in ("rif", "rete", "temporal", "r4")
        for suffix in suffixes
        for path in sorted((ROOT / package).rglob(f"*{suffix}"))
    ]


def test_code_that_the_linter_does_not_read_executes_no_text() -> None:
    """Cython; and ways to unpickle that no rule knows."""
    kernels = sources(".pyx", ".pxd")
    assert len(kernels) > 20
    for path, text in kernels:
        assert not re.search(
            r"\b(eval|exec|compile|__import__|pickle|marshal|system)\s*\(", text
        ), path
    for path, text in sources(".py"):
        assert not re.search(r"allow_pickle=True|\b__import__\(|(?<![.\w])compile\(", text), path
        if "S102" in text or "S307" in text or "S301" in text:
            raise AssertionError(path)


def test_programs_are_started_in_three_places() -> None:
    """`r4 doctor`, the Java of Spark, a reader of R4 itself; benchmarks are in no package."""
    starts = re.compile(
        r"\bimport subprocess|\bfrom subprocess|\bos\.(exec|spawn|posix_spawn|popen)"
    )
    found = {path for path, text in sources(".py") if starts.search(text)}
    readers = "r4/rdf/whole/reader_process.py"
    assert found == {"r4/cli/commands/doctor.py", "r4/spark/jobs/session.py", readers}


def test_spark_is_reached_from_this_machine_alone() -> None:
    session = pytest.importorskip("r4.spark.jobs.session")
    local = session._settings("local[2]", "1g", "/nowhere")
    assert local["spark.driver.host"] == local["spark.driver.bindAddress"] == "127.0.0.1"
    assert local["spark.ui.enabled"] == "false"
    assert "spark.driver.host" not in session._settings("spark://other:7077", "1g", "/nowhere")
