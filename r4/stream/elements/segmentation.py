"""Where the elements of a stream begin and end: pure functions from arrays to arrays.

A statement of a named graph, and a default-graph statement that is a stamp, an end or a retraction,
belongs to the element of that name; call it an event. An element is a run of events of one name. An
event of another name, an empty line, or the end of the stream completes it. All other default-graph
statements stand between the events and complete nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from r4.time.ticks import TimeScale
from rete.arrays.delta import Column, Rows, distinct
from rete.arrays.state_codec import Mask

SUBJECT, PREDICATE, OBJECT, GRAPH = range(4)


@dataclass(frozen=True, slots=True)
class StampVocabulary:
    """Ids of the predicates whose statements are about an element.

    Attributes:
        start: When it begins to hold, ``prov:generatedAtTime`` unless the options name another.
        end: When it ceases to, ``prov:invalidatedAtTime`` unless the options name another.
        retracts: What it retracts, ``urn:r4:retracts``.
        ends: In which element its triples end, in place of being asserted, ``urn:r4:ends``.
        start_path: The predicates that lead to its start within its graph too, from any node;
            there the statements stay those of the element. Negative: an inverse step, from the
            object. Empty: only ``start`` counts.
        end_path: The same of its end.
        scale: How stamps become ticks.
    """

    start: int
    end: int
    retracts: int
    ends: int = -4
    start_path: tuple[int, ...] = ()
    end_path: tuple[int, ...] = ()
    scale: TimeScale = field(default_factory=TimeScale)

    @property
    def about_names(self) -> StampVocabulary:
        """The same without paths: for sources that state all stamps themselves."""
        return replace(self, start_path=(), end_path=())


@dataclass(frozen=True, slots=True)
class OpenElement:
    """The element that is not completed yet: its events so far.

    Attributes:
        parts: (n, 4) each, in order; none: there is no such element.
        first: Position of its first event in the chunk that was segmented last; -1 if it began
            in an earlier one.
    """

    parts: tuple[Rows, ...] = ()
    first: int = -1

    @property
    def name(self) -> int:
        """Its name; 0 if there is none."""
        return int(_names(self.parts[0][:1])[0]) if self.parts else 0


NOTHING_OPEN = OpenElement()


@dataclass(frozen=True, slots=True)
class Elements:
    """Completed elements in order, and what stands between them.

    Positions are row numbers of the chunk; events of `OpenElement` have negative ones, from -1
    down.

    Attributes:
        name: (e,) ids.
        first: (e,) position of the first event.
        completed: (e,) position of the row that completed it; the number of rows at the end.
        start, end: (e,) ids of the stamps, 0 where there is none; where an element has several,
            one of them.
        retracted: (t, 4) s, p, o and name of the statements that elements retract; three times 0
            stands for all of that name.
        retractor: (t,) the element that retracts each, ascending.
        ending: (e,) whether what it retracts ends at its stamp, and held before.
        clashes: (c, 3): element, 0 for start and 1 for end, id: every stamp of the elements that
            have different terms for a stamp.
        triples: (m, 3) statements of named graphs, in order, without the name.
        owner: (m,) the element of each, ascending.
        plain: (q, 3) default-graph statements that are no events.
        plain_at: (q,) their positions.
    """

    name: Column
    first: Column
    completed: Column
    start: Column
    end: Column
    retracted: Rows
    retractor: Column
    ending: Mask
    clashes: Rows
    triples: Rows
    owner: Column
    plain: Rows
    plain_at: Column

    def __len__(self) -> int:
        return len(self.name)


def segment(
    rows: Rows,
    carry: OpenElement,
    vocabulary: StampVocabulary,
    *,
    deleted: Column | None = None,
    final: bool = False,
) -> tuple[Elements, OpenElement]:
    """The elements that ``rows`` complete, and the one that stays open.

    Args:
        rows: (n, 4) s, p, o, g; g is 0 in the default graph, -1 in the row of an empty line.
        carry: What was open before.
        vocabulary: Which statements are stamps.
        deleted: Rows that retract a statement of a named graph; an empty line follows somewhere.
        final: The stream ends here.

    Cost: some passes over the columns, about 40 ns a row. How a stream is cut into calls changes
    nothing but positions.
    """
    names = _event_names(rows, vocabulary)
    events = np.flatnonzero(names > 0)
    blanks = np.flatnonzero(names < 0)
    plain_at = np.flatnonzero(names == 0)
    if not len(blanks) and not final and _continues(names[events], carry):
        more = (rows[events],) if len(events) else ()
        return _elements_of(rows, plain_at), OpenElement((*carry.parts, *more))

    earlier = sum(map(len, carry.parts))
    at = np.concatenate([np.arange(-earlier, 0), events])
    event = np.concatenate([*carry.parts, rows if len(events) == len(rows) else rows[events]])
    name = np.concatenate([np.full(earlier, carry.name), names[events]])
    run, first = _runs(name, at, blanks)
    completed = _completions(at[first], at, blanks, len(rows) if final else -1)
    done = int(np.count_nonzero(completed >= 0))
    if done < len(first):
        keep = first[done]
        carry = OpenElement((event[keep:].copy(),), max(-1, int(at[keep])))
        event, at, run, name = event[:keep], at[:keep], run[:keep], name[:keep]
    else:
        carry = NOTHING_OPEN
    first = first[:done]
    deletes = None if deleted is None or not len(deleted) else np.isin(at, deleted)
    described = _describe(event, run, done, vocabulary, deletes)
    elements = Elements(
        name[first], at[first], completed[:done], *described, *_plain(rows, plain_at)
    )
    return elements, carry


def path_ends(rows: Rows, group: Column, chosen: Mask, path: Sequence[int]) -> Column:
    """The ``chosen`` rows that end a ``path`` of predicates from anywhere in their ``group``.

    ``<a> <p> _:b . _:b <q> 5`` ends the path p, q with its second row. A negative step leads from
    the object of its predicate to the subject; the last step is none.
    """
    width = int(rows[:, :GRAPH].max(initial=0)) + 1
    nodes: Column | None = None
    found = np.flatnonzero(chosen)[:0]
    for step in path:
        begin, end = (SUBJECT, OBJECT) if step > 0 else (OBJECT, SUBJECT)
        found = np.flatnonzero(chosen & (rows[:, PREDICATE] == abs(step)))
        key = group[found] * width
        if nodes is not None:
            led = np.isin(key + rows[found, begin], nodes)
            found, key = found[led], key[led]
        nodes = key + rows[found, end]
    return found


def _event_names(rows: Rows, vocabulary: StampVocabulary) -> Column:
    """The name that each row is an event of; 0: of none, -1: an empty line."""
    names: Column = rows[:, GRAPH].copy()
    default = np.flatnonzero(names == 0)
    if len(default):
        about = _is_about(rows[default, PREDICATE], vocabulary)
        names[default[about]] = rows[default[about], SUBJECT]
    return names


def _names(events: Rows) -> Column:
    return np.where(events[:, GRAPH] > 0, events[:, GRAPH], events[:, SUBJECT])


def _is_about(predicates: Column, vocabulary: StampVocabulary) -> Mask:
    found: Mask = (
        (predicates == vocabulary.start)
        | (predicates == vocabulary.end)
        | (predicates == vocabulary.retracts)
        | (predicates == vocabulary.ends)
    )
    return found


def _continues(names: Column, carry: OpenElement) -> bool:
    """Whether all events belong to the open element, or there are none."""
    if not len(names):
        return True
    return bool(carry.parts) and bool((names == carry.name).all())


def _runs(name: Column, at: Column, blanks: Column) -> tuple[Column, Column]:
    """The number of the run that each event is in, and the first event of each run."""
    begins = np.ones(len(name), np.bool_)
    begins[1:] = name[1:] != name[:-1]
    if len(blanks):
        gaps = np.searchsorted(blanks, at)
        begins[1:] |= gaps[1:] != gaps[:-1]
    return np.cumsum(begins) - 1, np.flatnonzero(begins)


def _completions(first_at: Column, at: Column, blanks: Column, end: int) -> Column:
    """Where each run is completed: the next event or empty line; -1: the last one may go on."""
    completed = np.empty(len(first_at), np.int64)
    if not len(first_at):
        return completed
    completed[:-1] = first_at[1:]
    completed[-1] = end
    if len(blanks):
        last_at = np.empty_like(first_at)
        last_at[:-1] = at[np.searchsorted(at, first_at[1:]) - 1]
        last_at[-1] = at[-1]
        after = np.searchsorted(blanks, last_at)
        found = after < len(blanks)
        blank = blanks[after[found]]
        open_ended = completed[found] < 0
        completed[found] = np.where(open_ended, blank, np.minimum(blank, completed[found]))
    return completed


def _describe(
    event: Rows, run: Column, count: int, vocabulary: StampVocabulary, deletes: Mask | None
) -> tuple[Column, Column, Rows, Column, Mask, Rows, Rows, Column]:
    """What `Elements` has from ``start`` to ``owner``, of ``count`` runs of events."""
    quads = event[:, GRAPH] > 0
    about = np.flatnonzero(~quads)
    if deletes is not None:
        quads &= ~deletes
    predicate = event[about, PREDICATE]
    starts = about[predicate == vocabulary.start]
    if vocabulary.start_path:
        starts = np.union1d(starts, path_ends(event, run, quads, vocabulary.start_path))
    ends = about[predicate == vocabulary.end]
    if vocabulary.end_path:
        ends = np.union1d(ends, path_ends(event, run, quads, vocabulary.end_path))
    start, start_clashes = _stamps(event, run, starts, count, 0)
    end, end_clashes = _stamps(event, run, ends, count, 1)
    clashes = np.concatenate([start_clashes, end_clashes])
    retracted, retractors = _retracted(event, run, about[predicate == vocabulary.retracts], deletes)
    ending = np.zeros(count, np.bool_)
    ends_in = about[predicate == vocabulary.ends]
    if len(ends_in):
        ending[run[ends_in]] = True
        ended, enders = _ended(event, run, ends_in, np.flatnonzero(quads & ending[run]))
        quads &= ~ending[run]
        retractors = np.concatenate([retractors, enders])
        order = np.argsort(retractors, kind="stable")
        retracted, retractors = np.concatenate([retracted, ended])[order], retractors[order]
    triples = np.ascontiguousarray(event[quads, :GRAPH])
    return start, end, retracted, retractors, ending, clashes, triples, run[quads]


def _ended(event: Rows, run: Column, ends_in: Column, quads: Column) -> tuple[Rows, Column]:
    """The triples of elements that end others, with the names of those, and by which run.

    ``ends_in`` are the events that give these names, and ``quads`` the triples, both ascending.
    """
    first, last = (np.searchsorted(run[quads], run[ends_in], side) for side in ("left", "right"))
    size = last - first
    place = np.repeat(first - np.cumsum(size) + size, size) + np.arange(int(size.sum()))
    found = event[quads[place]]
    found[:, GRAPH] = np.repeat(event[ends_in, OBJECT], size)
    return found, run[quads[place]]


def _retracted(
    event: Rows, run: Column, retracts: Column, deletes: Mask | None
) -> tuple[Rows, Column]:
    """What is retracted, and by which run: names whole, and single statements."""
    found = np.zeros((len(retracts), GRAPH + 1), np.int64)
    found[:, GRAPH] = event[retracts, OBJECT]
    retractors: Column = run[retracts]
    if deletes is None:
        return found, retractors
    retractors = np.concatenate([retractors, run[deletes]])
    order = np.argsort(retractors, kind="stable")
    return np.concatenate([found, event[deletes]])[order], retractors[order]


def _stamps(
    event: Rows, run: Column, chosen: Column, count: int, which: int
) -> tuple[Column, Rows]:
    """One stamp of each run, and all of those runs that have different ones."""
    stamp = np.zeros(count, np.int64)
    of_run, ids = run[chosen], event[chosen, OBJECT]
    stamp[of_run] = ids
    differ = distinct(of_run[stamp[of_run] != ids])
    among = np.flatnonzero(np.isin(of_run, differ)) if len(differ) else of_run[:0]
    clashes = np.empty((len(among), 3), np.int64)
    clashes[:, 0], clashes[:, 1], clashes[:, 2] = of_run[among], which, ids[among]
    return stamp, clashes


def _plain(rows: Rows, plain_at: Column) -> tuple[Rows, Column]:
    return np.ascontiguousarray(rows[plain_at, :GRAPH]), plain_at


def _elements_of(rows: Rows, plain_at: Column) -> Elements:
    """No elements, only what stands between them."""
    none = np.empty(0, np.int64)
    triples = np.empty((0, 3), np.int64)
    retracted = np.empty((0, 4), np.int64)
    return Elements(
        *(none, none, none, none, none, retracted, none, none > 0),
        *(triples, triples, none, *_plain(rows, plain_at)),
    )
