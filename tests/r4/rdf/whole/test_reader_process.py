"""Long documents are read in a process of their own: as short ones are, and within bounds."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from r4.rdf.documents import RdfDocument
from r4.rdf.files import UNBOUNDED, ReadingBounds
from r4.rdf.whole import reader_process
from r4.rdf.whole.document import Ending, WholeReading
from r4.rdf.whole.line import LineReading
from r4.rdf.whole.reader_process import ReaderProcess
from rete.memory_limit import MemoryBound
from tests.paths import measures_malloc
from tests.r4.rdf.static_documents import RDF, SAMPLES, document, static

JSON_LD = WholeReading("JSON_LD", "d.jsonld", None)
MEGABYTE = 1 << 20
VALUES = b'{"@id":"urn:s","urn:p":[%s1]}' % (b"1," * 300_000)
"""One node of very many values: the parser holds all of them."""
NODES = b"[%s{}]" % b"".join(b'{"@id":"urn:a%d","urn:p":%d},' % (n, n) for n in range(60_000))
"""Very many nodes."""


class Left:
    """Leaves so many bytes of memory, and ends the reading at a look, counted from 0."""

    def __init__(self, left: int | None = None, last: int | None = None) -> None:
        self._left, self._last = left, last

    def check(self) -> None:
        if self._last is not None:
            self._last -= 1
            if self._last < 0:
                raise InterruptedError

    def left(self) -> int | None:
        return self._left


@pytest.fixture
def process() -> Iterator[ReaderProcess]:
    with closing(ReaderProcess()) as made:
        assert made.begin()
        yield made


def read(
    process: ReaderProcess,
    text: bytes,
    bounds: ReadingBounds = UNBOUNDED,
    how: WholeReading | LineReading = JSON_LD,
) -> tuple[bytes, Ending]:
    """All statements of ``text``, and how it ended."""
    return drained(process.quads(how, [text], bounds))


def drained(quads: Generator[bytes, None, Ending]) -> tuple[bytes, Ending]:
    """All that comes, and how it ended."""
    parts: list[bytes] = []
    while True:
        try:
            parts.append(next(quads))
        except StopIteration as ended:
            return b"".join(parts), ended.value


def child_of(process: ReaderProcess) -> int:
    assert process._process is not None
    return process._process.pid


def is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def a_graph(choose: Random) -> list[object]:
    """Nodes with and without labels, some of which look like generated ones."""

    def node(depth: int) -> dict[str, object]:
        label = choose.choice(["urn:a", "_:g1", "_:g2", "_:abcdef0123456789", None, None])
        made: dict[str, object] = {} if label is None else {"@id": label}
        for name in choose.sample(["urn:p", "urn:q", "urn:r"], 2):
            made[name] = node(depth - 1) if depth and choose.random() < 0.6 else choose.random()
        return made

    return [node(3) for _ in range(choose.randrange(1, 40))]


@pytest.mark.parametrize("suffix", [".rdf", ".xml", ".jsonld"])
@pytest.mark.parametrize("end", ["", "<"])
def test_a_process_reads_what_r4_itself_reads(
    suffix: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [SAMPLES[suffix] + end]
    if suffix.startswith(".j"):
        texts += [json.dumps(a_graph(Random(n))) + end for n in range(3)]  # noqa: S311
    for text in texts:
        found = document(tmp_path, suffix, text)
        own = static(found)
        with monkeypatch.context() as patch:
            patch.setattr("r4.rdf.documents.LEAST", 1)
            assert static(found) == own


def test_blocks_are_named_as_one_text_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with labels that matter begin anywhere."""
    for seed in range(30):
        text = json.dumps(a_graph(Random(seed)))  # noqa: S311
        found = document(tmp_path, ".jsonld", text)
        whole = static(found)
        with monkeypatch.context() as patch:
            patch.setattr("r4.rdf.parser_output._QUADS_AT_ONCE", 2)
            assert static(found) == whole


LABELS = {
    "JSON_LD": '{"@id":"urn:s","urn:p":[{"@id":"_:%s"},{}]}',
    "RDF_XML": f'<r:RDF xmlns:r="{RDF}" xmlns="urn:"><a r:nodeID="%s"><p><b/></p></a></r:RDF>',
}


@pytest.mark.parametrize(
    ("form", "first"),
    [("JSON_LD", "a"), ("JSON_LD", "\\u0061"), ("RDF_XML", "a"), ("RDF_XML", "&#97;")],
)
def test_a_label_that_looks_generated_is_kept(form: str, first: str) -> None:
    text = LABELS[form] % (first + "bcdef0123456789")
    quads, _ = drained(WholeReading(form, "", None).quads(text.encode()))
    assert {*re.findall(rb"_:\w+", quads)} == {b"_:abcdef0123456789", b"_:g1"}


