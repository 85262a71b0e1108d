"""The lines of answers, byte by byte."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.oracles.rules.datalog import Answers
    from tests.oracles.rules.formulas import Fact, Time

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Line(NamedTuple):
    """One line; ``at`` is minus infinity for what follows from static data alone."""

    op: str
    at: Time
    fact: Fact
    e: Time
    n: Time
    rule: int

    def key(self) -> tuple[Time, bool, bool, bool, Fact, Time]:
        """By ``at``, deletions first, triples before atoms before errors, by text, by ``from``."""
        kind = self.fact[0]
        told = (atom(self.fact),) if kind == "atom" else self.fact
        return self.at, self.op == "+", kind == "error", kind == "atom", told, self.e


def atom(fact: Fact) -> str:
    """The text of a fact that is no triple."""
    return f"{fact[1]}({' '.join(fact[2:])})"


def lines_of(answers: Answers, semantics: str, until: Time) -> list[Line]:
    """What begins and what ceases up to ``until`` (included), in order; first E0."""
    found = [
        Line("+", -math.inf, fact, -math.inf, math.inf, rule)
        for fact, rule in answers.background.items()
    ]
    for fact, e, n, rule in answers.runs:
        if e == -math.inf:
            found.append(Line("-", n, fact, e, n, rule))  # it began in E0
        elif semantics == "facts":
            found += [Line("+", e, fact, e, math.inf, rule), Line("-", n, fact, e, n, rule)]
        else:
            found += [Line("+", e, fact, e, n, rule), Line("-", n, fact, e, n, rule)]
    return sorted((line for line in found if line.at <= until and line.at < math.inf), key=Line.key)


def json_of(line: Line, names: Mapping[int, int | str | None], clock: str) -> str:
    """The line as it is printed, without its end."""
    kind, *terms = line.fact
    what: dict[str, object] = {"error": True}
    if kind == "triple":
        what = dict(zip("spo", terms, strict=True))
    elif kind == "atom":
        what = {"atom": atom(line.fact)}
    members = {
        "op": line.op,
        "at": stamp(line.at, clock),
        **what,
        "from": stamp(line.e, clock),
        "until": stamp(line.n, clock),
        "rule": names[line.rule],
    }
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))


def stamp(time: Time, clock: str) -> int | str | None:
    """A tick as integer, or, of a millisecond, as dateTime; ``None`` for an infinite one."""
    if not isinstance(time, int):
        return None
    if clock == "integer":
        return time
    moment = EPOCH + timedelta(milliseconds=time)
    whole, millis = moment.strftime("%Y-%m-%dT%H:%M:%S"), time % 1000
    return whole + (f".{millis:03}".rstrip("0") if millis else "") + "Z"
