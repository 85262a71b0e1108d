# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row matrices as the compiled kernels see them, those that grow, and the hash of a key.

The code that is inline here is compiled into each kernel that cimports it.
"""

cimport cython
cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define r4_prefetch(address) __builtin_prefetch(address)
    #else
    #define r4_prefetch(address) ((void)(address))
    #endif
    #define R4_VACANT (-((int64_t)1 << 62) - 2)
    #define R4_POS_INF ((int64_t)1 << 62)
    #define R4_NEG_INF (-R4_POS_INF)
    """
    void prefetch "r4_prefetch"(const void* address) noexcept nogil
    # As in `rete.kernels.rows.pure_matrix`, and the infinite cells.
    const int64_t VACANT "R4_VACANT"
    const int64_t NEG_INF "R4_NEG_INF"
    const int64_t POS_INF "R4_POS_INF"

cdef enum:
    # So many rows are looked up at a time: their memory is fetched while others are compared.
    AHEAD = 32


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


ctypedef fused Cell:
    # A term as it is stored, or in a row.
    int32_t
    int64_t


cdef inline bint same_terms(const Cell* a, const int64_t* b, Py_ssize_t k) noexcept nogil:
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


# A valid time, half-open, in cells.
cdef struct Time:
    int64_t lo
    int64_t hi


cdef inline Time time_of(const int64_t* ends) noexcept nogil:
    return Time(ends[0], ends[1])


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
