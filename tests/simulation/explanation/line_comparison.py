"""Each time that `r4 explain` says of an answer is a line of `r4 run` on the same input.

The programs have metric operators, negation and two layers; the streams have retractions and ends.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

from tests.simulation.command import call

_OPERATORS = ["DiamondMinus", "BoxMinus", "DiamondPlus", "BoxPlus"]
_PROV = "<http://www.w3.org/ns/prov#{}>"
_FACT = "<urn:a> <urn:ex:{}> <urn:b>"
_Span: TypeAlias = tuple[int, int | None]


def check(seed: int, folder: Path) -> Counter[str]:
    """Ask why answers hold, or do not, at instants around them; what the questions were about."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    rules, stream = folder / "rules.rif", folder / "stream.nq"
    text = random_rules(draw)
    rules.write_text(text)
    statements, last = random_stream(draw)
    stream.write_text(statements)
    given = [str(rules), str(stream)]
    printed = call(["run", *given, "--drain", "60", "--quiet"])
    if printed.code:
        return Counter()
    lines = _spans(printed.out)
    found: Counter[str] = Counter()
    for name in ["h", "k"] if "ex:k" in text else ["h"]:
        fact = _FACT.format(name)
        spans = lines.get(fact, [])
        instants = {draw.randint(0, last + 3) for _ in range(3)}
        instants.update(begin for begin, _ in spans[-1:])
        instants.update(end - 1 for _, end in spans[:1] if end is not None)
        for at in sorted(instants):
            asked = [*given, "--fact", fact, "--at", str(at), "--as", "json", "--limit", "1"]
            out = call(["explain", *asked]).out
            compare(json.loads(out), at, spans, (seed, fact))
            assert '"asserted": "rules"' not in out, (seed, fact, at)  # they state no facts
            found["asked"] += 1
            found["holds"] += any(_is_in(at, span) for span in spans)
            found["several"] += len(spans) > 1
            found["retracts"] += "retracts" in statements
    return found


def compare(value: dict[str, Any], at: int, spans: list[_Span], case: tuple[int, str]) -> None:
    """Compare an explanation with when the fact is an answer by the lines."""
    now = [span for span in spans if _is_in(at, span)]
    assert value["holds"] == bool(now), (*case, at, spans)
    if now:
        assert value["from"] == value["answer"]["from"] == now[0][0], (*case, at, value, spans)
        if value["final"]:
            assert value["until"] == value["answer"]["until"] == now[0][1], (*case, at, spans)
            assert now[0][1] is None or value["ends"], (*case, at, spans)
        return
    told = [(each["from"], each["until"]) for each in value["held"]]
    assert set(told) <= set(spans), (*case, at, told, spans)
    before = [span for span in spans if span[1] is not None and span[1] <= at][-1:]
    after = [span for span in spans if span[0] > at][:1]
    assert {*before, *after} <= set(told), (*case, at, told, spans)


def _is_in(at: int, span: _Span) -> bool:
    return span[0] <= at and (span[1] is None or at < span[1])


def _spans(lines: str) -> dict[str, list[_Span]]:
    found: dict[str, list[_Span]] = {}
    for line in map(json.loads, lines.splitlines()):
        spans = found.setdefault(f"{line['s']} {line['p']} {line['o']}", [])
        if line["op"] == "+":
            spans.append((line["from"], None))
        else:
            spans[-1] = line["from"], line["until"]
    return found


def random_rules(draw: random.Random) -> str:
    """Rules that derive ex:h from ex:p and ex:q, and perhaps ex:k from ex:h."""
    body = [_formula(draw, 0)]
    if draw.random() < 1 / 2:
        body.append(_formula(draw, 1))
    if draw.random() < 1 / 3:
        body += ["?x[ex:p -> ?y]", f"Naf( {_formula(draw, 1)} )"]
    rules = [f"Forall ?x ?y ( ?x[ex:h -> ?y] :- And( {' '.join(body)} ) )"]
    if draw.random() < 2 / 5:
        operator = f"{draw.choice(_OPERATORS)} [0, {draw.randint(0, 3)}]"
        rules.append(f"Forall ?x ?y ( ?x[ex:k -> ?y] :- {operator} ( ?x[ex:h -> ?y] ) )")
    if draw.random() < 1 / 3:
        rules.append("Forall ?x ?y ( ?x[ex:h -> ?y] :- ?x[ex:q -> ?y] )")
    group = "\n".join(rules)
    return f"Document( Prefix(ex <urn:ex:>) Window({draw.randint(1, 6)}) Group(\n{group} ) )\n"


def _formula(draw: random.Random, depth: int) -> str:
    kind = draw.random() if depth < 2 else 1.0
    begin = draw.randint(0, 3)
    interval = f"[{begin}, {begin + draw.randint(0, 3)}]"
    if kind < 0.45:
        return f"{draw.choice(_OPERATORS)} {interval} ( {_formula(draw, depth + 1)} )"
    if kind < 0.55:
        return f"Since {interval} ( {_formula(draw, 2)} {_formula(draw, 2)} )"
    return f"?x[ex:{draw.choice('pq')} -> ?y]"


def random_stream(draw: random.Random) -> tuple[str, int]:
    """Elements that assert and retract ex:p and ex:q of one pair, and the time behind them."""
    time, found = 1, []
    for number in range(draw.randint(2, 7)):
        name = f"<urn:g{number}>"
        found.append(f"{name} {_PROV.format('generatedAtTime')} {_integer(time)} .")
        if number and draw.random() < 1 / 3:
            found.append(f"{name} <urn:r4:retracts> <urn:g{draw.randrange(number)}> .")
        if draw.random() < 1 / 4:
            end = _integer(time + draw.randint(1, 6))
            found.append(f"{name} {_PROV.format('invalidatedAtTime')} {end} .")
        if draw.random() < 6 / 7:
            found.append(f"{_FACT.format(draw.choice('pq'))} {name} .")
        found.append("")
        time += draw.randint(0, 3)
    return "\n".join(found) + "\n", time


def _integer(number: int) -> str:
    return f'"{number}"^^<http://www.w3.org/2001/XMLSchema#integer>'
