# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The search for derivations, as other kernels use it; see `rete.kernels.support.pure_search`."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

from rete.kernels.rows._matrix cimport SEED, Cell, Time, mix, prefetch
from rete.kernels.rows._store cimport (
    Keyed, Store, UNKNOWN_LEVEL, after_in, fetch_link, older_than, row_of, slot_of, time_in,
)

cdef extern from *:
    """
    #define R4_SUSPECT_LEVEL (((int64_t)1 << 62) + 1)
    """
    const int64_t SUSPECT_LEVEL "R4_SUSPECT_LEVEL"

cdef enum:
    HEADER = 7
    # Where the entries of a step begin.
    ENTRIES = 7
    # So many chains are fetched at once, and so many rows of each.
    AT_ONCE = 64
    TURNS = 8


cdef struct View:
    # A source of a step, resolved when the step is first used: copies, which nothing else may change.
    bint ready, leveled
    Store store
    Keyed keyed
    const Store* live
    const Keyed* index


cdef struct Match:
    # A row that is of use, the time that is left, the level so far and where it stands, or NULL, and
    # the hash of the next key.
    const View* view
    int64_t r
    const int64_t* top
    int64_t lo, hi, level
    uint64_t h


cdef struct Place:
    # Where the rows of a step go on: the source, none if it is the last, and the row; or `BEGIN`.
    int64_t s, r


cdef struct Chains:
    # Some chains that are about to be followed, and the row at which each begins.
    (const View*)[AT_ONCE] views
    int64_t[AT_ONCE] rows
    Py_ssize_t n


cdef inline int64_t head_of(const View* view, uint64_t h) noexcept:
    """The newest row of the chain of a hash, or one below the first that is there."""
    return view.keyed.head[slot_of(&view.keyed, h)]


cdef inline void fetch_leveled(const View* view, int64_t r) noexcept:
    """Fetch a row with its level; one that is not there fetches nothing of use."""
    fetch_link(&view.store, &view.keyed, r)
    if view.leveled:
        prefetch(&view.store.levels[r])


cdef inline void fetch(Chains* chains) noexcept:
    """Fetch more rows of all chains, in turns: none waits for the memory of another."""
    cdef const View* view
    cdef Py_ssize_t i, m, n = chains.n, turn
    cdef int64_t r
    chains.n = 0
    for turn in range(TURNS):
        m = 0
        for i in range(n):
            view = chains.views[i]
            r = chains.rows[i]
            r = older_than(&view.store, &view.keyed, r)
            fetch_leveled(view, r)
            chains.views[m] = view
            chains.rows[m] = r
            m += r >= view.store.first
        n = m
        if not n:
            break


cdef inline const int64_t* steps_of(const int64_t* program) noexcept:
    return program + HEADER + 2 * (program[2] + program[3] + program[4])


cdef inline const int64_t* sources_of(const int64_t* step) noexcept:
    return step + step[0] - step[5]


cdef inline bint fits(int64_t* values, const Cell* fact, const int64_t* program) noexcept nogil:
    """Bind the variables of a head to ``values``, if it may derive a fact."""
    cdef const int64_t* at = program + HEADER
    cdef Py_ssize_t i
    for i in range(program[2]):
        if fact[at[0]] != at[1]:
            return False
        at += 2
    for i in range(program[3]):
        values[at[1]] = fact[at[0]]
        at += 2
    for i in range(program[4]):
        if fact[at[0]] != fact[at[1]]:
            return False
        at += 2
    return True


