"""The people of the university as a stream, under the rules of OWL 2 RL: triples a second.

Each individual is a graph, one a millisecond; the ontology is static, the window is ten seconds.
The rule asks who leads a department. Nothing asserts that somebody is a chair: it follows from a
defined class (a person, head of some department), and a person he is by his rank.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final, TypeAlias

from bench.harness.benchmark import Findings, Request
from bench.harness.rounds import Series, first_wrong, run_rounds
from bench.harness.tables import format_megabytes, tabled
from bench.workloads import catalogue
from bench.workloads.catalogue import Files
from bench.workloads.expected_answers import outcome
from bench.workloads.graphs.university import ONTOLOGY, described_individuals, ontology, stream
from bench.workloads.stream_terms import RDF_TYPE

WINDOW: Final = 10_000
"""Milliseconds."""
RULES: Final = catalogue.RULES / "chairs.rif"

EntailedStream: TypeAlias = Series[int, tuple[int, int, int]]
"""A stream of at least so many triples; each run reports counts of answers."""


def run(request: Request) -> Findings:
    """Read a stream of each size.

    Raises:
        RunFailed: R4 ended with an error.
    """
    sizes, files = sorted(set(request.sizes)), Files(request.folder)
    paths = {size: files.file(f"people-{size}.nq", lambda n=size: stream(n)) for size in sizes}  # type: ignore[misc]
    static = files.file("university.nt", lambda: iter(ontology()))
    nobody = files.file("nobody.nq", lambda: iter(()))
    regime = ("--entailment", "owl-rl", "--static", str(static))
    words = (sys.executable, "-m", "r4", "run", str(RULES), "--window", "10s", *regime)
    right = {size: (0, *count_chairs(size)) for size in sizes}
    triples = {size: sum(len(about) for _, about in described_individuals(size)) for size in sizes}

    def check(each: EntailedStream, _: int) -> str:
        found = each.reports[-1]
        return "" if found == right[each.key] else f"{found} instead of {right[each.key]} answers"

    found = [EntailedStream(size) for size in sizes]
    run_rounds(
        request,
        found,
        lambda each, _: (*words, str(paths[each.key])),
        _count_answers,
        title=lambda each: f"a stream of {each.key:,} triples under owl-rl",
        idle=lambda _: (*words, str(nobody)),
        check=check,
    )
    table = tabled(
        "The university as a stream under owl-rl, window 10 s.",
        ("triples", "seconds", "triples/s", "peak MB", "+", "-", "answers"),
        (
            (
                f"{triples[each.key]:,}",
                f"{each.seconds:.2f}",
                f"{triples[each.key] / each.seconds:,.0f}",
                format_megabytes(each.peak),
                *(f"{count:,}" for count in each.reports[-1][1:]),
                each.wrong or "right",
            )
            for each in found
        ),
    )
    figures = [
        each.json(triples=triples[each.key], triples_per_second=triples[each.key] / each.seconds)
        for each in found
    ]
    return Findings([*table], {"entailed_streams": figures}, first_wrong(found))


def _count_answers(output: Path) -> tuple[int, int, int]:
    with output.open("rb") as lines:
        return outcome(lines).counts


def count_chairs(triples: int) -> tuple[int, int]:
    """How many answers begin and end in a stream, found by reading the triples one by one.

    Nobody heads two departments and no name of a head is doubled. A department comes before
    its head, so it leaves the window first.
    """
    head, kind = f" <{ONTOLOGY}headOf> ", f" {RDF_TYPE} <{ONTOLOGY}Department>"
    departments: dict[str, int] = {}
    began: list[int] = []
    number = -1
    for number, (iri, about) in enumerate(described_individuals(triples)):
        if iri + kind in about:
            departments[iri] = number
        began += [departments[line.split(" ")[2]] for line in about if head in line]
    return len(began), sum(start + WINDOW <= number for start in began)
