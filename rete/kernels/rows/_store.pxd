# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A fact store as the compiled kernels see it; see `rete.kernels.rows.pure_store`.

A log. A position is the number of a row; positions ascend for ever, and those below ``first`` are
gone. A row has its terms, one link for each index in use, and its time if some row does not always
hold, all in cells of 32 bits beside each other: who follows a chain looks at all of them. An index has
heads; the link of a row leads to the next older one of its chain, and one below ``first`` ends it.

The code that is inline here is compiled into each kernel that cimports it.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from rete.kernels.rows._block cimport Block
from rete.kernels.rows._known cimport Known
from rete.kernels.rows._matrix cimport (
    AHEAD, NEG_INF, POS_INF, SEED, VACANT, Matrix, Time, key_hash, mix, prefetch, row_at,
)

cdef extern from *:
    """
    #define R4_UNKNOWN_LEVEL ((int64_t)1 << 62)
    """
    const int64_t UNKNOWN_LEVEL "R4_UNKNOWN_LEVEL"


cdef enum:
    # An index has so many heads for each row.
    HEADS = 2
    # So many rows of a chain are fetched ahead.
    TURNS = 3
    # So many steps of a search that lead to rows that had ended are too many.
    USELESS = 3
    # So many cells the time of a row takes: none where all rows always hold; one each for its begin
    # and its end, from the base on; two each where these are too far from it.
    NARROW = 2
    BROAD = 4
    # Of narrow times: infinite, or vacant, ends.
    LEAST_CELL = -0x80000000
    MOST_CELL = 0x7FFFFFFF
    # Rows of a page, as a power of 2: how many of them had ended when one last looked is known.
    PAGE = 12


cdef struct Keyed:
    # An index: the columns of its key, and heads.
    int64_t* key
    Py_ssize_t nk
    Block heads
    int32_t* head  # the first one; NULL: none yet
    int64_t size, half  # how many; the power of 2 at or below
    int64_t link  # where in a row its link is; -1: no row has one yet
    Block reaches
    int64_t* reach  # of a row the greatest end of the older ones of its chain, or more; NULL: not kept
    int64_t n  # rows from this position on are not entered
    # So many steps along chains led to rows that had ended, in so many searches.
    int64_t useless, searches


cdef struct Store:
    Py_ssize_t w  # terms of a row
    int64_t links  # and links
    int64_t time  # where in a row its time begins
    int64_t stride  # cells of a row
    int32_t size  # and of its time
    int64_t base  # of narrow times
    int32_t* cells  # of row 0, which need not be there
    int64_t* levels  # likewise; NULL: all are unknown
    int64_t first, n  # positions
    int64_t ended  # so many rows were found vacant, or ended for good
    Keyed** keyed
    int64_t count  # of indexes


cdef inline int32_t* row_of(const Store* s, int64_t r) noexcept nogil:
    """The cells of a row, with its terms in front."""
    return s.cells + r * s.stride


cdef inline Time decoded(int64_t base, int32_t size, const int32_t* cells) noexcept nogil:
    """The time that stands in so many cells."""
    cdef Time time = Time(NEG_INF, POS_INF)
    if size == NARROW:
        if cells[0] != LEAST_CELL:
            time.lo = base + cells[0]
        if cells[1] != MOST_CELL:
            time.hi = base + cells[1] if cells[1] != LEAST_CELL else VACANT
    elif size == BROAD:
        memcpy(&time, cells, sizeof(Time))
    return time


cdef inline bint is_narrow(int64_t base, int64_t cell) noexcept nogil:
    return -MOST_CELL < cell - base < MOST_CELL


cdef inline bint encode(int64_t base, int32_t size, Time time, int32_t* cells) noexcept nogil:
    """Let a time stand in so many cells; whether it has room there."""
    cdef bint lo = time.lo == NEG_INF, hi = time.hi == POS_INF or time.hi == VACANT
    if size == BROAD:
        memcpy(cells, &time, sizeof(Time))
        return True
    if not size:
        return lo and time.hi == POS_INF
    if not (lo or is_narrow(base, time.lo)) or not (hi or is_narrow(base, time.hi)):
        return False
    cells[0] = LEAST_CELL if lo else <int32_t>(time.lo - base)
    if hi:
        cells[1] = MOST_CELL if time.hi == POS_INF else LEAST_CELL
    else:
        cells[1] = <int32_t>(time.hi - base)
    return True


cdef inline Time time_in(const Store* s, const int32_t* row) noexcept nogil:
    """The time of a row, given its cells."""
    return decoded(s.base, s.size, row + s.time)


cdef inline Time time_at(const Store* s, int64_t r) noexcept nogil:
    """The time of a row."""
    return time_in(s, row_of(s, r))


