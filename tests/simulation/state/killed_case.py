"""Cases of runs with a state that are stopped, and what their reference data become meanwhile."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

from r4.errors import Counters
from r4.rdf.documents import Format, RdfDocument, read_static
from r4.stream.input_events import ChangeReferences, DocumentChange
from rete.terms.dictionary import Dictionary
from rif.syntax.ast import Group
from rif.syntax.traversal import rules
from tests.generators.draw import Draw, from_seed
from tests.generators.events.programs import program_without_calendar
from tests.generators.rules.parsers import parse_bytes, unparse
from tests.generators.streams.timed_runs import TimedCase, timed_case
from tests.oracles.streams.run import Scenario


@dataclass(frozen=True, slots=True)
class KilledCase:
    """A case, and how it is stopped.

    Attributes:
        timed: rules, options, what happens.
        draw: what else is left to chance.
        form: of the answers.
        to_file: whether they go to a file.
        is_pipe: which sources are pipes.
        power: whether what was not synced is lost.
        checkpoints: in percent, how many events have a checkpoint before them.
        cuts: the seed of where reads end.
        replays: whether the whole journal is kept, and the run happens again in the end.
        references: the places of the script at which reference data change.
        report: the options of reports at marks; () without.
    """

    timed: TimedCase
    draw: Draw
    form: str
    to_file: bool
    is_pipe: tuple[bool, ...]
    power: bool
    checkpoints: int
    cuts: int
    replays: bool
    references: tuple[int, ...]
    report: tuple[str, ...]


def killed_case(seed: int) -> KilledCase:
    """The case of a seed; of several sources some are idle for a while, beside checkpoints."""
    timed, draw = timed_case(seed), from_seed(-1 - seed)
    several = len(timed.run.sources) > 1
    if several:
        timed = timed_case(seed, idle=25)
    timed = _with_event_rules(timed, seed)
    to_file = draw.chance(60)
    form = (
        draw.choice(("jsonl", "jsonl", "nquads", "trig", "ndjsonld", "patch"))
        if to_file
        else "jsonl"
    )
    pipes = tuple(draw.chance(50) for _ in timed.run.sources)
    power, checkpoints = draw.chance(60), draw.choice((0, 5, 20, 50))
    if several:
        checkpoints = 50
    other = from_seed(-3 - seed)
    count = other.weighted((40, 0), (25, 1), (20, 2), (15, 4))
    references = tuple(other.integer(0, 40) for _ in range(count))
    return KilledCase(
        *(timed, draw, form, to_file, pipes, power, checkpoints, seed),
        replays=seed % 3 == 1,
        references=references,
        report=_report(seed, form, timed.run.scenario),
    )


def _with_event_rules(timed: TimedCase, seed: int) -> TimedCase:
    """A fifth of the cases have rules with aggregates and event times in place of their own."""
    if seed % 5 != 4 or timed.run.scenario.semantics != "facts":
        return timed
    rules = unparse(program_without_calendar(from_seed(-5 - seed)))
    return replace(timed, run=replace(timed.run, rules=rules))


def _report(seed: int, form: str, scenario: Scenario) -> tuple[str, ...]:
    """The options of reports of some cases; what holds long after the input is too much."""
    draw = from_seed(-4 - seed)
    if scenario.semantics != "facts" or not draw.chance(40):
        return ()
    forms = ["changes"]
    if form != "patch" and scenario.drain != math.inf:
        forms += ["state", "state+empty"]
    every, offset = draw.choice((1, 3, 10, 200)), draw.integer(0, 12)
    return "--every", str(every), "--offset", str(offset), "--report", draw.choice(forms)


def reference_changes(case: KilledCase, folder: Path) -> list[tuple[int, ChangeReferences]]:
    """What static documents and rules say when they are read again, and where in the script."""
    run, draw = case.timed.run, from_seed(-2 - case.cuts)
    first = 1 + (len(run.sources) if run.scenario.streams_first else 0)
    (folder / "streams.nq").write_text("\n".join(case.timed.texts), "utf-8", newline="")
    candidates = [
        triple
        for triple in _triples(RdfDocument(str(folder / "streams.nq"), 0, Format.N_QUADS))
        if not any(term.startswith("_:") for term in triple)
    ]
    static = {
        number: _triples(RdfDocument(str(folder / f"static{n}.nt"), number, Format.N_TRIPLES))
        for n, number in enumerate(range(first, first + len(run.statics)))
    }
    found: list[tuple[int, ChangeReferences]] = []
    for place in sorted(case.references):
        documents: list[DocumentChange] = []
        for number, had in static.items():
            has = set(draw.some(sorted(had), 0, len(had))) if had else set()
            has |= set(draw.some(sorted(candidates), 0, 2)) if candidates else set()
            parts = (
                [text for one in sorted(some) for text in one] for some in (has - had, had - has)
            )
            documents.append(DocumentChange(number, *map(tuple, parts)))
            static[number] = has
        rules = _some_rules(draw, run.rules) if draw.chance(80) else None
        found.append((place, ChangeReferences(tuple(documents), rules)))
    return found


def _triples(document: RdfDocument) -> set[tuple[str, str, str]]:
    """The triples of a document, whatever graphs they are in, as canonical texts."""
    terms = Dictionary()
    texts = [
        text
        for rows in read_static(document, terms, Counters())
        for text in terms.decode_many(rows.ravel())
    ]
    return set(zip(*[iter(texts)] * 3, strict=True))


def _some_rules(draw: Draw, text: str) -> bytes:
    """A version of the rules that lacks some of them."""
    document = parse_bytes(text.encode()).document
    clauses = list(rules(document))
    some = draw.some(range(len(clauses)), 0, len(clauses))
    group = Group(tuple(clauses[n] for n in sorted(some)))
    return unparse(replace(document, group=group)).encode()
