# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""When metric operators hold, of the times at which a row does."""

from libc.stdint cimport int64_t

from rete.kernels.rows._matrix cimport NEG_INF, POS_INF, Time
from rete.kernels.rows._probes cimport Operator


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


cdef inline Time operated(Time time, const Operator* how, bint is_box) noexcept nogil:
    """When a box holds, or a diamond, of what holds at a time."""
    cdef Time found = reflected(time, how.future)
    found = eroded(found, how.r_lo, how.r_hi) if is_box else dilated(found, how.r_lo, how.r_hi)
    return reflected(found, how.future) if found.lo < found.hi else found
