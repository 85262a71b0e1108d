# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Doubt kernels, compiled: the same functions as `rete.kernels.pure_support_levels`, on the same arrays."""

import numpy as np

cimport cython
from libc.stdint cimport int64_t, uint64_t

from rete.kernels._support_suspects cimport ASKED, IN_DOUBT, UNKNOWN, Doubtful, known, note, wait
from rete.kernels._support_search cimport (
    ENTRIES, Chains, Match, View, fetch, sources_of, steps_of,
)
from rete.kernels._rows_index cimport AHEAD, Index, Out, prefetch, same_terms

VERSION = 9

cdef enum:
    STRETCH = 20


cdef inline bint agree(const View* view, int64_t r, const int64_t* terms) noexcept:
    """Whether a row has the terms that its index is on."""
    cdef const int64_t* row = view.rows + r * view.width
    cdef Py_ssize_t c
    for c in range(view.nk):
        if row[view.key[c]] != terms[c]:
            return False
    return True


cdef struct Arrival:
    # A fact that rests on another, if more conditions hold unless ``sure``: its table, where its
    # chain begins, its time and level.
    View* view
    int64_t table, r, lo, hi, level
    bint sure


cdef struct Start:
    # Row ``r`` of a table, on which others may rest by program ``p``; -1: by none, as it turns out.
    # ``h`` is the hash of its first key. As program -1: from here on the row is in doubt.
    int64_t table, r
    Py_ssize_t p
    uint64_t h


