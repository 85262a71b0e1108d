"""Lines, compared but for the names of variables that are not those of the query.

Where two parts of a resolution say the same, any of them may stay, with its names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import TypeAlias

from tests.oracles.hypothetical.output_lines import EntryLine

_FREE = re.compile(r"\?(\w+)([+-]\d+)?")
Nameless: TypeAlias = tuple[int, str, str, tuple[str, ...], tuple[str, ...], str, str]


def canonical_names(lines: Iterable[str]) -> list[Nameless]:
    """What lines say, in an order that no name decides."""
    return sorted(map(_nameless, map(json.loads, lines)))


def _nameless(line: EntryLine) -> Nameless:
    least: dict[str, int] = {}
    for name, shift in _FREE.findall(" ".join(line["hypotheses"])):
        least[name] = min(least.get(name, int(shift or 0)), int(shift or 0))
    answer = json.dumps(line["answer"])
    for name, _ in _FREE.findall(answer):
        least.pop(name, None)
    return min(
        (
            line["tau"],
            line["status"],
            answer,
            tuple(line["evidence"]),
            tuple(sorted(_renamed(one, least, names) for one in line["hypotheses"])),
            _FREE.sub("?", line["because"] or ""),
            str(line.get("confidence")),
        )
        for numbers in permutations(range(len(least)))
        for names in [dict(zip(least, numbers, strict=True))]
    )


def _renamed(atom: str, least: Mapping[str, int], names: Mapping[str, int]) -> str:
    """An atom with numbers for names, times counted from the first."""

    def new(found: re.Match[str]) -> str:
        name, shift = found.groups()
        if name not in names:
            return found[0]
        return f"?{names[name]}+{int(shift or 0) - least[name]}"

    return _FREE.sub(new, atom)