cdef inline int64_t older_in(const Keyed* k, const int32_t* row) noexcept nogil:
    """The next older row of its chain."""
    return row[k.link]


cdef inline int64_t after_in(const Keyed* k, int64_t r, const int32_t* row,
                             int64_t least) noexcept nogil:
    """The next older row of the chain of row ``r``; -1 where all older ones end at ``least`` or before."""
    return -1 if k.reach != NULL and k.reach[r] <= least else older_in(k, row)


cdef inline bint agrees_in(const Store* s, const Keyed* k, const int32_t* stored, const int64_t* row,
                           const int64_t* key) noexcept nogil:
    """Whether a stored row has at the key of an index what ``row`` has at its columns ``key``."""
    cdef Py_ssize_t c
    cdef int64_t place
    for c in range(k.nk):
        place = k.key[c]
        if place < s.w:
            if row[key[c]] != stored[place]:
                return False
        elif row[key[c]] != (
                time_in(s, stored).lo if place == s.w else time_in(s, stored).hi):
            return False
    return True


cdef inline int64_t cell_at(const Store* s, int64_t r, int64_t c) noexcept nogil:
    """A term of a row, or its begin or end."""
    if c < s.w:
        return row_of(s, r)[c]
    return time_at(s, r).lo if c == s.w else time_at(s, r).hi


cdef inline int64_t level_at(const Store* s, int64_t r) noexcept nogil:
    """The level of a row."""
    return s.levels[r] if s.levels != NULL else UNKNOWN_LEVEL


cdef inline uint64_t stored_hash(const Store* s, const Keyed* k, int64_t r) noexcept nogil:
    """The hash of the key of a stored row."""
    cdef uint64_t h = SEED
    cdef const int32_t* stored = row_of(s, r)
    cdef Py_ssize_t i
    for i in range(k.nk):
        h = mix(h, stored[k.key[i]] if k.key[i] < s.w else cell_at(s, r, k.key[i]))
    return h ^ (h >> 32)


cdef inline int64_t slot_of(const Keyed* k, uint64_t h) noexcept nogil:
    """The head of the chain of a hash: by linear hashing."""
    cdef int64_t slot = <int64_t>(h & <uint64_t>(2 * k.half - 1))
    return slot if slot < k.size else slot & (k.half - 1)


cdef inline int64_t older_than(const Store* s, const Keyed* k, int64_t r) noexcept nogil:
    return older_in(k, row_of(s, r))


cdef inline void fetch_row(const Store* s, int64_t r) noexcept nogil:
    """Fetch a row."""
    cdef const int32_t* row = row_of(s, r)
    prefetch(row)
    prefetch(row + s.stride - 1)


cdef inline void fetch_link(const Store* s, const Keyed* k, int64_t r) noexcept nogil:
    """Fetch a row, which need not be there, and how far its chain reaches from there on."""
    fetch_row(s, r)
    if k.reach != NULL:
        prefetch(&k.reach[r])


cdef inline void look_up(const Store* s, const Keyed* k, Matrix delta, Py_ssize_t begin,
                         const int64_t* key, int64_t* firsts) noexcept nogil:
    """The newest row of the chain of each delta row from ``begin`` on, `AHEAD` at most.

    That is fetched, and some more of the chain; it is below ``first`` where there is none.
    """
    cdef Py_ssize_t i, j, n = min(AHEAD, delta.n - begin), left = 0, turn
    cdef int64_t r
    cdef int64_t[AHEAD] rows
    for i in range(n):
        firsts[i] = slot_of(k, key_hash(row_at(delta, begin + i), key, k.nk))
        prefetch(&k.head[firsts[i]])
    for i in range(n):
        firsts[i] = k.head[firsts[i]]
        fetch_link(s, k, firsts[i])
        rows[left] = firsts[i]
        left += firsts[i] >= s.first  # whether a chain goes on is not foreseen
    for turn in range(TURNS):
        n = left
        left = 0
        for j in range(n):
            r = older_than(s, k, rows[j])
            fetch_link(s, k, r)
            rows[left] = r
            left += r >= s.first


cdef enum:
    FEWEST_CHAINS = 8
    MOST_CHAINS = 1 << 14

# Of the chain with row ``first`` at its head: ``row`` is the first of it that begins before
# ``bound``, as all before it in the chain do not.
cdef struct Chain:
    int64_t first
    int64_t bound
    int64_t row

# Some chains, by the position of their heads; of two at one place the newer stays.
cdef struct Passed:
    Chain* chains
    int64_t mask


cdef inline int begin_passing(Passed* passed, Py_ssize_t n) except -1:
    """Make room for the chains of ``n`` rows, which `end_passing` frees."""
    cdef int64_t size = FEWEST_CHAINS, i
    while size < n and size < MOST_CHAINS:
        size *= 2
    passed.chains = <Chain*>malloc(size * sizeof(Chain))
    if passed.chains == NULL:
        raise MemoryError
    passed.mask = size - 1
    for i in range(size):
        passed.chains[i].first = -1
    return 0


