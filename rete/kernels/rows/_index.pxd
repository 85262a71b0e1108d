# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row matrices as the compiled kernels see them: looked up by a key, and growing.

The code that is inline here is compiled into each kernel that cimports it.
"""

cimport cython
cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define r4_prefetch(address) __builtin_prefetch(address)
    #else
    #define r4_prefetch(address) ((void)(address))
    #endif
    #define R4_VACANT (-((int64_t)1 << 62) - 2)
    """
    void prefetch "r4_prefetch"(const void* address) noexcept nogil
    # As in `rete.kernels.rows.pure_index`.
    const int64_t VACANT "R4_VACANT"

cdef enum:
    # So many rows are looked up at a time: their memory is fetched while others are compared.
    AHEAD = 32
    # Instead of the next newer row of its chain, where that is the head, or a row is in no chain.
    IS_HEAD = -1
    IS_LOOSE = -2


# The hash of a key begins with it: a random number of this process, so that nobody can choose terms
# whose keys share a chain.
cdef uint64_t SEED


cdef inline uint64_t mix(uint64_t h, int64_t x) noexcept nogil:
    h = (h ^ <uint64_t>x) * <uint64_t>0x9E3779B97F4A7C15
    return h ^ (h >> 29)


cdef inline uint64_t key_hash(const int64_t* row, const int64_t* cols, Py_ssize_t n) noexcept nogil:
    cdef uint64_t h = SEED
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


# A row matrix, and column positions: the arrays themselves, by their addresses. A view of the buffer
# protocol takes longer to make than what is done with two or three rows.
cdef struct Matrix:
    int64_t* cells
    Py_ssize_t n, w


cdef struct Columns:
    const int64_t* at
    Py_ssize_t n


cdef inline bint is_of(object array, int dimensions) noexcept:
    """Whether it is an array of int64 of so many dimensions, C-contiguous."""
    return (cnp.PyArray_Check(array)
            and cnp.PyArray_NDIM(<cnp.ndarray>array) == dimensions
            and cnp.PyArray_TYPE(<cnp.ndarray>array) == cnp.NPY_INT64
            and cnp.PyArray_CHKFLAGS(<cnp.ndarray>array, cnp.NPY_ARRAY_CARRAY_RO))


cdef int refuse(object array) except -1


cdef inline Matrix matrix(object array) except *:
    """A row matrix, which must live as long as it is used."""
    if not is_of(array, 2):
        refuse(array)
    return Matrix(<int64_t*>cnp.PyArray_DATA(<cnp.ndarray>array),
                  cnp.PyArray_DIM(<cnp.ndarray>array, 0), cnp.PyArray_DIM(<cnp.ndarray>array, 1))


cdef inline Matrix store_of(object array) except *:
    """The same of one that is written to."""
    if not (cnp.PyArray_Check(array) and cnp.PyArray_ISWRITEABLE(<cnp.ndarray>array)):
        refuse(array)
    return matrix(array)


cdef inline Columns columns(object array) except *:
    """Column positions, which must live as long as they are used."""
    if not is_of(array, 1):
        refuse(array)
    return Columns(<const int64_t*>cnp.PyArray_DATA(<cnp.ndarray>array),
                   cnp.PyArray_DIM(<cnp.ndarray>array, 0))


cdef inline int64_t* row_at(Matrix rows, Py_ssize_t i) noexcept nogil:
    return rows.cells + i * rows.w


cdef object new_rows(Py_ssize_t n, Py_ssize_t width)


cdef object new_column(Py_ssize_t n)


@cython.final
cdef class Out:
    cdef object array
    cdef bint owns  # its memory, which is of no array; the collector of cycles may clear ``array``
    cdef int64_t* cells
    cdef Py_ssize_t n, cap, w

    cdef int grow(self) except -1

    cdef object done(self)

    cdef inline int64_t* push(self) except NULL:
        """Room for one more row."""
        if self.n == self.cap:
            self.grow()
        self.n += 1
        return self.row(self.n - 1)

    cdef inline int64_t* row(self, Py_ssize_t i) noexcept:
        return self.cells + i * self.w


cdef Out new_out(Py_ssize_t cap, Py_ssize_t w)


# A row in its chain: who follows it looks at all three, which one fetch brings.
cdef struct Link:
    int32_t older
    int32_t newer
    int64_t reach


