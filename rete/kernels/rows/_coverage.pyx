# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What rows do not cover of others, compiled: as `rete.kernels.rows.pure_coverage`."""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from rete.kernels.rows._matrix cimport (
    AHEAD, NEG_INF, SEED, Columns, Matrix, Out, Time, columns, matrix, mix, new_out, row_at,
    same_terms, time_of,
)
from rete.kernels.rows._intervals cimport piece
from rete.kernels.rows._metric cimport operated, total
from rete.kernels.rows._probes cimport Operator, met
from rete.kernels.rows._store cimport (
    FactStore, Index, Keyed, Store, after_in, agrees_in, find_firsts, older_in, older_than,
    room_for, row_of, slot_of, time_in,
)

cnp.import_array()

VERSION = 30

cdef enum:
    # So many pairs of rows are compared sooner than an index is made.
    FEW_PAIRS = 512


def uncovered(given, given_key, Index index not None, int64_t limit):
    """The pieces of ``given`` that no stored row before ``limit`` covers: it, if that is all."""
    return left(given, columns(given_key), index, limit, NULL, False)


def difference(given, others):
    """The pieces of ``given`` that no row of ``others`` covers, as far as terms agree."""
    cdef Matrix delta = matrix(given), store = matrix(others)
    cdef FactStore stored
    if not delta.n or not store.n:
        return given
    if delta.n * store.n <= FEW_PAIRS:
        return left_of_few(given, store)
    positions = np.arange(store.w - 2)
    stored = FactStore(store.w - 2)
    stored.fill(others)
    return left(given, columns(positions), stored.index(positions), store.n, NULL, False)


cdef Out give_rest(Out out, Rest* rest, Matrix delta, Py_ssize_t i):
    """What is left of row ``i`` of ``delta``; ``out`` is None while all is of each row so far."""
    cdef Py_ssize_t k = delta.w - 2, j
    cdef const int64_t* row = row_at(delta, i)
    cdef int64_t lo
    if out is None:
        if row[k] == rest.at < rest.hi == row[k + 1] and not rest.n:
            return None
        out = new_out(delta.n + 8, delta.w)
        out.n = i
        memcpy(out.cells, delta.cells, i * delta.w * sizeof(int64_t))
    for j in range(rest.n):
        lo = rest.cells[2 * j]
        if lo >= rest.hi or rest.at >= rest.hi:
            break
        if lo > rest.at:
            piece(out, row, k, rest.at, lo)
        rest.at = max(rest.at, rest.cells[2 * j + 1])
    if rest.at < rest.hi:
        piece(out, row, k, rest.at, rest.hi)
    return out


cdef object left_of_few(object given, Matrix others):
    """The pieces that no row of ``others`` covers, as many of whose terms agree as there are."""
    cdef Matrix delta = matrix(given)
    cdef Py_ssize_t k = delta.w - 2, sk = others.w - 2, i
    cdef int64_t r
    cdef Time theirs
    cdef Rest rest = Rest(0, 0, NULL, 0, 0)
    cdef const int64_t* row
    cdef Out out = None
    try:
        for i in range(delta.n):
            row = row_at(delta, i)
            rest.at, rest.hi, rest.n = row[k], row[k + 1], 0
            for r in range(others.n - 1, -1, -1):
                theirs = time_of(row_at(others, r) + sk)
                if theirs.lo < theirs.hi and theirs.lo < rest.hi and theirs.hi > rest.at and (
                        same_terms(row, row_at(others, r), sk)):
                    cover(&rest, theirs)
                    if rest.at >= rest.hi:
                        break
            out = give_rest(out, &rest, delta, i)
    finally:
        free(rest.cells)
    return given if out is None else out.done()


cdef object left(object given, Columns mine, Index index, int64_t limit, const Operator* how,
                 bint is_box):
    """The pieces that no stored row before ``limit`` covers, or a box or diamond of it."""
    cdef FactStore stored = index.store
    cdef const Store* s = &stored.s
    cdef Keyed* keyed = index.keyed
    cdef Matrix delta = matrix(given)
    cdef Py_ssize_t m = delta.n, k = delta.w - 2, i
    cdef Store log  # a copy, which nothing else may change
    cdef Keyed chains
    cdef Rest rest = Rest(0, 0, NULL, 0, 0)
    cdef const int64_t* row
    cdef const int64_t* key = mine.at
    cdef int64_t[AHEAD] some
    cdef int64_t* firsts = NULL
    cdef Out out = None
    if mine.n != keyed.nk:
        raise ValueError(f"a key of {mine.n} columns, not of {keyed.nk}")
    stored.catch_up(keyed)
    firsts = room_for(m, some)
    try:
        for i in range(m):
            firsts[i] = row_at(delta, i)[k + 1]
            if how != NULL and how.future:  # it leads back in time, no further than that
                firsts[i] = total(firsts[i], how.r_lo if is_box else how.r_hi, -3)
        find_firsts(s, keyed, delta, key, firsts)
        log, chains = s[0], keyed[0]
        for i in range(m):
            row = row_at(delta, i)
            rest.at, rest.hi, rest.n = row[k], row[k + 1], 0
            uncover(&rest, &log, &chains, firsts[i], limit, row, key, how, is_box)
            out = give_rest(out, &rest, delta, i)
    finally:
        free(rest.cells)
        if firsts != some:
            free(firsts)
    if m:
        keyed.useless = chains.useless
    stored.look_again(keyed, m)
    return given if out is None else out.done()