cdef inline void end_passing(Passed* passed) noexcept nogil:
    free(passed.chains)


cdef inline int64_t begun_before(const Store* s, const Keyed* k, int64_t first, int64_t bound,
                                 Py_ssize_t n, Passed* passed) except -2:
    """The newest row of the chain from ``first`` on that begins before a bound; -1: none does.

    Asked of ``n`` chains from the last to the first, so that bounds that ascend pass each row of a
    chain once. ``passed`` has no chains at first.
    """
    cdef int64_t r
    cdef Time time
    cdef const int32_t* stored
    cdef Chain* chain
    if passed.chains == NULL:
        begin_passing(passed, n)
    chain = &passed.chains[first & passed.mask]
    if chain.first != first or chain.bound < bound:
        chain.first = chain.row = first
    r = chain.row
    while r >= s.first:
        stored = row_of(s, r)
        time = time_in(s, stored)
        if time.lo < bound and time.lo < time.hi:
            break
        r = older_in(k, stored)
    chain.bound = bound
    chain.row = r
    return r if r >= s.first else -1


cdef inline int64_t* room_for(Py_ssize_t n, int64_t* some) except NULL:
    """Room for so many numbers: ``some``, which has `AHEAD`, or else what is to be freed."""
    cdef int64_t* room
    if n <= AHEAD:
        return some
    room = <int64_t*>malloc(n * sizeof(int64_t))
    if room == NULL:
        raise MemoryError
    return room


cdef inline int find_firsts(const Store* s, const Keyed* k, Matrix delta, const int64_t* key,
                            int64_t* firsts) except -1:
    """Per row of ``delta`` the newest row of its chain that begins before a bound; see `look_up`.

    ``firsts`` has the bounds, and gets the rows.
    """
    cdef Py_ssize_t begin = (delta.n - 1) // AHEAD * AHEAD, n, i
    cdef int64_t[AHEAD] bounds
    cdef int64_t* found
    cdef Passed passed = Passed(NULL, 0)
    cdef Time time
    try:
        while begin >= 0:
            n = min(AHEAD, delta.n - begin)
            found = firsts + begin
            memcpy(bounds, found, n * sizeof(int64_t))
            look_up(s, k, delta, begin, key, found)
            for i in range(n - 1, -1, -1):
                if found[i] >= s.first:
                    time = time_at(s, found[i])
                    if time.lo >= bounds[i] or time.lo >= time.hi:
                        found[i] = begun_before(s, k, found[i], bounds[i], delta.n, &passed)
            begin -= AHEAD
    finally:
        end_passing(&passed)
    return 0


