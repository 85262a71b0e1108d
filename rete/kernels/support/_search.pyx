# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The search for derivations, compiled: as `rete.kernels.support.pure_search`, on the same arrays."""

cimport cython
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

from rete.kernels.rows._matrix cimport AHEAD, prefetch
from rete.kernels.rows._store cimport Index, older_than, row_of

VERSION = 30

cdef enum:
    # A chain of fewer rows is followed without a look at those of other orders.
    SHORT = 8
    # So many rows for the first step of a fact are looked up before any for the second.
    EACH = 8
    BEGIN = -2


# The search that was made last, of those there are; each knows the one before it.
cdef void* NEWEST = NULL


@cython.final
cdef class _Search:
    """All that the search for the derivations of some facts needs."""

    def __cinit__(self, sources, Py_ssize_t variables):
        global NEWEST
        self.sources = sources
        self.before = NEWEST
        if NEWEST != NULL:
            (<_Search>NEWEST).behind = <void*>self
        NEWEST = <void*>self
        self.count = len(sources)
        self.views = <View*>calloc(len(sources) + 1, sizeof(View))
        self.values = <int64_t*>calloc(variables + 1, sizeof(int64_t))
        if self.views == NULL or self.values == NULL:
            raise MemoryError

    def __dealloc__(self):
        global NEWEST
        if self.before != NULL:
            (<_Search>self.before).behind = self.behind
        if self.behind != NULL:
            (<_Search>self.behind).before = self.before
        else:
            NEWEST = self.before
        free(self.views)
        free(self.values)

    cdef int open_view(self, int64_t number) except -1:
        cdef View* view = &self.views[number]
        cdef Index index
        cdef void* search
        index, view.leveled = self.sources[number]
        index.store.catch_up(index.keyed)
        if view.leveled:
            index.store.keep_levels()
        view.ready = True
        view.live, view.index = &index.store.s, index.keyed
        search = NEWEST
        while search != NULL:  # an index that is new has laid out rows anew, which other views have too
            (<_Search>search).copy(view.live)
            search = (<_Search>search).before
        return 0

    cdef void copy(self, const Store* live) noexcept:
        """Copy a store, and its indexes, to the views of it."""
        cdef View* view
        cdef Py_ssize_t i
        for i in range(self.count):
            view = &self.views[i]
            if view.ready and view.live == live:
                view.store, view.keyed = live[0], view.index[0]

    cdef void begin(self, const int64_t[:, ::1] facts, const int64_t[::1] code,
                    int64_t* found, int64_t* later, int64_t* unsure, int64_t* counts,
                    const int64_t** tops) noexcept:
        self.facts = &facts[0, 0]
        self.width = facts.shape[1]
        self.code = &code[0]
        self.all_found, self.all_later, self.all_unsure = found, later, unsure
        self.all_counts, self.all_tops = counts, tops
        self.own_store = NULL

    cdef int walk(self, const int64_t* step, int64_t steps, int64_t lo, int64_t hi,
                  int64_t level) except -1:
        """Go on from a step; whether the search is over."""
        if not steps:
            return self.reached(lo, hi, level)
        return self.follow(step, self.key_of(step), steps, lo, hi, level)

    cdef int follow(self, const int64_t* step, uint64_t h, int64_t steps, int64_t lo, int64_t hi,
                    int64_t level) except -1:
        """Go on from a step whose key has the hash ``h``."""
        cdef const int64_t* numbers = sources_of(step)
        cdef const int32_t* found
        cdef View* view
        cdef Match match
        cdef int64_t r, older
        cdef Py_ssize_t s
        cdef const int64_t* top = self.top
        for s in range(step[5]):
            view = self.view(numbers[s])
            r = head_of(view, h)
            while r >= view.store.first:
                self.top = top
                found = row_of(&view.store, r)
                older = self.older(view, r, found, lo)  # what follows may lay out rows anew
                if self.takes(step, view, r, found, &match, lo, hi, level):
                    self.top = match.top
                    if self.walk(step + step[0], steps - 1, match.lo, match.hi, match.level):
                        return True
                r = older
        return False

    cdef bint reached(self, int64_t lo, int64_t hi, int64_t level) noexcept:
        if self.open or lo > self.lo or hi < self.hi:
            self.unsure[0] = 1
            return self.open
        if level < self.limit:
            self.found[0] = level
            return True
        self.counts[0] += 1
        if level < self.later[0]:
            self.later[0] = level
            self.tops[0] = self.top
        return False

    cdef int look_up(self, const int64_t* step, uint64_t h) except -1:
        """Fetch the heads of the chains that a step begins with."""
        cdef const int64_t* numbers = sources_of(step)
        cdef View* view
        cdef Py_ssize_t s
        for s in range(step[5]):
            view = self.view(numbers[s])
            prefetch(&view.keyed.head[slot_of(&view.keyed, h)])
        return 0

    cdef bint look_into(self, const int64_t* step, uint64_t h, Chains* chains) except -1:
        """Fetch the rows of those chains too, with others; whether there is any. See `fetch`."""
        cdef const int64_t* numbers = sources_of(step)
        cdef View* view
        cdef int64_t r
        cdef Py_ssize_t s
        cdef bint some = False
        for s in range(step[5]):
            view = self.view(numbers[s])
            if chains.n == AT_ONCE:
                fetch(chains)
            r = head_of(view, h)
            fetch_leveled(view, r)
            chains.views[chains.n] = view
            chains.rows[chains.n] = r
            chains.n += r >= view.store.first  # chains that are empty are many, and not foreseen
            some |= r >= view.store.first
        return some

    cdef Py_ssize_t gather(self, const int64_t* step, uint64_t h, int64_t lo, int64_t hi,
                           Place* at, Match* matches) except -1:
        """The next rows of use in the first step of a fact, `EACH` at most; see `Place`."""
        cdef const int64_t* numbers = sources_of(step)
        cdef const int64_t* after = step + step[0]
        cdef const int32_t* found
        cdef View* view
        cdef Match* match = matches
        cdef int64_t r
        while at.s < step[5]:
            view = self.view(numbers[at.s])
            if at.r == BEGIN:
                at.r = head_of(view, h)
            while at.r >= view.store.first:
                if match == matches + EACH:
                    return EACH
                r = at.r
                found = row_of(&view.store, r)
                at.r = self.older(view, r, found, lo)
                if self.takes(step, view, r, found, match, lo, hi, 0):
                    match.view, match.r = view, r
                    match.h = self.key_of(after)
                    self.look_up(after, match.h)
                    match += 1
            at.s += 1
            at.r = BEGIN
        return match - matches

    cdef Py_ssize_t fan(self, const int64_t* step, uint64_t h, Py_ssize_t most) except -1:
        """How many rows are in the chains that a step begins with; at most that many are counted."""
        cdef const int64_t* numbers = sources_of(step)
        cdef View* view
        cdef int64_t r
        cdef Py_ssize_t s, count = 0
        for s in range(step[5]):
            view = self.view(numbers[s])
            r = head_of(view, h)
            while r >= view.store.first and count < most:
                count += 1
                r = older_than(&view.store, &view.keyed, r)
        return count

    cdef const int64_t* order(self, const int64_t* program, uint64_t* h) except NULL:
        """The order of the atoms of a program that begins with the fewest rows, or few.

        ``h`` is the hash of its first key.
        """
        cdef const int64_t* other
        cdef Py_ssize_t most = SHORT
        if not program[6] or self.fan(steps_of(program), h[0], most) < most:
            return program
        while True:
            most *= SHORT
            other = program
            while True:
                h[0] = self.key_of(steps_of(other))
                if self.fan(steps_of(other), h[0], most) < most:
                    return other
                if not other[6]:
                    break
                other = self.code + other[6]

    cdef bint turn(self, Py_ssize_t i, const int64_t* program) noexcept:
        """Turn to fact ``i``; whether it holds at a time at which the program derives anything."""
        cdef const int64_t* fact = self.facts + i * self.width
        fits(self.values, fact, program)
        self.limit = fact[self.width - 3]
        self.lo = fact[self.width - 2]
        self.hi = fact[self.width - 1]
        self.found = &self.all_found[i]
        self.later = &self.all_later[i]
        self.unsure = &self.all_unsure[i]
        self.counts = &self.all_counts[i]
        self.tops = &self.all_tops[i]
        self.top = NULL
        self.since = self.lo if self.lo > program[1] else program[1]
        return self.since < self.hi

    cdef Py_ssize_t ask(self, const int64_t* program, const Py_ssize_t* asked, uint64_t* hashes,
                        Py_ssize_t count, uint64_t* empty) except -1:
        """Search for some facts that fit, with the hashes of their first keys; how many are settled.

        The first rows of all of them are looked up before the second ones of any.
        """
        cdef (const int64_t*)[AHEAD] steps
        cdef Match[AHEAD * EACH] matches
        cdef Place[AHEAD] places
        cdef Py_ssize_t[AHEAD] numbers
        cdef Py_ssize_t x, y, settled = 0
        cdef Chains chains
        cdef bint ahead = program[5] > 1 and count > 1
        chains.n = 0
        for x in range(count):
            numbers[x] = not program[5] or self.look_into(steps_of(program), hashes[x], &chains)
        fetch(&chains)
        for x in range(count):
            if not numbers[x]:
                empty[0] = hashes[x]
                continue
            numbers[x] = 0
            if not self.turn(asked[x], program):
                continue
            if not program[5]:
                self.reached(self.since, self.hi, 0)
                continue
            steps[x] = steps_of(self.order(program, &hashes[x]))
            if ahead:
                places[x] = Place(0, BEGIN)
                numbers[x] = self.gather(steps[x], hashes[x], self.since, self.hi, &places[x],
                                         &matches[x * EACH])
            else:
                self.follow(steps[x], hashes[x], program[5], self.since, self.hi, 0)
        if ahead:
            for x in range(count):
                for y in range(numbers[x]):
                    self.look_into(steps[x] + steps[x][0], matches[x * EACH + y].h, &chains)
            fetch(&chains)
            for x in range(count):
                if numbers[x] and self.turn(asked[x], program):
                    self.go_through(steps[x], program[5], hashes[x], numbers[x], &places[x],
                                    &matches[x * EACH])
        for x in range(count):
            settled += self.all_found[asked[x]] >= 0
        return settled

    cdef int go_through(self, const int64_t* step, int64_t steps, uint64_t h, Py_ssize_t number,
                        Place* at, Match* matches) except -1:
        """Go on from the rows of use in the first step of a fact, and then from the next ones."""
        cdef const int64_t* after = step + step[0]
        cdef Match* match
        cdef Chains chains
        cdef Py_ssize_t y
        chains.n = 0
        while number:
            for y in range(number):
                match = &matches[y]
                self.bind(step, row_of(&match.view.store, match.r))
                self.top = match.top
                if self.follow(after, match.h, steps - 1, match.lo, match.hi, match.level):
                    return 0
            self.top = NULL
            number = self.gather(step, h, self.since, self.hi, at, matches)
            for y in range(number):
                self.look_into(after, matches[y].h, &chains)
            fetch(&chains)
        return 0

    cdef Py_ssize_t run(self, const int64_t* program, Py_ssize_t n, uint64_t* empty) except -1:
        """Try a program on the first facts that are not settled; how many it settles.

        ``empty`` is the hash of a first key for which there is nothing, or 0.
        """
        cdef Py_ssize_t[AHEAD] asked
        cdef uint64_t[AHEAD] hashes
        cdef Py_ssize_t i = 0, count, settled = 0
        self.open = program[0] != 0
        while i < n:
            count = 0
            while i < n and count < AHEAD:
                if self.all_found[i] < 0 and fits(self.values, self.facts + i * self.width, program):
                    asked[count] = i
                    if program[5]:
                        hashes[count] = self.key_of(steps_of(program))
                        if hashes[count] and hashes[count] == empty[0]:
                            i += 1
                            continue
                        self.look_up(steps_of(program), hashes[count])
                    count += 1
                i += 1
            settled += self.ask(program, asked, hashes, count, empty)
        return settled