@cython.final
cdef class _Doubts:
    """The facts of one component that are due, in doubt, or found again."""

    cdef list tables
    cdef Out found
    cdef int64_t bound, end
    cdef bint finding, failed, sure
    cdef Start[AHEAD] started
    cdef Arrival[AHEAD] arrived
    cdef int64_t[:, ::1] terms
    cdef Py_ssize_t n, starts
    cdef readonly Py_ssize_t doubted

    def __init__(self, tables, int64_t bound):
        self.tables = [Doubtful(number, *each) for number, each in enumerate(tables)]
        self.found = Out(64, 2)
        self.terms = np.empty((AHEAD, max([rows.shape[1] for rows, *_ in tables])), np.int64)
        self.bound = bound

    cdef int enter(self, Doubtful table, const int64_t[:, ::1] facts, Index index) except -1:
        """Facts of a table that lost a derivation are due."""
        cdef Py_ssize_t i, k = table.k
        cdef const int64_t* key = &index.key[0] if k else NULL
        cdef const int64_t* fact
        cdef const int64_t* row
        cdef int64_t[AHEAD] firsts
        cdef int64_t r
        for i in range(facts.shape[0]):
            if i % AHEAD == 0:
                index.look_up(facts, i, key, table.rows, firsts)
            fact = &facts[i, 0]
            r = firsts[i % AHEAD]
            while r >= 0:
                row = &table.rows[r, 0]
                if same_terms(row, fact, k):
                    self.reach(table, r, fact[k], fact[k + 1], -1, True)
                    if row[k] <= fact[k] and fact[k + 1] <= row[k + 1]:
                        break  # no other row has any of it
                r = index.links[r]
        return 0

    cdef int reach(self, Doubtful table, int64_t r, int64_t lo, int64_t hi, int64_t level,
                   bint sure) except -1:
        """A fact lost a derivation of a level, or may be found with it, if that is ``sure``."""
        cdef int64_t* own = &table.levels[r]
        cdef const int64_t* row = &table.rows[r, 0]
        if row[table.k] >= hi or row[table.k + 1] <= lo:
            return 0
        if self.finding != (own[0] >= IN_DOUBT) or table.marks[r] >= ASKED:
            if not self.finding and sure and level < UNKNOWN:  # it is one that was counted
                self.count_off(table, r)
            return 0
        if not self.finding and (level >= own[0] and level != UNKNOWN or table.marks[r]):
            return 0
        if hi < row[table.k + 1] or lo > row[table.k] and lo > self.bound:
            self.failed = True
            return 0
        if not self.finding:
            table.marks[r] = 1
            table.put(r, known(own[0]), self.end)
        elif level >= self.end:
            own[0] += 1
            wait(table.waiting, r, level, NULL)
        elif sure:
            self.find(table, r, level)
        else:
            self.failed = True
        return 0

    cdef void count_off(self, Doubtful table, int64_t r) noexcept:
        """A fact in doubt, or about to be, has one derivation less."""
        if table.marks[r] >= ASKED:
            table.counts[table.marks[r] - ASKED] -= 1
        elif table.levels[r] > IN_DOUBT:
            table.levels[r] -= 1

    cdef int mark(self, Doubtful table, int64_t r) except -1:
        """A fact that was asked is in doubt."""
        note(table.doubted, r, table.levels[r])
        table.levels[r] = IN_DOUBT + max(table.counts[table.marks[r] - ASKED], 0)
        table.marks[r] = 0
        self.doubted += 1
        return 0

    cdef int find(self, Doubtful table, int64_t r, int64_t level) except -1:
        """A fact follows from others of a level or below."""
        table.levels[r] = min(level + 1, UNKNOWN)
        note(self.found, table.number, r)
        return 0

    cdef int spread(self, Doubtful table, int64_t r, bint doubted) except -1:
        """What may rest on a fact is to be reached; after that it may be in doubt."""
        cdef const int64_t* row = &table.rows[r, 0]
        cdef const int64_t* program
        cdef uint64_t h
        cdef Py_ssize_t p
        for p in range(table.rests_begins.shape[0]):
            program = &table.rests_code[table.rests_begins[p]]
            if table.rests.fits(row, program):
                h = table.rests.key_of(steps_of(program))
                if h and h == table.rests_on_nothing[p]:
                    continue
                self.begin(Start(table.number, r, p, h))
                table.rests.look_up(steps_of(program), h)
        if doubted:
            self.begin(Start(table.number, r, -1, 0))
        return 0

    cdef int begin(self, Start start) except -1:
        """Note what is to be gone on from."""
        if self.starts == AHEAD:
            self.start()
        self.started[self.starts] = start
        self.starts += 1
        return 0

    cdef int go_on(self) except -1:
        """Reach all that is to be reached."""
        self.start()
        self.meet()
        return 0

    cdef int start(self) except -1:
        """Go on from the facts that have started."""
        cdef Start* at
        cdef Doubtful table
        cdef const int64_t* program
        cdef const int64_t* row
        cdef Chains chains
        cdef uint64_t h
        cdef Py_ssize_t i
        chains.n = 0
        for i in range(self.starts):
            at = &self.started[i]
            if at.p < 0:
                continue
            table = self.tables[at.table]
            program = &table.rests_code[table.rests_begins[at.p]]
            if not table.rests.look_into(steps_of(program), at.h, &chains):
                table.rests_on_nothing[at.p] = at.h
                at.r = -1
        fetch(&chains)
        for i in range(self.starts):
            at = &self.started[i]
            if at.r < 0:
                continue
            table = self.tables[at.table]
            if at.p < 0:
                self.mark(table, at.r)
                continue
            program = &table.rests_code[table.rests_begins[at.p]]
            row = &table.rows[at.r, 0]
            table.rests.fits(row, program)
            table.rests.own = at.r
            self.sure = not program[0]
            h = at.h
            self.walk(table, steps_of(table.rests.order(program, &h)), program[5],
                      max(row[table.k], self.bound, program[1]), row[table.k + 1],
                      table.levels[at.r])
        self.starts = 0
        return 0

    cdef int walk(self, Doubtful table, const int64_t* step, int64_t steps, int64_t lo, int64_t hi,
                  int64_t level) except -1:
        """As `_Search.walk`; the last step is the head, which is met with others at once."""
        cdef const int64_t* numbers = sources_of(step)
        cdef View* view
        cdef Match match
        cdef int64_t r
        cdef uint64_t h = table.rests.key_of(step)
        cdef const int64_t* key = step + ENTRIES
        cdef int64_t* terms
        cdef Py_ssize_t s, c
        if steps == 1:
            if self.n == AHEAD:
                self.meet()
            view = table.rests.view(numbers[0])
            self.arrived[self.n] = Arrival(
                view, table.heads[numbers[0]], h & view.mask, lo, hi, level, self.sure)
            prefetch(&view.heads[h & view.mask])
            terms = &self.terms[self.n, 0]
            for c in range(step[1]):
                terms[c] = key[2 * c + 1] if key[2 * c] else table.rests.values[key[2 * c + 1]]
            self.n += 1
            return 0
        for s in range(step[5]):
            view = table.rests.view(numbers[s])
            r = view.heads[h & view.mask]
            while r >= 0:
                if table.rests.takes(step, view, r, &match, lo, hi, level):
                    self.walk(table, step + step[0], steps - 1, match.lo, match.hi, match.level)
                r = table.rests.older(view, r, lo)
        return 0

    cdef int meet(self) except -1:
        """Reach what has arrived."""
        cdef Arrival* at
        cdef Py_ssize_t i
        cdef int64_t r
        for i in range(self.n):
            at = &self.arrived[i]
            at.r = at.view.heads[at.r]
            if at.r >= 0:
                prefetch(at.view.rows + at.r * at.view.width)
                prefetch(at.view.rows + (at.r + 1) * at.view.width - 1)
                prefetch(&at.view.levels[at.r])
                prefetch(&at.view.links[at.r])
        for i in range(self.n):
            at = &self.arrived[i]
            r = at.r
            while r >= 0:
                if agree(at.view, r, &self.terms[i, 0]):
                    self.reach(self.tables[at.table], r, at.lo, at.hi, at.level, at.sure)
                r = at.view.links[r]
        self.n = 0
        return 0

    cdef int examine(self, Doubtful table) except -1:
        """Ask about what is due; what has no derivation is in doubt."""
        cdef Out due = table.due
        cdef Py_ssize_t i, n = 0
        cdef int64_t r
        table.due = Out(64, 1)
        for i in range(due.n):
            r = due.rows[i, 0]
            table.marks[r] = 0
            table.asked[n] = r
            n += 1
            if n == AHEAD or i == due.n - 1:
                self.doubt(table, n)
                n = 0
        return 0

    cdef int doubt(self, Doubtful table, Py_ssize_t n) except -1:
        """Ask about the first facts of `asked`; see `examine`."""
        cdef Py_ssize_t i
        cdef int64_t r
        table.ask(n, self.bound, -1)
        for i in range(n):
            if table.found[i] < 0:
                table.marks[table.asked[i]] = ASKED + i
        for i in range(n):
            r = table.asked[i]
            if table.found[i] >= 0:
                continue
            if table.unsure[i]:
                self.failed = True
            if table.later[i] < UNKNOWN:
                wait(table.waiting, r, table.later[i], table.tops[i])
            self.spread(table, r, True)
        self.go_on()
        return 0

    cdef int ask_again(self, Doubtful table) except -1:
        """Ask again about what waits for a level below the end, and has a derivation left.

        Where the one is lost for which it waits, others may be found when all else is settled.
        """
        cdef Out waiting = table.waiting
        cdef Py_ssize_t i, j, n = 0
        cdef int64_t r
        table.waiting = Out(64, 3)
        for i in range(waiting.n):
            r = waiting.rows[i, 0]
            if table.levels[r] > IN_DOUBT or table.levels[r] == self.end:
                if waiting.rows[i, 1] >= self.end:
                    wait(table.waiting, r, waiting.rows[i, 1], <const int64_t*>waiting.rows[i, 2])
                elif waiting.rows[i, 2] and (<const int64_t*>waiting.rows[i, 2])[0] >= IN_DOUBT:
                    table.stalled.push()[0] = r
                else:
                    table.asked[n] = r
                    n += 1
            if n and (n == AHEAD or i == waiting.n - 1):
                table.ask(n, self.bound, self.end)
                for j in range(n):
                    r = table.asked[j]
                    if table.levels[r] < IN_DOUBT:
                        continue
                    if table.found[j] >= 0:
                        self.find(table, r, table.found[j])
                    elif table.unsure[j]:
                        self.failed = True
                    elif table.later[j] < UNKNOWN:
                        wait(table.waiting, r, table.later[j], table.tops[j])
                        table.levels[r] = IN_DOUBT + table.counts[j]
                    else:
                        table.levels[r] = IN_DOUBT
                n = 0
        return 0

    cdef int64_t least(self):
        """The least level of all that is due or waits; `UNKNOWN` if nothing is."""
        cdef int64_t least = UNKNOWN
        cdef Doubtful table
        cdef Py_ssize_t i
        for table in self.tables:
            for i in range(table.later_due.n):
                least = min(least, table.later_due.rows[i, 1])
            for i in range(table.waiting.n):
                least = min(least, table.waiting.rows[i, 1])
        return least

    cdef bint go(self) except -1:
        """Go up level by level; whether all is told."""
        cdef Doubtful table
        cdef Py_ssize_t i
        cdef bint more
        cdef int64_t least = self.least()
        while least < UNKNOWN and not self.failed:
            self.end = ((least >> STRETCH) + 1) << STRETCH
            for table in self.tables:
                table.go_on(self.end)
            more = True
            while more:
                more = False
                for table in self.tables:
                    if table.due.n:
                        self.examine(table)
                        more = True
            self.resolve(UNKNOWN)
            least = self.least()
        self.end = UNKNOWN
        for table in self.tables:
            for i in range(table.stalled.n):
                wait(table.waiting, table.stalled.rows[i, 0], 0, NULL)
        self.resolve(UNKNOWN)
        if self.doubted and not self.failed and self.has_unknown():
            self.end = IN_DOUBT
            for table in self.tables:
                for i in range(table.doubted.n):
                    wait(table.waiting, table.doubted.rows[i, 0], 0, NULL)
            self.resolve(IN_DOUBT)
        return not self.failed

    cdef bint has_unknown(self) except -1:
        """Whether nothing made doubtful a fact that holds from now on and has no level."""
        cdef Doubtful table
        cdef Py_ssize_t r
        for table in self.tables:
            for r in range(table.n):
                if table.levels[r] == UNKNOWN and table.rows[r, table.k + 1] > self.bound:
                    return True
        return False

    cdef int resolve(self, int64_t unknown) except -1:
        """Find again what follows from facts below `end`; those of an ``unknown`` level do not count."""
        cdef Doubtful table
        cdef Py_ssize_t i = 0
        for table in self.tables:
            table.asks.unknown = table.rests.unknown = unknown
        self.finding = True
        for table in self.tables:
            self.ask_again(table)
        while i < self.found.n:
            self.spread(self.tables[self.found.rows[i, 0]], self.found.rows[i, 1], False)
            i += 1
            if i == self.found.n:
                self.go_on()
        self.found.n = 0
        self.finding = False
        for table in self.tables:
            table.asks.unknown, table.rests.unknown = UNKNOWN, IN_DOUBT
        return 0


def settle(tables, due, int64_t bound):
    """Which facts of a component no longer follow, and levels of the others; how many were doubted."""
    cdef _Doubts doubts = _Doubts(tables, bound)
    cdef Doubtful table
    for table, (facts, index) in zip(doubts.tables, due, strict=True):
        doubts.enter(table, facts, index)
    if doubts.go():
        return doubts.doubted, [(<Doubtful>each).lost() for each in doubts.tables]
    for table in doubts.tables:
        table.undo()
    return -1, []