@cython.final
cdef class FactStore:
    cdef Store s
    cdef Block row_block, level_block, page_block
    cdef int32_t* ended  # of the rows of a page so many
    cdef int64_t room  # rows before it have memory
    cdef int64_t credit, scanned
    # Rows that were cut short, in their order, from ``cuts_begin`` on: they become vacant when they end.
    cdef int64_t* cuts
    cdef int64_t cuts_begin, cuts_end, cuts_room
    cdef readonly int64_t came
    cdef public int64_t forgotten
    cdef int64_t* scratch  # one row
    cdef Known known

    cdef int extend(self, int64_t end) except -1
    cdef int note_room(self) except -1
    cdef void go_on_to(self, int64_t first) noexcept
    cdef void count_ended(self, int64_t r, int64_t more) noexcept
    cdef int widen_times(self, Time time) except -1
    cdef Keyed* add_index(self, object cols) except NULL
    cdef int make_heads(self, Keyed* k, int64_t size) except -1
    cdef int lay_out(self, int64_t links, const int64_t* places, int32_t size, int64_t base) except -1
    cdef int give_link(self, Keyed* k) except -1
    cdef int give_reach(self, Keyed* k) except -1
    cdef int enter(self, Keyed* k) except -1
    cdef int make_anew(self, Keyed* k, int64_t size, bint reaches) except -1
    cdef int split(self, Keyed* k, int64_t more) except -1
    cdef void split_chain(self, Keyed* k) noexcept
    cdef int expect(self, Keyed* k, int64_t new, Py_ssize_t seen, Py_ssize_t m) except -1
    cdef void drop_reach(self, Keyed* k) noexcept
    cdef bint raise_reach(self, Keyed* k, int64_t r, int64_t hi, int64_t most) noexcept
    cdef int follow_growth(self, Keyed* identity, int64_t r, int64_t hi) except -1
    cpdef int keep_levels(self) except -1
    cpdef int sweep(self, Py_ssize_t more, int64_t last, object keep_ended) except -1
    cdef int set_level(self, int64_t r, int64_t level) except -1
    cdef int make_room_for_cuts(self) except -1
    cdef int vacate_cuts(self, int64_t most, int64_t last, object keep_ended) except -1
    cdef void pass_ended(self, int64_t most, int64_t last) noexcept
    cdef int drop(self, int64_t stop, int64_t last, object keep_ended) except -1
    cdef void fetch_heads(self, int64_t r) noexcept
    cdef object lasting(self, int64_t begin, int64_t end, int64_t last, object keep_ended)
    cdef int survey(self, int64_t last) except -1
    cdef int make_up(self, object alive) except -1
    cdef int let_go(self, int64_t oldest, object lasting) except -1
    cdef int refuse_term(self, int64_t term) except -1
    cdef bint knows(self) noexcept
    cdef int look_for_repeats(self) except -1

    cdef inline int push(self, const int64_t* row) except -1:
        """Put a row behind all others; no index has it yet."""
        cdef Store* s = &self.s
        cdef Py_ssize_t c, w = s.w
        cdef Time time = Time(row[w], row[w + 1])
        cdef int32_t* cells
        if s.n >= self.room:
            self.extend(s.n + 1)
        while not encode(s.base, s.size, time, row_of(s, s.n) + s.time):
            self.widen_times(time)
        cells = row_of(s, s.n)
        for c in range(w):
            cells[c] = <int32_t>row[c]
            if cells[c] != row[c]:
                self.refuse_term(row[c])
        if s.levels != NULL:
            s.levels[s.n] = UNKNOWN_LEVEL
        s.n += 1
        self.came += 1
        return 0

    cdef inline void read(self, int64_t r, int64_t* row) noexcept:
        """Copy a row."""
        cdef const Store* s = &self.s
        cdef const int32_t* stored = row_of(s, r)
        cdef Time time = time_in(s, stored)
        cdef Py_ssize_t c
        for c in range(s.w):
            row[c] = stored[c]
        row[s.w] = time.lo
        row[s.w + 1] = time.hi

    cdef inline int set_time(self, int64_t r, int64_t lo, int64_t hi) except -1:
        cdef Store* s = &self.s
        cdef Time time = Time(lo, hi)
        while not encode(s.base, s.size, time, row_of(s, r) + s.time):
            self.widen_times(time)
        return 0

    cdef inline int vacate(self, int64_t r) except -1:
        """Row ``r`` is there no longer, but its terms and its links are; chains have it yet."""
        cdef Store* s = &self.s
        if s.size == NARROW:
            row_of(s, r)[s.time + 1] = LEAST_CELL
        else:
            self.set_time(r, time_at(s, r).lo, VACANT)
        self.count_ended(r, 1)
        return 0

    cdef inline int chain(self, Keyed* k, int64_t r, int64_t slot) except -1:
        """Row ``r`` is the newest of its chain."""
        cdef const Store* s = &self.s
        cdef int64_t older = k.head[slot]
        row_of(s, r)[k.link] = <int32_t>older
        if k.reach != NULL:
            if r >= k.reaches.room:
                self.give_reach(k)
            k.reach[r] = max(time_at(s, older).hi, k.reach[older]) if older >= s.first else VACANT
        k.head[slot] = <int32_t>r
        return 0

    cdef inline int chain_new(self, Keyed* k, uint64_t h) except -1:
        """The row that was just put behind all others is the newest of its chain; heads grow with it."""
        cdef int64_t r = self.s.n - 1
        self.chain(k, r, slot_of(k, h))
        k.n = r + 1
        if HEADS * (k.n - self.s.first) > k.size:
            self.split(k, HEADS)
        return 0

    cdef inline int look_again(self, Keyed* k, Py_ssize_t searches) except -1:
        """After some searches: make an index anew, with its reach, that led nowhere too often."""
        k.searches += searches
        if k.useless > k.n - self.s.first + 256:
            if k.useless > USELESS * k.searches:
                self.make_anew(k, k.size, True)
            k.useless = k.searches = 0
        return 0

    cdef inline int cut(self, int64_t r, int64_t lo, int64_t hi) except -1:
        """Row ``r`` ends at ``hi`` now, earlier than before."""
        self.set_time(r, lo, hi)
        if self.cuts_end == self.cuts_room:
            self.make_room_for_cuts()
        self.cuts[self.cuts_end] = r
        self.cuts_end += 1
        return 0

    cdef inline int catch_up(self, Keyed* k) except -1:
        """Enter the rows that an index lacks."""
        if k.n < self.s.n or k.head == NULL:
            self.enter(k)
        return 0


@cython.final
cdef class Index:
    cdef readonly FactStore store
    cdef readonly object cols
    cdef Keyed* keyed
