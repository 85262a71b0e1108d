"""The table of sources: what is a stream, and sources of other packages by scheme and suffix."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.errors import InputError
from r4.rdf.documents import Format
from r4.sources.formats import STREAM_FORMATS, open_sources
from r4.sources.input_formats import find_document
from r4.stream.source import StreamOptions
from tests.simulation.command import call

PLUGIN = '''\
"""Sources, as another package has them: a scheme, and a suffix."""
from tempfile import NamedTemporaryFile

from r4.rdf.documents import Format, RdfDocument
from r4.rdf.nquads import LineReader

STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
ONE = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'


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
'''
ENTRY_POINTS = """\
[r4.sources]
test: = plugged_source:Source
.log = plugged_source:Source
"""


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "installed"
    info = folder / "plugged_source-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "plugged_source.py").write_text(PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(folder))


@pytest.mark.parametrize("place", ["test://anything", "day.log"])
@pytest.mark.usefixtures("plugged")
def test_a_source_of_another_package_is_read(tmp_path: Path, place: str) -> None:
    rules = tmp_path / "rules.rif"
    rules.write_text(
        "Document(Prefix(ex <urn:ex:>) Window(5 ms) Group("
        "Forall ?x (?x[ex:q -> 1] :- ?x[ex:p -> 1])))"
    )
    done = call(["run", str(rules), place])
    assert done.code == 0
    assert '"p":"<urn:ex:q>"' in done.out


@pytest.mark.usefixtures("plugged")
def test_a_source_of_another_package_is_no_static_data(tmp_path: Path) -> None:
    rules = tmp_path / "rules.rif"
    rules.write_text("Document(Group())")
    done = call(["run", str(rules), "--static", "test://anything"])
    assert done.code == 2
    assert "a source of another package is a stream, and only that" in done.err


def test_without_the_package_a_url_is_the_name_of_a_file() -> None:
    assert find_document("test://a.nq", 1).format == Format.N_QUADS
    with pytest.raises(InputError, match="no RDF format is known by its suffix"):
        find_document("day.log", 1)


def test_formats_without_graphs_need_a_time_predicate_or_a_mapping(tmp_path: Path) -> None:
    for format_, row in STREAM_FORMATS.items():
        path = tmp_path / f"{format_.name}"
        path.write_text("")
        document = find_document(str(path), 1)
        document = type(document)(document.path, 1, format_)
        if format_ is Format.PARQUET:  # a mapping may be left out
            continue
        if format_.is_table:
            with pytest.raises(InputError, match="needs --mapping"):
                open_sources([document], StreamOptions())
        elif not row.needs_time:
            (source,) = open_sources([document], StreamOptions())
            source.close()
        else:
            with pytest.raises(InputError, match="needs --time-predicate"):
                open_sources([document], StreamOptions())