@cython.final
cdef class _Search:
    cdef object sources
    cdef void* before  # the search that was made before it
    cdef void* behind
    cdef Py_ssize_t count
    cdef View* views
    cdef int64_t* values
    cdef const int64_t* code
    cdef const int64_t* facts
    cdef Py_ssize_t width
    cdef int64_t* all_found
    cdef int64_t* all_later
    cdef int64_t* all_unsure
    # Per fact how many derivations are not low enough, and where the level of the lowest stands.
    cdef int64_t* all_counts
    cdef const int64_t** all_tops
    # The table, and the row of it, that a step distinct from it must not take.
    cdef const Store* own_store
    cdef int64_t unknown, limit, lo, hi, since, seen, own
    cdef int64_t* found
    cdef int64_t* later
    cdef int64_t* unsure
    cdef int64_t* counts
    cdef const int64_t** tops
    cdef const int64_t* top
    cdef bint open, met_unknown

    cdef int open_view(self, int64_t number) except -1
    cdef void copy(self, const Store* live) noexcept
    cdef void begin(self, const int64_t[:, ::1] facts, const int64_t[::1] code,
                    int64_t* found, int64_t* later, int64_t* unsure, int64_t* counts,
                    const int64_t** tops) noexcept
    cdef int walk(self, const int64_t* step, int64_t steps, int64_t lo, int64_t hi,
                  int64_t level) except -1
    cdef int follow(self, const int64_t* step, uint64_t h, int64_t steps, int64_t lo, int64_t hi,
                    int64_t level) except -1
    cdef bint reached(self, int64_t lo, int64_t hi, int64_t level) noexcept
    cdef int look_up(self, const int64_t* step, uint64_t h) except -1
    cdef bint look_into(self, const int64_t* step, uint64_t h, Chains* chains) except -1
    cdef Py_ssize_t gather(self, const int64_t* step, uint64_t h, int64_t lo, int64_t hi,
                           Place* at, Match* matches) except -1
    cdef int go_through(self, const int64_t* step, int64_t steps, uint64_t h, Py_ssize_t number,
                        Place* at, Match* matches) except -1
    cdef Py_ssize_t fan(self, const int64_t* step, uint64_t h, Py_ssize_t most) except -1
    cdef const int64_t* order(self, const int64_t* program, uint64_t* h) except NULL
    cdef bint turn(self, Py_ssize_t i, const int64_t* program) noexcept
    cdef Py_ssize_t ask(self, const int64_t* program, const Py_ssize_t* asked, uint64_t* hashes,
                        Py_ssize_t count, uint64_t* empty) except -1
    cdef Py_ssize_t run(self, const int64_t* program, Py_ssize_t n, uint64_t* empty) except -1

    cdef inline View* view(self, int64_t number) except NULL:
        if not self.views[number].ready:
            self.open_view(number)
        return &self.views[number]

    cdef inline uint64_t key_of(self, const int64_t* step) noexcept:
        """The hash of what a step looks for."""
        return self.hashed(step + ENTRIES, step[1])

    cdef inline uint64_t hashed(self, const int64_t* key, Py_ssize_t n) noexcept:
        cdef uint64_t h = SEED
        cdef Py_ssize_t i
        for i in range(n):
            h = mix(h, key[2 * i + 1] if key[2 * i] else self.values[key[2 * i + 1]])
        return h ^ (h >> 32)

    cdef inline bint takes(self, const int64_t* step, const View* view, int64_t r, const int32_t* row,
                           Match* match, int64_t lo, int64_t hi, int64_t level) noexcept:
        """Whether row ``r`` may be of use in a step; then its variables are bound."""
        cdef const int64_t* key = step + ENTRIES
        cdef const int64_t* binds = key + 2 * step[1]
        cdef const int64_t* checks = binds + 2 * step[2]
        cdef const int64_t* differs = checks + 2 * step[3]
        cdef Time time = time_in(&view.store, row)
        cdef int64_t* own
        cdef Py_ssize_t c
        self.seen += 1
        match.lo = time.lo if time.lo > lo else lo
        match.hi = time.hi if time.hi < hi else hi
        if match.lo >= match.hi:
            return False
        for c in range(view.keyed.nk):
            if row[view.keyed.key[c]] != (
                    key[2 * c + 1] if key[2 * c] else self.values[key[2 * c + 1]]):
                return False
        match.level = level
        match.top = self.top
        if view.leveled:
            own = &view.store.levels[r]
            if own[0] > level:
                match.level = own[0]
                match.top = own
        if match.level >= self.unknown:
            self.met_unknown |= match.level == UNKNOWN_LEVEL
            return False
        if step[6] and r == self.own and view.leveled and view.live == self.own_store:
            return False
        for c in range(step[2]):
            self.values[binds[2 * c + 1]] = row[binds[2 * c]]
        for c in range(step[3]):
            if row[checks[2 * c]] != self.values[checks[2 * c + 1]]:
                return False
        for c in range(step[4]):
            if self.values[differs[2 * c]] == self.values[differs[2 * c + 1]]:
                return False
        return True

    cdef inline int64_t older(self, const View* view, int64_t r, const int32_t* row,
                             int64_t lo) noexcept:
        """The next row of a chain that may hold after ``lo``, or one below the first."""
        return after_in(&view.keyed, r, row, lo)

    cdef inline void bind(self, const int64_t* step, const int32_t* row) noexcept:
        """Bind the variables of a row again."""
        cdef const int64_t* binds = step + ENTRIES + 2 * step[1]
        cdef Py_ssize_t c
        for c in range(step[2]):
            self.values[binds[2 * c + 1]] = row[binds[2 * c]]
