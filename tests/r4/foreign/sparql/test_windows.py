"""Queries over streams report what an engine of SPARQL finds in the content of their windows."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import pyoxigraph as ox
import pytest

from r4.foreign.errors import NoCounterpart, NotReadable
from r4.foreign.rule_parser import parse_rules
from r4.foreign.sparql.continuous import ContinuousQuery
from r4.language import LANGUAGE
from rif.syntax import ast
from rif.syntax.traversal import rules
from temporal.intervals.durations import DurationLiteral
from tests.r4.foreign.sparql.queries import NODES, PROLOGUE, Triple, value
from tests.seeds import parts
from tests.simulation.command import call

GENERATED_AT: Final = "<http://www.w3.org/ns/prov#generatedAtTime>"
SECOND: Final = 1000


class Case(NamedTuple):
    """A query, and what it asks at a report.

    Attributes:
        sparql: the same in SPARQL, over graphs that have the content of windows.
        graphs: the length of the window of each graph in seconds; "": the default graph.
        step: how far apart reports are, in seconds.
    """

    query: str
    sparql: str
    graphs: dict[str, int]
    step: int


_MEAN: Final = "SELECT ?s (AVG(?v) AS ?m) { ?s ex:c ?v } GROUP BY ?s"
CASES: Final = {
    "RSP-QL": Case(
        "REGISTER RSTREAM <urn:o> AS CONSTRUCT { ?s out:p ?v } "
        "FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE PT10S STEP PT5S] "
        "WHERE { WINDOW <urn:w> { ?s ex:c ?v FILTER(?v > 1) } }",
        "CONSTRUCT { ?s out:p ?v } { GRAPH <urn:w> { ?s ex:c ?v FILTER(?v > 1) } }",
        {"urn:w": 10},
        5,
    ),
    "two windows": Case(
        "REGISTER RStream <urn:o> AS CONSTRUCT { ?s out:p ?v } "
        "FROM NAMED WINDOW ex:w ON STREAM ex:s [RANGE 4000 STEP 2000] "
        "FROM NAMED WINDOW ex:l ON STREAM ex:s [RANGE PT0M20S STEP PT2S] "
        f"WHERE {{ WINDOW ex:w {{ ?s ex:c ?v }} WINDOW ex:l {{ {_MEAN} }} FILTER(?v > ?m) }}",
        f"CONSTRUCT {{ ?s out:p ?v }} {{ GRAPH ex:w {{ ?s ex:c ?v }} "
        f"GRAPH ex:l {{ {_MEAN} }} FILTER(?v > ?m) }}",
        {"urn:ex:w": 4, "urn:ex:l": 20},
        2,
    ),
    "not in a longer window": Case(
        "CONSTRUCT { ?s out:p ?v } FROM NAMED WINDOW ex:w ON ex:s [RANGE 3s STEP 1s] "
        "FROM NAMED WINDOW ex:l ON ex:s [RANGE 10s STEP 1s] "
        "WHERE { WINDOW ex:w { ?s ex:c ?v } "
        "FILTER NOT EXISTS { WINDOW ex:l { ?s ex:a ?x } } }",
        "CONSTRUCT { ?s out:p ?v } { GRAPH ex:w { ?s ex:c ?v } "
        "FILTER NOT EXISTS { GRAPH ex:l { ?s ex:a ?x } } }",
        {"urn:ex:w": 3, "urn:ex:l": 10},
        1,
    ),
    "a path in a window": Case(
        "CONSTRUCT { ?s out:p ?o } FROM NAMED WINDOW ex:w ON ex:s [RANGE 3s STEP 1s] "
        "FROM NAMED WINDOW ex:l ON ex:s [RANGE 12s STEP 1s] "
        "WHERE { WINDOW ex:w { ?s ex:a ?x } WINDOW ex:l { ?s ex:a+ ?o } }",
        "CONSTRUCT { ?s out:p ?o } { GRAPH ex:w { ?s ex:a ?x } GRAPH ex:l { ?s ex:a+ ?o } }",
        {"urn:ex:w": 3, "urn:ex:l": 12},
        1,
    ),
    "C-SPARQL": Case(
        "REGISTER STREAM q COMPUTED EVERY 4s AS CONSTRUCT { ?s out:p ?n } "
        "FROM STREAM <urn:s> [RANGE 8s STEP 4s] "
        "WHERE { { SELECT ?s (COUNT(*) AS ?n) "
        "{ ?s ex:a ?o OPTIONAL { ?s ex:c ?v } } GROUP BY ?s } }",
        "CONSTRUCT { ?s out:p ?n } WHERE { { SELECT ?s (COUNT(*) AS ?n) "
        "{ ?s ex:a ?o OPTIONAL { ?s ex:c ?v } } GROUP BY ?s } }",
        {"": 8},
        4,
    ),
    "CQELS": Case(
        "construct { ?s out:p ?v } where { ?s ex:fixed ?f . "
        "stream <urn:s> [range 5s slide 1s] { ?s ex:c ?v } }",
        "CONSTRUCT { ?s out:p ?v } { ?s ex:fixed ?f . ?s ex:c ?v }",
        {"": 5},
        1,
    ),
    "tumbling": Case(
        "CONSTRUCT { ?s out:p ?m } FROM STREAM <urn:s> [RANGE 6s TUMBLING] "
        f"WHERE {{ {{ {_MEAN} }} }}",
        f"CONSTRUCT {{ ?s out:p ?m }} {{ {{ {_MEAN} }} }}",
        {"": 6},
        6,
    ),
}
STATIC: Final = f"{NODES[0]} <urn:ex:fixed> 1 .\n{NODES[1]} <urn:ex:fixed> 2 .\n"


def elements(random: Random) -> list[tuple[int, str]]:
    """Seconds and triples, in order: up to thirty."""
    seconds = sorted(random.randint(1, 40) for _ in range(random.randint(1, 30)))
    return [
        (
            second,
            f"{random.choice(NODES)} <urn:ex:c> {random.randint(1, 4)} ."
            if random.random() < 0.6
            else f"{random.choice(NODES)} <urn:ex:a> {random.choice(NODES)} .",
        )
        for second in seconds
    ]


def content(stream: list[tuple[int, str]], second: int, length: int) -> str:
    return STATIC + "\n".join(line for at, line in stream if second - length < at <= second)


def wanted(case: Case, stream: list[tuple[int, str]]) -> dict[int, set[Triple]]:
    """What is constructed at each report, if anything is."""
    found: dict[int, set[Triple]] = {}
    first, last = stream[0][0], stream[-1][0]
    for second in range(first, last + 1):
        if second % case.step:
            continue
        store = ox.Store()
        for name, length in case.graphs.items():
            graph = ox.NamedNode(name) if name else ox.DefaultGraph()
            data = content(stream, second, length).encode()
            store.load(data, format=ox.RdfFormat.TURTLE, to_graph=graph)
        made = store.query(PROLOGUE + case.sparql)
        assert isinstance(made, ox.QueryTriples)
        triples = {(str(x.subject), str(x.predicate), value(str(x.object))) for x in made}
        if triples:
            found[second] = triples
    return found


def reported(case: Case, stream: list[tuple[int, str]], folder: Path) -> dict[int, set[Triple]]:
    """What `r4 run` reports, by its marks."""
    (folder / "query.rq").write_text(PROLOGUE + case.query, "utf-8")
    (folder / "static.ttl").write_text(STATIC, "utf-8")
    with (folder / "stream.trig").open("w", encoding="utf-8") as file:
        for number, (second, line) in enumerate(stream):
            file.write(f"<urn:g{number}> {GENERATED_AT} {second * SECOND} .\n")
            file.write(f"<urn:g{number}> {{ {line} }}\n")
    files = [str(folder / name) for name in ("query.rq", "stream.trig")]
    found = call(["run", *files, "--static", str(folder / "static.ttl")])
    assert found.code == 0, found.err
    lines: dict[int, set[Triple]] = defaultdict(set)
    for line in map(json.loads, found.lines()):
        assert line["op"] == "="
        lines[line["at"] // SECOND].add((line["s"], line["p"], value(line["o"])))
    return dict(lines)


@pytest.mark.parametrize("seed", parts(1, check=3, test=8, soak=100))
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_report_is_of_the_content_of_the_windows(case: Case, seed: int, tmp_path: Path) -> None:
    stream = elements(Random(f"{seed} {case.query}"))  # noqa: S311 - it makes a case
    assert reported(case, stream, tmp_path) == wanted(case, stream)


# what is read


def read(text: str) -> ContinuousQuery:
    return ContinuousQuery.of(text)


@pytest.mark.parametrize(
    ("text", "length", "step"),
    [
        ("RANGE PT10M STEP PT1M", ("10", "m"), ("1", "m")),
        ("RANGE PT1H30M STEP PT0.5S", ("90", "m"), ("500", "ms")),
        ("RANGE P1D", ("1", "d"), None),
        ("range 3000ms step 1s", ("3000", "ms"), ("1", "s")),
        ("RANGE 10 m SLIDE 1 min", ("10", "m"), ("1", "m")),
        ("RANGE 10000 STEP 5000", ("10000", ""), ("5000", "")),
        ("RANGE 5s TUMBLING", ("5", "s"), ("5", "s")),
        ("NOW", None, None),
        ("ALL", ("inf", ""), None),
    ],
)
def test_a_window_has_a_range_and_a_step(
    text: str, length: tuple[str, str] | None, step: tuple[str, str] | None
) -> None:
    query = "SELECT * FROM STREAM <urn:s> [{}] {{ ?s ?p ?o }}"
    (window,) = read(query.format(text)).windows
    assert window.length == (length and DurationLiteral(*length))
    assert window.step == (step and DurationLiteral(*step))


def test_all_else_stands_where_it_stood() -> None:
    text = """PREFIX : <urn:x:>
