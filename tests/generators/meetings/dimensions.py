"""The dimensions of a run; which of them cannot meet, and why."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.generators.draw import Draw

METRIC: Final = ("past operator", "future operator", "nested operators", "box in a head")
LIBRARY: Final = (
    *("rules join", "rules leave", "saved and loaded", "frontier moved"),
    "reference data end",
)
COMMAND: Final = ("several sources", "TriG", "RDF Patch", "shards")
DIMENSIONS: Final = (
    *METRIC,
    *LIBRARY,
    *COMMAND,
    *("negation", "recursion", "equality", "window", "own ends", "delay", "late element"),
    *("element retracted", "triple retracted", "static data", "entailment", "instances"),
    "reference data",
    *("literals by value", "order of arrival", "small batches", "drain"),
)

_APART: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    (
        "the command has no rules that join or leave; the library has no files, and one source",
        LIBRARY,
        COMMAND,
    ),
    ("refused: R4108 metric, R4106 negation", ("instances",), (*METRIC, "negation")),
    (
        "which end an instance has that the regime derives too, the contract leaves open",
        ("instances",),
        ("entailment",),
    ),
    (
        "refused: rules over any property make one cycle of all (R4105, R4109)",
        ("negation", "future operator"),
        ("entailment",),
    ),
    ("shards tell what is final", ("shards",), ("order of arrival",)),
    ("a graph of TriG retracts elements only", ("TriG",), ("triple retracted",)),
)
"""Why which dimensions cannot meet."""

PENDING: Final[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = ()
"""Dimensions at whose meeting the engine is known to be wrong; they do not meet as yet."""


def _pairs(tables: Iterable[tuple[tuple[str, ...], tuple[str, ...]]]) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair) for table in tables for pair in product(*table))


NEVER: Final = _pairs((left, right) for _, left, right in _APART)
APART: Final = NEVER | _pairs(PENDING)
PAIRS: Final = tuple(
    pair for pair in combinations(sorted(DIMENSIONS), 2) if frozenset(pair) not in APART
)
"""The pairs that must meet."""
TOGETHER: Final = (
    *("saved and loaded", "element retracted"),
    *("recursion", "past operator", "static data"),
)
"""What meets by chance too rarely: a loaded engine loses facts where rules derive for ever."""


def draw_dimensions(draw: Draw, *, pending: bool = False) -> frozenset[str]:
    """Some that can meet; with ``pending`` those too at whose meeting the engine is wrong."""
    apart = NEVER if pending else APART
    together = draw.chance(8)
    wanted = draw.some(DIMENSIONS, 3, 10 if together else 14)
    found: set[str] = set(TOGETHER if together else ())
    for one in wanted:
        if not any(frozenset((one, other)) in apart for other in found):
            found.add(one)
    if "nested operators" in found and not found & {"past operator", "future operator"}:
        found.add("past operator")
    return frozenset(found)
