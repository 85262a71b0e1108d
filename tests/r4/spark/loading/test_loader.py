"""Loading, unit by unit in one process: what the tables say is what the files say."""

from __future__ import annotations

import bz2
import gzip
import json
import os
from collections import Counter
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.errors import InputError
from r4.spark.loading import inputs, loader, portions, predicate_parts, term_buckets
from r4.spark.loading.inputs import FileSplit, find_inputs, splits
from r4.spark.loading.loader import BulkLoad, LoadReport
from r4.spark.loading.term_columns import split_terms
from r4.spark.loading.work_folder import WorkFolder
from rif.syntax.terms import IRI, BlankNode, Literal
from tests.oracles.streams import parquet_folder
from tests.simulation.spark.in_process_units import LocalUnitRunner

IRIS = st.integers(0, 6).map(lambda n: f"<http://e.x/{n}>")
BLANKS = st.integers(0, 2).map(lambda n: f"_:b{n}")
LITERALS = st.one_of(
    st.sampled_from(['"a"', '"a"@en', '"a"@EN-gb', r'"\u00e9\n"', '"é"', '""', r'"\\\"@en"']),
    st.integers(-2, 3).map(lambda n: f'"{n}"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=4).map(
        lambda text: str(ox.Literal(text))
    ),
)
GRAPHS = st.one_of(st.just(""), IRIS.map(" {}".format), BLANKS.map(" {}".format))
LINES = st.builds(
    "{} {} {}{} .".format,
    st.one_of(IRIS, BLANKS),
    IRIS,
    st.one_of(IRIS, BLANKS, LITERALS),
    GRAPHS,
)
BAD = st.sampled_from(["nonsense", "<a> <b> <c> .", '<http://e.x/1> "x" <http://e.x/2> .'])
REST = st.sampled_from(["", "# a comment"])
FILES = st.lists(
    st.lists(st.one_of(LINES, LINES, LINES, BAD, REST), max_size=14), min_size=1, max_size=3
)


def load(named: list[str], into: Path) -> LoadReport:
    begun = BulkLoad(into, LocalUnitRunner())
    return begun.finish(begun.read(find_inputs(named)))


@pytest.mark.slow
@given(FILES, st.sampled_from(["\n", "\r\n"]), st.integers(1, 90), st.data())
def test_the_tables_say_what_the_files_say(
    tmp_path_factory: pytest.TempPathFactory,
    files: list[list[str]],
    end: str,
    step: int,
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("load")
    due: Counter[ox.Quad] = Counter()
    rejected = []
    for number, lines in enumerate(files, 1):
        path = folder / f"{number}.nq"
        path.write_bytes("".join(line + end for line in lines).encode())
        for at, line in enumerate(lines, 1):
            try:
                found = list(ox.parse(line, ox.RdfFormat.N_QUADS))
            except SyntaxError:
                rejected.append((str(path), at))
            else:
                for quad in found:
                    places = (quad.subject, quad.object, quad.graph_name)
                    s, o, g = (parquet_folder.scoped(part, number) for part in places)
                    due[ox.Quad(s, quad.predicate, o, g)] += 1
    small = {
        (inputs, "MOST_BYTES"): step,
        (inputs, "LEAST_BYTES"): 1,
        (portions, "MOST_ROWS"): data.draw(st.integers(1, 6)),
        (loader, "BUCKET_TERMS"): data.draw(st.integers(1, 9)),
        (predicate_parts, "PART_ROWS"): data.draw(st.integers(1, 6)),
        (term_buckets, "bounds"): portions.bounds,
    }
    with mock.patch("r4.spark.loading.predicate_parts.MANY", 1):
        for (module, name), value in small.items():
            mock.patch.object(module, name, value).start()
        try:
            report = load([str(folder / f"{n}.nq") for n in range(1, len(files) + 1)], folder / "x")
        finally:
            mock.patch.stopall()
    assert parquet_folder.quads(folder / "x") == due
    assert report.triples == sum(due.values())
    assert sum(report.bad.values()) == len(rejected)
    if rejected:
        rows = pq.read_table(folder / "x" / "rejected").to_pylist()
        assert sorted((row["file"], row["line"]) for row in rows) == sorted(rejected)


def test_terms_that_share_a_hash_are_told_apart() -> None:
    texts = pa.array(["b", "a", "b", "c", "a"], pa.large_string())
    hashes = np.array([7, 7, 7, 9, 7], np.uint64)
    order, first = term_buckets.distinct(hashes, texts)
    assert [texts[at].as_py() for at in order[first].tolist()] == ["a", "b", "c"]
    assert [texts[at].as_py() for at in order.tolist()] == ["a", "a", "b", "b", "c"]


TERMS = st.one_of(
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=6).map(Literal),
    st.sampled_from(["", '"@en', '"^^<x>', "a\\", "\n", '\\"']).map(
        lambda text: Literal(text, "http://e.x/type")
    ),
    st.just(Literal('a"@de', "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en-gb")),
    st.just(IRI("http://e.x/é")),
    st.just(BlankNode("d1_x")),
)


