"""What a regime does not reach in a run, as warnings about its rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from r4.program.equal_terms import list_warnings
from r4.program.errors import LiteralsAsTerms
from rif.errors.base import NOWHERE, RuleError
from rif.syntax.ast import Document

_OF_VALUES: Final = ("d", "owl-rl")
"""The regimes whose rules are about literals of equal values."""
_OF_IDENTITY: Final = "owl-rl"


def regime_limits(
    regimes: Collection[str], documents: Sequence[Document], *, by_value: bool
) -> list[list[RuleError]]:
    """The warnings about each of ``documents``, the main one first, under ``regimes``."""
    found: list[list[RuleError]] = [
        [*list_warnings(document)] if _OF_IDENTITY in regimes else [] for document in documents
    ]
    of_values = [name for name in _OF_VALUES if name in regimes]
    if of_values and not by_value:
        message = (
            f'literals of one value, such as "01" and "1", are two terms here, and one to the rules'
            f" of {of_values[-1]}"
        )
        found[0].append(LiteralsAsTerms(message, NOWHERE))
    return found