@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize(
    ("how", "text"),
    [
        (JSON_LD, '{"@id":"urn:s","urn:p":{"@list":[%s]}}'),
        (LineReading(1, "<urn:l>", (), "<urn:a>"), '{"@id":"urn:s","urn:p":{"@list":[%s]}}'),
    ],
)
def test_no_more_nodes_are_named_than_a_text_of_its_length_may_have(
    how: WholeReading | LineReading, text: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = (text % ",".join(["1"] * count)).encode()
    monkeypatch.setattr("r4.rdf.blank_nodes.MOST_NODES", 12 - len(given) // 2)
    quads, ending = drained(how.quads(given))
    assert quads.count(b"\n") == (1 + 2 * count if count < 4 else 0)
    message = f"blank nodes more than 12 times in {len(given)} bytes"
    assert ending.why == ("" if count < 4 else message)


def test_a_process_reads_many_documents(process: ReaderProcess) -> None:
    number = child_of(process)
    for text in (b"[", b'{"@id":"urn:a","urn:p":1}', NODES, *[b"{}"] * 50):
        assert read(process, text) == drained(JSON_LD.quads(text))
    assert child_of(process) == number


def test_a_line_is_read_likewise(process: ReaderProcess) -> None:
    how = LineReading(7, "<urn:line>", ("urn:time",), "<urn:always>", {})
    text = b'{"@graph":[{"urn:time":1,"urn:p":{"urn:q":[2,{"@id":"_:x"}]}}]}'
    assert read(process, text, how=how)[0] == b"".join(how.statements(text))
    assert b"_:l7n1" in b"".join(how.statements(text))
    assert read(process, b"{", how=how)[1].why


def test_nothing_is_imported_from_where_r4_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "struct", "pyoxigraph", "r4"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with closing(ReaderProcess()) as made:
        assert made.begin()
        assert read(made, b'{"@id":"urn:a","urn:p":"x"}') == (
            b'<urn:a> <urn:p> "x" .\n',
            Ending(),
        )


@measures_malloc
@pytest.mark.parametrize("looks_itself", [False, True])
def test_memory_has_a_bound(
    looks_itself: bool, process: ReaderProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R4 looks at the memory of the process, which gets no more from the system either."""
    if looks_itself:
        monkeypatch.setattr(reader_process, "_resident", lambda _: 0)
    number = child_of(process)
    with pytest.raises(MemoryBound, match="bytes of memory left"):
        read(process, VALUES, Left(60 * MEGABYTE))
    assert not is_there(number)
    assert process.begin()
    assert read(process, b"{}", Left(60 * MEGABYTE)) == (b"", Ending())


@pytest.mark.parametrize("look", [0, 1, 2, 5])
def test_an_end_of_the_run_ends_the_process(
    look: int, process: ReaderProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_process, "_TICK", 0.001)  # a fast machine has time for a few looks
    number = child_of(process)
    with pytest.raises(InterruptedError):
        read(process, VALUES, Left(last=look))
    assert not is_there(number)


def test_a_process_that_is_left_ends(process: ReaderProcess) -> None:
    number = child_of(process)
    quads = process.quads(JSON_LD, [NODES], UNBOUNDED)
    next(quads)
    quads.close()
    assert not is_there(number)


def test_ctrl_c_is_for_r4_alone(process: ReaderProcess) -> None:
    read(process, b"{}")
    os.kill(child_of(process), signal.SIGINT)
    assert read(process, b"{}") == (b"", Ending())


def killed(process: ReaderProcess) -> None:
    os.kill(child_of(process), signal.SIGKILL)


def test_a_process_that_is_killed_is_an_error_of_its_document(process: ReaderProcess) -> None:
    quads = process.quads(JSON_LD, [NODES], UNBOUNDED)
    first = next(quads)
    killed(process)
    rest, ending = drained(quads)
    assert first
    assert len(first) + len(rest) < len(drained(JSON_LD.quads(NODES))[0])
    assert ending == Ending("the process that reads it was ended by SIGKILL")
    assert process.begin()
    assert read(process, b"{}") == (b"", Ending())


def python(program: str) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(reader_process, "_ARGUMENTS", ("-c", program))


STUCK = python("import time; time.sleep(1000)")
READS_AND_IS_STUCK = python("import sys, time; sys.stdin.read(1 << 16); time.sleep(1000)")
FAILS = python("raise SystemExit(1)")


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (STUCK, "the parser makes no progress: nothing came of it for 0 s"),
        (READS_AND_IS_STUCK, "the parser makes no progress: nothing came of it for 0 s"),
        (FAILS, "the process that reads it failed"),
    ],
)
def test_a_process_without_an_end_is_an_error(
    fault: Callable[[pytest.MonkeyPatch], None], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    monkeypatch.setattr(reader_process, "_PATIENCE_A_MEGABYTE", 0.0)
    with closing(ReaderProcess(patience=0.2)) as made:
        assert made.begin()
        assert read(made, NODES) == (b"", Ending(why))


def test_what_a_lost_process_has_read_counts_and_the_fault_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FAILS(monkeypatch)
    rows, counters = static(document(tmp_path, ".jsonld", NODES))
    assert (rows, counters.bad) == ([], {"DAT103": 1})
    (sample,) = counters.samples["DAT103"]
    assert "the process that reads it failed; what was read before counts" in sample.message


def test_without_processes_r4_reads_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = document(tmp_path, ".jsonld", NODES)
    own = static(found)
    monkeypatch.setattr("sys.executable", str(tmp_path / "none"))
    assert static(found) == own
    assert len(own[0]) == 60_000


def test_a_short_document_starts_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FAILS(monkeypatch)
    for suffix in (".rdf", ".jsonld"):
        assert static(RdfDocument.of(str(document(tmp_path, suffix, SAMPLES[suffix]).path), 1))[0]