@given(st.lists(TERMS, min_size=1))
def test_columns_of_a_term_are_its_parts(terms: list[IRI | BlankNode | Literal]) -> None:
    columns = split_terms(pa.array(map(str, terms), pa.large_string()))
    for place, term in enumerate(terms):
        kind, lexical, datatype, language = (columns[name][place].as_py() for name in columns)
        match term:
            case IRI(value):
                assert (kind, lexical, datatype, language) == ("iri", value, None, None)
            case BlankNode(label):
                assert (kind, lexical, datatype, language) == ("blank", label, None, None)
            case Literal():
                assert (kind, lexical, datatype, language or "") == (
                    *("literal", term.lexical, term.datatype),
                    term.language,
                )


def test_all_formats_and_compressions_are_one_graph(tmp_path: Path) -> None:
    line = b"<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n"
    (tmp_path / "a.nt").write_bytes(line)
    (tmp_path / "b.nt.gz").write_bytes(gzip.compress(line))
    (tmp_path / "c.nq.bz2").write_bytes(bz2.compress(line))
    (tmp_path / "d.ttl").write_bytes(line)
    (tmp_path / "e.trig").write_text("GRAPH <http://e.x/g> { <http://e.x/a> <http://e.x/p> 1 }")
    (tmp_path / "f.jsonld").write_text(
        '{"@id":"http://e.x/a","http://e.x/p":{"@id":"http://e.x/b"}}'
    )
    (tmp_path / "g.rdf").write_text(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.x/">'
        '<rdf:Description rdf:about="http://e.x/a"><e:p rdf:resource="http://e.x/b"/>'
        "</rdf:Description></rdf:RDF>"
    )
    (tmp_path / "readme.txt").write_text("no RDF")
    (tmp_path / "_marks").mkdir()
    (tmp_path / "_marks" / "h.nt").write_text("nonsense")
    found = find_inputs([str(tmp_path)])
    assert [Path(path).name for path in found.passed] == ["readme.txt"]
    report = load([str(tmp_path)], tmp_path / "into")
    a, p, b = (ox.NamedNode(f"http://e.x/{name}") for name in "apb")
    one = ox.Literal("1", datatype=ox.NamedNode("http://www.w3.org/2001/XMLSchema#integer"))
    assert parquet_folder.quads(tmp_path / "into") == Counter(
        {ox.Quad(a, p, b): 6, ox.Quad(a, p, one, ox.NamedNode("http://e.x/g")): 1}
    )
    assert (report.files, report.bad) == (7, {})


