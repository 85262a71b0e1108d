"""The table of sinks: its names are those of the command line, and other packages add rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.sinks.formats import FORMATS, SinkFormat, find_format, format_names
from tests.paths import ROOT
from tests.simulation.command import call
from tests.simulation.plugged import install

PLUGIN = '''\
"""A form of answers and a place, as another package has them."""
from contextlib import contextmanager
from pathlib import Path

from r4.sinks.formats import FORMATS, SinkFormat


class Counting:
    left_out = 0

    def __init__(self):
        self.count = 0

    def render(self, changes):
        self.count += len(changes)
        return b""

    def finish(self):
        return b"%d changes\\n" % self.count


COUNT = SinkFormat(lambda given: Counting(), "how many changes there are")
NOT_A_FORMAT = "count"


@contextmanager
def memory(url):
    with Path(url.removeprefix("memory://")).open("wb") as file:
        yield file
'''
ENTRY_POINTS = """\
[r4.sinks]
count = plugged:COUNT
wrong = plugged:NOT_A_FORMAT
memory: = plugged:memory
"""


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a package is installed that extends R4."""
    install(tmp_path / "installed", monkeypatch, "plugged", PLUGIN, ENTRY_POINTS)
    return tmp_path / "installed"


def files(tmp_path: Path) -> tuple[str, str]:
    rules, stream = tmp_path / "rules.rif", tmp_path / "stream.nq"
    rules.write_text(
        "Document(Prefix(ex <urn:ex:>) Window(5 ms) Group("
        "Forall ?x (?x[ex:q -> 1] :- ?x[ex:p -> 1])))"
    )
    one = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    stamp = "<http://www.w3.org/ns/prov#generatedAtTime>"
    stream.write_text(f"<urn:g> {stamp} {one} .\n<urn:ex:a> <urn:ex:p> {one} <urn:g> .\n")
    return str(rules), str(stream)


def test_the_help_of_run_names_each_form() -> None:
    help_text = call(["run", "--help"]).out
    assert "|".join(FORMATS) in "".join(help_text.split())


@pytest.mark.parametrize("name", FORMATS)
def test_each_form_is_documented(name: str) -> None:
    assert name in (ROOT / "docs" / "semantics.md").read_text("utf-8")


@pytest.mark.usefixtures("plugged")
def test_a_form_of_another_package_is_written(tmp_path: Path) -> None:
    assert format_names() == (*FORMATS, "count", "wrong")
    done = call(["run", *files(tmp_path), "--as", "count", "--drain"])
    assert (done.code, done.out) == (0, "2 changes\n")


@pytest.mark.usefixtures("plugged")
def test_a_place_of_another_package_is_written_to(tmp_path: Path) -> None:
    target = tmp_path / "answers"
    done = call(["run", *files(tmp_path), "--output", f"memory://{target}", "--drain"])
    assert (done.code, done.out) == (0, "")
    assert target.read_text().count('"op"') == 2


@pytest.mark.usefixtures("plugged")
def test_a_place_of_another_package_goes_without_a_state(tmp_path: Path) -> None:
    place = f"memory://{tmp_path / 'answers'}"
    done = call(["run", *files(tmp_path), "--output", place, "--state", str(tmp_path / "state")])
    assert done.code == 2
    assert "a place cannot be cut back, so it goes without --state" in done.err


@pytest.mark.usefixtures("plugged")
def test_a_form_that_nobody_has_is_refused(tmp_path: Path) -> None:
    done = call(["run", *files(tmp_path), "--as", "xml"])
    assert done.code == 2
    assert "'turtle', 'count'" in done.err


@pytest.mark.usefixtures("plugged")
def test_what_is_no_form_is_told() -> None:
    with pytest.raises(TypeError, match="gives no SinkFormat"):
        find_format("wrong")
    with pytest.raises(KeyError):
        find_format("xml")
    assert isinstance(find_format("count"), SinkFormat)
