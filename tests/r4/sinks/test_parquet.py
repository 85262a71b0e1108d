"""``r4 run --as parquet``: the keys of JSON lines as columns, with the same values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from r4.cli.streams import run_command_options
from r4.cli.terminal.console import LIMIT, USAGE
from tests.generators.draw import from_seed
from tests.generators.streams.runs import random_case
from tests.simulation.command import call, run
from tests.simulation.early_results import out_of_order_case

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
parquet = pytest.importorskip("r4.sinks.parquet")

COLUMNS = ["op", "at", "s", "p", "o", "atom", "error", "from", "until", "rule", "undone"]
OPTIONS = ("", "--include-input", "--only=http://example.org/p")
ENDLESS = """Document( Prefix(ex <urn:ex:>) Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)
  Group( ex:n(1) Forall ?x (ex:n(External(func:numeric-add(?x 1))) :- ex:n(?x)) ) )"""


def rows(lines: Sequence[str]) -> list[dict[str, object]]:
    """JSON lines with every key."""
    return [{**dict.fromkeys(COLUMNS), **json.loads(line)} for line in lines]


def with_texts(found: list[dict[str, object]]) -> list[dict[str, object]]:
    """The same, rules as texts."""
    return [row | {"rule": None if row["rule"] is None else str(row["rule"])} for row in found]


@pytest.mark.parametrize("seed", range(40))
def test_the_columns_are_the_keys_of_json_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(parquet, "ROWS", 3 if seed % 4 else 1 << 16)
    arrives = seed % 3 == 0
    case = (
        out_of_order_case(from_seed(seed)) if arrives else random_case(seed, negation=seed % 2 == 0)
    )
    more = ["--order", "arrival"] if arrives else []
    if option := OPTIONS[seed % len(OPTIONS)]:
        more.append(option)
    lines = run(case, tmp_path, *more)
    file = tmp_path / "out.parquet"
    found = run(case, tmp_path, *more, "--as", "parquet", "--output", str(file))
    assert (found.code, found.out, found.err) == (lines.code, "", lines.err)
    table = pq.read_table(file)
    assert table.column_names == COLUMNS
    wanted = rows(lines.lines())
    if table.schema.field("rule").type == pa.string():
        wanted = with_texts(wanted)
    assert table.to_pylist() == wanted


def test_times_have_the_type_of_the_stamps(tmp_path: Path) -> None:
    rules, stream, file = (tmp_path / name for name in ("r.rif", "s.nq", "out.parquet"))
    xsd, at = "http://www.w3.org/2001/XMLSchema#", "<http://www.w3.org/ns/prov#generatedAtTime>"
    rules.write_text("Document(Window(1) Group(Forall ?x (<urn:q>(?x) :- ?x[<urn:p> -> 1])))")
    for stamp, kind, type_ in (
        (f'"7"^^<{xsd}integer>', 7, pa.int64()),
        (f'"2024-01-01T00:00:00Z"^^<{xsd}dateTime>', "2024-01-01T00:00:00Z", pa.string()),
    ):
        stream.write_text(
            f'<urn:g> {at} {stamp} .\n<urn:a> <urn:p> "1"^^<{xsd}integer> <urn:g> .\n'
        )
        assert not call(["run", str(rules), str(stream), "--as=parquet", f"--output={file}"]).code
        table = pq.read_table(file)
        assert {table.schema.field(name).type for name in ("at", "from", "until")} == {type_}
        assert table.to_pylist()[0]["at"] == kind
        assert table.schema.field("rule").type == pa.int64()


def test_what_was_told_before_an_error_can_be_read(tmp_path: Path) -> None:
    rules, file = tmp_path / "r.rif", tmp_path / "out.parquet"
    rules.write_text(ENDLESS)
    found = call(["run", str(rules), "--limit=10", "--as=parquet", f"--output={file}"])
    assert found.code == LIMIT
    assert pq.read_table(file).column_names == COLUMNS


def test_it_is_not_written_to_standard_output() -> None:
    found = call(["run", "rules.rif", "--as", "parquet"])
    assert (found.code, found.out) == (USAGE, "")
    assert "--output FILE" in found.err


def test_where_the_extra_is_missing_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_command_options, "version_of", lambda _: None)
    found = call(["run", "rules.rif", "--as", "parquet", "--output", "out.parquet"])
    assert found.code == USAGE
    assert "pyarrow is not installed: pip install -e '.[parquet]'" in " ".join(found.err.split())
