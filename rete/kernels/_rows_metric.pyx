# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Metric kernels, compiled: as `rete.kernels.pure_rows_metric`, on the same arrays."""

import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from rete.kernels._rows_probes cimport Operator, Time, met, pairs
from rete.kernels._rows_index cimport Index

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

VERSION = 17

cdef int64_t NEG_INF = -(<int64_t>1 << 62)
cdef int64_t POS_INF = <int64_t>1 << 62


cdef inline int64_t total(int64_t end, int64_t shift, int64_t excess) noexcept nogil:
    if shift >= POS_INF:
        return POS_INF
    if end <= NEG_INF:
        return NEG_INF
    if end >= POS_INF:
        return POS_INF
    end = end + shift - excess
    if end <= NEG_INF:
        return NEG_INF
    return POS_INF if end >= POS_INF else end


cdef inline Time reflected(Time time, bint future) noexcept nogil:
    cdef Time found = time
    if future:
        found.lo = NEG_INF if time.hi >= POS_INF else 1 - time.hi
        found.hi = POS_INF if time.lo <= NEG_INF else 1 - time.lo
    return found


cdef inline Time dilated(Time time, int64_t r_lo, int64_t r_hi) noexcept nogil:
    cdef Time found
    found.lo = total(time.lo, r_lo, time.lo & r_lo & 1)
    found.hi = total(time.hi, r_hi, (time.hi | r_hi) & 1)
    return found


cdef inline Time eroded(Time time, int64_t r_lo, int64_t r_hi) noexcept nogil:
    cdef Time found
    if r_hi >= POS_INF:
        found.lo = NEG_INF if time.lo <= NEG_INF else POS_INF
    else:
        found.lo = total(time.lo, r_hi, (time.lo | r_hi) & 1)
    found.hi = total(time.hi, r_lo, time.hi & r_lo & 1)
    if found.lo >= found.hi:
        found.lo = found.hi = 0
    return found


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


def dilate(const int64_t[:, ::1] rows, int64_t r_lo, int64_t r_hi, bint future):
    """When a row held at some distance in the range before, or after, now: a Minkowski sum."""
    cdef Py_ssize_t n = rows.shape[0], w = rows.shape[1], i
    cdef Time time
    array = np.empty((n, w), np.int64)
    cdef int64_t[:, ::1] out = array
    for i in range(n):
        memcpy(&out[i, 0], &rows[i, 0], (w - 2) * sizeof(int64_t))
        time = Time(rows[i, w - 2], rows[i, w - 1])
        time = reflected(dilated(reflected(time, future), r_lo, r_hi), future)
        out[i, w - 2] = time.lo
        out[i, w - 1] = time.hi
    return array


def erode(const int64_t[:, ::1] rows, int64_t r_lo, int64_t r_hi, bint future):
    """When a row held at every distance in the range before, or after, now; only rows that did."""
    cdef Py_ssize_t n = rows.shape[0], w = rows.shape[1], i, found = 0
    cdef Time time
    array = np.empty((n, w), np.int64)
    cdef int64_t[:, ::1] out = array
    for i in range(n):
        time = Time(rows[i, w - 2], rows[i, w - 1])
        time = reflected(eroded(reflected(time, future), r_lo, r_hi), future)
        if time.lo < time.hi:
            memcpy(&out[found, 0], &rows[i, 0], (w - 2) * sizeof(int64_t))
            out[found, w - 2] = time.lo
            out[found, w - 1] = time.hi
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


def probe_eroded(const int64_t[:, ::1] delta, const int64_t[::1] delta_key,
                 const int64_t[:, ::1] store, Py_ssize_t limit, Index index,
                 const int64_t[::1] keep, int64_t r_lo, int64_t r_hi, bint future,
                 Py_ssize_t most=PY_SSIZE_T_MAX):
    """As `rete.kernels._rows_probes.probe`, the stored rows being eroded; they must be maximal."""
    cdef Operator how = Operator(r_lo, r_hi, future)
    return pairs(delta, delta, delta_key, store, limit, index, keep,
                 boxed, too_old_for_box, too_new_for_box, &how, most)


cdef Time with_phi(Time own, Time stored, const Operator* how) noexcept nogil:
    cdef Time phi = reflected(stored, how.future), psi = reflected(own, how.future)
    return reflected(chained(phi, psi, how.r_lo, how.r_hi), how.future)


cdef Time with_psi(Time own, Time stored, const Operator* how) noexcept nogil:
    cdef Time phi = reflected(own, how.future), psi = reflected(stored, how.future)
    return reflected(chained(phi, psi, how.r_lo, how.r_hi), how.future)


cdef int64_t too_old_for_phi(Time asked, Time own, const Operator* how) noexcept nogil:
    # The closures of both touch.
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


def probe_since(const int64_t[:, ::1] delta, const int64_t[:, ::1] times,
                const int64_t[::1] delta_key, const int64_t[:, ::1] store, Py_ssize_t limit,
                Index index, const int64_t[::1] keep, int64_t r_lo, int64_t r_hi, bint future,
                bint psi_is_stored, Py_ssize_t most=PY_SSIZE_T_MAX):
    """When psi held at a distance in the range, and a maximal interval of phi ever since."""
    cdef Operator how = Operator(r_lo, r_hi, future)
    if psi_is_stored:
        return pairs(delta, times, delta_key, store, limit, index, keep,
                     with_psi, too_old_for_psi, too_new, &how, most)
    return pairs(delta, times, delta_key, store, limit, index, keep,
                 with_phi, too_old_for_phi, too_new, &how, most)
