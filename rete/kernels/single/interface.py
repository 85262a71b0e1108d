"""What Python sees of the kernels for single elements, of which there is no pure twin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from rete.arrays.delta import Rows
from rete.arrays.term_columns import TermColumns

RowAnswer: TypeAlias = tuple[int, int, int, int, int, str, str, str]
"""Whether it begins; ticks: when, its start and its end; its rule; the texts of its triple."""


ElementData: TypeAlias = str | bytes | list[str]
"""An element in N-Triples, as text or bytes; or the texts of its terms, three a triple."""


class TermView(Protocol):
    """The columns of a dictionary, held open."""


class ElementReader(Protocol):
    """Reads the triples of an element, of which there are ``n``."""

    @property
    def n(self) -> int: ...  # noqa: D102

    def read(self, data: ElementData, /) -> bool:
        """Read an element whole; False: another reader has to."""
        ...


class AssertedQueue(Protocol):
    """Facts as they were asserted; ``kept``: how many cells after its end one is kept."""

    kept: int

    def __len__(self) -> int: ...

    def take(self) -> Rows:
        """Take out all, (n, 6): the triple, the name of its element, and the time."""
        ...


class AnswerQueue(Protocol):
    """Gains of answers, until they begin and until they end."""

    def take(self, ends: bool, limit: int, widths: Sequence[int], /) -> Mapping[int, Rows]:  # noqa: FBT001
        """Take out what is pending until a time up to ``limit``: by node the rows, in no order."""
        ...


class RowNetwork(Protocol):
    """A network for single rows; see `rete.inference.row_plan`.

    Attributes:
        derived: facts that tables gained since it was set; a fact in pieces counts as these.
        asserted: facts that were asserted since.
        stage: turns of tables so far, those of the agenda included.
    """

    derived: int
    asserted: int
    stage: int

    def losses(self) -> list[tuple[int, Rows]]:
        """Take out what negations may let pass no longer: (node, rows)."""
        ...

    def take(self, element: ElementReader, lo: int, hi: int, name: int, bound: int, /) -> bool:
        """Assert an element and derive what follows; False: columns are to go on."""
        ...

    def pending(self) -> list[tuple[int, Rows]]:
        """Take out what is pending: (node, rows), where a row of a table goes on with its rule."""
        ...

    def received(self) -> list[tuple[int, int]]:
        """The nodes to which rows came since it was last asked, with how many."""
        ...

    def close(self, limit: int, /) -> Sequence[RowAnswer] | None:
        """The answers up to a cell, in order; None: columns are to give them."""
        ...


class SingleKernels(NamedTuple):
    """The compiled classes; see the protocols of what they make."""

    term_view: Callable[[TermColumns], TermView]
    element_reader: Callable[[TermView], ElementReader]
    asserted_queue: Callable[[], AssertedQueue]
    answer_queue: Callable[[int], AnswerQueue]
    row_network: Callable[..., RowNetwork]
