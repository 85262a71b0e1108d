# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Metric kernels, compiled: as `rete.kernels.rows.pure_metric`, on the same arrays."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from rete.kernels.rows._matrix cimport NEG_INF, POS_INF, Matrix, Time, matrix, new_rows, row_at, time_of
from rete.kernels.rows._probes cimport Operator, met, pairs
from rete.kernels.rows._store cimport Index

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

VERSION = 30

cnp.import_array()


cdef inline Time chained(Time phi, Time psi, int64_t r_lo, int64_t r_hi) noexcept nogil:
    cdef Time closed, found
    closed.lo = phi.lo if phi.lo <= NEG_INF else phi.lo & ~<int64_t>1
    closed.hi = phi.hi if phi.hi >= POS_INF else phi.hi | 1
    found = met(closed, psi)
    if found.lo < found.hi:
        found = met(closed, dilated(found, r_lo, r_hi))
    if found.lo >= found.hi:
        found.lo = found.hi = 0
    return found


def dilate(given, int64_t r_lo, int64_t r_hi, bint future):
    """When a row held at some distance in the range before, or after, now: a Minkowski sum."""
    cdef Matrix rows = matrix(given)
    cdef Py_ssize_t k = rows.w - 2, i
    cdef const int64_t* row
    cdef int64_t* made
    cdef Time time
    array = new_rows(rows.n, rows.w)
    cdef Matrix out = matrix(array)
    for i in range(rows.n):
        row, made = row_at(rows, i), row_at(out, i)
        memcpy(made, row, k * sizeof(int64_t))
        time = reflected(dilated(reflected(time_of(row + k), future), r_lo, r_hi), future)
        made[k] = time.lo
        made[k + 1] = time.hi
    return array


def erode(given, int64_t r_lo, int64_t r_hi, bint future):
    """When a row held at every distance in the range before, or after, now; only rows that did."""
    cdef Matrix rows = matrix(given)
    cdef Py_ssize_t k = rows.w - 2, i, found = 0
    cdef const int64_t* row
    cdef int64_t* made
    cdef Time time
    array = new_rows(rows.n, rows.w)
    cdef Matrix out = matrix(array)
    for i in range(rows.n):
        row, made = row_at(rows, i), row_at(out, found)
        time = reflected(eroded(reflected(time_of(row + k), future), r_lo, r_hi), future)
        if time.lo < time.hi:
            memcpy(made, row, k * sizeof(int64_t))
            made[k] = time.lo
            made[k + 1] = time.hi
            found += 1
    return array[:found]


cdef Time boxed(Time own, Time stored, const Operator* how) noexcept nogil:
    return reflected(eroded(reflected(stored, how.future), how.r_lo, how.r_hi), how.future)


cdef int64_t too_old_for_box(Time asked, Time own, const Operator* how) noexcept nogil:
    # What holds of a box then ends no earlier than that distance before.
    return total(asked.lo, -how.r_lo, 3)


cdef int64_t too_new_for_box(Time asked, Time own, const Operator* how) noexcept nogil:
    # What holds of a box then begins no earlier, or no more than that distance before.
    return total(asked.hi, how.r_lo, -3) if how.future else asked.hi


def probe_eroded(delta, delta_key, Index index not None, int64_t limit, keep,
                 int64_t r_lo, int64_t r_hi, bint future, Py_ssize_t most=PY_SSIZE_T_MAX):
    """As `rete.kernels.rows._probes.probe`, the stored rows being eroded; they must be maximal."""
    cdef Operator how = Operator(r_lo, r_hi, future)
    return pairs(delta, delta, delta_key, index, limit, keep,
                 boxed, too_old_for_box, too_new_for_box, &how, most)


cdef Time with_phi(Time own, Time stored, const Operator* how) noexcept nogil:
    cdef Time phi = reflected(stored, how.future), psi = reflected(own, how.future)
    return reflected(chained(phi, psi, how.r_lo, how.r_hi), how.future)


cdef Time with_psi(Time own, Time stored, const Operator* how) noexcept nogil:
    cdef Time phi = reflected(own, how.future), psi = reflected(stored, how.future)
    return reflected(chained(phi, psi, how.r_lo, how.r_hi), how.future)


cdef int64_t too_old_for_phi(Time asked, Time own, const Operator* how) noexcept nogil:
    # The closures of both prefetch.
    return total(own.lo, 0, 2)


cdef int64_t too_old_for_psi(Time asked, Time own, const Operator* how) noexcept nogil:
    cdef int64_t touching = total(own.lo, 0, 2), far
    if how.future or how.r_hi >= POS_INF:
        return touching
    far = total(asked.lo, -how.r_hi, 2)
    return far if far > touching else touching


cdef int64_t too_new(Time asked, Time own, const Operator* how) noexcept nogil:
    # The closure of phi touches psi.
    return total(own.hi, 0, -2)


def probe_since(delta, times, delta_key, Index index not None, int64_t limit, keep,
                int64_t r_lo, int64_t r_hi, bint future, bint psi_is_stored,
                Py_ssize_t most=PY_SSIZE_T_MAX):
    """When psi held at a distance in the range, and a maximal interval of phi ever since."""
    cdef Operator how = Operator(r_lo, r_hi, future)
    if psi_is_stored:
        return pairs(delta, times, delta_key, index, limit, keep,
                     with_psi, too_old_for_psi, too_new, &how, most)
    return pairs(delta, times, delta_key, index, limit, keep,
                 with_phi, too_old_for_phi, too_new, &how, most)
