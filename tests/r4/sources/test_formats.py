"""The table of formats of streams: what each needs to be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.errors import InputError
from r4.rdf.documents import Format
from r4.sources.connectors import open_sources
from r4.sources.formats import STREAM_FORMATS
from r4.sources.input_formats import find_document
from r4.stream.source import StreamOptions


def test_without_the_package_a_url_is_the_name_of_a_file_if_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no installed package reads test:"):
        find_document("test://a.nq", 1)
    (tmp_path / "test:").mkdir()
    (tmp_path / "test:" / "a.nq").touch()
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
