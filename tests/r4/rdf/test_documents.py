"""All formats give the same rows as the parser alone, and hostile documents end nothing else."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyoxigraph as ox
import pytest

from r4.errors import BadData, Counters, Flaw, InputError
from r4.rdf import documents
from r4.rdf.blank_nodes import BlankNodeNames, absent_from
from r4.rdf.documents import SUFFIXES, Format, RdfDocument, read_chunks, read_static
from r4.rdf.gates.json_gate import json_fault
from r4.rdf.gates.xml_gate import LONGEST_MARKUP, WellFormedPrefix, well_formed_prefix
from r4.sources.formats import RdfSource
from rete.terms.dictionary import Dictionary

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XML = (
    f'<rdf:RDF xmlns:rdf="{RDF}" xmlns="urn:">%s<rdf:Description rdf:about="urn:s">'
    '<p xml:lang="EN">é</p><q rdf:nodeID="b"/><r><rdf:Description><p>x</p></rdf:Description></r>'
    "</rdf:Description></rdf:RDF>"
)
SAMPLES = {
    ".nt": '<urn:s> <urn:p> "\\u00e9"@EN .\n_:b <urn:p> _:b . # end\n',
    ".nq": '<urn:s> <urn:p> "01"^^<urn:d> <urn:g> .\n\n_:b <urn:p> _:b .\n',
    ".ttl": '@prefix : <#> . :s :p "x"@EN, [ :q 1.50 ], (1), _:b .',
    ".n3": "@prefix : <#> . :s :p true .",
    ".trig": "@prefix : <urn:> . :g { :s :p [] } :s :p 'x' .",
    ".rdf": XML % "",
    ".owl": XML % "",
    ".xml": XML % "<!-- <<<<< --><![CDATA[ ]]>",
    ".jsonld": '{"@id":"urn:s","urn:p":[{"urn:q":1},{"@id":"_:b"},{"@value":"x"}]}',
    ".json": '{"@context":{"p":"urn:p"},"@id":"urn:s","p":"x"}',
}


def document(folder: Path, suffix: str, text: str | bytes) -> RdfDocument:
    path = folder / f"d{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return RdfDocument.of(str(path), 3)


def static(found: RdfDocument, *, strict: bool = False) -> tuple[list[tuple[str, ...]], Counters]:
    dictionary, counters = Dictionary(), Counters()
    parts = list(read_static(found, dictionary, counters, strict=strict))
    texts = dictionary.decode_many(np.concatenate(parts).ravel()) if parts else []
    return list(zip(texts[::3], texts[1::3], texts[2::3], strict=True)), counters


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


def test_what_came_before_an_error_in_rdf_xml_counts(tmp_path: Path) -> None:
    found = document(tmp_path, ".rdf", (XML % "").replace("</rdf:RDF>", "</wrong>"))
    rows, counters = static(found)
    assert len(rows) == 4
    assert counters.bad == {"DAT103": 1}
    assert "d.rdf" in counters.samples["DAT103"][0].place


@pytest.mark.parametrize(
    ("suffix", "text", "reason"),
    [
        (".json", '{"urn:p":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
        (".rdf", XML % ("<rdf:Description><p>" * 100_000), "nested too deeply"),
        (
            ".rdf",
            '<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>' + XML % "",
            "more than plain entities",
        ),
        (".rdf", f'<!DOCTYPE r [<!ENTITY a "{"x" * 9999}">]>{XML % ("&a;" * 9999)}', "entities"),
    ],
)
def test_bombs_do_not_reach_the_parser(suffix, text, reason, tmp_path: Path) -> None:
    rows, counters = static(document(tmp_path, suffix, text))
    assert not rows
    assert reason in counters.samples["DAT103"][0].message


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


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE rdf:RDF [<!ENTITY xsd "http://www.w3.org/2001/XMLSchema#">]>' + XML % "",
        '<?xml version="1.0"?>\n<!-- <a> -->\n<!DOCTYPE rdf:RDF>' + XML % "",
        XML % ('<a b=">"/>' * 9999),
        XML % ("<!-- <a> -->" * 9999),
        XML % ("<![CDATA[<a>]]>" * 9999),
    ],
)
def test_harmless_xml_passes_the_gate_whole(text: str) -> None:
    assert well_formed_prefix(text.encode()) == WellFormedPrefix(len(text.encode()))


SCHEMA = {f"t{number}": f"schema:t{number}" for number in range(5000)}


@pytest.mark.parametrize(
    "text",
    [
        '{"a":"' + "{[" * 9999 + '"}',
        "[" + "{},[]," * 9999 + "0]",
        '{"a":"@context", "@context":"urn:c", "b":"' + '\\"' * 9999 + '"}',
        json.dumps({"@context": {"schema": "urn:s:", **SCHEMA}}),
        json.dumps({"@context": [None, {"a": {"@id": "b:c", "@context": SCHEMA}, "b": "urn:b:"}]}),
    ],
)
def test_harmless_json_passes_the_gate(text: str) -> None:
    assert not json_fault(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "<" * 3_000_000,
        XML % ("<![" * 1_000_000),
        XML % ("<?" * 1_000_000),
        XML % ("<!--" * 1_000_000),
        "<!DOCTYPE r [" * 300_000,
        '<!DOCTYPE r [<!ENTITY a "' * 300_000,
        XML % ("<a b='" * 1_000_000),
    ],
    ids=["tags", "sections", "instructions", "comments", "doctypes", "entities", "attributes"],
)
def test_the_gate_reads_each_byte_of_xml_that_does_not_end_a_few_times(text: str) -> None:
    found = well_formed_prefix(text.encode())
    assert found.fault.startswith("no XML from here on")
    assert found.end < len(XML)


LONG = "x" * LONGEST_MARKUP


@pytest.mark.parametrize(
    "text",
    [
        f"<a b='{LONG}",
        f"<a {LONG}",
        f"<!--{LONG}",
        f"<?x {LONG}",
        f"<?x {LONG}{LONG}?><a/>",
        f'<!DOCTYPE r [<!ENTITY a "{LONG}',
        "<!DOCTYPE r [" + '<!ENTITY a "x">' * (LONGEST_MARKUP // 10) + "]><r/>",
        f"<r><!-- -->{LONG}<!--{LONG}{LONG}--></r>",
    ],
    ids=["value", "tag", "comment", "target", "instruction", "entity", "entities", "in-content"],
)
def test_markup_that_a_piece_of_xml_does_not_finish_is_looked_at_no_further(text: str) -> None:
    """Expat begins anew with such markup whenever it is given more: quadratic time."""
    found = well_formed_prefix(text.encode())
    assert found == WellFormedPrefix(0, 1, f"markup of more than {LONGEST_MARKUP} bytes is refused")


@pytest.mark.parametrize("begin", [0, 1, LONGEST_MARKUP // 2, LONGEST_MARKUP - 9, LONGEST_MARKUP])
def test_markup_as_long_as_a_piece_of_xml_passes_wherever_it_begins(begin: int) -> None:
    text = f"<r>{'y' * begin}<!--{LONG[13:]}--><a b='{LONG[20:]}'/>{LONG * 3}</r>".encode()
    assert well_formed_prefix(text) == WellFormedPrefix(len(text))


DEEP = "<rdf:Description><p>" * 1000


@pytest.mark.parametrize(
    "text",
    [
        f'<!DOCTYPE r [<!ENTITY a "]><rdf:RDF><!--">]>{XML % DEEP}',
        f"<!DOCTYPE r SYSTEM '[<!--'>{XML % DEEP}",
        f"<!DOCTYPE r [<!ENTITY a 'x'>]>{XML % DEEP}",
        f'<!DOCTYPE r [<!ENTITY\x85a "x">]>{XML % DEEP}',
        f'<!DOCTYPE r [<!ENTITY % a "x">]>{XML % DEEP}',
        f'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>{XML % "&a;"}',
        f"<!DOCTYPE r [<!-- ]><r><!-- -->]>{XML % DEEP}",
        f'<!DOCTYPE r [<!ATTLIST a b CDATA "]>">]>{XML % DEEP}',
    ],
)
def test_nothing_hides_behind_a_doctype(text: str, tmp_path: Path) -> None:
    rows, counters = static(document(tmp_path, ".rdf", text))
    assert not rows
    assert counters.bad == {"DAT103": 1}


def test_what_follows_the_first_fault_of_xml_is_not_parsed(tmp_path: Path) -> None:
    faulty = (XML % "").replace("</rdf:RDF>", f"& {DEEP}</rdf:RDF>")
    rows, counters = static(document(tmp_path, ".rdf", faulty))
    assert len(rows) == 4
    assert counters.bad == {"DAT103": 1}
    sample = counters.samples["DAT103"][0]
    assert "no XML from here on: not well-formed" in sample.message
    assert sample.place.endswith("d.rdf:1")


def chain(length: int, last: str) -> dict[str, str]:
    terms = {f"p{number}": f"p{number + 1}:x" for number in range(length)}
    return {**terms, f"p{length}": last}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"@context": chain(9999, "urn:x"), "p0": "1"}),
        json.dumps({"@context": chain(9999, "p0:x"), "p0": "1"}),
        json.dumps({"@context": ["urn:c", {"a": {"@id": "urn:a", "@context": chain(999, "p:")}}]}),
        json.dumps({"@context": {f"p{n}": {"@id": f"p{n + 1}"} for n in range(9999)}}),
        json.dumps({"a": {"@context": chain(9999, "urn:x")}}).replace("@", "\\u0040"),
        json.dumps({"@context": {f"p{n}": {"@type": f"p{n + 1}:"} for n in range(9999)}}),
    ],
)
def test_terms_of_a_context_that_need_each_other_in_a_long_chain_are_refused(
    text: str, tmp_path: Path
) -> None:
    rows, counters = static(document(tmp_path, ".jsonld", text))
    assert not rows
    assert "each defined by the next" in counters.samples["DAT103"][0].message


def test_a_string_of_json_that_does_not_end_is_looked_at_once() -> None:
    assert not json_fault(b'"\\' * 1_000_000)


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


def named(text: str) -> list[str]:
    data = text.encode()
    quads = ox.serialize(ox.parse(data, ox.RdfFormat.TRIG), format=ox.RdfFormat.N_QUADS)
    assert quads is not None
    return BlankNodeNames().rename(quads, absent_from(data)).decode().splitlines()


def test_generated_nodes_are_numbered_as_they_are_written() -> None:
    assert set(named("[] <urn:p> [ <urn:q> [] ; <urn:r> ( [] 2 ) ] . [] <urn:p> [] .")) == {
        "_:g1 <urn:p> _:g2 .",
        "_:g2 <urn:q> _:g3 .",
        "_:g2 <urn:r> _:g4 .",
        f"_:g4 <{RDF}first> _:g5 .",
        f"_:g4 <{RDF}rest> _:g6 .",
        f'_:g6 <{RDF}first> "2"^^<http://www.w3.org/2001/XMLSchema#integer> .',
        f"_:g6 <{RDF}rest> <{RDF}nil> .",
        "_:g7 <urn:p> _:g8 .",
    }
    assert named("[] { [] <urn:p> [] }") == ["_:g2 <urn:p> _:g3 _:g1 ."]


def test_labels_are_kept_and_never_meet_a_generated_name() -> None:
    assert named("_:g1 <urn:p> [] . [] <urn:p> _:g2 . _:g1 <urn:p> _:g3, '_:g2 .' .") == [
        "_:g1 <urn:p> _:g2 .",
        "_:g3 <urn:p> _:g2-1 .",
        "_:g1 <urn:p> _:g3-1 .",
        '_:g1 <urn:p> "_:g2 ." .',
    ]


def test_a_label_that_looks_random_is_kept() -> None:
    label = "abcdef0123456789abcdef0123456789"
    assert named(f"_:{label} <urn:p> '_:{label} .', [] .") == [
        f'_:{label} <urn:p> "_:{label} ." .',
        f"_:{label} <urn:p> _:g1 .",
    ]


def test_deep_nests_are_numbered_without_recursion() -> None:
    depth = 5000
    lines = named("<urn:s> <urn:p> " + "[ <urn:p> " * depth + "1" + " ]" * depth + " .")
    assert lines[-1] == "<urn:s> <urn:p> _:g1 ."
    assert lines[0].startswith(f"_:g{depth} ")


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
