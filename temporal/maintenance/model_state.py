"""What a live model is saved as: its terms, its explicit data, and its network at rest.

How the model goes on to both sides is not saved, but found again from its rows. Nor is the network,
if rules have ranges to infinity: updates derive such a model anew, and so does loading.
"""

from __future__ import annotations

from typing import Final

from rete.arrays.state_codec import State, StateReader
from rete.graph.plan import hash_lines, plan_lines
from rete.terms.dictionary import Dictionary
from temporal.facts.bulk_loader import Dataset
from temporal.intervals.dates import DateInterval, DateTimeInterval
from temporal.intervals.interval import MAX_SCALE, Interval
from temporal.intervals.notation import Notation
from temporal.mtl.analysis import analyse
from temporal.mtl.ast import MetricProgram, PredicateKey
from temporal.mtl.lowering import lower
from temporal.mtl.subsumption import without_subsumed
from temporal.mtl.validation import arities

_NOTATIONS: Final[dict[str, Notation]] = {
    "numbers": Interval,
    "dates": DateInterval,
    "times of day": DateTimeInterval,
}
_MOST_ARGUMENTS: Final = 1 << 16


def saved_state(
    program: MetricProgram, data: Dataset, terms: Dictionary, network: State | None
) -> State:
    """The state of a model; no ``network``: it is derived anew."""
    (notation,) = (name for name, each in _NOTATIONS.items() if each is data.notation)
    return {
        "program": fingerprint(program, data.scale),
        "scale": data.scale,
        "notation": notation,
        "terms": terms.saved(),
        "explicit": [
            {"predicate": name, "arity": arity, "rows": rows}
            for (name, arity), rows in data.rows.items()
        ],
        "network": network,
    }


def fingerprint(program: MetricProgram, scale: int) -> str:
    """The hash of the plans of a program; names of variables make no difference."""
    known = analyse(program)
    own = known.depth, known.step, known.algorithm, arities(program)
    plans = list(lower(without_subsumed(program), scale))
    return hash_lines([f"live model {scale} {own!a}", *plan_lines(plans)])


class ModelState:
    """A live model as it is read back; its terms are there at once.

    Attributes:
        terms: the dictionary of its ids; facts that are to change it are read with it.
        alive: per id whether a term had it.
        scale: ticks to the unit of time.
        notation: how times are written.
        network: the network at rest; None: it is derived anew.
    """

    __slots__ = ("_given", "alive", "network", "notation", "scale", "terms")

    def __init__(self, given: StateReader, program: MetricProgram) -> None:
        """Read all but the facts; `ValueError`, if the state is of no model."""
        self._given = given
        self.scale = given.integer("scale", 1, MAX_SCALE)
        name = given.text("notation")
        if name not in _NOTATIONS:
            given.refuse("notation", "is none")
        self.notation = _NOTATIONS[name]
        self.terms = Dictionary()
        self.alive = self.terms.restore(given.part("terms"))
        self.network = given.maybe("network")
        if (self.network is None) is analyse(program).is_maintained:
            given.refuse("network", "is there, or is not, unlike that of the program")

    def data(self) -> Dataset:
        """The explicit data."""
        rows = {}
        for part in self._given.parts("explicit"):
            arity = part.integer("arity", 0, _MOST_ARGUMENTS)
            key: PredicateKey = part.text("predicate"), arity
            if key in rows:
                part.refuse("predicate", "is there twice")
            rows[key] = part.rows("rows", arity, self.alive)
        return Dataset(self.scale, rows, self.notation)


def is_of(given: StateReader, program: MetricProgram) -> bool:
    """Whether a state is of a model of ``program``; `ValueError`, if it is of no model."""
    scale = given.integer("scale", 1, MAX_SCALE)
    return not scale % analyse(program).scale and given.text("program") == fingerprint(
        program, scale
    )
