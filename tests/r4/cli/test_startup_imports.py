"""What a command loads: no more than it needs."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

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
    loaded = {*done.stdout.splitlines()}
    assert "r4.sinks.output" in loaded
    assert '"op":"+"' in done.stdout
    assert not {name for name in loaded if name.startswith("temporal.hypothetical")}
    assert not loaded & NOT_FOR_A_RUN
    assert all(find_spec(name) for name in NOT_FOR_A_RUN), "there is no such module"


NOT_FOR_AN_ENGINE = {
    *("networkx", "asyncio", "temporal.hypothetical", "r4.possible"),
    *("r4.explain.justification", "r4.explain.question.explainer", "rif.xml.parser"),
}


def test_an_engine_that_is_imported_loads_nothing_of_what_few_ask_it() -> None:
    loaded = modules_after("from r4 import Engine")
    assert "r4.engine.core" in loaded
    assert not loaded & NOT_FOR_AN_ENGINE
    assert all(find_spec(name) for name in NOT_FOR_AN_ENGINE), "there is no such module"


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
