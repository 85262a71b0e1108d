"""The buffers of sources: what was read, judged, and waits; and how several become one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from r4.errors import Sample
from r4.rdf.chunks import (
    EMPTY_CHUNK,
    EMPTY_LINE,
    LAST_CHUNK,
    NO_LINES,
    NO_ROWS,
    Chunk,
    LineNumbers,
    restored_faults,
    sample_of,
    saved_faults,
)
from r4.stream.elements.judged_elements import (
    ELEMENT,
    END_TERM,
    ENDS,
    KIND,
    NAME,
    NO_ELEMENTS,
    PLACE,
    RETRACTED,
    SAVED_WIDTH,
    SIZE,
    SOURCE,
    TICK,
    VERDICT,
    WIDTH,
    ChunkOrigin,
    ElementJudge,
    JudgedElements,
)
from r4.stream.elements.segmentation import (
    GRAPH,
    NOTHING_OPEN,
    OBJECT,
    PREDICATE,
    SUBJECT,
    OpenElement,
    StampVocabulary,
    segment,
)
from r4.stream.elements.transactions import (
    AheadBound,
    judge_in_sequence,
    refuse_ahead,
    refuse_transactions,
)
from r4.stream.source import ANSWERS, NEVER, Source, StreamOptions
from r4.time.ticks import NEG_INF, POS_INF, Kind, Tick
from rete.arrays.delta import Column, Rows, distinct
from rete.arrays.state_codec import Mask, State, StateReader
from rete.arrays.term_columns import LENGTH_SHIFT, META, OFFSET
from rete.terms.dictionary import Dictionary

NOTHING_WAITS: Final = POS_INF + 1
"""In place of a merge key; it is behind all of them."""

MOST_HELD: Final = 100
"""Stamps of which no two that follow each other agree: then time begins with the first."""


class SourceBuffer:
    """What was read of a source and waits to be merged.

    The merge key of an element is the largest stamp up to it in its source: so what has no stamp,
    or a smaller one, follows at once what stands before it. Keys never descend.

    If there is a bound on how far ahead a stamp may be, elements have no keys until two stamps that
    follow each other agree within it. So a first stamp that is wrong makes nothing else late.

    Attributes:
        number: Which of the run it is.
        source: Where it comes from.
        vocabulary: Which statements are stamps.
        judge: What judges its elements.
        unjudged: A document that was read whole, until `judge_whole` judges it; else None.
        high: Key of the last element read, a lower bound for those to come; `NEG_INF` at first.
        exhausted: Whether all was read.
        idle: Whether it has delivered nothing for too long and does not count until it does.
        origin: Where the elements of the chunk that was read last come from.
    """

    __slots__ = (
        "_blocks",
        "_carry",
        "_chunks",
        "_earlier",
        "_elements",
        "_is_partial",
        "_keys",
        "_names",
        "_notes",
        "_options",
        "_reach",
        "_rows",
        "exhausted",
        "high",
        "idle",
        "judge",
        "number",
        "origin",
        "source",
        "unjudged",
        "vocabulary",
    )

    def __init__(
        self, number: int, source: Source, dictionary: Dictionary, options: StreamOptions
    ) -> None:
        self.source = source
        self.number = number
        self.high: Tick = NEG_INF
        self.exhausted = False
        self.idle = False
        wanted = options.vocabulary(dictionary)
        self._options = options
        self.vocabulary: StampVocabulary = source.stamps(wanted)
        self._chunks = source.chunks(dictionary, wanted)
        never = dictionary.encode(f"<{NEVER}>")
        dictionary.pin(np.array([never]))
        self.judge = ElementJudge(dictionary, options.scale, never)
        # The names of the first stream stay as they are.
        self._names = _AnswerNames(number, dictionary, wanted.ends) if number else None
        self._reach: Tick | None = None
        if options.ahead is not None and not options.wall:
            self._reach = options.ahead - options.delays_of([source.name])[0]
        self._carry = NOTHING_OPEN
        self._earlier: tuple[LineNumbers, int] = (NO_LINES, 0)
        self.origin = ChunkOrigin(source.name, NO_LINES, (), self._earlier)
        self._blocks = EMPTY_CHUNK.blocks
        self._is_partial = False
        self._notes = EMPTY_CHUNK.notes
        self.unjudged: Chunk | None = None
        self._elements: JudgedElements | None = None
        self._keys: Column = np.empty(0, np.int64)
        self._rows = 0

    @property
    def waiting(self) -> bool:
        """Whether anything is buffered that has a key, or is all to be judged."""
        return len(self._keys) > 0 or self.unjudged is not None

    @property
    def is_held(self) -> bool:
        """Whether elements wait for stamps that agree."""
        return self._elements is not None and not self.waiting

    @property
    def first(self) -> Tick:
        """The merge key of the first that is buffered; `NOTHING_WAITS`: nothing is.

        Of what is not judged yet a lower bound.
        """
        if self.unjudged is not None:
            return self.high
        return int(self._keys[0]) if len(self._keys) else NOTHING_WAITS

    @property
    def has_open_element(self) -> bool:
        """Whether an element is not complete, of which no statement has come in part."""
        return len(self._carry.parts) > 0 and not self._is_partial

    @property
    def needed_ids(self) -> tuple[Rows | Column, ...]:
        """Ids that are buffered, in arrays of any shape: a sweep must keep them."""
        waiting = self._elements
        if self.unjudged is not None:
            return (self.unjudged.rows,)
        if waiting is None:
            return self._carry.parts
        names = waiting.table[:, NAME : END_TERM + 1]
        return (waiting.triples, names, waiting.retracted, *self._carry.parts)

    def saved(self) -> State:
        """What is buffered; not how far the source was read."""
        waiting = self._elements
        state: State = {
            "high": self.high,
            "exhausted": self.exhausted,
            "idle": self.idle,
            "partial": self._is_partial,
            "carry": np.concatenate([NO_ROWS, *self._carry.parts]),
        }
        if waiting is not None:
            state["items"] = {
                "table": np.ascontiguousarray(waiting.table[:, :SAVED_WIDTH]),
                "triples": waiting.triples,
                "taken": waiting.retracted,
                "keys": self._keys,
                "faults": saved_faults(self.origin.faults),
            }
        return state

    def restore(self, given: StateReader, alive: Mask) -> None:
        """Go on from what was saved: elements have lost their line numbers."""
        self.high, self.exhausted = given.integer("high"), given.flag("exhausted")
        self.idle, self._is_partial = given.flag("idle"), given.flag("partial")
        carry = given.array("carry", np.int64, None, NO_ROWS.shape[1])
        given.living("carry", carry[carry != 0], alive)
        self._carry = OpenElement((carry,)) if len(carry) else NOTHING_OPEN
        self._earlier = (NO_LINES, 0)
        self._elements, self._keys = None, self._keys[:0]
        if (part := given.maybe("items")) is not None:
            saved = part.array("table", np.int64, None, SAVED_WIDTH)
            table = np.zeros((len(saved), WIDTH), np.int64)
            table[:, :SAVED_WIDTH], table[:, SOURCE] = saved, self.number
            triples = part.array("triples", np.int64, int(table[:, SIZE].sum()), 3)
            retracted = part.array("taken", np.int64, int(table[:, RETRACTED].sum()), 4)
            for name, ids in (("triples", triples), ("taken", retracted[retracted != 0])):
                part.living(name, ids, alive)
            names = table[:, NAME : END_TERM + 1]
            part.living("table", names[names != 0], alive)
            faults = restored_faults(part.parts("faults"))
            self.origin = ChunkOrigin(self.source.name, NO_LINES, faults, self._earlier)
            self._elements = JudgedElements(table, triples, retracted)
            self._keys = part.array("keys", np.int64, None)
            if len(self._keys):  # else the elements are held
                part.array("keys", np.int64, len(table))
            self._rows = int(table[:, PLACE].max(initial=-1)) + 1

    def read(self, at: Tick | None) -> int:
        """Read on, once nothing waits any more; how many statements that were.

        ``at`` is what the clock shows; None: nobody looks at it. A document that was read as one
        chunk, and is like most, is left to `judge_whole`.
        """
        chunk = next(self._chunks, LAST_CHUNK)
        self.exhausted = chunk.is_last
        if self._is_like_most(chunk):
            self.unjudged = chunk
            self._is_partial, self._notes = False, chunk.notes
        else:
            self._take_in(chunk, at)
        return int(np.count_nonzero((chunk.rows[:, :OBJECT] > 0).all(1)))

    @property
    def notes(self) -> list[Sample]:
        """What is worth a warning in the chunk that was read last."""
        return [sample_of(each, self.source.name) for each in self._notes]

    def complete(self, at: Tick | None) -> None:
        """Complete the open element, once nothing waits any more; ``at`` as of `read`."""
        self._take_in(EMPTY_LINE, at)

    def end(self) -> bool:
        """Read no more; whether an element was left out as it is not complete."""
        was_open = len(self._carry.parts) > 0
        self.exhausted, self._carry = True, NOTHING_OPEN
        return was_open

    def _is_like_most(self, chunk: Chunk) -> bool:
        """Whether a chunk is a whole document that has nothing but elements and triples."""
        if not chunk.is_last or chunk.ends or self._options.arrival or self._options.wall:
            return False
        odd = len(chunk.deleted) + len(chunk.blocks) + len(chunk.ending)
        return not (odd or chunk.faults or self._carry.parts or self.is_held)

    def _take_in(self, chunk: Chunk, at: Tick | None) -> None:
        held, self._notes, self._is_partial = self._elements, chunk.notes, chunk.is_partial
        if not (len(chunk.rows) or len(chunk.faults) or len(self._carry.parts)):
            self._elements = NO_ELEMENTS if held is None else held
            return
        chunk = self.apart(chunk)
        found, self._carry = segment(
            *(chunk.rows, self._carry, self.vocabulary),
            deleted=chunk.deleted,
            final=self.exhausted,
        )
        arrival = at if self._options.arrival else None
        elements = self.judge.judge(found, chunk.faults, self.number, arrival)
        table = elements.table
        if chunk.ends:
            table[:, ENDS] = table[:, RETRACTED] > 0
        elif len(chunk.ending):
            table[np.isin(table[:, NAME], chunk.ending), ENDS] = 1
        if self._options.wall and self._options.ahead is not None and at is not None:
            refuse_ahead(elements, at + self._options.ahead)
        refuse_transactions(elements, chunk.blocks)
        origin = ChunkOrigin(self.source.name, chunk.lines, chunk.faults, self._earlier)
        blocks, rows = chunk.blocks, 0
        if held is not None:  # they become one chunk
            rows = self._rows
            open_at = -1 if self._earlier is self.origin.earlier else self._earlier[1]
            elements = held.followed_by(elements, rows, len(self.origin.faults), open_at)
            origin = self.origin.followed_by(origin, rows)
            blocks = np.concatenate([self._blocks, blocks + rows])
        self._elements, self.origin, self._blocks = elements, origin, blocks
        self._rows = rows + len(chunk.rows)
        if self._carry.first >= 0:
            self._earlier = (origin.lines, rows + self._carry.first)

    def apart(self, chunk: Chunk) -> Chunk:
        """A chunk with names of elements of answers that no other source has."""
        return chunk if self._names is None or chunk.ends else self._names.apart(chunk)

    def take_judged(self, chunk: Chunk, elements: JudgedElements) -> None:
        """The elements of the document that was read, and is ``chunk``, are these."""
        self.origin = ChunkOrigin(self.source.name, chunk.lines, (), self._earlier)
        self._blocks = chunk.blocks
        self._elements, self.unjudged = elements, None

    def first_kind(self) -> Kind:
        """The kind of the first good element that is buffered."""
        assert self._elements is not None
        table = self._elements.table
        elements = np.flatnonzero((table[:, VERDICT] == ELEMENT) & (table[:, TICK] > NEG_INF))
        return Kind(table[elements[0], KIND]) if len(elements) else Kind.NONE

    def settle(self, kind: Kind) -> None:
        """Refuse what was read of another kind than ``kind``, and give the rest its merge keys."""
        assert self._elements is not None
        if not len(self._elements):
            self._elements = None
            return
        bound = None
        if self._reach is not None:
            if (begin := self._begin(kind, self._reach)) is None:
                return
            bound = AheadBound(self._reach, begin)
        self._keys = judge_in_sequence(self._elements, self._blocks, kind, self.high, bound)
        self.high = int(self._keys[-1])

    def _begin(self, kind: Kind, reach: Tick) -> Tick | None:
        """Where time begins; `NEG_INF`: with the first stamp; None: elements are to be held."""
        if reach < 0 or self.high > NEG_INF:
            return NEG_INF
        assert self._elements is not None
        table = self._elements.table
        stamped = (table[:, VERDICT] == ELEMENT) & (table[:, TICK] > NEG_INF)
        ticks = table[stamped & (table[:, KIND] == kind), TICK][:MOST_HELD]
        agree = np.flatnonzero(np.abs(np.diff(ticks)) <= reach)
        if len(agree):
            return int(ticks[agree[0] : agree[0] + 2].min())
        return None if 0 < len(ticks) < MOST_HELD and not self.exhausted else NEG_INF

    def take(self, high: Tick, *, with_equal: bool) -> tuple[JudgedElements, Column]:
        """What is buffered with a key less than ``high``, or equal to it; and the keys."""
        assert self._elements is not None
        count = int(np.searchsorted(self._keys, high, side="right" if with_equal else "left"))
        elements, keys = self._elements, self._keys
        if count == len(keys):
            self._elements, self._keys = None, keys[:0]
            return elements, keys
        first, self._elements = elements.split(count)
        self._keys = keys[count:]
        return first, keys[:count]


def judge_whole(buffers: Sequence[SourceBuffer]) -> None:
    """Judge the documents that ``buffers`` have read and not judged, by few steps for all."""
    alike: dict[StampVocabulary, list[SourceBuffer]] = {}
    for buffer in buffers:
        alike.setdefault(buffer.vocabulary, []).append(buffer)
    for vocabulary, some in alike.items():
        _judge_alike(vocabulary, some)


def _judge_alike(vocabulary: StampVocabulary, buffers: Sequence[SourceBuffer]) -> None:
    """The same of buffers with one vocabulary: of their documents, with empty lines between."""
    chunks = [buffer.unjudged or EMPTY_CHUNK for buffer in buffers]
    begins = np.cumsum([0, *(len(chunk.rows) + 1 for chunk in chunks)])
    rows = _with_empty_lines(chunks)
    if _names_answers(rows, vocabulary, buffers[0].judge.dictionary):
        chunks = [each.apart(chunk) for each, chunk in zip(buffers, chunks, strict=True)]
        rows = _with_empty_lines(chunks)
    found, _ = segment(rows, NOTHING_OPEN, vocabulary)
    judged = buffers[0].judge.judge(found, (), 0)
    table = judged.table
    owner = np.searchsorted(begins, table[:, PLACE], side="right") - 1
    table[:, PLACE] -= begins[owner]
    table[:, SOURCE] = np.array([buffer.number for buffer in buffers])[owner]
    sizes = np.bincount(owner, minlength=len(buffers)).tolist()
    for buffer, chunk, size in zip(buffers, chunks, sizes, strict=True):
        own, judged = judged.split(size)
        buffer.take_judged(chunk, own)


def _with_empty_lines(chunks: Sequence[Chunk]) -> Rows:
    """The rows of chunks, with an empty line behind each."""
    return np.concatenate([rows for chunk in chunks for rows in (chunk.rows, EMPTY_LINE.rows)])


class MergeOrder:
    """The buffers of all sources, and what comes next of them.

    What an event costs does not grow with the sources, but for some steps over columns of numbers.
    Who changes a buffer calls `note`.
    """

    __slots__ = ("_buffers", "_ended", "_first", "_high", "_idle")

    def __init__(self, buffers: Sequence[SourceBuffer]) -> None:
        self._buffers = buffers
        self._high, self._first = np.full((2, len(buffers)), NEG_INF, np.int64)
        self._ended, self._idle = np.zeros((2, len(buffers)), np.bool_)
        for number in range(len(buffers)):
            self.note(number)

    def note(self, number: int) -> None:
        """The buffer of this number has changed."""
        buffer = self._buffers[number]
        self._high[number], self._first[number] = buffer.high, buffer.first
        self._ended[number], self._idle[number] = buffer.exhausted, buffer.idle

    def reach(self, tick: Tick) -> None:
        """Time has come to ``tick``: nothing that is read from now on comes before it."""
        for buffer in self._buffers:
            buffer.high = max(buffer.high, tick)
        np.maximum(self._high, tick, out=self._high)

    @property
    def has_ended(self) -> bool:
        """Whether all sources were read to their ends."""
        return bool(self._ended.all())

    @property
    def waits(self) -> bool:
        """Whether all that could still deliver are idle, and something is buffered."""
        return bool((self._ended | self._idle).all()) and bool((self._first < NOTHING_WAITS).any())

    def awaited(self) -> int:
        """The source that everything waits for; -1: none could deliver.

        One without anything buffered before others, the least stamp first.
        """
        reading = ~(self._ended | self._idle)
        empty = reading & (self._first == NOTHING_WAITS)
        numbers = (empty if empty.any() else reading).nonzero()[0]
        return int(numbers[self._high[numbers].argmin()]) if len(numbers) else -1

    def is_untouched(self, number: int) -> bool:
        """Whether a source has delivered nothing yet, and no clock has moved time; not if it is -1.

        While that is so of one that everything waits for, nothing comes that has a stamp.
        """
        if number < 0:
            return False
        nothing: bool = self._high[number] == NEG_INF and self._first[number] == NOTHING_WAITS
        return nothing

    def take_before(self, least: int) -> JudgedElements:
        """What comes before anything that source ``least`` may deliver; -1: nothing."""
        return self._take(int(self._high[least]) if least >= 0 else NEG_INF, least)

    def take_all(self) -> JudgedElements:
        """All that is buffered."""
        return self._take(POS_INF, len(self._buffers))

    def _take(self, high: Tick, least: int) -> JudgedElements:
        """What is buffered with a key less than ``high``; up to source ``least`` also equal to it.

        The order is by merge key, then by source, then by place in the source. Costs a sort, or
        nothing where one source alone has anything.
        """
        comes = self._first < high
        comes[: least + 1] |= self._first[: least + 1] == high
        parts: list[tuple[JudgedElements, Column]] = []
        for number in comes.nonzero()[0].tolist():
            parts.append(self._buffers[number].take(high, with_equal=number <= least))
            self.note(number)
        if not parts:
            return NO_ELEMENTS
        return parts[0][0] if len(parts) == 1 else _in_order(parts)

    def ends(self, merged: JudgedElements) -> Column:
        """(k,) how many of ``merged`` there are when each source ends, or is idle from there on.

        More than n for a source that counts to the end. To be asked before a buffer is read again.
        """
        after = np.zeros(len(self._buffers), np.int64)
        source = merged.table[:, SOURCE]
        after[source] = np.arange(1, len(merged) + 1)  # of several the last stays
        stops = (self._ended | self._idle) & (self._first == NOTHING_WAITS)
        return np.where(stops, after, len(merged) + 1)


def _in_order(parts: Sequence[tuple[JudgedElements, Column]]) -> JudgedElements:
    table = np.concatenate([elements.table for elements, _ in parts])
    triples = np.concatenate([elements.triples for elements, _ in parts])
    order = np.lexsort((table[:, SOURCE], np.concatenate([keys for _, keys in parts])))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    retracted = np.concatenate([elements.retracted for elements, _ in parts])
    if len(retracted):
        retracted = retracted[np.argsort(np.repeat(rank, table[:, RETRACTED]), kind="stable")]
    triples = triples[np.argsort(np.repeat(rank, table[:, SIZE]), kind="stable")]
    return JudgedElements(table[order], triples, retracted)


_OF_ANSWERS: Final = np.frombuffer(f"<{ANSWERS}".encode(), np.uint8)
"""How the text of a name of an element of answers begins."""


class _AnswerNames:
    """Gives the elements of answers in a stream names that no other stream of the run has.

    What R4 writes as RDF names an element by when its answers began, so two runs write the same
    names. Where both are streams of one run, a triple that ends in one of them must not end in the
    other.
    """

    def __init__(self, number: int, dictionary: Dictionary, ends: int) -> None:
        self._mark = f"#{number}>"
        self._dictionary = dictionary
        self._ends = ends

    def apart(self, chunk: Chunk) -> Chunk:
        """The chunk with the names of this stream. Costs O(rows)."""
        rows = chunk.rows
        plain = (rows[:, GRAPH] == 0).nonzero()[0]
        ended = plain[rows[plain, PREDICATE] == self._ends]
        places = [(plain, SUBJECT), (ended, OBJECT), ((rows[:, GRAPH] > 0).nonzero()[0], GRAPH)]
        used = distinct(np.concatenate([*(rows[at] for at in places), chunk.ending]))
        known = _of_answers(used, self._dictionary)
        if not len(known):
            return chunk
        texts = self._dictionary.decode_many(known)
        new = self._dictionary.encode_many([f"{text[:-1]}{self._mark}" for text in texts])

        def renamed(ids: Column) -> Column:
            place = np.searchsorted(known, ids).clip(max=len(known) - 1)
            return np.where(known[place] == ids, new[place], ids)

        rows = rows.copy()
        for at in places:
            rows[at] = renamed(rows[at])
        return replace(chunk, rows=rows, ending=renamed(chunk.ending))


def _names_answers(rows: Rows, vocabulary: StampVocabulary, dictionary: Dictionary) -> bool:
    """Whether any rows are about an element of answers."""
    names = np.where(rows[:, GRAPH] > 0, rows[:, GRAPH], rows[:, SUBJECT])
    ended = rows[rows[:, PREDICATE] == vocabulary.ends, OBJECT]
    ids = np.concatenate([names, ended])
    return len(_of_answers(ids[ids > 0], dictionary)) > 0


def _of_answers(ids: Column, dictionary: Dictionary) -> Column:
    """Those of ``ids`` that are names of elements of answers."""
    texts = dictionary.texts
    entries = texts.entries[ids]
    some = np.flatnonzero(entries[:, META] >> LENGTH_SHIFT >= len(_OF_ANSWERS))
    begins = entries[some, OFFSET][:, None] + np.arange(len(_OF_ANSWERS))
    found: Column = ids[some[(texts.arena[begins] == _OF_ANSWERS).all(1)]]
    return found
