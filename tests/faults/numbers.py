"""Planted faults of numbers that stand for their values."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from unittest.mock import patch

import rete.network.components
import rete.planning.lowering
from rete.nodes.scan import ScanNode
from rete.planning.unification import unifiable_groups
from rete.terms.number_constants import NumberIndex
from tests.faults.detection import Fault, FaultArea
from tests.generators.meetings.number_constants import random_number_case
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.history_answers import expected_lines
from tests.simulation.meetings.comparison import difference

if TYPE_CHECKING:
    from rete.arrays.delta import Rows

Context: TypeAlias = AbstractContextManager[object]


def numbers_of_one_kind_match() -> Context:
    """A double matches no decimal."""
    right = NumberIndex.matching

    def matching(index: NumberIndex, number: Any) -> list[str]:
        found = right(index, number)
        return [each for each in found if ("#double>" in each) == (number[0] == "double")]

    return patch.object(NumberIndex, "matching", matching)


def a_term_matches_one_number() -> Context:
    """Of several numbers that a term matches one is found."""
    right = NumberIndex.matching
    return patch.object(NumberIndex, "matching", lambda index, number: right(index, number)[:1])


def what_is_evaluated_backwards_matches_all() -> Context:
    """A pattern with a number is derived again by facts with any number."""
    right = ScanNode.inputs

    def inputs(node: ScanNode, *asked: Any) -> Rows:
        plan = node._plan
        with patch.object(node, "_plan", replace(plan, numbers=())):
            return right(node, *asked)

    return patch.object(ScanNode, "inputs", inputs)


def heads_feed_their_own_spelling_alone() -> Context:
    """A head is not known to feed a pattern whose number it writes otherwise."""
    return patch.object(rete.network.components, "fed_groups", unifiable_groups)


def numbers_are_terms() -> Context:
    """Numbers in conditions match as terms."""
    ask = rete.planning.lowering.Lowering.ask

    def as_terms(lowering: Any, relation: Any, terms: Any) -> None:
        with patch.object(lowering, "language", lowering.language.with_numbers(by_value=False)):
            ask(lowering, relation, terms)

    return patch.object(rete.planning.lowering.Lowering, "ask", as_terms)


FAULTS: Final[tuple[Fault, ...]] = (
    numbers_of_one_kind_match,
    a_term_matches_one_number,
    what_is_evaluated_backwards_matches_all,
    heads_feed_their_own_spelling_alone,
    numbers_are_terms,
)


def _detects(seed: int, fault: Fault) -> bool:
    case = random_number_case(seed)
    try:
        wanted = expected_lines(case.history)
    except TooBig:
        return False
    with TemporaryDirectory() as folder, fault():
        found = difference(case, wanted, Path(folder))
    return found is not None and "Traceback" not in found


AREA: Final = FaultArea(FAULTS, _detects, cases=1000)