cdef inline int64_t cell_of(const int64_t* row, const int32_t* one, int64_t c) noexcept nogil:
    """Column ``c`` of ``row``; of the stored one, if it is ~ of that."""
    return row[c] if c >= 0 else one[~c]


def unpaired(given, first_key, Index first not None, int64_t first_limit,
             second_key, Index second not None, int64_t second_limit):
    """The pieces of ``given`` that no pair of stored rows covers: it, if that is all."""
    cdef FactStore left = first.store, right = second.store
    cdef const Store* s = &left.s
    cdef const Store* t = &right.s
    cdef Keyed* own = first.keyed
    cdef Keyed* other = second.keyed
    cdef Matrix delta = matrix(given)
    cdef Columns mine = columns(first_key), others = columns(second_key)
    cdef Py_ssize_t m = delta.n, k = delta.w - 2, i, c
    cdef const int64_t* row
    cdef const int32_t* one
    cdef const int32_t* two
    cdef int64_t p, q
    cdef uint64_t h
    cdef bint same
    cdef Time asked, time
    cdef Rest rest = Rest(0, 0, NULL, 0, 0)
    cdef int64_t[AHEAD] some
    cdef int64_t* firsts = NULL
    cdef Out out = None
    if mine.n != own.nk or others.n != other.nk:
        raise ValueError(f"keys of {mine.n} and {others.n} columns, not {own.nk} and {other.nk}")
    left.catch_up(own)
    right.catch_up(other)
    firsts = room_for(m, some)
    try:
        for i in range(m):
            firsts[i] = row_at(delta, i)[k + 1]
        find_firsts(s, own, delta, mine.at, firsts)
        for i in range(m):
            row = row_at(delta, i)
            rest.at, rest.hi, rest.n = row[k], row[k + 1], 0
            p = firsts[i]
            while p >= s.first and rest.at < rest.hi:
                one = row_of(s, p)
                time = time_in(s, one)
                asked = met(Time(rest.at, rest.hi), time)
                own.useless += time.hi <= rest.at
                same = (p < first_limit and asked.lo < asked.hi
                        and agrees_in(s, own, one, row, mine.at))
                q = -1
                if same:
                    h = SEED
                    for c in range(others.n):
                        h = mix(h, cell_of(row, one, others.at[c]))
                    q = other.head[slot_of(other, h ^ (h >> 32))]
                while q >= t.first and rest.at < rest.hi:
                    two = row_of(t, q)
                    time = time_in(t, two)
                    other.useless += time.hi <= asked.lo
                    time = met(asked, time)
                    same = q < second_limit and time.lo < time.hi
                    for c in range(others.n if same else 0):
                        same &= cell_of(row, one, others.at[c]) == two[other.key[c]]
                    if same:
                        cover(&rest, time)
                    q = after_in(other, q, two, asked.lo)
                p = after_in(own, p, one, rest.at)
            out = give_rest(out, &rest, delta, i)
    finally:
        free(rest.cells)
        if firsts != some:
            free(firsts)
    left.look_again(own, m)
    right.look_again(other, m)
    return given if out is None else out.done()


cdef class Lookups:
    """Where rows are looked up, one store after the other; as the twin."""

    cdef list keys, indexes, operators

    def __cinit__(self, found):
        self.keys = [key for key, _, _ in found]
        self.indexes = [index for _, index, _ in found]
        self.operators = [operator for _, _, operator in found]

    def uncovered(self, asked):
        """The pieces of ``asked`` that no row of any store covers."""
        cdef Index index
        cdef Py_ssize_t i
        cdef int64_t end
        cdef Columns key
        cdef Operator how
        cdef bint is_box
        for i in range(len(self.indexes)):
            if not matrix(asked).n:
                break
            index = self.indexes[i]
            end = index.store.s.n
            if index.store.s.first == end:
                continue
            key = columns(self.keys[i])
            operator = self.operators[i]
            if operator is None:
                asked = left(asked, key, index, end, NULL, False)
            else:
                is_box, how.r_lo, how.r_hi, how.future = operator
                asked = left(asked, key, index, end, &how, is_box)
        return asked
