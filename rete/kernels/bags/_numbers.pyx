# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Texts of computed numbers, compiled: as `rete.kernels.bags.pure_numbers`."""

from cpython.mem cimport PyMem_Free
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.math cimport isfinite, isnan
from libc.stdint cimport int64_t, uint64_t
from libc.stdio cimport snprintf
from libc.string cimport memcpy, memmove, strlen

VERSION = 30

cdef extern from "Python.h":
    char* PyOS_double_to_string(double, char, int, int, int*) except NULL

cdef enum:
    # Digits behind the point of a quotient that does not end, as in `rif.values.decimals`; and how
    # many in all one has at most that ends.
    QUOTIENT_DIGITS = 18
    EXACT_DIGITS = 50
    ROOM = 128

cdef const char* XSD = b'"^^<http://www.w3.org/2001/XMLSchema#'
cdef int64_t XSD_SIZE = 37


cdef object ascii_text(const char* text, Py_ssize_t n, const char* datatype):
    """A literal of this form and datatype of XSD."""
    cdef char[ROOM + 64] room
    cdef Py_ssize_t size = strlen(datatype)
    room[0] = c'"'
    memcpy(room + 1, text, n)
    memcpy(room + 1 + n, XSD, XSD_SIZE)
    memcpy(room + 1 + n + XSD_SIZE, datatype, size)
    room[1 + n + XSD_SIZE + size] = c">"
    return PyUnicode_DecodeASCII(room, n + XSD_SIZE + size + 2, NULL)


cpdef object integer_text(int64_t number):
    cdef char[ROOM] room
    return ascii_text(room, snprintf(room, ROOM, b"%lld", <long long>number), b"integer")


cpdef object decimal_text(int64_t number, int64_t places):
    """The canonical text of a number of units of 10^-places."""
    cdef char[ROOM] digits
    cdef uint64_t size = <uint64_t>(-number if number < 0 else number)
    cdef Py_ssize_t n = snprintf(digits, ROOM, b"%llu", <unsigned long long>size)
    return pointed(digits, n, places, number < 0)


cdef object pointed(const char* digits, Py_ssize_t n, Py_ssize_t places, bint negative):
    """The canonical text of the decimal of these digits, so many of them behind the point."""
    cdef char[ROOM] room
    cdef Py_ssize_t size = 0, i
    while places > 0 and n > 1 and digits[n - 1] == c"0":
        n -= 1
        places -= 1
    if n == 1 and digits[0] == c"0":
        return ascii_text(b"0", 1, b"decimal")
    if negative:
        room[0] = c"-"
        size = 1
    if n <= places:
        room[size] = c"0"
        size += 1
    else:
        memcpy(room + size, digits, n - places)
        size += n - places
    if places > 0:
        room[size] = c"."
        size += 1
        for i in range(places - n):
            room[size] = c"0"
            size += 1
        i = max(n - places, 0)
        memcpy(room + size, digits + i, n - i)
        size += n - i
    return ascii_text(room, size, b"decimal")


cpdef object quotient_text(int64_t number, int64_t places, int64_t divisor):
    """The text of the quotient, as `rif.values.decimals.divide` has it; None: look there.

    The divisor is small enough that what is cut off is never a half but for the digits beyond
    those with which that divides.
    """
    cdef char[ROOM] digits
    cdef uint64_t size = <uint64_t>(-number if number < 0 else number), whole, rest, under, other
    cdef Py_ssize_t n, i, j, more, step, ends = 0, fives = 0
    if divisor >= <int64_t>1 << 31:
        return None
    under = <uint64_t>divisor
    whole = size // under
    rest = size % under
    if rest == 0:
        return decimal_text(number // divisor, places)
    if whole == 0:
        return None
    n = snprintf(digits, ROOM, b"%llu", <unsigned long long>whole)
    whole, other = under, rest
    while other:
        whole, other = other, whole % other
    other = under // whole
    while other % 2 == 0:
        other //= 2
        ends += 1
    while other % 5 == 0:
        other //= 5
        fives += 1
    if other == 1:
        more = max(ends, fives)
        if n + more > EXACT_DIGITS:
            return None
    else:
        # At least 18 digits behind the point, or as many significant ones.
        more = max(<Py_ssize_t>QUOTIENT_DIGITS, QUOTIENT_DIGITS - (n - places)) - places
    i = n
    while i < n + more:   # nine at a time, as long as the products have 64 bits
        step = min(<Py_ssize_t>9, n + more - i)
        rest *= <uint64_t>power(step)
        whole = rest // under
        rest %= under
        for j in range(i + step - 1, i - 1, -1):
            digits[j] = c"0" + <char>(whole % 10)
            whole //= 10
        i += step
    n += more
    if 2 * rest > under:
        i = n - 1
        while i >= 0 and digits[i] == c"9":
            digits[i] = c"0"
            i -= 1
        if i >= 0:
            digits[i] += 1
        else:
            memmove(digits + 1, digits, n)
            digits[0] = c"1"
            n += 1
    return pointed(digits, n, places + more, number < 0)


cpdef object double_text(double number):
    """The canonical text of a double: the shortest digits that read back as it."""
    cdef char[ROOM] digits
    cdef char[ROOM] room
    cdef char* shown
    cdef const char* at
    cdef Py_ssize_t n = 0, size = 0, exponent = 0, power = 0
    cdef bint below = False, negative
    if isnan(number):
        return ascii_text(b"NaN", 3, b"double")
    if not isfinite(number):
        return ascii_text(b"INF", 3, b"double") if number > 0 else ascii_text(b"-INF", 4, b"double")
    if number == 0:
        return ascii_text(b"0.0E0", 5, b"double")
    shown = PyOS_double_to_string(number, c"r", 0, 0, NULL)
    negative = shown[0] == c"-"
    at = shown + negative
    while at[0] and at[0] != c"e":
        if at[0] == c".":
            below = True
        else:
            if n or at[0] != c"0":
                digits[n] = at[0]
                n += 1
                exponent += not below
            elif below:
                exponent -= 1
        at += 1
    if at[0]:
        below = at[1] == c"-"
        at += 2
        while at[0]:
            power = 10 * power + (at[0] - c"0")
            at += 1
        exponent += -power if below else power
    PyMem_Free(shown)
    exponent -= 1
    while n > 1 and digits[n - 1] == c"0":
        n -= 1
    if negative:
        room[0] = c"-"
        size = 1
    room[size] = digits[0]
    room[size + 1] = c"."
    size += 2
    if n == 1:
        room[size] = c"0"
        size += 1
    else:
        memcpy(room + size, digits + 1, n - 1)
        size += n - 1
    size += snprintf(room + size, ROOM - size, b"E%lld", <long long>exponent)
    return ascii_text(room, size, b"double")
