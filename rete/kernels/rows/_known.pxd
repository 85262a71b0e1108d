# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Which rows a store of rows that always hold has, a bit for each combination of terms.

Where a relation is dense, rules derive each of its facts many times. A bit says that a row is there
in a tenth of the time that finding the row takes. Between the least and the greatest term of each
column all ids count, so there are bits only where these are few for each row. `FactStore.knows` and
`FactStore.look_for_repeats` make them and drop them; `absorb` asks them.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from rete.kernels.rows._matrix cimport AHEAD, NEG_INF, POS_INF, Cell, Matrix, Out, prefetch, row_at


cdef enum:
    # Rows of at most so many terms may have bits, where there are so many rows at least.
    WIDEST = 4
    FEWEST_ROWS = 4096
    # So many bits for each row are fewer bytes than its terms, and so many bits are 32 MB.
    BITS_OF_A_ROW = 64
    MOST_BITS = 1 << 28


cdef struct Known:
    uint64_t* bits  # NULL: none
    int64_t count  # of bits
    int64_t[WIDEST] least
    int64_t[WIDEST] span  # of terms of a column
    int64_t first, n  # the rows from one position to another have their bits; n < 0: more may
    int64_t looked  # so many rows there were when their terms were looked at


cdef inline void forget_known(Known* known) noexcept nogil:
    """Have no bits, as rows may be there no longer."""
    free(known.bits)
    known.bits = NULL
    known.looked = 0


cdef inline int64_t place_of(const Known* known, const Cell* row, Py_ssize_t w) noexcept nogil:
    """Which bit a row has; -1: none, as a term does not lie between those that were there."""
    cdef int64_t place = 0, term
    cdef Py_ssize_t c
    for c in range(w):
        term = row[c] - known.least[c]
        if not 0 <= term < known.span[c]:
            return -1
        place = place * known.span[c] + term
    return place


cdef inline void set_bit(Known* known, int64_t place) noexcept nogil:
    known.bits[place >> 6] |= <uint64_t>1 << (place & 63)


cdef inline Out unknown_rows(Known* known, Matrix delta, Out unknown):
    """Put those of ``delta`` into ``unknown`` that are not there; they have bits from now on."""
    cdef Py_ssize_t i, j, n, w = delta.w - 2
    cdef int64_t[AHEAD] places
    cdef const int64_t* row
    cdef uint64_t bit
    cdef uint64_t* word
    for i in range(0, delta.n, AHEAD):
        n = min(AHEAD, delta.n - i)
        for j in range(n):
            places[j] = place_of(known, row_at(delta, i + j), w)
            if places[j] >= 0:
                prefetch(known.bits + (places[j] >> 6))
        for j in range(n):
            row = row_at(delta, i + j)
            if places[j] >= 0:
                word = known.bits + (places[j] >> 6)
                bit = <uint64_t>1 << (places[j] & 63)
                if word[0] & bit:
                    continue
                if row[w] == NEG_INF and row[w + 1] == POS_INF:
                    word[0] |= bit
            memcpy(unknown.push(), row, delta.w * sizeof(int64_t))
    return unknown
