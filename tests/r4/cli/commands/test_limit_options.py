"""`--limit`, `--memory`, `--max-term`, `--max-expanded`; runs that a signal ends early."""

from __future__ import annotations

import gzip
import signal
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from r4.cli.terminal import signals
from r4.options.values import bytes_of
from r4.rdf.files import ByteSource
from rete.memory_limit import resident_bytes
from tests.simulation.command import call

PAIRS = "Forall ?x ?y (ex:pair(?x ?y) :- And(ex:one(?x) ex:one(?y)))"
DOUBLED = "Forall ?x ?y (?x[ex:p -> External(func:concat(?y ?y))] :- ?x[ex:p -> ?y])"
STAMP = '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "1"^^'
STAMP += "<http://www.w3.org/2001/XMLSchema#integer> .\n"


def rules_in(folder: Path, *parts: str) -> str:
    path = folder / "rules.rif"
    prefixes = "Prefix(ex <urn:ex:>) "
    prefixes += "Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)"
    path.write_text(f"Document({prefixes} Group({' '.join(parts)}))", "utf-8")
    return str(path)


def ones(count: int) -> str:
    return " ".join(f"ex:one({number})" for number in range(count))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GB", 2 * 10**9),
        ("1.5 GiB", 3 << 29),
        ("64MiB", 64 << 20),
        ("10kB", 10_000),
        ("7B", 7),
        ("0GB", 0),
        ("2", None),
        ("2gb", None),
        ("GB", None),
        ("-2GB", None),
        ("2GB ", None),
        ("1e3GB", None),
        ("9" * 16 + "B", None),
        ("١GB", None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert bytes_of(text) == size


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not known")
def test_a_limit_of_memory_ends_a_run_with_what_grew(tmp_path: Path) -> None:
    used = resident_bytes()
    assert used is not None
    most = int(1.1 * used) + (48 << 20)  # 5 % of it are kept free
    rules = rules_in(tmp_path, ones(3_000), PAIRS)
    (tmp_path / "stream.nq").write_text("")
    found = call(["run", rules, str(tmp_path / "stream.nq"), "--memory", f"{most}B"])
    assert found.code == 5
    assert f"bytes of memory are in use, more than the {most:,} allowed" in found.err
    assert "derived facts of <urn:ex:pair>" in found.err
    assert found.out == ""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not known")
def test_a_limit_of_memory_ends_a_question_with_what_grew(tmp_path: Path) -> None:
    used = resident_bytes()
    assert used is not None
    most = used + (48 << 20)
    rules = rules_in(tmp_path, ones(3_000), PAIRS)
    question = tmp_path / "question.rif"
    question.write_text('"urn:ex:pair"^^rif:iri(1 "none")', "utf-8")
    found = call(["entails", rules, str(question), "--memory", f"{most}B"])
    assert (found.code, found.out) == (5, "")
    assert f"bytes of memory are in use, more than the {most:,} allowed" in found.err
    assert "derived facts of <urn:ex:pair>" in found.err


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not known")
@pytest.mark.parametrize(
    "command", [("run", "r"), ("entails", "r", "q"), ("mtl", "materialise", "r", "f")]
)
def test_less_memory_than_r4_occupies_is_refused_by_name(command: tuple[str, ...]) -> None:
    found = call([*command, "--memory", "9MB"])
    assert (found.code, found.out) == (5, "")
    assert "--memory 9MB is less than the " in found.err
    assert " bytes that R4 occupies before it reads anything" in found.err


def test_max_term_bounds_what_built_ins_compute(tmp_path: Path) -> None:
    rules = rules_in(tmp_path, 'ex:a[ex:p -> "ab"]', DOUBLED)
    found = call(["run", rules, "--max-term", "10", "--static", rules_data(tmp_path)])
    assert [line.count("ab") for line in found.lines()] == [2, 4]
    assert "outside the domain: 1 × func:concat" in found.err


LONGER = 'Forall ?x ?y (?x[ex:p -> External(func:concat(?y "a"))] :- ?x[ex:p -> ?y])'


def test_long_texts_count_towards_the_limit(tmp_path: Path) -> None:
    """Else the texts of 100,000 facts of this kind have five billion characters."""
    rules = rules_in(tmp_path, LONGER)
    stream = tmp_path / "s.nq"
    stream.write_text(f'<urn:ex:a> <urn:ex:p> "b" <urn:g> .\n{STAMP}', "utf-8")
    ended = call(["run", rules, str(stream), "--lenient", "--limit", "1000"])
    assert ended.code == 5
    said = "more than 1,000 facts were derived at once, 100 characters of a text that is computed"
    assert f"{said} counted as one; --limit allows more" in ended.err


def test_short_texts_count_as_their_facts_alone(tmp_path: Path) -> None:
    rules = [
        'Forall ?x ?y (?x[ex:q -> External(func:concat(?y "a"))] :- ?x[ex:p -> ?y])',
        "Forall ?x ?y (?x[ex:r -> ?y] :- ?x[ex:q -> ?y])",
    ]
    for length, code in ((90, 0), (200, 5)):
        facts = [f'ex:x[ex:p -> "{number:0{length}}"]' for number in range(100)]
        assert call(["run", rules_in(tmp_path, *facts, *rules), "--limit", "200"]).code == code


def rules_data(folder: Path) -> str:
    path = folder / "data.nt"
    path.write_text("")
    return str(path)


def test_max_expanded_bounds_what_is_held_of_a_compressed_document(tmp_path: Path) -> None:
    document = tmp_path / "data.jsonld.gz"
    text = b'{"@id":"urn:s","urn:ex:p":"x"}' + b" " * 100_000
    document.write_bytes(gzip.compress(text))
    rules = rules_in(tmp_path, "Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])")
    args = ["run", rules, "--static", str(document)]
    for more, code in ((), 0), (("--max-expanded", "1MB"), 0), (("--max-expanded", "50kB"), 6):
        found = call([*args, *more])
        assert (found.code, len(found.lines())) == (code, int(not code))
    assert "a compressed document of more than 50000 bytes; --max-expanded allows more" in found.err


def test_a_signal_ends_a_derivation_that_goes_on(tmp_path: Path) -> None:
    rules = rules_in(tmp_path, "Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])")
    (tmp_path / "a.nq").write_text(f"{STAMP}<urn:s> <urn:ex:p> <urn:o> <urn:g> .\n\n")
    right = ByteSource.read
    raised: list[bool] = []

    def read(source: ByteSource) -> bytes:
        if source.name.endswith("a.nq") and not raised:
            raised.append(True)
            signal.raise_signal(signal.SIGTERM)
        return right(source)

    with patch.object(ByteSource, "read", read), patch.object(signals, "GRACE", -1.0):
        found = call(["run", rules, str(tmp_path / "a.nq")])
    assert found.code == 143
    assert "ended within a step: of what was read or derived in it nothing is written" in found.err


def test_while_static_data_are_read_a_signal_ends_the_run_at_once(tmp_path: Path) -> None:
    """An endless file: nothing that was read would be complete."""
    rules = rules_in(tmp_path, "Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])")
    reads, right = 0, ByteSource.read

    def read(source: ByteSource) -> bytes:
        nonlocal reads
        if not source.name.endswith("data.nt"):
            return right(source)
        reads += 1
        if reads == 3:
            signal.raise_signal(signal.SIGINT)
        assert reads < 9
        return bytes(1 << 20)

    with patch.object(ByteSource, "read", read):
        found = call(["run", rules, "--static", rules_data(tmp_path)])
    assert (found.code, found.out, found.err) == (130, "", "interrupted\n")
