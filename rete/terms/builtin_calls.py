"""Built-ins applied to rows: each distinct tuple of arguments is evaluated once.

Of terms of one lexical class a guard of a datatype is asked once: `Builtin.by_class`.
Results are remembered until the dictionary forgets terms, when ids may come to mean something else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from types import NoneType
from typing import Final, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, Rows, columns
from rete.arrays.lexical_classes import UNCLASSED
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary, constant
from rete.terms.relations import Operand
from rif.builtins import Builtin, Outcome
from rif.builtins.operators import duration_in_ticks
from rif.builtins.signatures import OutsideDomain
from rif.syntax.terms import GroundTerm, parse_canonical

T = TypeVar("T")

ArgumentIds: TypeAlias = int | tuple[int, ...]
"""The ids of the arguments that are no constants; below 0: that of a lexical class."""

OUT_OF_DOMAIN: Final = -1
"""In place of a value: the arguments are outside the domain."""
FEW: Final = 64
"""Up to so many rows a look-up each costs less than finding the distinct ones."""
_MOST_KNOWN: Final = 1 << 18
"""So many results of a built-in are remembered."""
_AT_ONCE: Final = 1 << 12
"""So many are evaluated together, which bounds the terms that are decoded at a time."""
_SAMPLES: Final = 10
UNKNOWN_ARGUMENT: Final = "?"
"""In a sample: the argument that the predicate was to be solved for."""


@dataclass(slots=True)
class DomainErrors:
    """How often the arguments of a built-in were outside its domain [RIF-DTB 4].

    There a predicate counts as false and a function has no value.

    Attributes:
        builtin: its IRI.
        count: rows.
        samples: canonical texts of the arguments, or `UNKNOWN_ARGUMENT`; each tuple once, ten early
            ones at most.
        reason: why the first of the samples is outside: the last line of the exception of a
            function; ``""``: it is not known.
    """

    builtin: str
    count: int = 0
    samples: list[tuple[str, ...]] = field(default_factory=list)
    reason: str = ""

    @property
    def wants_samples(self) -> bool:
        """Whether there is room for more samples."""
        return len(self.samples) < _SAMPLES

    def sample(self, found: Iterable[tuple[str, ...]], reason: str = "") -> None:
        """Keep some of these; ``reason`` is that of the first."""
        if not self.samples:
            self.reason = reason
        new = [texts for texts in dict.fromkeys(found) if texts not in self.samples]
        self.samples += new[: _SAMPLES - len(self.samples)]

    def saved(self) -> State:
        """The count and samples so far."""
        samples = [{"texts": texts} for texts in self.samples]
        return {"count": self.count, "samples": samples, "reason": self.reason}

    def restore(self, given: StateReader) -> None:
        """Go on from there."""
        self.count = given.integer("count", 0)
        self.samples = [part.texts("texts") for part in given.parts("samples")]
        self.reason = given.text("reason")


def sum_by_builtin(parts: Iterable[DomainErrors]) -> list[DomainErrors]:
    """One for each built-in, by IRI."""
    found: dict[str, DomainErrors] = {}
    # What one has asked others know, but not why it has no value.
    for part in sorted(parts, key=lambda part: not part.reason):
        total = found.setdefault(part.builtin, DomainErrors(part.builtin))
        total.count += part.count
        total.sample(part.samples, part.reason)
    return [found[iri] for iri in sorted(found)]


class Arguments:
    """Where the arguments of a built-in come from: columns of rows, and constants.

    Attributes:
        terms: the dictionary of all ids.
        outside: counts the arguments that were outside the domain.
    """

    __slots__ = (
        *("_by_class", "_columns", "_constant_ids", "_constants", "_examples", "_key_of"),
        *("_operands", "_places", "outside", "terms"),
    )

    def __init__(self, builtin: str, operands: Sequence[Operand | None], terms: Dictionary) -> None:
        """``None`` among the operands is the argument that the predicate is solved for."""
        self.terms = terms
        self._examples: dict[int, int] = {}
        self.outside = DomainErrors(builtin)
        ids = [constant(each, terms) if isinstance(each, str) else 0 for each in operands]
        self._operands = [
            each if isinstance(each, int) else columns([term])
            for each, term in zip(operands, ids, strict=True)
        ]
        self._constant_ids = ids
        self._constants = [terms.term(term) if term else None for term in ids]
        self._places = [i for i, each in enumerate(operands) if isinstance(each, int)]
        varying = [each for each in operands if isinstance(each, int)]
        self._columns = columns(varying)
        self._key_of: Callable[[list[int]], ArgumentIds] = (
            itemgetter(*varying) if varying else _no_key
        )
        known = terms.builtins.get(builtin)
        self._by_class = known is not None and known.by_class and self._places == [0]

    def of(self, rows: Rows, place: int) -> Column:
        """The ids at an argument place, (n,) or (1,) for a constant."""
        operand = self._operands[place]
        return rows[:, operand] if isinstance(operand, int) else operand

    def keys(self, rows: Rows) -> tuple[list[ArgumentIds], Column | None]:
        """The keys of ``rows``, and per row the position of its key; None: one key a row."""
        if len(rows) <= FEW:
            return list(map(self._key_of, rows.tolist())), None
        given = np.ascontiguousarray(rows[:, self._columns])
        if self._by_class:
            return self._keys_of_classes(given[:, 0])
        firsts, which = self.terms.distinct(given)
        if len(self._columns) == 1:
            return given[firsts, 0].tolist(), which
        return list(map(tuple, given[firsts].tolist())), which

    def _keys_of_classes(self, given: Column) -> tuple[list[ArgumentIds], Column]:
        classes = self.terms.lexical_classes(given).astype(np.int64)
        asked = np.where(classes == UNCLASSED, given, -classes)
        firsts, which = self.terms.distinct(asked[:, np.newaxis])
        keys = asked[firsts].tolist()
        pairs = zip(keys, given[firsts].tolist(), strict=True)
        self._examples = {key: term for key, term in pairs if key < 0}
        return keys, which

    def decode(self, keys: Sequence[ArgumentIds]) -> list[list[GroundTerm | None]]:
        """The arguments of each key; each id of ``keys`` is decoded once."""
        # Of a class, some term of it stands for all.
        examples = self._examples
        tuples = [(examples.get(key, key),) if isinstance(key, int) else key for key in keys]
        if len(tuples) == 1:  # a live stream: not worth an array
            parsed = {term: self.terms.term(term) for term in tuples[0]}
        else:
            ids = list({term for each in tuples for term in each})
            texts = self.terms.decode_many(columns(ids))
            parsed = dict(zip(ids, map(parse_canonical, texts), strict=True))
        found = []
        for each in tuples:
            arguments = self._constants.copy()
            for place, term in zip(self._places, each, strict=True):
                arguments[place] = parsed[term]
            found.append(arguments)
        return found

    def count(self, rows: Rows, outside: npt.NDArray[np.bool_]) -> None:
        """Count those of ``rows`` whose arguments are ``outside`` the domain, and sample them."""
        self.outside.count += int(np.count_nonzero(outside))
        if self.outside.wants_samples:
            some = rows[np.flatnonzero(outside)[:_SAMPLES]]
            keys = list(dict.fromkeys(map(self._key_of, some.tolist())))
            self.sample(self.decode(keys))

    def sample(self, given: Iterable[Sequence[GroundTerm | None]], reason: str = "") -> None:
        """Remember these arguments outside the domain, if there are not enough yet."""
        texts = (
            tuple(UNKNOWN_ARGUMENT if each is None else str(each) for each in some)
            for some in given
        )
        self.outside.sample(texts, reason)

    def all_ids(self, keys: Iterable[ArgumentIds]) -> Iterator[tuple[int, ...]]:
        """The ids of all arguments of each key, constants too."""
        for key in keys:
            ids = self._constant_ids.copy()
            for place, term in zip(
                self._places, (key,) if isinstance(key, int) else key, strict=True
            ):
                ids[place] = term
            yield tuple(ids)


def _no_key(_: list[int]) -> ArgumentIds:
    return ()


class _Memo(ABC, Generic[T]):
    """The results of a built-in so far, by key."""

    __slots__ = ("_known", "arguments")

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self._known: dict[ArgumentIds, T] = {}

    def forget(self) -> None:
        """Drop all results, as ids may mean other terms from now on."""
        self._known.clear()

    def _look_up(self, keys: list[ArgumentIds]) -> list[T]:
        known = self._known
        try:
            return [known[key] for key in keys]
        except KeyError:
            pass
        if len(known) > _MOST_KNOWN:
            known.clear()
        new = [key for key in dict.fromkeys(keys) if key not in known]
        for start in range(0, len(new), _AT_ONCE):
            self._learn(new[start : start + _AT_ONCE])
        return [known[key] for key in keys]

    @abstractmethod
    def _learn(self, keys: list[ArgumentIds]) -> None:
        """Enter the results for ``keys``, which are new and distinct."""


class FunctionCalls(_Memo[int]):
    """A built-in with one result for its arguments: truth, the id of a term or `OUT_OF_DOMAIN`.

    A function of one's own is called once while a row has its arguments and its value: what it gave
    stays in the dictionary, for all nodes that call it.
    """

    __slots__ = ("_counts", "_evaluate", "_own")

    def __init__(
        self, arguments: Arguments, evaluate: Callable[..., Outcome], *, own: bool = False
    ) -> None:
        super().__init__(arguments)
        self._evaluate = evaluate
        self._own = own
        self._counts = False

    @classmethod
    def of(cls, arguments: Arguments, builtin: Builtin) -> FunctionCalls:
        """The calls of ``builtin``."""
        evaluate = evaluation(builtin, arguments.terms)
        return cls(arguments, evaluate, own=builtin.version is not None)

    def values(self, rows: Rows) -> Column:
        """Per row the id of a term, 1 for true, 0 for false, or `OUT_OF_DOMAIN` (counted)."""
        if self.arguments.terms.clock.counts != self._counts:  # what is known was without stamps
            self._counts = not self._counts
            self.forget()
        keys, which = self.arguments.keys(rows)
        found = self._look_up(keys)
        values = columns(found) if which is None else columns(found)[which]
        if OUT_OF_DOMAIN in found:
            self.arguments.outside.count += int(np.count_nonzero(values == OUT_OF_DOMAIN))
        return values

    def _learn(self, keys: list[ArgumentIds]) -> None:
        if not self._own:
            self._known.update(zip(keys, self._evaluated(keys), strict=True))
            return
        name, results = self.arguments.outside.builtin, self.arguments.terms.results
        known, ids = results.setdefault(name, {}), list(self.arguments.all_ids(keys))
        new = {each: key for each, key in zip(ids, keys, strict=True) if each not in known}
        if self.arguments.outside.wants_samples:
            pairs = zip(keys, ids, strict=True)
            outside = [key for key, each in pairs if known.get(each) == OUT_OF_DOMAIN]
            self.arguments.sample(self.arguments.decode(outside))
        known.update(zip(new, self._evaluated(list(new.values())), strict=True))
        self._known.update((key, known[each]) for key, each in zip(keys, ids, strict=True))

    def _evaluated(self, keys: list[ArgumentIds]) -> list[int]:
        arguments = self.arguments
        given = arguments.decode(keys)
        outcomes: list[Outcome] = []
        reason: str | None = None
        for each in given:
            try:
                outcomes.append(self._evaluate(*each))
            except OutsideDomain as error:
                outcomes.append(None)
                if outcomes.index(None) == len(outcomes) - 1:
                    reason = str(error)
        texts = []
        for number, found in enumerate(outcomes):
            if not isinstance(found, bool | NoneType):
                text = str(found)
                if len(text) <= arguments.terms.longest_computed:
                    texts.append(text)
                else:
                    outcomes[number] = None
        ids = iter(arguments.terms.encode_computed(texts).tolist() if texts else ())
        if arguments.outside.wants_samples and None in outcomes:
            pairs = zip(given, outcomes, strict=True)
            arguments.sample((each for each, outcome in pairs if outcome is None), reason or "")
        return [
            OUT_OF_DOMAIN
            if outcome is None
            else int(outcome)
            if isinstance(outcome, bool)
            else next(ids)
            for outcome in outcomes
        ]


def evaluation(builtin: Builtin, terms: Dictionary) -> Callable[..., Outcome]:
    """What evaluates a built-in, where ticks are what the clock of ``terms`` says."""
    if builtin.in_ticks:
        return partial(_in_ticks, builtin.evaluate, terms)
    return builtin.evaluate


def _in_ticks(
    evaluate: Callable[..., Outcome], terms: Dictionary, left: GroundTerm, right: GroundTerm
) -> Outcome:
    """The outcome where a duration beside an integer counts as ticks, if these are integers."""
    if terms.clock.counts:
        second = terms.clock.per_second
        left, right = (
            duration_in_ticks(left, right, second),
            duration_in_ticks(right, left, second),
        )
    return evaluate(left, right)


class Solutions(_Memo[list[int] | None]):
    """A built-in predicate that is solved for one argument; None outside the domain."""

    __slots__ = ("_solve", "_unknown")

    def __init__(
        self,
        arguments: Arguments,
        unknown: int,
        solve: Callable[..., Iterable[tuple[GroundTerm, ...]] | None],
    ) -> None:
        super().__init__(arguments)
        self._unknown = unknown
        self._solve = solve

    def of(self, rows: Rows) -> tuple[Column, Column]:
        """Per solution, in the order of ``rows``, the number of its row and the id of its term.

        Rows whose arguments are outside the domain have none and are counted.
        """
        keys, which = self.arguments.keys(rows)
        found = self._look_up(keys)
        if which is None:
            self.arguments.outside.count += found.count(None)
            numbers = [number for number, terms in enumerate(found) for _ in terms or ()]
            return columns(numbers), columns([term for terms in found for term in terms or ()])
        sizes = columns([len(terms or ()) for terms in found])
        flat = columns([term for terms in found for term in terms or ()])
        begins = (np.cumsum(sizes) - sizes)[which]
        outside = columns([terms is None for terms in found])[which]
        self.arguments.outside.count += int(outside.sum())
        sizes = sizes[which]
        first = np.cumsum(sizes) - sizes
        rows_of = np.repeat(np.arange(len(rows)), sizes)
        return rows_of, flat[np.arange(len(rows_of)) + (begins - first)[rows_of]]

    def _learn(self, keys: list[ArgumentIds]) -> None:
        arguments = self.arguments
        for key, given in zip(keys, arguments.decode(keys), strict=True):
            solutions = self._solve(*given)
            if solutions is None:
                self._known[key] = None
                arguments.sample([given])
            else:
                texts = list(dict.fromkeys(str(each[self._unknown]) for each in solutions))
                found = arguments.terms.encode_computed(texts).tolist()
                self._known[key] = list(dict.fromkeys(found))
