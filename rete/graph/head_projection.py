"""The projection of a head: which fact a row derives, and which rows may have derived a fact."""

from __future__ import annotations

from rete import kernels
from rete.arrays.delta import Rows, columns
from rete.graph.plan import KnownColumns
from rete.terms.dictionary import Dictionary, constant
from rete.terms.relations import Head


class HeadProjection:
    """A head over the columns of a body: rows to facts, and facts to questions about rows.

    Attributes:
        columns: pairs of a place and the column that gives it.
        constants: pairs of a place and the id that is always there.
        known: the columns of a row that a fact determines.
        places: the places of the fact that do.
        key: the same, as kernels take it.
        asks_whole: whether these are all places, in their order.
        asks_all: whether it may have derived any fact of its relation; see `asks`.
        taken, terms: the columns of a fact, and the ids of constants, the nth for ~n; as
            `rete.kernels.project` takes them.
    """

    __slots__ = (
        "_repeated",
        "asks_all",
        "asks_whole",
        "columns",
        "constants",
        "key",
        "known",
        "places",
        "taken",
        "terms",
    )

    def __init__(self, head: Head, terms: Dictionary) -> None:
        places = list(enumerate(head.args))
        self.columns = [(place, arg) for place, arg in places if isinstance(arg, int)]
        self.constants = [
            (place, constant(arg, terms)) for place, arg in places if isinstance(arg, str)
        ]
        firsts: dict[int, int] = {}
        self._repeated: list[tuple[int, int]] = []
        for place, column in self.columns:
            if (first := firsts.setdefault(column, place)) != place:
                self._repeated.append((first, place))
        self.asks_all = not (self.constants or self._repeated)
        self.known: KnownColumns = tuple(firsts)
        self.places = tuple(firsts.values())
        self.key = columns(self.places)
        self.asks_whole = self.places == tuple(range(len(places)))
        self.terms = columns(term for _, term in self.constants)
        numbers = {place: ~number for number, (place, _) in enumerate(self.constants)}
        self.taken = columns([arg if isinstance(arg, int) else numbers[p] for p, arg in places])

    def asks(self, facts: Rows) -> Rows:
        """Those of ``facts`` that it may have derived: they have its constants, and are repeated.

        Its `places` of them are questions about the `known` columns of its body.
        """
        for place, term in self.constants:
            facts = facts[facts[:, place] == term]
        for first, place in self._repeated:
            facts = facts[facts[:, first] == facts[:, place]]
        return facts

    def is_injective(self, width: int) -> bool:
        """Whether different rows of ``width`` terms derive different facts."""
        return len({column for _, column in self.columns}) == width

    def facts(self, rows: Rows) -> Rows:
        """The facts that ``rows`` derive, (n, arity + 2), in order."""
        return kernels.project(rows, self.taken, self.terms)
