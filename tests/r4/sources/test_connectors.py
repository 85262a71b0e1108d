"""Sources of other packages, by scheme and suffix: what they are asked, read and refused."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.command import STOPPED, CommandOutput, call
from tests.simulation.plugged import install

PLUGIN = '''\
"""Sources, as another package has them: by statements, and by transports."""
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Event, Thread

from r4.errors import InputError
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.nquads import LineReader
from r4.sources.connectors import READER_OPTIONS, SILENCE_OPTIONS, SourceType
from r4.sources.transport import QueuedTransport

STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
ONE = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
CALLS = []
STOP_AT = LOST_AT = -1
GONE = 0


class Stop(BaseException):
    """In place of the death of the process."""


class Source:
    def __init__(self, request):
        self.name = request.place
        self._number = request.number

    def stamps(self, asked):
        return asked

    def chunks(self, dictionary, vocabulary):
        text = f"<urn:g> {STAMP} {ONE} .\\n<urn:ex:a> <urn:ex:p> {ONE} <urn:g> .\\n"
        path = self._path(text)
        document = RdfDocument(path, self._number, Format.N_QUADS)
        self._file = document.open()
        return LineReader(dictionary, self._number, triples=False).chunks(self._file)

    def _path(self, text):
        with NamedTemporaryFile("w", suffix=".nq", delete=False) as file:
            file.write(text)
        return file.name

    def close(self):
        self._file.close()


class Pieces:
    """The bytes of a file, few at once."""

    descriptor = None

    def __init__(self, path):
        data = Path(path).read_bytes()
        self._left = [data[at : at + 7] for at in range(0, len(data), 7)]

    def read(self):
        return self._left.pop(0) if self._left else b""

    def close(self):
        CALLS.append("close")


class Lines:
    """The lines of a file, which a later process can read on."""

    descriptor = None

    def __init__(self, path):
        self._lines = Path(path).read_bytes().splitlines(keepends=True)
        self.position = b""

    def seek(self, position):
        CALLS.append(("seek", position))
        if int(position or 0) < GONE:
            raise InputError(f"what comes behind {position.decode()} is gone")
        self.position = position

    def read(self):
        at = int(self.position or 0)
        if at == STOP_AT:
            raise Stop
        if at == LOST_AT:
            raise ConnectionResetError(104, "reset by peer")
        self.position = b"%d" % (at + 1)
        CALLS.append(("read", self.position))
        return self._lines[at] if at < len(self._lines) else b""

    def acknowledge(self, position):
        kept = b"".join(path.read_bytes() for path in Path().glob("state/*-*.r4*"))
        CALLS.append(("acknowledge", position))
        lines = self._lines[: int(position)]
        assert not Path("state").exists() or all(line in kept for line in lines[-1:])

    def close(self):
        CALLS.append("close")


class Queue(QueuedTransport):
    """The same with a descriptor."""

    def __init__(self, path):
        super().__init__()
        self._lines = Path(path).read_bytes().splitlines(keepends=True)

    def seek(self, position):
        CALLS.append(("seek", position))
        last = len(self._lines) if LOST_AT < 0 else LOST_AT
        for at in range(int(position or 0), last):
            self.put(self._lines[at], b"%d" % (at + 1))
        self.end(None if LOST_AT < 0 else ConnectionResetError(104, "reset by peer"))

    def acknowledge(self, position):
        CALLS.append(("acknowledge", position))

    def close(self):
        CALLS.append("close")
        super().close()


class Patient(Queue):
    """The same, which ends once all is acknowledged."""

    def __init__(self, path):
        super().__init__(path)
        self._is_heard = Event()

    def seek(self, position):
        for at, line in enumerate(self._lines, 1):
            self.put(line, b"%d" % at)
        Thread(target=self._end_at_last, daemon=True).start()

    def _end_at_last(self):
        CALLS.append(("heard", self._is_heard.wait(10)))
        self.end()

    def acknowledge(self, position):
        super().acknowledge(position)
        if position == b"%d" % len(self._lines):
            self._is_heard.set()


def path_of(request):
    return request.place.partition("://")[2]


PIECES = SourceType(lambda request: request.read(Pieces(path_of(request))), READER_OPTIONS)
QUEUE = SourceType(
    lambda request: request.read(Queue(path_of(request)), Format.NDJSON),
    READER_OPTIONS | SILENCE_OPTIONS,
)
PATIENT = SourceType(
    lambda request: request.read(Patient(path_of(request)), Format.NDJSON),
    READER_OPTIONS | SILENCE_OPTIONS,
)
LINES = SourceType(
    lambda request: request.read(Lines(path_of(request)), Format.NDJSON),
    READER_OPTIONS | SILENCE_OPTIONS,
)
'''
ENTRY_POINTS = """\
[r4.sources]
test: = plugged_source:Source
.log = plugged_source:Source
pieces: = plugged_source:PIECES
lines: = plugged_source:LINES
queue: = plugged_source:QUEUE
patient: = plugged_source:PATIENT
"""
RULES = (
    "Document(Prefix(ex <urn:ex:>) Window(5 ms) Group("
    "Forall ?x ?v (?x[ex:q -> ?v] :- ?x[ex:p -> ?v])))"
)
MAPPING = """
[rows]
subject = "urn:ex:{name}"
values = [{ column = "value", predicate = "urn:ex:p", datatype = "xsd:integer" }]
time = { column = "at", format = "integer" }
"""
COUNT = 30
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
TEXTS = {
    "ndjson": "".join(f'{{"name":"é{i % 3}","at":{i},"value":{i}}}\n' for i in range(COUNT)),
    "csv": "name,at,value\n" + "".join(f"é{i % 3},{i},{i}\n" for i in range(COUNT)),
    "nquads": "".join(
        f'<urn:g{i}> {STAMP} "{i}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
        f'<urn:ex:a> <urn:ex:p> "{i}" <urn:g{i}> .\n'
        for i in range(COUNT)
    ),
    "trig": "".join(
        f'<urn:g{i}> {STAMP} {i} .\n<urn:g{i}> {{ <urn:ex:a> <urn:ex:p> "é{i}" . }}\n'
        for i in range(COUNT)
    ),
}


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    install(tmp_path / "installed", monkeypatch, "plugged_source", PLUGIN, ENTRY_POINTS)
    monkeypatch.chdir(tmp_path)
    Path("rules.rif").write_text(RULES)
    Path("m.toml").write_text(MAPPING)
    for name, text in TEXTS.items():
        Path(f"data.{name}").write_text(text, encoding="utf-8")
    module = importlib.import_module("plugged_source")
    monkeypatch.setattr(module, "CALLS", [])
    return module


def run(*args: str, stops: Sequence[type[BaseException]] = ()) -> CommandOutput:
    return call(["run", "rules.rif", *args, "--quiet"], *stops)


@pytest.mark.parametrize("place", ["test://anything", "day.log"])
@pytest.mark.usefixtures("plugged")
def test_a_source_of_another_package_is_read(place: str) -> None:
    done = run(place)
    assert done.code == 0
    assert '"p":"<urn:ex:q>"' in done.out


@pytest.mark.usefixtures("plugged")
def test_a_source_of_another_package_is_no_static_data() -> None:
    done = run("--static", "test://anything")
    assert done.code == 2
    assert "a source of another package is a stream, and only that" in done.err


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.usefixtures("plugged")
def test_payloads_are_read_as_a_file_is(name: str) -> None:
    mapping = ["--mapping", "m.toml"] if name in {"csv", "ndjson"} else []
    wanted = run(f"data.{name}", "-i", f"{name}=data.{name}", *mapping)
    assert wanted.out.count('"op":"+"') == COUNT
    for option in (name, f"{name}=pieces://data.{name}"):
        assert run(f"pieces://data.{name}", "-i", option, *mapping) == wanted


@pytest.mark.usefixtures("plugged")
def test_a_format_that_is_read_whole_is_refused() -> None:
    done = run("pieces://data.csv", "-i", "turtle")
    assert done.code == 2
    assert "pieces://data.csv: Turtle is read whole, so it cannot come from a source" in done.err
    Path("m.toml").write_text(f'{MAPPING}order = "time"\n')
    done = run("pieces://data.csv", "-i", "csv", "--mapping", "m.toml")
    assert done.code == 2
    assert 'm.toml: with order = "time" pieces://data.csv is read whole' in done.err


@pytest.mark.parametrize(
    "option",
    [
        ("-i", "ndjson"),
        ("-i", "ndjson=test://x"),
        ("--mapping", "m.toml"),
        ("--mapping", "m.toml=test://x"),
        ("--context", "urn:c=m.toml"),
        ("--time-predicate", "urn:t"),
        ("--max-expanded", "1MiB"),
        ("--idle", "1s"),
        ("--quiet-for", "1s"),
        ("--clock", "wall"),
    ],
)
@pytest.mark.usefixtures("plugged")
def test_an_option_that_the_source_ignores_is_refused(option: tuple[str, str]) -> None:
    Path("m.toml").write_text('{"@context": {}}' if option[0] == "--context" else MAPPING)
    done = run("test://x", *option)
    assert done.code == 2
    name = "--input-format" if option[0] == "-i" else option[0]
    assert f"{name} has no effect on test://x: its source heeds no option of inputs" in done.err
    assert done.out == ""


@pytest.mark.usefixtures("plugged")
def test_an_option_that_another_input_heeds_is_not_refused() -> None:
    ready = "data.csv", "test://x", "--mapping", "m.toml"
    assert run(*ready).code == 0
    assert run("test://x", "--clock", "data").code == 0
    assert run(*ready, "--mapping", "m.toml=test://x").code == 2
    done = run("pieces://data.csv", "--idle", "1s")
    assert done.code == 2
    assert "heeds --context, --input-format, --mapping, --time-predicate\n" in done.err


@pytest.mark.usefixtures("plugged")
def test_what_the_configuration_says_for_all_runs_is_not_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("R4_RUN_MAPPING", "m.toml")
    assert run("test://x").code == 0


def sent(lines: int) -> bytes:
    """The first lines that a transport delivers."""
    return b"".join(TEXTS["ndjson"].encode().splitlines(keepends=True)[:lines])


LINES = ("lines://data.ndjson", "--mapping", "m.toml")
KEPT = (*LINES, "--state", "state", "--output", "out")


def test_without_a_state_what_was_read_is_acknowledged_as_r4_reads_on(plugged: Any) -> None:
    assert run(*LINES).code == 0
    steps = [[("acknowledge", b"%d" % i), ("read", b"%d" % (i + 1))] for i in range(1, COUNT + 1)]
    expected = [("seek", b""), ("read", b"1"), *(each for step in steps for each in step), "close"]
    assert expected == plugged.CALLS


@pytest.mark.parametrize("place", ["test://x", "pieces://data.nquads"])
@pytest.mark.usefixtures("plugged")
def test_a_source_that_cannot_resume_keeps_no_state(place: str) -> None:
    done = run(place, "--state", "state", "--output", "out")
    assert done.code == 2
    assert f"R4419 {place} cannot be read on in a later run" in done.err
    assert "if it reads a r4.sources.transport.ResumableTransport" in done.err


@pytest.mark.parametrize("every", ["0", "10s"])
def test_a_source_is_read_on_where_another_process_stopped(
    plugged: Any, monkeypatch: pytest.MonkeyPatch, every: str
) -> None:
    args = *KEPT, "--checkpoint-every", every
    run(*LINES, "--output", "plain")
    for stop in (7, 12, 12, 29):
        plugged.CALLS.clear()
        monkeypatch.setattr(plugged, "STOP_AT", stop)
        assert run(*args, stops=[plugged.Stop]).code == STOPPED
        reads = [call[1] for call in plugged.CALLS if call[0] == "read"]
        assert reads[-1:] in ([b"%d" % stop], [])
        assert plugged.CALLS[-1] == "close"
        # R4 waits within `read`, so all was acknowledged before.
        assert plugged.CALLS[-2][1] == b"%d" % stop
        (place,) = json.loads(call(["state", "show", "state"]).out)["sources"]
        assert (place["name"], place["byte"]) == (LINES[0], len(sent(stop)))
    monkeypatch.setattr(plugged, "STOP_AT", -1)
    plugged.CALLS.clear()
    done = run(*args)
    assert done.code == 0
    assert "resumed at line 30 of lines://data.ndjson, nothing lost, nothing twice" in done.err
    assert plugged.CALLS[0] == ("seek", b"29")
    assert plugged.CALLS[-2:] == [("acknowledge", b"31"), "close"]
    assert Path("out").read_bytes() == Path("plain").read_bytes()
    plugged.CALLS.clear()
    assert run(*args).code == 0
    assert plugged.CALLS == []


def test_a_replay_reads_the_journal_alone(plugged: Any) -> None:
    done = run(*LINES, "--state", "state", "--keep-journal")
    plugged.CALLS.clear()
    again = call(["replay", "state"])
    assert again.out == done.out
    assert plugged.CALLS == ["close"]


def test_what_is_gone_from_the_sender_is_told(
    plugged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugged, "STOP_AT", 5)
    run(*KEPT, stops=[plugged.Stop])
    monkeypatch.setattr(plugged, "GONE", 9)
    done = run(*KEPT)
    assert done.code == 3
    assert "R4416 what comes behind 5 is gone\n  hint: let the sender keep what is" in done.err


@pytest.mark.parametrize("scheme", ["lines", "queue"])
def test_a_transport_that_is_lost_ends_the_run_which_goes_on(
    plugged: Any, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    args = [each.replace("lines:", f"{scheme}:") for each in KEPT]
    run(*LINES, "--output", "plain")
    for lost in (5, 5, 20):
        monkeypatch.setattr(plugged, "LOST_AT", lost)
        plugged.CALLS.clear()
        done = run(*args)
        assert done.code == 6
        assert f"{scheme}://data.ndjson: reset by peer" in done.err
        assert plugged.CALLS[-1] == "close"
        assert plugged.CALLS[-2][1] == b"%d" % lost
    monkeypatch.setattr(plugged, "LOST_AT", -1)
    assert run(*args).code == 0
    assert Path("out").read_bytes() == Path("plain").read_bytes()


def test_what_is_read_is_acknowledged_before_it_is_waited_for(plugged: Any) -> None:
    args = [each.replace("lines:", "patient:") for each in KEPT]
    Path("rules.rif").write_text(RULES.replace("ex:p", "ex:other"))  # so there are no answers
    assert run(*args).code == 0
    assert plugged.CALLS == [("acknowledge", b"30"), ("heard", True), "close"]


def test_a_package_that_cannot_be_imported_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(
        tmp_path / "b",
        monkeypatch,
        "broken",
        "import paho_that_is_not",
        "[r4.sources]\nbroken: = broken:X\n",
    )
    (tmp_path / "r.rif").write_text("Document()")
    found = call(["run", str(tmp_path / "r.rif"), "broken://here"])
    assert found.code == 2
    assert "broken:: the package that gives it fails: ModuleNotFoundError" in found.err
    assert "Traceback" not in found.err


def test_a_scheme_that_no_package_reads_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "r.rif").write_text("Document()")
    found = call(["run", str(tmp_path / "r.rif"), "nowhere://here"])
    assert found.code == 2
    assert "nowhere://here: no installed package reads nowhere: (docs/connectors.md)" in found.err
