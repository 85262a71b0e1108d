"""When a fact of a meeting is an answer, as `r4 explain` says it and as `r4 run` prints it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from tests.generators.meetings.histories import Meeting, random_meeting
from tests.simulation.command import call
from tests.simulation.meetings.command_run import command_files, command_options

_Span: TypeAlias = tuple[int | None, int | None]
_ASKED = 3
"""Answers of a case that are explained."""


def check(
    seed: int, folder: Path, drawn: Callable[[int], Meeting] = random_meeting
) -> Counter[str]:
    """Ask for answers of the meeting of a seed, at their begin or shortly before their end."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    case = drawn(seed)
    if case.way == "library" or case.history.semantics != "facts":
        return Counter()
    history = replace(case.history, drain=0)
    case = replace(case, history=history, way="command", small=False, arrival=False)
    given = [*command_files(case, folder), *command_options(case)]
    printed = call(["run", *given, "--drain=40"])
    if printed.code:
        return Counter()
    met: Counter[str] = Counter()
    place = given.index("--semantics")  # explanations are about facts
    asked = [*given[:place], *given[place + 2 :], "--as", "json", "--limit", "1"]
    answers = answers_of(printed.lines())
    for fact, (begin, end) in draw.sample(answers, min(_ASKED, len(answers))):
        at = begin if end is None or (begin is not None and draw.random() < 1 / 2) else end - 1
        if at is None:
            continue
        found = call(["explain", *asked, "--fact", fact, "--at", str(at)])
        value = json.loads(found.out)
        told = value["answer"]
        assert (told["from"], end if not value["final"] else told["until"]) == (begin, end), (
            *(seed, fact, at, told),
        )
        met.update(asked=1, regime=case.history.regime != "none", ends=end is not None)
    return met


def answers_of(lines: list[str]) -> list[tuple[str, _Span]]:
    """The answers of lines that can be asked for, with when they are answers."""
    found: dict[str, list[_Span]] = {}
    for line in map(json.loads, lines):
        fact = line.get("atom") or f"{line.get('s')} {line.get('p')} {line.get('o')}"
        if "_:" in fact or fact.startswith('"') or "error" in line:
            continue
        spans = found.setdefault(fact, [])
        if line["op"] == "+":
            spans.append((line["from"], None))
        else:
            spans[-1] = (line["from"], line["until"])
    return [(fact, span) for fact in sorted(found) for span in found[fact]]
