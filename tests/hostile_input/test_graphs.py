"""Graphs made to hurt, as imports, premises and conclusions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.hostile_input.commands import CommandOutcome, Commands, check_bounds

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e#"'
SECRET = "file:///etc/hostname"
MEGABYTE = "x" * 900_000
DEEP = "<e:C><e:p>" * 9_999 + "</e:p></e:C>" * 9_999
LAUGHS = '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))


def xml(subset: str, value: str, external: str = "") -> str:
    node = f'<rdf:Description rdf:about="urn:a"><e:p>{value}</e:p></rdf:Description>'
    return f"<!DOCTYPE a {external} [{subset}]><rdf:RDF {RDF}>{node}</rdf:RDF>"


REFUSED: dict[str, str | bytes] = {
    "laughs.rdf": xml(LAUGHS, "&l9;"),
    "gigabytes.rdf": xml(f'<!ENTITY a "{MEGABYTE}">', "&a;" * 2_300),
    "blanks.rdf": xml(f'<!ENTITY\x85a "{MEGABYTE}">', "&a;" * 2_300),
    "hidden.rdf": f'<!DOCTYPE a SYSTEM "["><rdf:RDF {RDF}>{DEEP}</rdf:RDF><!-- ]> -->',
    "entity.rdf": xml(f'<!ENTITY a SYSTEM "{SECRET}">', "&a;"),
    "parameter.rdf": xml(f'<!ENTITY % a SYSTEM "{SECRET}"> %a;', "1"),
    "open.rdf": f"<rdf:RDF {RDF}>" + "<e:C><e:p>" * 50_000,
    "deep.rdf": f"<rdf:RDF {RDF}>{DEEP}</rdf:RDF>",
    "wide.rdf": xml("", "1").encode("utf-32"),
    "deep_and_wide.rdf": f"<rdf:RDF {RDF}>{DEEP}</rdf:RDF>".encode("utf-16"),
    "entity_and_wide.rdf": xml(f'<!ENTITY a SYSTEM "{SECRET}">', "&a;").encode("utf-16"),
    "open.ttl": "<urn:a> <urn:p> " + "[<urn:p> " * 50_000,
    "open.trig": "<urn:g> { <urn:a> <urn:p> " + "(" * 50_000,
    "triples.ttl": "<urn:a> <urn:p> " + "<<( <urn:a> <urn:p> " * 50_000,
    "latin.ttl": b'<urn:a> <urn:p> "\xe9" .',
    "wide.ttl": "<urn:a> <urn:p> <urn:b> .".encode("utf-16"),
    "nul.nt": b"\0" * 100_000,
    "deep.jsonld": "[" * 100_000,
    "remote.jsonld": '{"@context":"http://example.org/c","@id":"urn:a","urn:p":1}',
    "local.jsonld": f'{{"@context":"{SECRET}","@id":"urn:a","urn:p":1}}',
}
READ: dict[str, str | bytes] = {
    "dtd.rdf": xml("", "1", f'SYSTEM "{SECRET}"'),
    "deep.ttl": "<urn:a> <urn:p> " + "[<urn:p> " * 9_999 + "1" + "]" * 9_999 + ".",
    "lists.ttl": "<urn:a> <urn:p> " + "(" * 9_999 + ")" * 9_999 + ".",
    "long.ttl": '<urn:a> <urn:p> "' + "x" * 3_000_000 + '".',
    "long.nt": f"<urn:{'a' * 3_000_000}> <urn:p> <urn:b> .",
    "number.ttl": f"<urn:a> <urn:p> {'9' * 500_000} .",
    "xml.nt": f'<urn:a> <urn:p> "{"<a>" * 50_000}"^^<{RDF[11:54]}XMLLiteral> .',
}
"""What is well-formed however odd: answered, within the same bounds."""
LONG = {"gigabytes.rdf"}


def put(folder: Path, name: str, data: str | bytes) -> tuple[Path, Path, Path]:
    """A graph, a document that imports it, and one that has nothing to do with it."""
    graph, importer, other = folder / name, folder / "main.rif", folder / "other.rif"
    graph.write_bytes(data if isinstance(data, bytes) else data.encode())
    importer.write_text(
        f"Document(Import(<{name}> <http://www.w3.org/ns/entailment/Simple>) Group(<urn:p>(1)))",
        "utf-8",
    )
    other.write_text("Document(Group(<urn:p>(1)))", "utf-8")
    return graph, importer, other


def asked(r4: Commands, folder: Path, name: str, data: str | bytes) -> list[CommandOutcome]:
    graph, importer, other = put(folder, name, data)
    found = [
        r4("check", importer),
        r4("run", importer),
        r4("entails", importer, other),
        r4("entails", graph, other),
        r4("entails", other, graph),
    ]
    for outcome in found:
        check_bounds(outcome, [graph, importer, other])
    return found


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in REFUSED],
)
def test_a_hostile_graph_is_refused_in_its_own_name(
    r4: Commands, tmp_path: Path, name: str
) -> None:
    for found in asked(r4, tmp_path, name, REFUSED[name]):
        assert found.code == 3, (found.args, found.err)
        assert re.search(rf"^{re.escape(str(tmp_path / name))}(:\d+:\d+)?: R4322 \S", found.err)


@pytest.mark.parametrize("name", READ)
def test_an_odd_graph_is_read(r4: Commands, tmp_path: Path, name: str) -> None:
    graph, importer, other = put(tmp_path, name, READ[name])
    for args, code in ((("check", importer), 0), (("entails", importer, other), 0)):
        found = r4(*args)
        check_bounds(found, [graph, importer, other])
        assert found.code == code, found.err[-2000:]
