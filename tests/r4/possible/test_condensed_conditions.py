"""``r4 run --hypotheses``: conditions that others imply are not waited for."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.simulation.possible.small_runs import SmallRun, element

IMPLIED = {
    "one of two": ("?o[ex:r -> ?w]", "?o[ex:r -> ex:k]"),
    "two of three": ("?o[ex:r -> ?w]", "?o[ex:r -> ex:k]", "ex:m[ex:r -> ex:k]"),
    "a chain": ("?o[ex:r -> ?w]", "?w[ex:q -> ?v]", "?o[ex:r -> ex:k]", "ex:k[ex:q -> ?u]"),
    "none of two": ("?o[ex:r -> ?w]", "?w[ex:r -> ex:k]"),
    "none at another time": ("?o[ex:r -> ?w]", "DiamondMinus [1, 1] ( ?o[ex:r -> ex:k] )"),
}
LEFT = {"one of two": 1, "two of three": 1, "a chain": 2, "none of two": 2}


@pytest.mark.parametrize(("name", "conditions"), IMPLIED.items(), ids=IMPLIED)
def test_what_is_waited_for_is_least_in_any_order(
    name: str, conditions: tuple[str, ...], tmp_path: Path
) -> None:
    for order in permutations(conditions):
        body = " ".join(("?x[ex:s -> ex:go]", *order))
        rule = f"Forall ?x ?o ?w ?v ?u ( ?x[ex:is -> ex:bad] :- And( {body} ) )"
        ran = SmallRun(tmp_path, rule, element("g1", 1, "hall s go"), element("g2", 2))
        sets = [each["hypotheses"] for each in ran.lines if each.get("status") == "supported"]
        assert [len(each) for each in sets] == [LEFT.get(name, 2)], order
