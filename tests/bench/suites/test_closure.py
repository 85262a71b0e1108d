"""Closures of a tiny university: R4 and the peers agree, and what is reported is what was found."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from bench.command import command
from bench.harness.process_usage import Usage
from bench.suites.closure import (
    ClosureContestant,
    ClosureReport,
    ClosureRuns,
    close_graphs,
    closure_ratios,
    findings,
)
from bench.suites.closure_parts import LESS, PARTS, Triple, parse_triple
from bench.workloads.graphs.university import ONTOLOGY, graph
from bench.workloads.stream_terms import RDF_TYPE, SAME_AS
from tests.bench.requests import requested

SIZE = 700
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
UNI = "http://university.example/ontology#"


def closed(program, part, tmp_path):
    source, output = tmp_path / "graph.nt", tmp_path / "closed.nt"
    source.write_text("".join(graph(SIZE)), encoding="utf-8")
    program = (sys.executable, "-m", f"bench.peers.close_{program}")
    done = subprocess.run(
        (*program, source, part, output), stdout=subprocess.PIPE, check=True, text=True
    )
    told = ClosureReport(**json.loads(done.stdout))
    assert told.triples >= SIZE
    return output.read_text(encoding="utf-8").splitlines()


def is_assertion(found: Triple) -> bool:
    """Whether it is about individuals, in the words of the ontology: what all agree on."""
    s, p, o = found
    ours = f"<{ONTOLOGY}"
    about = p.startswith(ours) or p == SAME_AS or (p == RDF_TYPE and o.startswith(ours))
    return about and not s.startswith('"') and not (p == SAME_AS and s == o)


@pytest.mark.soak
def test_the_peers_agree_on_what_is_said_of_individuals(tmp_path):
    pytest.importorskip("owlrl")
    pytest.importorskip("reasonable")
    found = [
        set(filter(is_assertion, map(parse_triple, closed(peer, "owl-rl-less", tmp_path))))
        for peer in ("owlrl", "reasonable")
    ]
    assert found[0] == found[1]
    leads = [t for t in found[0] if t[2] == f"<{UNI}Chair>"]
    assert len(leads) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "peer"), [(name, peer) for name in PARTS for peer in PARTS[name].peers]
)
def test_r4_closes_a_graph_as_its_peers_do(part, peer, tmp_path):
    pytest.importorskip(peer)
    ours, theirs = close_graphs(requested(tmp_path, sizes=[SIZE], peers=[peer]), [part])
    assert (ours.key.runner, theirs.key.runner) == ("r4", peer)
    assert not theirs.wrong
    assert 0.7 * SIZE < theirs.compared <= theirs.runs[0][1].triples


@pytest.mark.slow
def test_closure_is_a_name_of_r4_bench(tmp_path):
    told = tmp_path / "found.json"
    args = ("closure", "--graph", "400", "--repeat", "1", "--json", str(told))
    done = CliRunner().invoke(command, args, standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 0
    found = json.loads(told.read_text())
    assert [run["part"] for run in found["closures"]] == list(PARTS)


def test_a_line_is_a_triple_and_xsd_string_goes_without_saying():
    string = "http://www.w3.org/2001/XMLSchema#string"
    assert parse_triple("<a> <b> <c> .\n") == ("<a>", "<b>", "<c>")
    assert parse_triple(f'<a> <b> "x . y"^^<{string}> .\n') == ("<a>", "<b>", '"x . y"')
    assert parse_triple('<a> <b> "x"@en .') == ("<a>", "<b>", '"x"@en')
    assert parse_triple(f"<a> <b> <{string}> .") == ("<a>", "<b>", f"<{string}>")


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (f"<urn:a> <{RDF}type> <urn:b> .", {"rdfs", "owl-rl", "owl-rl-less"}),
        (f'"a" <{RDF}type> <urn:b> .', set()),
        ("<urn:a> <http://www.w3.org/2002/07/owl#sameAs> <urn:a> .", set()),
        (
            "<urn:a> <http://www.w3.org/2002/07/owl#sameAs> <urn:b> .",
            {"rdfs", "owl-rl", "owl-rl-less"},
        ),
        (f"<urn:a> <{RDF}type> <http://www.w3.org/2002/07/owl#Thing> .", {"rdfs", "owl-rl"}),
        (
            "<urn:a> <urn:subClassOf> <http://www.w3.org/2002/07/owl#Thing> .",
            {"rdfs", "owl-rl", "owl-rl-less"},
        ),
        (
            f"<{RDF}HTML> <{RDF}type> <http://www.w3.org/2000/01/rdf-schema#Class> .",
            {"owl-rl", "owl-rl-less"},
        ),
        (
            f"<{RDF}HTML> <{RDF}type> <http://www.w3.org/2000/01/rdf-schema#Datatype> .",
            {"owl-rl-less"},
        ),
    ],
)
def test_each_part_leaves_out_what_it_says(line, parts):
    first = {name: next(iter(part.peers)) for name, part in PARTS.items()}
    assert {name for name, part in PARTS.items() if part.compared([line], first[name])} == parts


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (f"<urn:a> <{RDF}type> <urn:b> .", {"rdfs", "owl-rl", "owl-rl-less"}),
        ("<urn:a> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:b> .", set()),
        (f"<urn:a> <{RDF}type> <http://www.w3.org/2000/01/rdf-schema#Resource> .", set()),
        (f"<urn:a> <{RDF}type> <http://www.w3.org/2002/07/owl#Class> .", set()),
        (f'"a" <{RDF}type> <urn:b> .', set()),
    ],
)
def test_with_sparq_individuals_are_compared(line, parts):
    assert {name for name, part in PARTS.items() if part.compared([line], "sparq")} == parts


def test_the_common_rules_leave_out_what_reasonable_gets_wrong():
    assert {"prp-fp", "eq-rep-p", "cls-svf2", "scm-sco", "scm-eqc1"} <= LESS
    assert not {"prp-ifp", "eq-ref", "scm-eqc2", "prp-spo2", "prp-key", "scm-cls"} & LESS
    assert len(LESS) == 35


def closing(runner, part, size, *seconds, stopped=False, wrong=""):
    runs = [
        (
            Usage(took + 0.5, took, 80_000_000),
            ClosureReport(0.25, took - 0.25, 0.1, 0.0, 3 * size, stopped),
        )
        for took in seconds
    ]
    return ClosureRuns(ClosureContestant(runner, part, size), runs, compared=7, wrong=wrong)


def test_ratios_are_medians_over_the_rounds_and_bounds_are_said():
    found = [
        closing("r4", "owl-rl", 1000, 0.5, 0.5, 0.5),
        closing("r4", "owl-rl", 10_000, 2.0, 4.0, 1.0),
        closing("owlrl", "owl-rl", 10_000, 20.0, 20.0, 200.0),
    ]
    peer, growth = closure_ratios(found)
    assert (peer.over.triples, peer.of.runner, peer.net) == (10_000, "owlrl", 0.1)
    assert (peer.most, peer.kept) == (1 / 50, False)
    assert (growth.of.triples, growth.net, growth.most, growth.kept) == (1000, 4.0, 12.0, True)


def test_who_was_stopped_gives_an_upper_bound():
    found = [
        closing("r4", "rdfs", 100_000, 6.0, 8.0),
        closing("owlrl", "rdfs", 100_000, 600.0, stopped=True),
    ]
    (share,) = closure_ratios(found)
    assert share.net == 0.01
    assert share.kept
    text = str(findings(found).tables[0])
    assert "> 599.75" in text


def test_a_difference_makes_the_report_wrong_and_is_said():
    found = [closing("r4", "rdfs", 100, 1.0, wrong="1 missing, such as a b c")]
    report = findings(found)
    assert report.wrong
    assert "1 missing, such as a b c" in "".join(map(str, report.tables))
    assert '"wrong": "1 missing, such as a b c"' in json.dumps(report.figures)
    assert not findings([closing("r4", "rdfs", 100, 1.0)]).wrong