def test_blank_nodes_are_those_of_their_file(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.ttl").write_text("_:x <http://e.x/p> [] .")
    load([str(tmp_path / "*.ttl")], tmp_path / "into")
    terms = pq.read_table(tmp_path / "into" / "terms").to_pylist()
    labels = sorted(row["lexical"] for row in terms if row["kind"] == "blank")
    assert labels == ["d1_g1", "d1_x", "d2_g1", "d2_x"]


def test_numbers_are_a_column(tmp_path: Path) -> None:
    lines = ['"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>', '"1.50"', '"x"^^<http://e.x/t>']
    (tmp_path / "a.nt").write_text(
        "".join(f"<http://e.x/a> <http://e.x/p> {text} .\n" for text in lines)
    )
    load([str(tmp_path / "a.nt")], tmp_path / "into")
    terms = pq.read_table(tmp_path / "into" / "terms").to_pylist()
    numbers = {
        (row["lexical"], row["datatype"][-7:]): row["number"] for row in terms if row["datatype"]
    }
    assert numbers == {
        ("1.50", "decimal"): 1.5,
        ("1.50", "#string"): None,
        ("x", "p://e.x/t"[-7:]): None,
    }


def test_a_broken_archive_counts_up_to_where_it_breaks(tmp_path: Path) -> None:
    line = "<http://e.x/%d> <http://e.x/p> <http://e.x/b> .\n"
    packed = gzip.compress("".join(line % n for n in range(50_000)).encode())
    (tmp_path / "a.nt.gz").write_bytes(packed[: len(packed) // 2])
    report = load([str(tmp_path / "a.nt.gz")], tmp_path / "into")
    assert report.bad["DAT103"] == 1
    assert 0 < report.triples < 50_000
    assert any("what was read before counts" in sample.message for sample in report.samples)


def test_a_line_too_long_and_bytes_that_are_no_text_are_left_out(tmp_path: Path) -> None:
    good = b"<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n"
    with (tmp_path / "a.nt").open("wb") as file:
        file.write(good)
        file.write(b'<http://e.x/a> <http://e.x/p> "')
        for _ in range(100):
            file.write(b"x" * (1 << 20))
        file.write(b'" .\n<http://e.x/a> <http://e.x/p> "\xff\xfe" .\n')
        file.write(good)
    report = load([str(tmp_path / "a.nt")], tmp_path / "into")
    assert report.triples == 2
    rows = pq.read_table(tmp_path / "into" / "rejected").to_pylist()
    assert sorted(row["line"] for row in rows) == [2, 3]
    assert any("a line of more than" in row["reason"] for row in rows)


def test_nothing_but_what_a_load_made_is_replaced(tmp_path: Path) -> None:
    data, into = tmp_path / "a.nt", tmp_path / "into"
    data.write_text("<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n")
    load([str(data)], into)
    data.write_text("<http://e.x/a> <http://e.x/q> <http://e.x/c> .\n")
    load([str(data)], into)
    (quad,) = parquet_folder.quads(into)
    assert quad.predicate == ox.NamedNode("http://e.x/q")
    assert sorted(path.name for path in into.iterdir()) == [
        "_SUCCESS",
        "mapped",
        "terms",
        "triples",
    ]
    (into / "mine.txt").touch()
    with pytest.raises(InputError, match="there is something else in this folder"):
        BulkLoad(into, LocalUnitRunner())


def test_of_two_simultaneous_loads_into_one_folder_the_second_is_refused(tmp_path: Path) -> None:
    data, into = tmp_path / "a.nt", tmp_path / "into"
    data.write_text("<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n")
    first = BulkLoad(into, LocalUnitRunner())
    read = first.read(find_inputs([str(data)]))
    with pytest.raises(InputError, match="another load into this folder is not done yet"):
        BulkLoad(into, LocalUnitRunner())
    assert first.finish(read).triples == 1
    first.abandon()
    assert load([str(data)], into).triples == 1


class Breaking(LocalUnitRunner):
    """Runs units up to a stage."""

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def run(self, work: WorkFolder, stage: str, says: str, units: int) -> list[str]:
        if stage == self.stage:
            raise KeyboardInterrupt
        return super().run(work, stage, says, units)


@pytest.mark.parametrize("stage", ["read", "merge", "name", "rewrite", "part"])
def test_a_load_that_breaks_leaves_what_was_there(tmp_path: Path, stage: str) -> None:
    data, into = tmp_path / "a.nt", tmp_path / "into"
    data.write_text("<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n")
    load([str(data)], into)
    before = parquet_folder.quads(into)
    data.write_text("<http://e.x/a> <http://e.x/q> <http://e.x/c> .\n")
    broken = BulkLoad(into, Breaking(stage))
    with pytest.raises(KeyboardInterrupt):
        broken.finish(broken.read(find_inputs([str(data)])))
    del broken
    assert parquet_folder.quads(into) == before
    assert (into / "_SUCCESS").exists()
    load([str(data)], into)
    assert parquet_folder.quads(into) != before


def test_a_byte_order_mark_is_one_at_the_start_of_a_file_only(tmp_path: Path) -> None:
    line = "<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n"
    (tmp_path / "a.nt").write_text(f"\ufeff{line}\ufeff{line}")
    with mock.patch.multiple(inputs, LEAST_BYTES=len(line) + 3, MOST_BYTES=len(line) + 3):
        report = load([str(tmp_path)], tmp_path / "into")
    assert report.triples == 1
    assert [sample.place for sample in report.samples] == [f"{tmp_path / 'a.nt'}:2"]


def test_what_a_load_made_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text("<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n")
    into = tmp_path / "into"
    assert load([str(tmp_path)], into).files == 1
    assert (into / "mapped" / "index.json").exists()
    assert load([str(tmp_path)], into).files == 1
    assert find_inputs([str(tmp_path)]).passed == []


def test_what_cannot_be_read_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    with pytest.raises(InputError, match="no file with the suffix of an RDF format"):
        find_inputs([str(tmp_path)])
    with pytest.raises(InputError, match=r"no RDF format is known by its suffix"):
        find_inputs([str(tmp_path / "a.txt")])
    with pytest.raises(InputError, match="no file is called so"):
        find_inputs([str(tmp_path / "*.nt")])
    with pytest.raises(InputError, match="No such file"):
        find_inputs([str(tmp_path / "b.nt")])
    with pytest.raises(InputError, match="standard input"):
        find_inputs(["-"])
    (tmp_path / "c.rdfp").touch()
    with pytest.raises(InputError, match="RDF Patch is a stream"):
        find_inputs([str(tmp_path / "c.rdfp")])


def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.nt").touch()
    shut = tmp_path / "shut"
    shut.mkdir()
    refusal = PermissionError(13, "Permission denied", str(shut))
    scandir = os.scandir

    def scan(path: str) -> object:
        if Path(path) == shut:  # what a user without rights is told; root is told nothing
            raise refusal
        return scandir(path)

    with mock.patch("os.scandir", scan), pytest.raises(InputError, match="shut: Permission denied"):
        find_inputs([str(tmp_path)])


def test_large_files_of_lines_are_split_and_others_are_not(tmp_path: Path) -> None:
    for name in ("a.nt", "b.nt.gz", "c.ttl"):
        (tmp_path / name).write_bytes(b"x" * 100)
    with mock.patch.object(inputs, "LEAST_BYTES", 40), mock.patch.object(inputs, "MOST_BYTES", 40):
        found = list(splits(find_inputs([str(tmp_path)]).documents, cores=2))
    ranges = [(Path(each.path).name, each.begin, each.end) for each in found]
    assert ranges == [
        ("a.nt", 0, 40),
        ("a.nt", 40, 80),
        ("a.nt", 80, 100),
        ("b.nt.gz", 0, -1),
        ("c.ttl", 0, -1),
    ]
    assert isinstance(found[0], FileSplit)


def test_a_unit_that_is_lost_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text("<http://e.x/a> <http://e.x/p> <http://e.x/b> .\n")
    begun = BulkLoad(tmp_path / "into", LocalUnitRunner())
    found = find_inputs([str(tmp_path / "a.nt")])
    (tmp_path / "a.nt").unlink()
    (tmp_path / "a.nt").mkdir()
    with pytest.raises(InputError, match="Is a directory"):
        begun.read(found)


def test_the_index_is_json(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text("<http://e.x/a> <http://e.x/p> <http://e.x/b> .\nno\n")
    load([str(tmp_path / "a.nt")], tmp_path / "into")
    told = json.loads((tmp_path / "into" / "mapped" / "index.json").read_text())
    assert (told["triples"], told["terms"], told["bad"]) == (1, 3, {"DAT101": 1})
    assert list(told["predicates"].values()) == [{"00000": 1}]
