# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Lines of answers, compiled: the same function as `rete.kernels.text.pure_json`."""

import numpy as np

from libc.stdint cimport int64_t, int8_t, uint8_t
from libc.string cimport memcpy

VERSION = 30

cdef int64_t NEG_INF = -(<int64_t>1 << 62)
cdef int64_t POS_INF = <int64_t>1 << 62
# More than any part of a line but its terms and its rule takes.
cdef Py_ssize_t FRAME = 256


cdef inline Py_ssize_t put(uint8_t* out, Py_ssize_t at, const char* text, Py_ssize_t n) noexcept nogil:
    memcpy(out + at, text, n)
    return at + n


cdef Py_ssize_t put_number(uint8_t* out, Py_ssize_t at, int64_t number, int least) noexcept nogil:
    cdef uint8_t digits[24]
    cdef int n = 0
    if number < 0:
        out[at] = 45
        at += 1
        number = -number
    while number or n < least:
        digits[n] = <uint8_t>(48 + number % 10)
        number //= 10
        n += 1
    while n:
        n -= 1
        out[at] = digits[n]
        at += 1
    return at


cdef inline int64_t floor_div(int64_t a, int64_t b) noexcept nogil:
    return a // b - (1 if a % b < 0 else 0)


cdef Py_ssize_t put_time(uint8_t* out, Py_ssize_t at, int64_t tick, int64_t per_second, int digits,
                         int64_t origin) noexcept nogil:
    cdef int64_t seconds, below, day, era, of_era, year_of_era, of_year, month, rest, year
    if tick <= -(POS_INF // 2) or tick >= POS_INF // 2:
        return put(out, at, "null", 4)
    if per_second == 0:
        return put_number(out, at, tick, 1)
    seconds = floor_div(tick, per_second)
    below = tick - seconds * per_second
    day = floor_div(seconds, 86400)
    rest = seconds - day * 86400
    # The civil calendar in eras of 400 years that begin on the first of March.
    day += origin + 719468
    era = floor_div(day, 146097)
    of_era = day - era * 146097
    year_of_era = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    year = year_of_era + era * 400 + (1 if month >= 10 else 0)
    month = month + 3 if month < 10 else month - 9
    out[at] = 34
    at = put_number(out, at + 1, year, 4)
    out[at] = 45
    at = put_number(out, at + 1, month, 2)
    out[at] = 45
    at = put_number(out, at + 1, day, 2)
    out[at] = 84
    at = put_number(out, at + 1, rest // 3600, 2)
    out[at] = 58
    at = put_number(out, at + 1, rest // 60 % 60, 2)
    out[at] = 58
    at = put_number(out, at + 1, rest % 60, 2)
    if below:
        out[at] = 46
        at = put_number(out, at + 1, below, digits)
        while out[at - 1] == 48:
            at -= 1
    out[at] = 90
    out[at + 1] = 34
    return at + 2


cdef Py_ssize_t put_term(uint8_t* out, Py_ssize_t at, const uint8_t* text, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    out[at] = 34
    at += 1
    for i in range(n):
        if text[i] == 34 or text[i] == 92:
            out[at] = 92
            at += 1
        out[at] = text[i]
        at += 1
    out[at] = 34
    return at + 1


def triple_lines(const uint8_t[::1] arena, const int64_t[:, ::1] entries, const int8_t[::1] op,
                 const int64_t[:, ::1] times, const int64_t[::1] rule,
                 const int64_t[:, ::1] triples, list rules, int64_t per_second, int digits,
                 int64_t origin, bint open_ended):
    """JSON lines of answers that are triples."""
    cdef Py_ssize_t n = op.shape[0], i, c, at = 0, room, longest = 0, length
    cdef bytes label
    cdef const uint8_t* where
    cdef uint8_t* out
    for label in rules:
        longest = max(longest, len(label))
    room = 0
    for i in range(n):
        room += FRAME + longest
        for c in range(3):
            room += 2 * (entries[triples[i, c], 1] >> 8)
    buffer = np.empty(room + 1, np.uint8)
    cdef uint8_t[::1] view = buffer
    out = &view[0]
    cdef const uint8_t* base = &arena[0]
    for i in range(n):
        at = put(out, at, '{"op":"', 7)
        out[at] = 45 if op[i] == 0 else (43 if op[i] == 1 else 61)
        at = put(out, at + 1, '","at":', 7)
        at = put_time(out, at, times[i, 0], per_second, digits, origin)
        for c in range(3):
            at = put(out, at, ',"s":' if c == 0 else (',"p":' if c == 1 else ',"o":'), 5)
            where = base + entries[triples[i, c], 0]
            length = entries[triples[i, c], 1] >> 8
            at = put_term(out, at, where, length)
        at = put(out, at, ',"from":', 8)
        at = put_time(out, at, times[i, 1], per_second, digits, origin)
        at = put(out, at, ',"until":', 9)
        if open_ended and op[i]:
            at = put(out, at, "null", 4)
        else:
            at = put_time(out, at, times[i, 2], per_second, digits, origin)
        at = put(out, at, ',"rule":', 8)
        label = rules[rule[i]]
        at = put(out, at, label, len(label))
        at = put(out, at, "}\n", 2)
    return buffer[:at].tobytes()
