# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row matrices as the compiled kernels see them: looked up by a key, and growing.

The code that is inline here is compiled into each kernel that cimports it.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define r4_prefetch(address) __builtin_prefetch(address)
    #else
    #define r4_prefetch(address) ((void)(address))
    #endif
    """
    void prefetch "r4_prefetch"(const void* address) noexcept nogil

cdef enum:
    # So many rows are looked up at a time: their memory is fetched while others are compared.
    AHEAD = 32
    # Instead of the next newer row of its chain, where that is the head, or a row is in no chain.
    IS_HEAD = -1
    IS_LOOSE = -2


cdef inline uint64_t mix(uint64_t h, int64_t x) noexcept nogil:
    h = (h ^ <uint64_t>x) * <uint64_t>0x9E3779B97F4A7C15
    return h ^ (h >> 29)


cdef inline uint64_t key_hash(const int64_t* row, const int64_t* cols, Py_ssize_t n) noexcept nogil:
    cdef uint64_t h = 0
    cdef Py_ssize_t i
    for i in range(n):
        h = mix(h, row[cols[i]])
    return h ^ (h >> 32)


cdef inline bint same_terms(const int64_t* a, const int64_t* b, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t c
    for c in range(k):
        if a[c] != b[c]:
            return False
    return True


cdef inline const int64_t* places(const int64_t[::1] columns) noexcept nogil:
    return &columns[0] if columns.shape[0] else NULL


cdef object new_rows(Py_ssize_t n, Py_ssize_t width)


@cython.final
cdef class Out:
    cdef object array
    cdef int64_t[:, ::1] rows
    cdef Py_ssize_t n, cap, w

    cdef int grow(self) except -1

    cdef object done(self)

    cdef inline int64_t* push(self) except NULL:
        """Room for one more row."""
        if self.n == self.cap:
            self.grow()
        self.n += 1
        return &self.rows[self.n - 1, 0]


# A row in its chain: who follows it looks at all three, which one fetch brings.
cdef struct Link:
    int32_t older
    int32_t newer
    int64_t reach


@cython.final
cdef class Index:
    cdef readonly object cols
    cdef const int64_t[::1] key
    cdef readonly int32_t[::1] heads
    cdef int64_t[:, ::1] room  # the memory of ``links``
    cdef Link* links
    cdef readonly Py_ssize_t n
    cdef public bint grown
    cdef public list moved

    cdef int make_links(self, Py_ssize_t count) except -1

    cdef int reserve(self, const int64_t[:, ::1] store, Py_ssize_t total) except -1

    cdef int enter(self, const int64_t[:, ::1] store, Py_ssize_t stop) except -1

    cdef void close_up(self, const int64_t[:, ::1] store, Py_ssize_t begin, Py_ssize_t end,
                       Py_ssize_t to, const uint8_t[::1] alive) noexcept

    cdef inline void chain(self, Py_ssize_t i, uint64_t slot, int64_t hi) noexcept:
        """Row ``i``, which ends at ``hi``, is the newest of its chain."""
        cdef int64_t older = self.heads[slot]
        self.links[i].older = <int32_t>older
        self.links[i].newer = IS_HEAD
        self.links[i].reach = hi
        if older >= 0:
            self.links[older].newer = <int32_t>i
            if self.links[older].reach > hi:
                self.links[i].reach = self.links[older].reach
        self.heads[slot] = <int32_t>i

    cdef inline void chain_anew(self, Py_ssize_t r, uint64_t slot, int64_t hi) noexcept:
        """Row ``r`` of a chain, whose end is now ``hi``, is the newest of it."""
        cdef int64_t newer = self.links[r].newer, older = self.links[r].older
        if newer >= 0:
            self.links[newer].older = <int32_t>older
        else:
            self.heads[slot] = <int32_t>older
        if older >= 0:
            self.links[older].newer = <int32_t>newer
        self.chain(r, slot, hi)

    cdef inline void point(self, Py_ssize_t r, const int64_t* row, int64_t other) noexcept:
        """Let what leads to row ``r`` of its chain lead to ``other``, a row or -1."""
        cdef int64_t newer = self.links[r].newer
        if newer >= 0:
            self.links[newer].older = <int32_t>other
        else:
            self.heads[key_hash(row, places(self.key), self.key.shape[0])
                       & (<uint64_t>self.heads.shape[0] - 1)] = <int32_t>other

    cdef inline void leave(self, Py_ssize_t r, const int64_t* row) noexcept:
        """Take row ``r`` out of its chain, if it is in one."""
        cdef int64_t older = self.links[r].older
        if self.links[r].newer == IS_LOOSE:
            return
        self.point(r, row, older)
        if older >= 0:
            self.links[older].newer = self.links[r].newer
        self.links[r].newer = IS_LOOSE

    cdef inline void move(self, Py_ssize_t r, Py_ssize_t to, const int64_t* row,
                          int64_t hi) noexcept:
        """Let row ``r``, which ends at ``hi``, stand at ``to`` in its chain, if it is in one."""
        cdef int64_t older = self.links[r].older
        if self.links[r].newer == IS_LOOSE:
            self.links[to].newer = IS_LOOSE
            return
        if to != r:
            self.point(r, row, to)
            self.links[to].newer = self.links[r].newer
            self.links[to].older = <int32_t>older
            self.links[r].newer = IS_LOOSE
            if older >= 0:
                self.links[older].newer = <int32_t>to
        self.links[to].reach = hi
        if older >= 0 and self.links[older].reach > hi:
            self.links[to].reach = self.links[older].reach

    cdef inline void look_up(self, const int64_t[:, ::1] delta, Py_ssize_t begin,
                             const int64_t* key, const int64_t[:, ::1] store,
                             int64_t* firsts) noexcept:
        """The newest row of the chain of each delta row from ``begin`` on, `AHEAD` at most."""
        cdef Py_ssize_t i, n = min(AHEAD, delta.shape[0] - begin), nk = self.key.shape[0]
        cdef uint64_t mask = <uint64_t>self.heads.shape[0] - 1
        for i in range(n):
            firsts[i] = key_hash(&delta[begin + i, 0], key, nk) & mask
            prefetch(&self.heads[firsts[i]])
        for i in range(n):
            firsts[i] = self.heads[firsts[i]]
            if firsts[i] >= 0:
                prefetch(&store[firsts[i], 0])
                prefetch(&self.links[firsts[i]])


cdef enum:
    FEWEST_CHAINS = 64
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


cdef inline void pass_later(Index index, const int64_t[:, ::1] store, Py_ssize_t n,
                            const int64_t* bounds, int64_t* firsts, Passed* passed) noexcept:
    """Go on, in ``n`` chains, from their first rows to one that begins before a bound.

    From the last chain to the first, so that bounds that ascend pass each row of a chain once.
    """
    cdef Py_ssize_t k = store.shape[1] - 2, i
    cdef int64_t r
    cdef Chain* chain
    for i in range(n - 1, -1, -1):
        r = firsts[i]
        if r < 0 or store[r, k] < bounds[i] and store[r, k] < store[r, k + 1]:
            continue
        chain = &passed.chains[r & passed.mask]
        if chain.first != r or chain.bound < bounds[i]:
            chain.first = chain.row = r
        r = chain.row
        while r >= 0 and (store[r, k] >= bounds[i] or store[r, k] >= store[r, k + 1]):
            r = index.links[r].older
        chain.bound = bounds[i]
        chain.row = firsts[i] = r
