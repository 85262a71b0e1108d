"""The method of an update, when a model is derived anew instead, and what an update took.

Measured on published data (decision 30): a deleted or added share of a tenth of the data takes 0.3
to 0.8 of the time of deriving anew where rules derive few facts from each explicit one, and 1.2
where they derive many of several. What is derived of several facts changes with any of them. If
half of the model has changed already, the rest is not awaited.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

MOST: Final = 1 / 6
"""The largest share of the explicit data that may change."""
MOST_OF_MANY: Final = 1 / 16
"""The same where many facts are derived."""
MANY: Final = 4
"""So many facts are derived for each explicit one then."""
HALF: Final = 1 / 2
"""The largest share of the facts derived for a model that may be overdeleted or inserted."""
SMALL: Final = 1000
"""So few facts are soon derived in any way."""


class Method(Enum):
    """How a model is brought up to date."""

    AUTO = "auto"
    DRED = "dred"
    RECOMPUTE = "recompute"


@dataclass(slots=True)
class UpdateStatistics:
    """What an update did, and how long it took, phase by phase [DRedMTL26, Tables 3 and 4].

    Attributes:
        method: what was done in the end; never `Method.AUTO`.
        reason: why the model was recomputed; empty if that was asked for, or was not done.
        deleted, added: intervals of explicit facts that went and came.
        without_effect: facts to delete that were not explicit.
        overdeleted: intervals of derived facts that lost a derivation, and no other was known yet.
        rederived: those among them that still follow.
        inserted: intervals of derived facts that were new.
        overdeletion: seconds to find and take out what lost its derivations; where these are
            searched for first, with that search.
        rederivation: seconds to derive again what still follows from the rest.
        insertion, periods, recomputation: seconds.
    """

    method: Method = Method.DRED
    reason: str = ""
    deleted: int = 0
    added: int = 0
    without_effect: int = 0
    overdeleted: int = 0
    rederived: int = 0
    inserted: int = 0
    overdeletion: float = 0.0
    rederivation: float = 0.0
    insertion: float = 0.0
    periods: float = 0.0
    recomputation: float = 0.0


class TooMuchChanged(Exception):
    """So much of the model has changed that it takes less time to derive it anew."""


def foresee(changed: int, explicit: int, derived: int) -> str:
    """Why a model is to be derived anew; empty if it is not.

    So many intervals of ``explicit`` facts have ``changed``; so many were ``derived`` for all.
    """
    many = derived > MANY * explicit
    most = MOST_OF_MANY if many else MOST
    if changed <= SMALL * most or changed <= most * explicit:
        return ""
    return f"more than 1/{round(1 / most)} of the data changed"


def check_account(changed: int, derived: int) -> None:
    """Raise `TooMuchChanged` if so many overdeleted and inserted facts are too many."""
    if changed > max(SMALL, HALF * derived):
        raise TooMuchChanged