@cython.final
cdef class Index:
    cdef readonly object cols
    cdef Columns key  # those of ``cols``
    cdef readonly object heads
    cdef int32_t* head  # its memory
    cdef Py_ssize_t size  # how many heads there are, a power of 2
    cdef object room
    cdef Py_ssize_t capacity  # of how many rows there is room for the links
    cdef Link* links  # in the memory of ``room``
    cdef readonly Py_ssize_t n
    cdef public bint grown
    cdef public Py_ssize_t vacancies
    cdef Out changed  # positions, if any

    cdef int make_heads(self, Py_ssize_t count) except -1

    cdef int make_links(self, Py_ssize_t count) except -1

    cdef int reserve(self, Matrix store, Py_ssize_t total) except -1

    cdef inline int note(self, int64_t r) except -1:
        """Row ``r`` has changed, which other indexes shall follow."""
        if self.changed is None:
            self.changed = new_out(AHEAD, 1)
        self.changed.push()[0] = r
        return 0

    cdef int enter(self, Matrix store, Py_ssize_t stop) except -1

    cdef int renew(self, Matrix store, Out changed) except -1

    cdef void close_up(self, Matrix store, Py_ssize_t begin, Py_ssize_t end,
                       Py_ssize_t to, const uint8_t[::1] alive) noexcept

    cdef inline void chain(self, Py_ssize_t i, uint64_t slot, int64_t hi) noexcept:
        """Row ``i``, which ends at ``hi``, is the newest of its chain."""
        cdef int64_t older = self.head[slot]
        self.links[i].older = <int32_t>older
        self.links[i].newer = IS_HEAD
        self.links[i].reach = hi
        if older >= 0:
            self.links[older].newer = <int32_t>i
            if self.links[older].reach > hi:
                self.links[i].reach = self.links[older].reach
        self.head[slot] = <int32_t>i

    cdef inline void chain_anew(self, Py_ssize_t r, uint64_t slot, int64_t hi) noexcept:
        """Row ``r`` of a chain, whose end is now ``hi``, is the newest of it."""
        cdef int64_t newer = self.links[r].newer, older = self.links[r].older
        if newer >= 0:
            self.links[newer].older = <int32_t>older
        else:
            self.head[slot] = <int32_t>older
        if older >= 0:
            self.links[older].newer = <int32_t>newer
        self.chain(r, slot, hi)

    cdef inline void point(self, Py_ssize_t r, const int64_t* row, int64_t other) noexcept:
        """Let what leads to row ``r`` of its chain lead to ``other``, a row or -1."""
        cdef int64_t newer = self.links[r].newer
        if newer >= 0:
            self.links[newer].older = <int32_t>other
        else:
            self.head[key_hash(row, self.key.at, self.key.n)
                       & (<uint64_t>self.size - 1)] = <int32_t>other

    cdef inline void leave(self, Py_ssize_t r, const int64_t* row) noexcept:
        """Take row ``r`` out of its chain, if it is in one."""
        cdef int64_t older = self.links[r].older
        if self.links[r].newer == IS_LOOSE:
            return
        self.point(r, row, older)
        if older >= 0:
            self.links[older].newer = self.links[r].newer
        self.links[r].newer = IS_LOOSE

    cdef inline int vacate(self, Matrix store, int64_t r) except -1:
        """Row ``r`` is there no longer, but its terms and its link to the next older row are."""
        cdef int64_t* row = row_at(store, r)
        self.leave(r, row)
        row[store.w - 2] = 0
        row[store.w - 1] = VACANT
        self.vacancies += 1
        return self.note(r)

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

    cdef inline void look_up(self, Matrix delta, Py_ssize_t begin,
                             const int64_t* key, Matrix store,
                             int64_t* firsts) noexcept:
        """The newest row of the chain of each delta row from ``begin`` on, `AHEAD` at most.

        That is fetched, and the next one of the chain.
        """
        cdef Py_ssize_t i, n = min(AHEAD, delta.n - begin), nk = self.key.n
        cdef uint64_t mask = <uint64_t>self.size - 1
        cdef int64_t older
        for i in range(n):
            firsts[i] = key_hash(row_at(delta, begin + i), key, nk) & mask
            prefetch(&self.head[firsts[i]])
        for i in range(n):
            firsts[i] = self.head[firsts[i]]
            if firsts[i] >= 0:
                prefetch(row_at(store, firsts[i]))
                prefetch(&self.links[firsts[i]])
        for i in range(n):
            if firsts[i] >= 0:
                older = self.links[firsts[i]].older
                if older >= 0:
                    prefetch(row_at(store, older))
                    prefetch(&self.links[older])


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


cdef inline void pass_later(Index index, Matrix store, Py_ssize_t n,
                            const int64_t* bounds, int64_t* firsts, Passed* passed) noexcept:
    """Go on, in ``n`` chains, from their first rows to one that begins before a bound.

    From the last chain to the first, so that bounds that ascend pass each row of a chain once.
    """
    cdef Py_ssize_t k = store.w - 2, i
    cdef int64_t r
    cdef const int64_t* row
    cdef Chain* chain
    for i in range(n - 1, -1, -1):
        r = firsts[i]
        if r < 0:
            continue
        row = row_at(store, r)
        if row[k] < bounds[i] and row[k] < row[k + 1]:
            continue
        chain = &passed.chains[r & passed.mask]
        if chain.first != r or chain.bound < bounds[i]:
            chain.first = chain.row = r
        r = chain.row
        while r >= 0:
            row = row_at(store, r)
            if row[k] < bounds[i] and row[k] < row[k + 1]:
                break
            r = index.links[r].older
        chain.bound = bounds[i]
        chain.row = firsts[i] = r


cdef inline int64_t* room_for(Py_ssize_t n, int64_t* some) except NULL:
    """Room for so many numbers: ``some``, which has `AHEAD`, or else what is to be freed."""
    cdef int64_t* room
    if n <= AHEAD:
        return some
    room = <int64_t*>malloc(n * sizeof(int64_t))
    if room == NULL:
        raise MemoryError
    return room


cdef inline int find_firsts(Index index, Matrix delta, const int64_t* key, Matrix store,
                            int64_t* firsts) except -1:
    """Per row of ``delta`` the newest row of its chain that begins before a bound; -1: none.

    ``firsts`` has the bounds, and gets the rows.
    """
    cdef Py_ssize_t begin = (delta.n - 1) // AHEAD * AHEAD, n
    cdef int64_t[AHEAD] bounds
    cdef Passed passed
    begin_passing(&passed, delta.n)
    while begin >= 0:
        n = min(AHEAD, delta.n - begin)
        memcpy(bounds, firsts + begin, n * sizeof(int64_t))
        index.look_up(delta, begin, key, store, firsts + begin)
        pass_later(index, store, n, bounds, firsts + begin, &passed)
        begin -= AHEAD
    end_passing(&passed)
    return 0
