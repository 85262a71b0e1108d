"""What a command loads: no more than it needs."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import r4.api

OURS = {"r4", "rete", "rif", "temporal"}
FOR_AN_ENGINE = {"numpy", "pyoxigraph", "sortedcontainers"}
FOR_A_RUN = {*FOR_AN_ENGINE, "click"}


def of_others(loaded: set[str]) -> set[str]:
    """The packages in ``loaded`` that are neither ours nor of Python."""
    tops = {name.partition(".")[0] for name in loaded}
    from_install = {name for name in tops if name.startswith("_")} | {"cython_runtime"}
    return tops - OURS - from_install - sys.stdlib_module_names


def count_of_ours(loaded: set[str]) -> int:
    """How many modules of ours are in ``loaded``: each takes a third of a millisecond."""
    return sum(name.partition(".")[0] in OURS for name in loaded)


NOT_FOR_MTL = {"rdflib", "rich", "rif.text.parser", "rif.text.writer", "rif.xml.parser"}


def modules_after(code: str) -> set[str]:
    """The modules that are there when a new process has run some code."""
    command = sys.executable, "-c", f"import sys; {code}; print(*sys.modules, sep='\\n')"
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return {*done.stdout.splitlines()}


def test_mtl_loads_no_parser_of_rules_over_streams() -> None:
    loaded = modules_after("import r4.cli.mtl.commands.materialise")
    assert "temporal.model.materialisation" in loaded
    assert not loaded & NOT_FOR_MTL
    assert all(find_spec(name) for name in NOT_FOR_MTL), "there is no such module"


NOT_FOR_A_RUN = {
    *("networkx", "numpy.ma", "xml.parsers.expat", "tomllib", "hashlib", "importlib.metadata"),
    *(
        "difflib",
        "email",
        "gzip",
        "lzma",
        "rdflib",
        "rete.drawing.picture",
        "rif.xml.parser",
        "rif.text.writer",
    ),
    *(
        "r4.checkpoint",
        "r4.state.run_state",
        "r4.store",
        "r4.sources.tables.table_source",
        "r4.sources.json_ld",
    ),
}


def test_a_run_loads_only_what_it_needs(tmp_path: Path) -> None:
    rules, stream = tmp_path / "r.rif", tmp_path / "s.nq"
    rules.write_text(
        "Document( Prefix(a <urn:a:>) Window(1) "
        "Group( Forall ?x (?x[a:p -> 1] :- ?x[a:q -> a:o]) ) )"
    )
    stream.write_text(
        "<urn:a:1> <http://www.w3.org/ns/prov#generatedAtTime>"
        ' "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
        "<urn:a:s> <urn:a:q> <urn:a:o> <urn:a:1> .\n"
    )
    code = (
        "import sys; from r4.cli import main\ntry: main()\nfinally: print(*sys.modules, sep='\\n')"
    )
    done = subprocess.run(
        (sys.executable, "-c", code, "run", str(rules), str(stream)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    loaded = {line for line in done.stdout.splitlines() if not line.startswith("{")}
    assert "r4.sinks.output" in loaded
    assert '"op":"+"' in done.stdout
    assert not {name for name in loaded if name.startswith("temporal.hypothetical")}
    assert not loaded & NOT_FOR_A_RUN
    assert of_others(loaded) == FOR_A_RUN
    assert count_of_ours(loaded) < 400
    assert all(find_spec(name) for name in NOT_FOR_A_RUN), "there is no such module"


NOT_FOR_AN_ENGINE = {
    *("networkx", "asyncio", "temporal.hypothetical", "r4.possible"),
    *("r4.explain.justification", "r4.explain.question.explainer", "rif.xml.parser"),
    *("rdflib", "hashlib", "ssl", "http.client", "email", "zipfile", "tempfile", "random"),
    *("r4.checkpoint", "r4.sources", "r4.rdf.documents", "r4.run.stream_run", "r4.stream.intake"),
    *("r4.options.run_options", "r4.explain.rendering", "rif.text.writer"),
}


def test_an_engine_that_is_imported_loads_nothing_of_what_few_ask_it() -> None:
    loaded = modules_after("from r4 import Engine")
    assert "r4.engine.core" in loaded
    assert not loaded & NOT_FOR_AN_ENGINE
    assert of_others(loaded) == FOR_AN_ENGINE
    assert count_of_ours(loaded) < 345
    assert all(find_spec(name) for name in NOT_FOR_AN_ENGINE), "there is no such module"


def test_an_engine_that_reads_text_loads_no_rdflib_before_a_change_is_read() -> None:
    code = (
        "from r4 import Engine; engine = Engine.from_text("
        "'@prefix a: <urn:a:> . @window 1 . ?x[a:p -> 1] :- ?x[a:q -> a:o].');"
        "assert engine.add('@prefix a: <urn:a:> . a:s a:q a:o .', at=1)"
    )
    loaded = modules_after(code)
    assert "r4.api.values.graph_terms" in loaded
    assert not loaded & NOT_FOR_AN_ENGINE


def test_what_is_rare_in_the_library_is_there_when_it_is_asked_for() -> None:
    rare = "ChangeTable", "mapping_from", "SnapshotError"
    assert {*rare} <= {*dir(r4.api)}
    assert [getattr(r4.api, name).__name__ for name in rare] == [*rare]
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = r4.api.Nothing


def test_importing_the_library_leaves_the_collector_as_it_was() -> None:
    for state in "enable", "disable":
        code = f"import gc; gc.{state}(); before = gc.isenabled(); from r4 import Engine"
        assert modules_after(f"{code}; assert gc.isenabled() == before")


def test_help_needs_no_extra() -> None:
    """The core is installed without them."""
    code = (
        "import sys; sys.modules |= dict.fromkeys(('pyarrow', 'pyspark', 'pandas', 'py4j'))\n"
        "from r4.cli import main\n"
        "sys.argv = ['r4', '--help']; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "load  " in ran.stdout


@pytest.mark.parametrize("args", [("--help",), ("mtl", "--help"), ("rnu",)])
def test_help_imports_no_command(args: tuple[str, ...]) -> None:
    code = (
        "import sys; from r4.cli import main\n"
        "main(); print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    ran = subprocess.run(
        (sys.executable, "-c", code, *args), capture_output=True, text=True, check=True
    )
    loaded = {*ran.stderr.splitlines()}
    assert "r4.cli" in loaded
    assert not loaded & {"numpy", "rdflib", "networkx", "rich"}
    commands = "r4.cli.commands.", "r4.cli.streams.", "r4.cli.mtl.commands."
    assert not {name for name in loaded if name.startswith(commands)}


@pytest.mark.parametrize(
    "args",
    [("check",), ("plan",), ("run",), ("convert", "-"), ("explain", "--fact", "a:a a:a a:a")],
)
def test_a_command_alone_knows_all_kinds_of_formula(args: tuple[str, ...], tmp_path: Path) -> None:
    """What registers kinds is loaded by each command, and not by another one that ran before."""
    rules = tmp_path / "rules.rif"
    rules.write_text(
        "Document(Prefix(a <urn:a:>) Group(Forall ?x ("
        "?x[a:q -> 1] :- And(DiamondMinus [0 s, 5 s] (?x[a:p -> 1]) Naf(?x[a:r -> 1])))))"
    )
    name, *more = args
    ran = subprocess.run(
        [sys.executable, "-m", "r4", name, str(rules), *more],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == (1 if name == "explain" else 0), ran.stderr
