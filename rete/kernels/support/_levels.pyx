# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Support levels, compiled: as `rete.kernels.support.pure_levels`, on the same arrays."""

import numpy as np

cimport cython
cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t

from rete.kernels.rows._matrix cimport (
    AHEAD, Matrix, Out, Time, matrix, new_out, prefetch, row_at, same_terms,
)
from rete.kernels.rows._store cimport (
    UNKNOWN_LEVEL, Index, Store, after_in, look_up, row_of, slot_of, time_in,
)
from rete.kernels.support._search cimport (
    ENTRIES, SUSPECT_LEVEL, Chains, Match, View, fetch, fetch_leveled, fits, head_of, sources_of,
    steps_of,
)
from rete.kernels.support._suspects cimport EXAMINED, ROUND_BITS, SuspectTable, known, note

VERSION = 30

cnp.import_array()


cdef inline bint agree(const View* view, const int32_t* row, const int64_t* terms) noexcept:
    """Whether a row has the terms that its index is on."""
    cdef Py_ssize_t c
    for c in range(view.keyed.nk):
        if row[view.keyed.key[c]] != terms[c]:
            return False
    return True


cdef struct Arrival:
    # A fact that may depend on another: its table, where its chain begins, its time and level;
    # ``sure``: there are no further conditions.
    View* view
    int64_t table, r, lo, hi, level
    bint sure


cdef struct Start:
    # Row ``r`` of a table, on which others may depend by program ``p``; ``r`` -1: none does.
    # ``h`` is the hash of its first key. As program -1: from here on the row is a suspect.
    int64_t table, r
    Py_ssize_t p
    uint64_t h


cdef int64_t NO_ROUND = UNKNOWN_LEVEL >> ROUND_BITS


