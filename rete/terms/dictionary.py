"""Term dictionary: canonical text <-> int64 id."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from rete import kernels
from rete.arrays.delta import Rows, columns
from rete.arrays.lexical_classes import UNSEEN
from rete.arrays.state_codec import Mask, State, StateReader
from rete.arrays.term_columns import (
    ALIASES,
    BASE,
    BASE_SIZE,
    FREE,
    IS_ALIAS,
    IS_LIVE,
    IS_PINNED,
    KIND_MASK,
    KIND_SHIFT,
    LEAST_BYTES,
    LENGTH_SHIFT,
    LIVE,
    META,
    NEVER,
    TOP,
    USED,
    Bytes,
    Float64,
    Ids,
    Int8,
    MappedTerms,
    TermColumns,
)
from rete.terms.literal_values import value_text
from rif.builtins import BUILTINS, Builtin
from rif.syntax.terms import XSD, GroundTerm, parse_canonical

_LEAST_SWEEP: Final = 1 << 15
_SPARSE: Final = 8
_OF_SPARSE: Final = 256
TEXT_OF_A_FACT: Final = 100
"""So many characters of texts that built-ins compute count as a fact where these are limited."""
LONGEST_COMPUTED: Final = 1 << 16
"""Characters of the longest term that a built-in computes, unless another is given."""


class Clock(Protocol):
    """What ticks are.

    Attributes:
        epoch: the tick of 1970-01-01T00:00:00Z; 0, if ticks are integers.
        per_second: ticks in a second.
        counts: whether stamps are integers, which a duration as text goes with, too.
    """

    @property
    def epoch(self) -> int: ...  # noqa: D102
    @property
    def per_second(self) -> int: ...  # noqa: D102
    @property
    def counts(self) -> bool: ...  # noqa: D102

    def term(self, tick: int) -> str:
        """The literal of a tick, in canonical N-Triples."""
        ...


class Dictionary:
    """Terms by id and ids by term; a term is its canonical text (`rif.syntax.terms`).

    Ids begin at 1; 0 is "no term". An id stays the id of its term until a `sweep` forgets it; then
    it is used again for another.

    **Who stays alive.** `sweep` forgets every term that is not pinned, whose `touch`-ed end lies
    before the bound, and that the caller does not name in ``keep``. Nothing else counts: a term
    just encoded is forgotten at once by a sweep that comes before it is touched, pinned or kept.
    So whoever holds ids that are no rows yet (a reader its chunk) passes them to the sweep; names
    of graphs and stamps, which never become rows, need no other care to be forgotten.

    **On a base** (`stand_on`) the ids begin with those of terms that are mapped, which stay.

    **By value** (``by_value``) equal values are one term, as RIF has it: a text stands for the one
    of its value (`rete.terms.literal_values.value_text`), and `decode` gives that one. A typed
    literal of N-Quads is mapped when it is seen for the first time, and is an alias from then on,
    until a sweep.

    Attributes:
        by_value: whether equal values are one term.
        builtins: what computes new terms from these, by IRI; the nodes of built-ins take it from
            here.
        results: what functions of one's own gave, by IRI and ids of the arguments: the id of a
            term, or as `rete.terms.builtin_calls.FunctionCalls.values`. A sweep drops those with
            forgotten terms.
        clock: what ticks are, for rules that ask for times.
        computed: the texts that built-ins computed so far, in units of `TEXT_OF_A_FACT`: rules may
            make one longer in each round. What is less than a unit counts as nothing.
        longest_computed: characters of the longest term that a built-in may compute: rules may
            double one in each round.
        texts: the columns; other kernels read them (`TermColumns.arena`, `TermColumns.entries`).
        kernel: the kernels of terms in use (`rete.kernels.text.pure_terms`, or its compiled twin).
        sweeps: how many sweeps there were: what is kept by id is dropped after one.
        reader: those that read N-Quads (`rete.kernels.text.pure_nquads`, or its compiled twin).
    """

    __slots__ = (
        *("_after_sweep", "_columns"),
        *(
            "builtins",
            "by_value",
            "clock",
            "computed",
            "kernel",
            "longest_computed",
            "reader",
            "results",
            "sweeps",
            "texts",
        ),
    )

    def __init__(
        self,
        backend: kernels.Backend = kernels.BACKEND,
        *,
        by_value: bool = False,
        longest_computed: int = LONGEST_COMPUTED,
        builtins: Mapping[str, Builtin] = BUILTINS,
    ) -> None:
        modules = kernels.load(backend)
        self.by_value = by_value
        self.builtins = builtins
        self.results: dict[str, dict[tuple[int, ...], int]] = {}
        self.longest_computed = longest_computed
        self.computed = 0
        self.clock: Clock = TickNumbers()
        self.texts = TermColumns(seed=int.from_bytes(os.urandom(8), "big") >> 2, by_value=by_value)
        self.kernel: ModuleType = modules["text._terms"]
        self.reader: ModuleType = modules["text._nquads"]
        self._columns: ModuleType = modules["text._columns"]
        self._after_sweep = self.sweeps = 0

    def stand_on(self, base: MappedTerms) -> None:
        """Begin with the terms of ``base``, before any other; not for a dictionary by value.

        Costs nothing a term on the compiled back end, and O(terms) on the pure one.
        """
        assert not self.by_value
        self.texts.stand_on(base)
        self.kernel.reindex(self.texts)

    def encode(self, text: str) -> int:
        """The id of the term with canonical text ``text``, added if new."""
        raw = self._text_of(text).encode()
        term = self.kernel.add(self.texts, raw)
        if term < 0:
            self.reserve(1, len(raw))
            term = self.kernel.add(self.texts, raw)
        return int(term)

    def encode_many(self, texts: Sequence[str]) -> Ids:
        """`encode` for all of ``texts``: (n,) int64."""
        given = list(map(value_text, texts) if self.by_value else texts)
        ids = np.empty(len(given), np.int64)
        done = self.kernel.add_many(self.texts, given, 0, ids)
        while done < len(given):
            self.reserve(1, len(given[done].encode()))
            done = self.kernel.add_many(self.texts, given, done, ids)
        return ids

    def encode_computed(self, texts: Sequence[str]) -> Ids:
        """`encode_many` of texts that a built-in computed."""
        self.computed += sum(len(text) // TEXT_OF_A_FACT for text in texts)
        return self.encode_many(texts)

    def lookup(self, text: str) -> int:
        """The id of a canonical text, 0 if it has none."""
        return int(self.kernel.find(self.texts, self._text_of(text).encode()))

    def _text_of(self, text: str) -> str:
        return value_text(text) if self.by_value else text

    def decode(self, term: int) -> str:
        """The canonical text of an id; raises `KeyError` if no term has this id."""
        texts = self.texts
        if not 0 < term < texts.state[TOP]:
            raise KeyError(term)
        start, meta = texts.entries[term, : META + 1].tolist()
        if meta & (IS_LIVE | IS_ALIAS) != IS_LIVE:
            raise KeyError(term)
        return texts.arena[start : start + (meta >> LENGTH_SHIFT)].tobytes().decode()

    def decode_many(self, terms: Ids) -> list[str]:
        """The canonical texts of living ids."""
        texts: list[str] = self._columns.decode(self.texts, terms)
        return texts

    def term(self, term: int) -> GroundTerm:
        """The term of an id, as a value."""
        return parse_canonical(self.decode(term))

    def kinds(self, terms: Ids) -> Int8:
        """What living ids are: 1 IRI, 2 blank node or local constant, 3 literal, 4 list."""
        metas = self.texts.entries[terms, META]
        found: Int8 = ((metas >> KIND_SHIFT) & KIND_MASK).astype(np.int8)
        return found

    def distinct(self, rows: Rows) -> tuple[Ids, Ids]:
        """Where each distinct row of ids stands first, ascending, and per row which of them it is.

        ``rows`` is (n, k), C-contiguous; the results are (m,) and (n,), the second from 0 to m - 1.
        """
        found: tuple[Ids, Ids] = self._columns.distinct(rows)
        return found

    def accept(self, token: bytes, term: int) -> None:
        """Let the valid N-Quads token (IRI or literal as spelled) stand for ``term``."""
        if not self.kernel.accept(self.texts, token, term):
            self.reserve(1, len(token))
            self.kernel.accept(self.texts, token, term)

    def pin(self, terms: Ids) -> None:
        """Never forget these terms: constants of rules, static data. 0 and less are no ids."""
        self.texts.entries[terms[terms > self.texts.state[BASE]], META] |= IS_PINNED

    def touch(self, rows: Rows, hi: Ids) -> None:
        """Every id of row i of ``rows`` (n, k) is needed until cell ``hi[i]``, exclusive."""
        self._columns.touch(self.texts.last, rows, hi)

    def untouch(self) -> None:
        """No row is known to need any id, until it is touched again."""
        texts = self.texts
        base, top = int(texts.state[BASE]), int(texts.state[TOP])
        own = texts.last[base + 1 : top]
        own[~texts.is_alias()[base + 1 :]] = NEVER

    @property
    def due(self) -> bool:
        """Whether a sweep costs no more than O(1) for each term added since the last.

        Or some more where few terms are left of many: those with high ids keep the columns long.
        """
        state = self.texts.state
        live, room = int(state[LIVE]), int(state[TOP] - state[BASE])
        if room > max(_SPARSE * live, _LEAST_SWEEP):
            return live - self._after_sweep > room // _OF_SPARSE
        return live > max(_LEAST_SWEEP, self._after_sweep * 3 // 2)

    @property
    def survivors(self) -> int:
        """How many terms the last sweep left: those that the next one looks at in vain."""
        return self._after_sweep

    def sweep(self, bound: int, keep: Iterable[Ids] = ()) -> int:
        """Forget the terms that no row at ``bound`` or later mentions; see the class.

        Args:
            bound: cells; a term with ``last < bound`` is forgotten.
            keep: arrays of ids, of any shape, that are held outside of rows; 0 and -1 are no ids.

        Returns:
            How many terms were forgotten. Costs O(terms), those of the base left out; see `due`.
        """
        texts = self.texts
        first, top = int(texts.state[BASE]) + 1, int(texts.state[TOP])
        metas = texts.entries[first:top, META]
        own = metas & (IS_LIVE | IS_ALIAS) == IS_LIVE
        alive = (texts.last[first:top] >= bound) | (metas & IS_PINNED != 0)
        for ids in keep:
            alive[ids[ids >= first] - first] = True
        alive &= own
        forgotten = int(np.count_nonzero(own)) - int(np.count_nonzero(alive))
        self._release(alive)
        self._drop_results()
        self.sweeps += 1
        return forgotten

    def _drop_results(self) -> None:
        """Drop results of functions whose terms were forgotten: their ids may mean others."""
        if not any(self.results.values()):
            return
        living = set(np.flatnonzero(self._living()).tolist())
        for name, known in self.results.items():
            is_term = self.builtins[name].kind == "function"
            for ids, value in list(known.items()):
                if not living.issuperset(ids) or (is_term and value > 0 and value not in living):
                    del known[ids]

    def _release(self, alive: npt.NDArray[np.bool_]) -> None:
        """Free all entries above the base but the living ones, aliases too, and shrink the rest."""
        texts = self.texts
        base = int(texts.state[BASE])
        living = np.flatnonzero(alive) + base + 1
        top = int(living[-1]) + 1 if len(living) else base + 1
        dead = np.flatnonzero(~alive) + base + 1
        texts.entries[dead] = 0
        texts.last[dead] = NEVER
        texts.classes[dead] = -1
        texts.lexical[dead] = UNSEEN
        reusable = np.ascontiguousarray(dead[dead < top][::-1])
        texts.state[TOP] = top
        texts.state[FREE] = 0
        texts.state[LIVE] = len(living)
        texts.state[ALIASES] = 0
        size = int((texts.entries[living, META] >> LENGTH_SHIFT).sum())
        if 2 * size < texts.state[USED] - texts.state[BASE_SIZE]:
            own = np.empty(max(2 * size, LEAST_BYTES), np.uint8)
            self.kernel.compact(texts, own)
            texts.replace(own)
        if 4 * (top - base) < len(texts.last) - base:
            texts.resize(base + 2 * (top - base))
        texts.free = reusable if len(reusable) else texts.free[:1]
        texts.state[FREE] = len(reusable)
        texts.size_table(len(living))
        self.kernel.reindex(texts)
        self._after_sweep = len(living)

    def saved(self) -> State:
        """All terms with their ids; the index, and what terms are as numbers, is found again."""
        return {"by_value": self.by_value, "after_sweep": self._after_sweep, **self.texts.saved()}

    def restore(self, given: StateReader) -> Mask:
        """Have the terms that were saved, of the same ids, and no others; per id whether it is one.

        Costs O(terms).
        """
        by_value = given.flag("by_value")
        if by_value != self.by_value:
            given.refuse("by_value", f"is {by_value}, but not of this dictionary")
        self._after_sweep = given.integer("after_sweep", 0)
        self.texts.restore(given)
        self.kernel.reindex(self.texts)
        return self._living()

    def _living(self) -> Mask:
        """Per id whether it is that of a term."""
        metas = self.texts.entries[: int(self.texts.state[TOP]), META]
        alive: Mask = metas & (IS_LIVE | IS_ALIAS) == IS_LIVE
        return alive

    def reserve(self, terms: int, size: int) -> None:
        """Make room for ``terms`` more of ``size`` bytes together; kernels never grow arrays."""
        if self.texts.reserve(terms, size):
            self.kernel.reindex(self.texts)

    def rank(self, terms: Ids) -> Ids:
        """Dense ranks of living ids by canonical text, in code point order. O(n log n)."""
        ranks: Ids = self._columns.rank(self.texts, terms)
        return ranks

    def numeric(self, terms: Ids) -> tuple[Float64, Int8]:
        """Value as a double, and class, of living ids; looked at once a term.

        Classes: 0 not a number (or not in the lexical space), 1 decimal or integer that is exactly
        this double, 2 decimal or integer and this the nearest double, 3 float, 4 double.
        """
        texts = self.texts
        classes = texts.classes[terms]
        unknown = classes < 0
        if unknown.any():
            texts.measurable()
            self._columns.measure(texts, terms[unknown])
            classes = texts.classes[terms]
        return texts.values[terms], classes

    def lexical_classes(self, terms: Ids) -> Bytes:
        """The lexical classes of living ids (`rete.arrays.lexical_classes`), found once a term."""
        texts = self.texts
        found: Bytes = texts.lexical[terms]
        unseen = found == UNSEEN
        if unseen.any():
            texts.measurable()
            self._columns.classify(texts, terms[unseen])
            found = texts.lexical[terms]
        return found

    def __len__(self) -> int:
        """How many terms are alive."""
        state = self.texts.state
        return int(state[BASE] + state[LIVE] - state[ALIASES])


class TickNumbers:
    """Ticks that are integers."""

    epoch: Final = 0
    per_second: Final = 1000
    counts: Final = False
    """Nobody has said what stamps are."""

    def term(self, tick: int) -> str:
        """The integer."""
        return f'"{tick}"^^<{XSD}integer>'


def constant(text: str, terms: Dictionary) -> int:
    """The id of a constant of the rules; it is never forgotten."""
    term = terms.encode(text)
    terms.pin(columns([term]))
    return term
