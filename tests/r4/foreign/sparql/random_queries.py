"""SELECTs at random: patterns in patterns, with filters, values, paths and aggregates."""

from __future__ import annotations

import re
from random import Random
from typing import Final

from tests.r4.foreign.sparql.queries import NODES

_VARIABLES: Final = ("?s", "?x", "?y", "?z", "?v")
_TERMS: Final = ("ex:n0", "ex:n1", "2")
_PROPERTIES: Final = ("ex:a", "ex:b", "ex:c")
_PATHS: Final = ("ex:a/ex:b", "^ex:a", "ex:a+", "!ex:a", "ex:b*/ex:c")
_AGGREGATES: Final = ("COUNT(*)", "COUNT(?y)", "COUNT(DISTINCT ?y)", "SUM(?v)", "MIN(?v)")
_VALUES: Final = ("?v + 1", "?x", "COALESCE(?y, ?x)", "IF(BOUND(?y), ?y, 0)", "?s")


def query(random: Random) -> str:
    """A query of all its variables."""
    body = _Queries(random).group(2)
    columns = " ".join(sorted(set(re.findall(r"[?]\w+", body))))
    return f"SELECT {columns or '(1 AS ?one)'} {{ {body} }}"


def data(random: Random) -> str:
    """Up to a dozen triples."""
    objects = {"a": NODES, "b": (*NODES, "1", "2", "3"), "c": ("1", "2", "3")}
    lines = [
        f"{random.choice(NODES)} <urn:ex:{key}> {random.choice(some)} ."
        for key, some in objects.items()
        for _ in range(random.randint(0, 4))
    ]
    return "\n".join(dict.fromkeys(lines)) + "\n"


class _Queries:
    """Draws the parts of one query; ``depth`` is how deep patterns may go on."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._named = 0

    def _any(self, *some: str) -> str:
        return self._random.choice(some)

    def _new(self) -> str:
        self._named += 1
        return f"?n{self._named}"

    def group(self, depth: int) -> str:
        parts = [self._triple() for _ in range(self._random.randint(1, 2))]
        parts += [self._part(depth - 1) for _ in range(self._random.randint(0, 2) if depth else 0)]
        return " ".join(parts)

    def _triple(self) -> str:
        is_path = self._random.random() < 0.3
        key = self._any(*(_PATHS if is_path else _PROPERTIES))
        subject = self._any(*_VARIABLES[:4], *_VARIABLES[:4], "ex:n0")
        return f"{subject} {key} {self._any(*_VARIABLES[:4], *_VARIABLES[:4], *_TERMS)} ."

    def _part(self, depth: int) -> str:  # noqa: PLR0911 - a kind each
        match self._random.randint(0, 8):
            case 0 | 1:
                return f"OPTIONAL {{ {self.group(depth)} }}"
            case 2:
                return f"{{ {self.group(depth)} }} UNION {{ {self.group(depth)} }}"
            case 3:
                return f"MINUS {{ {self.group(depth)} }}"
            case 4:
                return f"FILTER NOT EXISTS {{ {self.group(depth)} }}"
            case 5:
                return f"FILTER({self._condition(1)})"
            case 6:
                return f"BIND({self._any(*_VALUES)} AS {self._new()})"
            case 7:
                return "VALUES (?x ?y) { (ex:n0 UNDEF) (UNDEF 1) (ex:n1 2) }"
        key, inner = self._any("?s", "?x"), self.group(depth)
        select = f"SELECT {key} ({self._any(*_AGGREGATES)} AS {self._new()})"
        return f"{{ {select} {{ {inner} }} GROUP BY {key} }}"

    def _condition(self, depth: int) -> str:  # noqa: PLR0911 - a kind each
        one, two = self._any(*_VARIABLES), self._any(*_VARIABLES)
        match self._random.randint(0 if depth else 3, 9):
            case 0 | 1:
                parts = self._condition(depth - 1), self._condition(depth - 1)
                word = self._any(" && ", " || ")
                return f"({word.join(parts)})"
            case 2:
                return f"!({self._condition(depth - 1)})"
            case 3:
                return f"BOUND({one})"
            case 4:
                return f"isIRI({one})"
            case 5:
                return f"{one} > {self._any('1', '2', two)}"
            case 6:
                return f"{one} + 1 <= {two}"
            case 7:
                return f"sameTerm({one}, {two})"
            case 8:
                return f"EXISTS {{ {self.group(0)} }}"
        return f"COALESCE({one}, 1) = {self._any('1', 'ex:n0')}"