@cython.final
cdef class _SuspectSearch:
    """The facts of one component that are due, suspects, or rederived."""

    cdef list tables
    cdef Out rederived
    cdef int64_t bound, end
    cdef bint rederiving, sure
    cdef readonly bint kept
    cdef Start[AHEAD] started
    cdef Arrival[AHEAD] arrived
    cdef int64_t[:, ::1] terms
    cdef Py_ssize_t n, starts
    cdef readonly Py_ssize_t overdeleted

    def __init__(self, tables, int64_t bound):
        self.tables = [SuspectTable(number, *each) for number, each in enumerate(tables)]
        self.rederived = new_out(64, 2)
        self.terms = np.empty((AHEAD, max([facts.width for facts, *_ in tables]) + 2), np.int64)
        self.bound = bound

    cdef int enter(self, SuspectTable table, object given, Index index) except -1:
        """Facts of a table that lost a derivation are due."""
        cdef Matrix facts = matrix(given)
        cdef const Store* store = table.store
        cdef Py_ssize_t i, k = table.k
        cdef const int64_t* fact
        cdef const int32_t* row
        cdef Time time
        cdef int64_t[AHEAD] firsts
        cdef int64_t r
        table.stored.catch_up(index.keyed)
        for i in range(facts.n):
            if i % AHEAD == 0:
                look_up(store, index.keyed, facts, i, index.keyed.key, firsts)
            fact = row_at(facts, i)
            r = firsts[i % AHEAD]
            while r >= store.first:
                row = row_of(store, r)
                if same_terms(row, fact, k):
                    time = time_in(store, row)
                    self.reach(table, r, time, fact[k], fact[k + 1], -1, True)
                    if time.lo <= fact[k] and fact[k + 1] <= time.hi:
                        break  # no other row has any of it
                r = after_in(index.keyed, r, row, fact[k])
        return 0

    cdef int reach(self, SuspectTable table, int64_t r, Time time, int64_t lo, int64_t hi, int64_t level,
                   bint sure) except -1:
        """A fact lost a derivation of a level, or may be rederived by it, if that is ``sure``."""
        cdef int64_t* own = table.level(r)
        if time.lo >= hi or time.hi <= lo:
            return 0
        sure = sure and hi >= time.hi and (lo <= time.lo or lo <= self.bound)
        if self.rederiving != (own[0] >= SUSPECT_LEVEL) or table.mark(r)[0] >= EXAMINED:
            if not self.rederiving and sure and level < UNKNOWN_LEVEL:  # it is one that was counted
                self.count_off(table, r)
        elif not self.rederiving:
            if level >= own[0] and level != UNKNOWN_LEVEL:
                self.kept = True
            elif not table.mark(r)[0]:
                table.mark(r)[0] = 1
                table.put(r, known(own[0]), self.end)
        elif not sure:
            table.undecided.push()[0] = r
        elif level >= self.end:
            own[0] += 1
            table.wait(r, level, NULL, self.end)
        else:
            self.rederive(table, r, level)
        return 0

    cdef void count_off(self, SuspectTable table, int64_t r) noexcept:
        """A suspect, or a fact about to be one, has one derivation less."""
        if table.mark(r)[0] >= EXAMINED:
            table.counts[table.mark(r)[0] - EXAMINED] -= 1
        elif table.level(r)[0] > SUSPECT_LEVEL:
            table.level(r)[0] -= 1

    cdef int make_suspect(self, SuspectTable table, int64_t r) except -1:
        """Make a fact that was examined a suspect."""
        table.suspects.push()[0] = r
        table.level(r)[0] = SUSPECT_LEVEL + max(table.counts[table.mark(r)[0] - EXAMINED], 0)
        table.mark(r)[0] = 0
        self.overdeleted += 1
        return 0

    cdef int rederive(self, SuspectTable table, int64_t r, int64_t level) except -1:
        """Rederive a fact that follows from others of a level or below."""
        self.kept = True
        table.level(r)[0] = min(level + 1, UNKNOWN_LEVEL)
        note(self.rederived, table.number, r)
        return 0

    cdef int spread(self, SuspectTable table, int64_t r, bint is_suspect) except -1:
        """Start to reach what may depend on a fact; after that it may become a suspect."""
        cdef const int64_t* program
        cdef uint64_t h
        cdef Py_ssize_t p
        for p in range(table.dependents_begins.shape[0]):
            program = &table.dependents_code[table.dependents_begins[p]]
            if fits(table.dependents.values, row_of(table.store, r), program):
                h = table.dependents.key_of(steps_of(program))
                if h and h == table.no_dependents[p]:
                    continue
                self.begin(Start(table.number, r, p, h))
                table.dependents.look_up(steps_of(program), h)
        if is_suspect:
            self.begin(Start(table.number, r, -1, 0))
        return 0

    cdef int begin(self, Start start) except -1:
        """Note a start; see `start`."""
        if self.starts == AHEAD:
            self.start()
        self.started[self.starts] = start
        self.starts += 1
        return 0

    cdef int go_on(self) except -1:
        """Reach all that starts and arrivals lead to."""
        self.start()
        self.meet()
        return 0

    cdef int start(self) except -1:
        """Go on from the facts that have started."""
        cdef Start* at
        cdef SuspectTable table
        cdef const int64_t* program
        cdef const int32_t* row
        cdef Time time
        cdef Chains chains
        cdef uint64_t h
        cdef Py_ssize_t i
        chains.n = 0
        for i in range(self.starts):
            at = &self.started[i]
            if at.p < 0:
                continue
            table = self.tables[at.table]
            program = &table.dependents_code[table.dependents_begins[at.p]]
            if not table.dependents.look_into(steps_of(program), at.h, &chains):
                table.no_dependents[at.p] = at.h
                at.r = -1
        fetch(&chains)
        for i in range(self.starts):
            at = &self.started[i]
            if at.r < 0:
                continue
            table = self.tables[at.table]
            if at.p < 0:
                self.make_suspect(table, at.r)
                continue
            program = &table.dependents_code[table.dependents_begins[at.p]]
            row = row_of(table.store, at.r)
            time = time_in(table.store, row)
            fits(table.dependents.values, row, program)
            table.dependents.own = at.r
            self.sure = not program[0]
            h = at.h
            self.walk(table, steps_of(table.dependents.order(program, &h)), program[5],
                      max(time.lo, self.bound, program[1]), time.hi,
                      table.level(at.r)[0])
        self.starts = 0
        return 0

    cdef int walk(self, SuspectTable table, const int64_t* step, int64_t steps, int64_t lo, int64_t hi,
                  int64_t level) except -1:
        """As `_Search.walk`; the last step is the head, which is met with others at once."""
        cdef const int64_t* numbers = sources_of(step)
        cdef const int32_t* found
        cdef View* view
        cdef Match match
        cdef int64_t r, older
        cdef uint64_t h = table.dependents.key_of(step)
        cdef const int64_t* key = step + ENTRIES
        cdef int64_t* terms
        cdef Py_ssize_t s, c
        if steps == 1:
            if self.n == AHEAD:
                self.meet()
            view = table.dependents.view(numbers[0])
            self.arrived[self.n] = Arrival(
                view, table.heads[numbers[0]], slot_of(&view.keyed, h), lo, hi, level, self.sure)
            prefetch(&view.keyed.head[slot_of(&view.keyed, h)])
            terms = &self.terms[self.n, 0]
            for c in range(step[1]):
                terms[c] = key[2 * c + 1] if key[2 * c] else table.dependents.values[key[2 * c + 1]]
            self.n += 1
            return 0
        for s in range(step[5]):
            view = table.dependents.view(numbers[s])
            r = head_of(view, h)
            while r >= view.store.first:
                found = row_of(&view.store, r)
                older = table.dependents.older(view, r, found, lo)  # as in `_Search.follow`
                if table.dependents.takes(step, view, r, found, &match, lo, hi, level):
                    self.walk(table, step + step[0], steps - 1, match.lo, match.hi, match.level)
                r = older
        return 0

    cdef int meet(self) except -1:
        """Reach what has arrived."""
        cdef Arrival* at
        cdef Py_ssize_t i
        cdef int64_t r
        cdef const int32_t* row
        cdef Time time
        for i in range(self.n):
            at = &self.arrived[i]
            at.r = at.view.keyed.head[at.r]
            if at.r >= at.view.store.first:
                fetch_leveled(at.view, at.r)
        for i in range(self.n):
            at = &self.arrived[i]
            r = at.r
            while r >= at.view.store.first:
                row = row_of(&at.view.store, r)
                if agree(at.view, row, &self.terms[i, 0]):
                    time = time_in(&at.view.store, row)
                    self.reach(self.tables[at.table], r, time, at.lo, at.hi, at.level, at.sure)
                    if at.view.keyed.nk == at.view.store.w and (
                            time.lo <= at.lo and at.hi <= time.hi):
                        break  # no other row has any of it
                r = after_in(&at.view.keyed, r, row, at.lo)
        self.n = 0
        return 0

    cdef int examine(self, SuspectTable table) except -1:
        """Examine what is due: facts without derivation below their level become suspects."""
        cdef Py_ssize_t i = 0, n
        cdef int64_t r
        while i < table.due.n:  # more may become due on the way
            n = 0
            while n < AHEAD and i < table.due.n:
                r = table.due.row(i)[0]
                prefetch(row_of(table.store, r))
                table.mark(r)[0] = 0
                table.asked[n] = r
                n += 1
                i += 1
            self.examine_rows(table, n)
        table.due.n = 0
        return 0

    cdef int examine_rows(self, SuspectTable table, Py_ssize_t n) except -1:
        """Examine the first facts of `asked`; see `examine`."""
        cdef Py_ssize_t i
        cdef int64_t r
        table.ask(n, self.bound, -1)
        for i in range(n):
            if table.found[i] < 0:
                table.mark(table.asked[i])[0] = EXAMINED + i
        for i in range(n):
            r = table.asked[i]
            if table.found[i] >= 0:
                self.kept = True
                continue
            if table.unsure[i]:
                table.undecided.push()[0] = r
            if table.later[i] < UNKNOWN_LEVEL:
                table.wait(r, table.later[i], table.tops[i], self.end)
            self.spread(table, r, True)
        self.go_on()
        return 0

    cdef int examine_waiting(self, SuspectTable table) except -1:
        """Examine suspects that wait for a level below the end, and have a derivation left.

        Where the one is lost for which it waits, others are searched in the last round.
        """
        cdef Out waiting = table.waiting
        cdef const int64_t* top
        cdef Py_ssize_t i, j, n = 0
        cdef int64_t r
        if not waiting.n:
            return 0
        table.waiting = new_out(16, 2)
        for i in range(waiting.n):
            r = waiting.row(i)[0]
            top = <const int64_t*>waiting.row(i)[1]
            if table.level(r)[0] > SUSPECT_LEVEL or table.level(r)[0] == self.end:
                if top != NULL and top[0] >= SUSPECT_LEVEL:
                    table.wait(r, UNKNOWN_LEVEL - 1, NULL, self.end)
                else:
                    table.asked[n] = r
                    n += 1
            if n and (n == AHEAD or i == waiting.n - 1):
                table.ask(n, self.bound, self.end)
                for j in range(n):
                    r = table.asked[j]
                    if table.level(r)[0] < SUSPECT_LEVEL:
                        continue
                    if table.unsure[j]:
                        table.undecided.push()[0] = r
                    if table.found[j] >= 0:
                        self.rederive(table, r, table.found[j])
                    elif table.later[j] < UNKNOWN_LEVEL:
                        table.wait(r, table.later[j], table.tops[j], self.end)
                        table.level(r)[0] = SUSPECT_LEVEL + table.counts[j]
                    else:
                        table.level(r)[0] = SUSPECT_LEVEL
                n = 0
        return 0

    cdef int64_t next_round(self) except -1:
        """The next round in which anything is due or waits; `NO_ROUND` if there is none."""
        cdef int64_t least = NO_ROUND
        cdef SuspectTable table
        for table in self.tables:
            if table.rounds:
                least = min(least, <int64_t>table.rounds[0])
        return least

    cdef int settle(self) except -1:
        """Go up round by round."""
        cdef SuspectTable table
        cdef Py_ssize_t i
        cdef bint more, met = False
        cdef int64_t round = self.next_round()
        while round < NO_ROUND:
            self.end = (round + 1) << ROUND_BITS
            for table in self.tables:
                table.go_on(round)
            more = True
            while more:
                more = False
                for table in self.tables:
                    if table.due.n:
                        self.examine(table)
                        more = True
            self.rederive_waiting(UNKNOWN_LEVEL)
            round = self.next_round()
        for table in self.tables:
            met |= table.search.met_unknown or table.dependents.met_unknown
        if met:
            self.end = SUSPECT_LEVEL
            for table in self.tables:
                for i in range(table.suspects.n):
                    note(table.waiting, table.suspects.row(i)[0], 0)
            self.rederive_waiting(SUSPECT_LEVEL)
        return 0

    cdef int rederive_waiting(self, int64_t unknown) except -1:
        """Rederive what follows from facts below `end`; facts of level ``unknown`` do not count."""
        cdef SuspectTable table
        cdef Py_ssize_t i = 0
        for table in self.tables:
            table.search.unknown = table.dependents.unknown = unknown
        self.rederiving = True
        for table in self.tables:
            self.examine_waiting(table)
        while i < self.rederived.n:
            self.spread(self.tables[self.rederived.row(i)[0]], self.rederived.row(i)[1], False)
            i += 1
            if i == self.rederived.n:
                self.go_on()
        self.rederived.n = 0
        self.rederiving = False
        for table in self.tables:
            table.search.unknown, table.dependents.unknown = UNKNOWN_LEVEL, SUSPECT_LEVEL
        return 0


def settle(tables, due, int64_t bound):
    """Which facts of a component no longer follow; see the twin."""
    cdef _SuspectSearch search = _SuspectSearch(tables, bound)
    cdef SuspectTable table
    for table, (facts, index) in zip(search.tables, due, strict=True):
        search.enter(table, facts, index)
    search.settle()
    found = [(<SuspectTable>each).lost() for each in search.tables]
    return search.overdeleted, search.kept, found
