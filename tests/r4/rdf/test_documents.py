"""All formats give the same rows as the parser alone, and what is malformed ends nothing else."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pyoxigraph as ox
import pytest

from r4.errors import BadData, Counters, Flaw, InputError
from r4.rdf import documents, parser_output
from r4.rdf.documents import SUFFIXES, Format, RdfDocument, read_chunks, read_static
from r4.rdf.parser_output import as_quads
from r4.sources.formats import RdfSource
from rete.terms.dictionary import Dictionary
from tests.r4.rdf.static_documents import SAMPLES, XML, document, static


def canonical(quads) -> ox.Dataset:
    dataset = ox.Dataset(ox.Quad(q.subject, q.predicate, q.object) for q in quads)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return dataset


@pytest.mark.parametrize("suffix", SAMPLES)
@pytest.mark.parametrize("packed", [False, True])
def test_static_data_are_what_the_parser_reads(suffix, packed, tmp_path: Path) -> None:
    data = SAMPLES[suffix].encode()
    name = suffix + (".gz" if packed else "")
    found = document(tmp_path, name, gzip.compress(data) if packed else data)
    rows, counters = static(found)
    parsed = list(ox.parse(data, found.format.parsed, base_iri=found.base))
    lines = "".join(f"{' '.join(row)} .\n" for row in rows)
    assert canonical(ox.parse(lines, ox.RdfFormat.N_QUADS)) == canonical(parsed)
    assert counters.quads == len(rows) == len(parsed)
    assert not counters.bad
    labels = set(re.findall(r"_:(\S+)", lines))
    assert all(re.fullmatch(r"d3_(?:b|g\d)", label) for label in labels)


def test_there_is_a_sample_of_every_suffix() -> None:
    streams = {Format.RDF_PATCH, Format.ANSWERS}
    never_static = {suffix for suffix, format_ in SUFFIXES.items() if format_ in streams}
    assert set(SAMPLES) == set(SUFFIXES) - never_static


def test_an_unknown_suffix_is_refused() -> None:
    with pytest.raises(InputError, match="suffix"):
        RdfDocument.of("a.csv", 1)


def test_what_has_no_suffix_is_n_quads() -> None:
    for path in ("-", "/dev/fd/63", "pipe", "a.gz"):
        assert RdfDocument.of(path, 1).format == Format.N_QUADS


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    found = RdfDocument.of(str(tmp_path / "missing.nq"), 1)
    with pytest.raises(InputError, match=r"missing.nq: No such file"):
        list(read_static(found, Dictionary(), Counters()))


def test_standard_input_is_n_quads() -> None:
    assert RdfDocument.of("-", 4) == RdfDocument("-", 4, Format.N_QUADS)
    assert RdfDocument.of("-", 4).name == "<stdin>"


@pytest.mark.parametrize(
    "text",
    ['{"@context":"http://schema.org/","@id":"urn:a","name":"x"}', '{"@context":{"@import":"c"}}'],
)
def test_no_context_is_ever_loaded(text, tmp_path: Path) -> None:
    rows, counters = static(document(tmp_path, ".jsonld", text))
    assert not rows
    assert counters.bad == {"DAT103": 1}


def test_a_document_is_parsed_in_parts_so_that_signals_count_between_them(tmp_path: Path) -> None:
    nodes = ",".join(f'{{"@id":"urn:a{n}","urn:p":{n}}}' for n in range(7_000))
    found = document(tmp_path, ".jsonld", f"[{nodes},!".encode())
    with patch.object(parser_output, "as_quads", wraps=as_quads) as convert:
        rows, counters = static(found)
    sizes = [len(call.args[0]) for call in convert.call_args_list]
    assert max(sizes) < 5000
    assert sum(sizes) == len(rows) == counters.quads == 7_000
    assert counters.bad.total() == 1


def test_what_came_before_an_error_in_rdf_xml_counts(tmp_path: Path) -> None:
    found = document(tmp_path, ".rdf", (XML % "").replace("</rdf:RDF>", "</wrong>"))
    rows, counters = static(found)
    assert len(rows) == 4
    assert counters.bad == {"DAT103": 1}
    assert "d.rdf" in counters.samples["DAT103"][0].place


FREE = 1 << 19


@pytest.mark.parametrize("suffix", [".rdf.gz", ".jsonld.gz", ".rdf.xz", ".json.bz2"])
def test_compressed_documents_that_grow_beyond_measure_are_read_no_further(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "FREE_EXPANSION", FREE)
    packers: dict[str, Callable[[bytes], bytes]] = {
        "gz": gzip.compress,
        "xz": lzma.compress,
        "bz2": bz2.compress,
    }
    pack = packers[suffix.rpartition(".")[2]]
    text = (XML % "").encode() if ".rdf" in suffix else b'{"@id":"urn:s","urn:p":1}'
    whole = document(tmp_path, suffix, pack(text + b" " * (FREE - len(text))))
    assert static(whole)[0]
    rows, counters = static(document(tmp_path, suffix, pack(text + b" " * FREE)))
    assert not rows
    assert "times its compressed size" in counters.samples["DAT103"][0].message


def test_a_document_that_is_held_whole_has_a_longest_size(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(documents, "LONGEST_WHOLE", 100)
    rows, counters = static(document(tmp_path, ".rdf", (XML % "") + " " * 100))
    assert not rows
    assert "more than 100 bytes" in counters.samples["DAT103"][0].message


def test_triples_of_named_graphs_are_static_too(tmp_path: Path) -> None:
    rows, _ = static(document(tmp_path, ".nq", SAMPLES[".nq"]))
    assert [row[2] for row in rows] == ['"01"^^<urn:d>', "_:d3_b"]


def test_malformed_statements_are_left_out_or_refused(tmp_path: Path) -> None:
    found = document(tmp_path, ".nt", "<urn:a> <urn:b> <urn:c> .\nfoo\n<urn:a> <urn:b> 'x' .\n")
    rows, counters = static(found)
    assert len(rows) == 1
    assert counters.bad == {"DAT101": 2}
    assert [sample.place for sample in counters.samples["DAT101"]] == [
        f"{found.path}:2",
        f"{found.path}:3",
    ]
    with pytest.raises(BadData, match=r"d.nt:2: DAT101"):
        static(found, strict=True)


@pytest.mark.parametrize("suffix", [".nq", ".ttl", ".trig", ".nt"])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_marks_line_ends_and_junk_are_survived(suffix, newline, tmp_path: Path) -> None:
    good = b"<urn:s> <urn:p> <urn:o> ."
    lines = [good, b'<urn:s> <urn:p> "\xff" .', b"\x00\x01 .", good, b"", b"# end"]
    rows, counters = static(document(tmp_path, suffix, b"\xef\xbb\xbf" + newline.join(lines)))
    assert len(rows) == 2
    assert set(counters.bad) == {"DAT101"}


@pytest.mark.parametrize("suffix", SAMPLES)
def test_empty_documents_are_documents(suffix, tmp_path: Path) -> None:
    rows, counters = static(document(tmp_path, suffix, b""))
    assert not rows
    assert counters.bad == ({"DAT103": 1} if suffix in {".json", ".jsonld"} else {})


def test_a_truncated_file_counts_up_to_there(tmp_path: Path) -> None:
    whole = b"".join(b"<urn:s%d> <urn:p> <urn:o%d> .\n" % (i, i * i) for i in range(60_000))
    packed = gzip.compress(whole)
    rows, counters = static(document(tmp_path, ".nt.gz", packed[: len(packed) // 2]))
    assert 10_000 < len(rows) < 50_000
    assert counters.bad["DAT103"] == 1
    assert counters.bad["DAT101"] <= 1
    sample = counters.samples["DAT103"][0]
    assert re.search(r"d\.nt\.gz:\d+$", sample.place)
    assert "what was read before counts" in sample.message


def test_a_line_beyond_all_measure_is_skipped(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("r4.rdf.nquads.LONGEST", 2_000_000)
    good = b"<urn:s> <urn:p> <urn:o> .\n"
    huge = b'<urn:s> <urn:p> "' + b"x" * 6_000_000 + b'" .\n'
    rows, counters = static(document(tmp_path, ".nq", good + huge + good + b"foo\n"))
    assert len(rows) == 2
    assert [str(s).partition(".nq:")[2] for s in counters.samples["DAT101"]] == [
        "2: DAT101 a line of more than 2000000 bytes",
        *[str(s).partition(".nq:")[2] for s in counters.samples["DAT101"][1:]],
    ]
    assert counters.samples["DAT101"][1].place.endswith(":4")


def test_a_long_line_is_read(tmp_path: Path) -> None:
    huge = b'<urn:s> <urn:p> "' + b"x" * 5_000_000 + b'" .\n'
    rows, counters = static(document(tmp_path, ".nq", huge * 2))
    assert [len(row[2]) for row in rows] == [5_000_002] * 2
    assert not counters.bad


@pytest.mark.parametrize(
    ("suffix", "predicate", "message"),
    [
        (".ttl", None, "needs --time-predicate"),
        (".nt", None, "needs --time-predicate"),
    ],
)
def test_what_is_no_stream_is_refused(suffix, predicate, message, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        RdfSource(document(tmp_path, suffix, SAMPLES[suffix]), time_predicate=predicate)


def test_a_graph_cannot_be_read_whole_from_standard_input() -> None:
    with pytest.raises(InputError, match="standard input"):
        RdfSource(RdfDocument("-", 1, Format.TURTLE), time_predicate="urn:t")


def test_faults_stand_between_the_rows_they_stood_between(tmp_path: Path) -> None:
    found = document(tmp_path, ".nq", "<urn:a> <urn:b> <urn:c> .\nx\n\n# c\ny\n_:a <urn:b> _:c .")
    source = found.open()
    chunks = list(read_chunks(found, source, Dictionary()))
    source.close()
    faults = [fault for chunk in chunks for fault in chunk.faults]
    assert [(fault.flaw, fault.row, fault.line) for fault in faults] == [
        (Flaw.SYNTAX, 1, 2),
        (Flaw.SYNTAX, 2, 5),
    ]
    assert [chunks[0].lines.line_of(row) for row in range(2)] == [1, 3]
