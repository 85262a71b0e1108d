"""Single elements: a step of the driver for one element, row by row, where the rules allow it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from r4.engine.core import Core
from r4.program.program import Program
from r4.time.ticks import NO_END
from rete import kernels
from rete.arrays.delta import POS_INF
from rete.inference.row_executor import RowExecutor
from rete.inference.row_plan import RowPlan
from rete.kernels.single.interface import ElementData, RowAnswer

_LOOK: Final = 128
"""After so many elements and triples it is looked whether something is to be forgotten, or ordered
anew."""


class Time(Protocol):
    """How far event time has come: see `r4.api.values.event_clock`."""

    first: int
    last: int
    frontier: int


class SingleElements:
    """Takes in one element as `r4.run.driver.Driver.step` does, on the same state.

    Attributes:
        refusal: why elements have to be batches, for people; empty: they go row by row.
    """

    __slots__ = ("_core", "_executor", "_left", "_left_to_columns", "_plans", "_window", "refusal")

    def __init__(self, core: Core) -> None:
        self._core = core
        self._executor: RowExecutor | None = None
        self._plans = -1
        self._left = 0
        self._left_to_columns = -1
        self._window: int | None = None
        self.refusal = ""

    @property
    def may_read(self) -> bool:
        """Whether `read` may read anything now."""
        return not self.refusal or self._core.plans != self._plans

    def read(self, data: ElementData) -> bool:
        """Read the triples of an element, for `take`; False: a batch has to be made of it.

        That is so, too, where something is to be done between two elements.
        """
        core, executor = self._core, self._executor
        if not core.begun or core.waits:
            return False
        if core.plans != self._plans:
            self._renew()
            executor = self._executor
        if executor is None:
            return False
        if self._left <= 0:
            self._left = _LOOK
            some = executor.count()
            core.tidy()
            core.check()
            if some and core.is_order_due:
                self._left_to_columns = core.asserted
            if core.plans != self._plans:
                return False
        if self._left_to_columns == core.asserted:  # who looks at the order of joins
            return False
        found = executor.reader.read(data)
        self._left -= 1 + executor.reader.n
        return found

    def _renew(self) -> None:
        """Make the executor of the networks as they are now, if rows run them."""
        core = self._core
        self._plans = core.plans
        plan = core.row_plan()
        self.refusal = refusal(core, plan)
        if kernels.single is None:
            self.refusal = self.refusal or "kernels that are not compiled"
        self._executor = core.read_rows(None if self.refusal else plan)
        self._window = _window(core.program)

    @property
    def triples(self) -> int:
        """How many triples were read."""
        return 0 if self._executor is None else self._executor.reader.n

    def take(self, start: int, end: int, name: int, time: Time) -> Sequence[RowAnswer] | None:
        """Take in the element that was read, from the tick ``start`` to ``end`` or `NO_END`.

        ``name`` is the id of its name; ``time`` has come to its stamp.

        Returns:
            The answers that are final by it, in order; None: `Emitter.close` gives them.
        """
        core, executor = self._core, self._executor
        assert executor is not None
        progress, frontier = core.progress, time.frontier
        progress.last = max(progress.last, time.last)
        progress.first = time.first
        lo = 2 * start
        if end != NO_END:
            core.explicit_ends = True
            hi = 2 * min(end, POS_INF // 2)
        elif self._window is None:
            hi = POS_INF
        else:
            hi = min(lo + self._window, POS_INF)
        core.note_end(hi)
        executor.assert_element(lo, hi, name)
        if frontier <= progress.frontier:
            return ()
        progress.close(frontier)
        executor.pass_time(2 * progress.first, 2 * frontier)
        if core.may_tidy(2 * frontier):
            self._left = 0
        limit = progress.final - 1
        return executor.close(limit) if core.emitter.pass_by(limit) else None


def _window(program: Program) -> int | None:
    """For how many cells an element holds that has no end; None: for ever."""
    if program.window is not None:
        return 2 * program.window
    return 1 if program.metric else None


def refusal(core: Core, plan: RowPlan) -> str:
    """What of the rules, or of the run, rows cannot run, for people; empty: nothing."""
    program, assertions = core.program, core.assertions
    found = {
        "possible answers": core.observer is not None,
        "early results": core.emitter.early is not None,
        "rules that read times or names of elements": assertions.stamped or assertions.named,
        "windows of predicates": bool(program.windows.lengths),
        "a report of what holds": bool(program.given),
        "a calendar": program.reads_marks,
        "rules that derive without end": program.reach.derives_on,
        "a range that ends where static data say": program.open_ends is not None,
    }
    return next((reason for reason, is_so in found.items() if is_so), plan.refusal)
