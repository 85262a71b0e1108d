"""Statistics of an update: facts and seconds, phase by phase [DRedMTL26, Tables 3 and 4]."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Method(Enum):
    """How a model is brought up to date."""

    AUTO = "auto"
    DRED = "dred"
    RECOMPUTE = "recompute"


@dataclass(slots=True)
class UpdateStatistics:
    """What an update did, and how long it took.

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
