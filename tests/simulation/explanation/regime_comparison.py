"""When a fact is an answer, as explanations under a regime say it and as `r4 run` prints it."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

from tests.simulation.command import call

_CLASSES = "ABCD"
_HEADER = (
    "@prefix ex: <urn:ex:> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
)
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def check(seed: int, folder: Path) -> Counter[str]:
    """Ask why a fact holds at some instants, and compare the time of the answer with the lines."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    rules, static, stream = folder / "rules.rif", folder / "static.ttl", folder / "stream.trig"
    rules.write_text(_rules(draw))
    static.write_text(_HEADER + _hierarchy(draw))
    stream.write_text(_HEADER + _elements(draw))
    given = [str(rules), str(stream), "--static", str(static), "--entailment", "rdfs", "--lenient"]
    printed = call(["run", *given, "--drain"])
    assert printed.code == 0, (seed, printed.err)
    times: dict[str, list[tuple[int | None, int | None]]] = {}
    for line in map(json.loads, printed.out.splitlines()):
        fact = f"{line['s']} {line['p']} {line['o']}"
        spans = times.setdefault(fact, [])
        if line["op"] == "+":
            spans.append((line["from"], None))
        else:
            spans[-1] = (line["from"], line["until"])
    facts = {f"<urn:ex:{s}> {_TYPE} <urn:ex:{c}>" for s in "xy" for c in _CLASSES}
    found: Counter[str] = Counter()
    some = sorted(facts.intersection(times))[:2] or draw.sample(sorted(facts), 1)
    for fact in some:
        first, last = times.get(fact, [(1, None)])[-1]
        for at in {(first or 1) - 1, first or 1, (last or 9) - 1, last or 9} - {0}:
            asked = call(["explain", *given, "--fact", fact, "--at", str(at), "--as", "json"])
            value = json.loads(asked.out)
            wanted = [
                span
                for span in times.get(fact, ())
                if (span[0] is None or span[0] <= at) and (span[1] is None or at < span[1])
            ]
            told = value.get("answer")
            answers = [] if told is None else [(told["from"], told["until"])]
            assert answers == wanted, (seed, fact, at)
            found["asked"] += 1
            found["holds"] += value["holds"]
            found["answers"] += bool(wanted)
            if wanted and value["derived"]:
                found["shorter"] += wanted != [(value["from"], value["until"])]
    return found


def _rules(draw: random.Random) -> str:
    window = f"Window({draw.randint(1, 5)})" if draw.random() < 0.8 else ""
    body = ["?x # ex:A", "?x # ex:B", "?x[ex:is -> ex:ok]", "?x # ex:C"]
    bodies = [" ".join(draw.sample(body, draw.randint(1, 2))) for _ in range(2)]
    return (
        "Document( Prefix(ex <urn:ex:>)"
        " Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)"
        f" {window} Group(\n"
        f"  Forall ?x ( ?x[rdf:type -> ex:D] :- And( {bodies[0]} ) )\n"
        f"  Forall ?x ( ?x[rdf:type -> ex:{draw.choice(_CLASSES)}] :- And( {bodies[1]} ) ) ) )\n"
    )


def _hierarchy(draw: random.Random) -> str:
    pairs = [tuple(draw.sample(_CLASSES, 2)) for _ in range(draw.randint(0, 2))]
    return "".join(f"ex:{a} rdfs:subClassOf ex:{b} .\n" for a, b in [*pairs, ("A", "D")])


def _elements(draw: random.Random) -> str:
    parts, at = [], 1
    for number in range(draw.randint(2, 6)):
        triple = draw.choice(
            [f"ex:{s} a ex:{c}" for s in "xy" for c in _CLASSES]
            + [f"ex:{s} ex:is ex:ok" for s in "xy"] * 2
        )
        end = f" ; prov:invalidatedAtTime {at + draw.randint(1, 5)}" if draw.random() < 0.3 else ""
        gone = draw.randrange(number) if number and draw.random() < 0.2 else None
        back = "" if gone is None else f"; <urn:r4:retracts> ex:g{gone} "
        parts.append(
            f"ex:g{number} prov:generatedAtTime {at}{end} {back}. ex:g{number} {{ {triple} }}\n"
        )
        at += draw.randint(0, 3)
    return "".join(parts)
