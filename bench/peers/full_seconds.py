"""The loop of peers that know no streams: at each full second of event time all is asked again.

So answers that begin and end between two of them are lost, which is less than the rules ask for.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

STAMP = b" <http://www.w3.org/ns/prov#generatedAtTime> "
SECOND = timedelta(seconds=1)
Answer: TypeAlias = tuple[str, ...]
"""Subject, predicate and object; or one text, which stands for an atom."""
Evaluate: TypeAlias = Callable[[Sequence[bytes], Sequence[str]], set[Answer]]
"""From the lines that came since the last second, and the names of the graphs that have left."""


def follow(stream: Path, window: timedelta, evaluate: Evaluate) -> None:
    """Write the difference to the answers of the second before, as `r4 run` writes lines."""
    answers: dict[Answer, datetime] = {}
    held: deque[tuple[datetime, str]] = deque()
    waiting: list[bytes] = []
    tick = at = datetime(1, 1, 1, tzinfo=UTC)

    def look() -> None:
        nonlocal answers
        gone = []
        while held and held[0][0] + window <= tick:
            gone.append(held.popleft()[1])
        new = evaluate(waiting, gone)
        waiting.clear()
        for answer in sorted(answers.keys() - new):
            _write("-", tick, answer, answers[answer])
        for answer in sorted(new - answers.keys()):
            _write("+", tick, answer, tick)
        answers = {answer: answers.get(answer, tick) for answer in new}

    with stream.open("rb") as lines:
        for line in lines:
            if STAMP in line:
                name, _, rest = line.partition(STAMP)
                at = datetime.fromisoformat(rest[1 : rest.index(b'"', 1)].decode())
                if at > tick:
                    if waiting:
                        look()
                    tick = at if at.microsecond == 0 else at.replace(microsecond=0) + SECOND
                held.append((at, name.decode()[1:-1]))
            else:
                waiting.append(line)
    if waiting:
        look()


def _write(op: str, at: datetime, answer: Answer, since: datetime) -> None:
    keys = ("s", "p", "o") if len(answer) > 1 else ("atom",)
    when, start = f"{at:%Y-%m-%dT%H:%M:%SZ}", f"{since:%Y-%m-%dT%H:%M:%SZ}"
    until = when if op == "-" else None
    said = dict(zip(keys, answer, strict=True))
    line = {"op": op, "at": when, **said, "from": start, "until": until}
    sys.stdout.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
