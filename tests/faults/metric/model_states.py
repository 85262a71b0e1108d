"""Faults of live models that are saved and loaded, detected by random stories of updates."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

from r4.checkpoint.live_models import save_model
from r4.cli.mtl.commands import update
from rete.arrays.delta import NEG_INF, concat, empty
from rete.storage.derived_facts import DerivedFacts
from rete.storage.row_algebra import coalesce, subtract
from rete.storage.stem import Stem
from temporal.maintenance.live_model import LiveModel
from temporal.model import materialisation
from temporal.model.limits import LimitReached
from temporal.model.materialisation import Materialisation
from temporal.periods.period_search import EVERYWHERE
from tests.faults.detection import Fault, FaultArea
from tests.simulation.metric.model_states import compare_saved

if TYPE_CHECKING:
    from collections.abc import Callable

    from rete.arrays.delta import Rows
    from rete.arrays.state_codec import Mask, State, StateReader
    from temporal.facts.bulk_loader import Dataset
    from temporal.maintenance.model_state import ModelState
    from temporal.model.limits import Clock


def parked_rows_are_not_saved() -> AbstractContextManager[object]:
    """What waits beyond the horizon is lost: a model that goes on for ever ends there."""
    right = DerivedFacts.saved

    def saved(table: DerivedFacts) -> State:
        found = right(table)
        found.pop("parked", None)
        return found

    return patch.object(DerivedFacts, "saved", saved)


def parked_rows_are_of_one_rule() -> AbstractContextManager[object]:
    """What waits beyond the horizon is not cancelled with the rule that derived it."""
    right = DerivedFacts.restore

    def restore(table: DerivedFacts, given: StateReader, alive: Mask) -> None:
        right(table, given, alive)
        if table.parked:
            stem = Stem(table.relation.arity, instances=False)
            for each in table.parked.values():
                stem.absorb(each.content(), NEG_INF)
            table.parked = {max(table.rules): stem}

    return patch.object(DerivedFacts, "restore", restore)


def loaded_models_have_no_periods() -> AbstractContextManager[object]:
    """What a loaded model has within its horizon is taken for all of it."""
    right = LiveModel._start

    def start(
        live: LiveModel, data: Dataset, clock: Clock, resumes: ModelState | None = None
    ) -> None:
        with ExitStack() as stack:
            if resumes is not None:
                stack.enter_context(patch.object(Materialisation, "known_within", EVERYWHERE))
            right(live, data, clock, resumes)

    return patch.object(LiveModel, "_start", start)


def _explicit_data(wrong: Callable[[Rows, Rows], Rows]) -> AbstractContextManager[object]:
    """What ``wrong`` makes of the explicit facts of a predicate and its derived ones is saved."""
    right = LiveModel.saved

    def saved(live: LiveModel) -> State:
        explicit, made = live.explicit, live._made
        derived = materialisation._merge_facts(made.inference, made.arities)
        found = {
            key: wrong(explicit.get(key, empty(key[1])), derived.get(key, empty(key[1])))
            for key in explicit.keys() | derived.keys()
        }
        with patch.object(LiveModel, "explicit", found):
            return right(live)

    return patch.object(LiveModel, "saved", saved)


def derived_facts_are_explicit() -> AbstractContextManager[object]:
    """What was derived counts as explicit after loading, and stays."""
    return _explicit_data(lambda explicit, derived: coalesce(concat([explicit, derived])))


def explicit_facts_are_derived() -> AbstractContextManager[object]:
    """What is explicit and derived counts as derived alone after loading, and goes with that."""
    return _explicit_data(subtract)


def first_state_stays() -> AbstractContextManager[object]:
    """The command does not replace the file of the model."""

    def save(path: Path, live: LiveModel) -> None:
        if not path.exists():
            save_model(path, live)

    return patch.object(update, "save_model", save)


def _differs(seed: int, fault: Fault) -> bool:
    """Is a model that was loaded another one than that which is derived anew?"""
    with TemporaryDirectory() as folder, suppress(LimitReached), fault():
        return compare_saved(seed, Path(folder))[1] is not None
    return False


AREA: Final = FaultArea(
    (
        parked_rows_are_not_saved,
        parked_rows_are_of_one_rule,
        loaded_models_have_no_periods,
        derived_facts_are_explicit,
        explicit_facts_are_derived,
        first_state_stays,
    ),
    _differs,
    first=(3, 164, 41),
)
