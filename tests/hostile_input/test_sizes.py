"""What is long or endless: refused with a code and a place, before it takes seconds or memory."""

from __future__ import annotations

import gzip
import json
import lzma
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile_input.commands import Commands, check_bounds, check_refused
from tests.hostile_input.test_graphs import put

LONG = 20_000_000
FACT = "Document(Group(<urn:p>(1)))"
SUBJECT = "<urn:a> <urn:p> "

GRAPHS: dict[str, Callable[[], str]] = {
    "literal.ttl": lambda: f'{SUBJECT}"{"x" * LONG}" .',
    "open.ttl": lambda: f'{SUBJECT}"{"x" * LONG}',
    "lines.ttl": lambda: f'{SUBJECT}"""' + "x\n" * (LONG // 2) + '""" .',
    "quotes.ttl": lambda: f'{SUBJECT}"""' + 'x" ' * (LONG // 3) + '""" .',
    "iri.ttl": lambda: f"{SUBJECT}<urn:{'x' * LONG}> .",
    "name.ttl": lambda: f"{SUBJECT}a:{'x' * LONG} .",
    "number.ttl": lambda: f"{SUBJECT}{'9' * LONG} .",
    "escaped.nt": lambda: f'{SUBJECT}"{"x" * LONG}\\u0041" .',
    "value.jsonld": lambda: f'{{"@id":"urn:a","urn:p":"{"x" * LONG}"}}',
    "list.ttl": lambda: f"{SUBJECT}({'1 ' * 300_000}) .",
    "nodes.ttl": lambda: f"{SUBJECT}{'[] , ' * 300_000}[] .",
    "malformed.nt": lambda: "x\n" * 500_000,
    "unclosed.nt": lambda: f'{SUBJECT}"x\n' * 500_000,
    "malformed.ttl": lambda: "x .\n" * 200_000,
    "unclosed.ttl": lambda: '" .\n' * 200_000,
    "tags.rdf": lambda: "<" * 5_000_000,
    "sections.rdf": lambda: "<![" * 3_000_000,
    "instructions.rdf": lambda: "<?" * 3_000_000,
    "comments.rdf": lambda: "<!--" * 3_000_000,
    "doctypes.rdf": lambda: "<!DOCTYPE r [" * 300_000,
    "entities.rdf": lambda: '<!DOCTYPE r [<!ENTITY a "' * 300_000,
    "attributes.rdf": lambda: "<a b='" * 1_000_000,
    "strings.jsonld": lambda: '"\\' * 5_000_000,
    "terms.jsonld": lambda: json.dumps(
        {"@context": {f"p{n}": f"p{n + 1}:x" for n in range(12_000)}, "p0": "1"}
    ),
}

COMMENTS: dict[str, Callable[[], str]] = {
    "comment.ttl": lambda: f"#{'x' * LONG}\n{SUBJECT}<urn:b> .",
    "inside.trig": lambda: f"<urn:g> {{ #{'x' * LONG}\n{SUBJECT}<urn:b> }}",
}
"""Graphs in Turtle that may be read, though their comments are long."""

QUICK = {"literal.ttl", "escaped.nt", "malformed.nt", "malformed.ttl"}


def each(*names: str) -> list[object]:
    """``names``, most of them left to a full run."""
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in names]


@pytest.mark.slow
@pytest.mark.parametrize("name", each(*GRAPHS))
def test_a_graph_that_costs_too_much_is_refused(r4: Commands, tmp_path: Path, name: str) -> None:
    graph, importer, other = put(tmp_path, name, GRAPHS[name]())
    for args in (("check", importer), ("entails", graph, other)):
        found = r4(*args)
        check_bounds(found, [graph, importer, other])
        assert found.code == 3, (found.args, found.err[-2000:])
        assert re.search(rf"^{re.escape(str(graph))}(:\d+:\d+)?: R4322 DAT10[13] \S", found.err)
        assert len(found.err) < 100_000


@pytest.mark.slow
@pytest.mark.parametrize("name", [*(name for name in GRAPHS if "ed." not in name), "escaped.nt"])
def test_as_data_it_is_left_out(r4: Commands, tmp_path: Path, name: str) -> None:
    graph, rules, _ = put(tmp_path, name, GRAPHS[name]())
    rules.write_text(FACT, "utf-8")
    found = r4("run", rules, "--static", graph)
    check_bounds(found, [graph, rules])
    assert re.search(r"^left out: 1 × DAT10[13]$", found.err, re.MULTILINE), found.err[-2000:]
    assert (found.code, found.out) in {(0, ""), (6, "")}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMENTS)
def test_comments_may_be_long(r4: Commands, tmp_path: Path, name: str) -> None:
    graph, rules, _ = put(tmp_path, name, COMMENTS[name]())
    rules.write_text(FACT, "utf-8")
    found = r4("run", rules, "--static", graph)
    check_bounds(found, [graph, rules])
    assert found.code == 0
    assert found.err.startswith("0 elements, 1 statement; ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["rules.rif.gz", pytest.param("rules.rif.xz", marks=pytest.mark.soak)]
)
def test_a_compressed_rule_file_is_not_unpacked_for_ever(
    r4: Commands, tmp_path: Path, name: str
) -> None:
    bomb, other = tmp_path / name, tmp_path / "other.rif"
    text = FACT.encode() + b" " * (200 << 20)
    bomb.write_bytes(
        gzip.compress(text, 1) if name.endswith("gz") else lzma.compress(text, preset=0)
    )
    other.write_text(FACT, "utf-8")
    for args in (("check", bomb), ("run", bomb), ("entails", bomb, other)):
        check_refused(r4(*args), [bomb, other], "RIF117")


def test_a_circle_of_thousands_of_rules_is_told_in_few_words(r4: Commands, tmp_path: Path) -> None:
    rules = tmp_path / "rules.rif"
    many = 5_000
    circle = "\n".join(
        f"Forall ?x (<urn:p{(n + 1) % many}>(External(func:numeric-add(?x 1))) :- <urn:p{n}>(?x))"
        for n in range(many)
    )
    prefix = "Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)"
    rules.write_text(f"Document({prefix} Group({circle}))", "utf-8")
    found = r4("check", rules)
    check_bounds(found, [rules])
    assert found.code == 0
    assert found.codes == ["RIF304"]
    assert len(found.err) < 5_000


def test_a_name_of_megabytes_is_not_said_again(r4: Commands, tmp_path: Path) -> None:
    rules = tmp_path / "rules.rif"
    rules.write_text(f"Document(Group({'x' * LONG}(1)))", "utf-8")
    found = r4("check", rules)
    check_refused(found, [rules], "RIF112")
    assert len(found.err) < 20_000