REGISTER ISTREAM :o AS SELECT ?s # WINDOW
FROM NAMED WINDOW :w ON :s [RANGE 5s STEP 1s]
WHERE { WINDOW :w { ?s :p "REGISTER STREAM x AS" } STREAM :t [NOW] { ?s :q 1 } }"""
    found = read(text)
    assert len(found.text) == len(text)
    assert (found.name, found.output, found.every) == ("urn:x:o", "+", DurationLiteral("1", "s"))
    assert found.text.splitlines()[3] == (
        'WHERE { GRAPH ?0  { ?s :p "REGISTER STREAM x AS" } GRAPH ?1        { ?s :q 1 } }'
    )


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("SELECT * FROM STREAM <s> [TRIPLES 10] { }", NoCounterpart, 26),
        ("SELECT * FROM STREAM <s> [RANGE soon] { }", NotReadable, 26),
        ("SELECT * FROM STREAM <s> [RANGE 0s] { }", NotReadable, 26),
        ("SELECT * FROM STREAM <s> { }", NotReadable, 26),
        ("SELECT * FROM NAMED WINDOW <w> [RANGE 1s] { }", NotReadable, 10),
        ("SELECT * { WINDOW <w> { } }", NotReadable, 19),
        ("REGISTER QUERY q", NotReadable, 17),
    ],
)
def test_what_is_no_window_of_time_is_refused(
    text: str, kind: type[NotReadable | NoCounterpart], place: int
) -> None:
    with pytest.raises(kind) as caught:
        read(text)
    assert caught.value.span.column == place


def test_one_length_is_the_window_of_the_document() -> None:
    text = "SELECT ?s FROM NAMED WINDOW <w> ON <s> [RANGE PT5M] { WINDOW <w> { ?s ?p ?o } }"
    assert parse_rules(text.encode(), language=LANGUAGE).document.window == ast.Window("5", "m")


@pytest.mark.parametrize(
    "window", ["FROM NAMED WINDOW <w> ON <s> [RANGE 5s] { WINDOW <w>", "{ STREAM <s> [RANGE 5s]"]
)
def test_a_star_has_no_column_for_a_window(window: str) -> None:
    text = f"SELECT * {window} {{ ?s ?p ?o }} }}"
    (rule,) = rules(parse_rules(text.encode(), language=LANGUAGE).document)
    assert isinstance(rule, ast.Forall)
    assert [each.name for each in rule.variables] == ["s", "p", "o"]


def warnings(text: str) -> list[str]:
    return [each.message for each in parse_rules(text.encode(), language=LANGUAGE).warnings]


def test_what_options_say_is_said() -> None:
    query = "SELECT ?s {} FROM STREAM <b> [RANGE 2s STEP 1s] {{ ?s ?p ?o }}"
    (message,) = warnings(query.format(""))
    assert "reports every 1 s" in message
    several = warnings(query.format("FROM STREAM <a> [RANGE 1s STEP 1s]"))
    assert "several lengths" in " ".join(several)
    named = (
        "SELECT * FROM NAMED WINDOW <v> ON <a> [RANGE 1s] FROM NAMED WINDOW <w> ON <b> [RANGE 2s]"
    )
    (message,) = warnings(f"{named} {{ WINDOW <v> {{ ?s ?p ?o }} WINDOW <w> {{ ?s ?q ?o }} }}")
    assert "all streams" in message


@pytest.mark.parametrize(
    ("query", "options", "ops"),
    [
        ("REGISTER RSTREAM <o> AS", [], {"="}),
        ("REGISTER ISTREAM <o> AS", [], {"+"}),
        ("REGISTER DSTREAM <o> AS", [], {"-"}),
        ("REGISTER QUERY o AS", ["--report", "changes", "--every", "2s"], {"+", "-"}),
        ("REGISTER ISTREAM <o> AS", ["--every", "2s"], {"="}),
    ],
)
def test_a_query_says_what_is_reported(
    query: str, options: list[str], ops: set[str], tmp_path: Path
) -> None:
    text = "SELECT ?s FROM STREAM <s> [RANGE 2s STEP 1s] WHERE { ?s <urn:p> ?o }"
    (tmp_path / "query.rq").write_text(f"{query} {text}", "utf-8")
    lines = [
        f"<urn:g{second}> {GENERATED_AT} {second * SECOND} .\n"
        f"<urn:g{second}> {{ <urn:s{second}> <urn:p> 1 }}\n"
        for second in range(1, 9)
    ]
    (tmp_path / "stream.trig").write_text("".join(lines), "utf-8")
    files = [str(tmp_path / name) for name in ("query.rq", "stream.trig")]
    found = call(["run", *files, *options])
    assert found.code == 0, found.err
    assert {json.loads(line)["op"] for line in found.lines()} == ops


def test_a_run_happens_again_with_the_reports_of_its_query(tmp_path: Path) -> None:
    text = "SELECT ?s FROM STREAM <s> [RANGE 3s STEP 2s] WHERE { ?s <urn:p> ?o }"
    (tmp_path / "query.rq").write_text(text, "utf-8")
    lines = [
        f"<urn:g{second}> {GENERATED_AT} {second * SECOND} .\n"
        f"<urn:g{second}> {{ <urn:s{second}> <urn:p> 1 }}\n"
        for second in range(1, 9)
    ]
    (tmp_path / "stream.trig").write_text("".join(lines), "utf-8")
    state, output = str(tmp_path / "state"), tmp_path / "out.jsonl"
    files = [str(tmp_path / name) for name in ("query.rq", "stream.trig")]
    command = ["run", *files, "--state", state, "--output", str(output), "--quiet"]
    assert call(command).code == 0
    assert {json.loads(line)["op"] for line in output.read_text("utf-8").splitlines()} == {"="}
    assert call(["replay", state]).out == output.read_text("utf-8")
