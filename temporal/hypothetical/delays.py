"""How late facts may be: the δ of [CruzFilipe22, section 3], by predicate and by instance."""

from __future__ import annotations

from dataclasses import dataclass

from temporal.hypothetical.ast import Atom
from temporal.hypothetical.patterns import Patterns, telling


@dataclass(frozen=True, slots=True)
class Delays(Patterns[int]):
    """The largest delay of each input atom; 0 where nothing is said."""

    default: int = 0

    def of(self, atom: Atom) -> int:
        """The largest delay that an instance of the atom has.

        Costs a look-up, for each pattern of the predicate if the atom has variables.
        """
        name = atom.predicate
        return max(self.of_instance(name, each) for each in telling(atom, self.args_of(name)))
