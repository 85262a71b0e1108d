# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernels over the columns of a dictionary, compiled: as `rete.kernels.text.pure_columns`."""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.math cimport fabs, floor, frexp, ldexp
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy

from rete.arrays import lexical_classes
from rete.arrays.lexical_classes import lexical_class
from rete.arrays.term_columns import classify_number

VERSION = 30

cdef extern from *:
    """
    #include <stdint.h>

    static inline uint64_t r4_big_word(const uint8_t *at) {
        return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40
             | (uint64_t)at[3] << 32 | (uint64_t)at[4] << 24 | (uint64_t)at[5] << 16
             | (uint64_t)at[6] << 8 | (uint64_t)at[7];
    }
    """
    uint64_t r4_big_word(const uint8_t* at) noexcept nogil

cdef extern from "float.h":
    const int LDBL_MANT_DIG

cdef extern from "Python.h":
    double PyOS_string_to_double(const char*, char**, PyObject*) except? -1


cdef enum:  # as in rete.arrays.term_columns
    LENGTH_SHIFT = 8
    KIND_SHIFT = 4
    KIND_MASK = 7
    KIND_IRI = 1
    KIND_BLANK = 2
    KIND_LITERAL = 3


cdef int open_store(object store, Store* s) except -1:
    """Pointers into the columns; they hold as long as no column is replaced."""
    cdef const uint8_t[::1] arena = store.arena
    cdef const int64_t[:, ::1] entries = store.entries
    s.arena = &arena[0]
    s.entries = &entries[0, 0]
    s.capacity = entries.shape[0]
    s.draw = <uint64_t>store.state[5] | 1
    return 0


cdef inline const uint8_t* text_of(const Store* s, int64_t term, int64_t* n) noexcept nogil:
    n[0] = s.entries[2 * term + 1] >> LENGTH_SHIFT
    return s.arena + s.entries[2 * term]


cdef int check(const Store* s, const int64_t[:] ids) except -1:
    """Refuse what cannot be an id: nothing behind it would notice."""
    cdef Py_ssize_t i
    for i in range(ids.shape[0]):
        if not 0 < ids[i] < s.capacity:
            raise IndexError(f"{ids[i]} is not the id of a term")
    return 0


def decode(store, const int64_t[:] ids):
    """The texts of ``ids``."""
    cdef Store s
    cdef Py_ssize_t i
    cdef int64_t n
    cdef const uint8_t* at
    cdef list texts = []
    open_store(store, &s)
    check(&s, ids)
    for i in range(ids.shape[0]):
        at = text_of(&s, ids[i], &n)
        texts.append(PyUnicode_DecodeUTF8(<const char*>at, n, NULL))
    return texts


def touch(int64_t[::1] last, const int64_t[:, :] rows, const int64_t[:] hi):
    """Raise ``last[id]`` to ``hi[i]`` for each id of row i of ``rows`` (n, k); below 1 is no id."""
    cdef Py_ssize_t i, c
    cdef int64_t term, end
    if hi.shape[0] != rows.shape[0]:
        raise ValueError("an end for each row is needed")
    for i in range(rows.shape[0]):
        end = hi[i]
        for c in range(rows.shape[1]):
            term = rows[i, c]
            if term >= last.shape[0]:
                raise IndexError(f"{term} is not the id of a term")
            if term > 0 and last[term] < end:
                last[term] = end


def distinct(const int64_t[:, ::1] rows):
    """Where each distinct row of ids stands first, and per row which of them it is; as the twin."""
    cdef Py_ssize_t i, c, n = rows.shape[0], k = rows.shape[1]
    cdef int64_t number, found = 0
    cdef uint64_t h, slot, mask = 15
    cdef const int64_t* row
    cdef int64_t* table
    cdef int64_t[::1] first, which
    firsts, numbers = np.empty(n, np.int64), np.empty(n, np.int64)
    if n == 0 or k == 0:
        numbers[:] = 0
        return np.zeros(1 if n else 0, np.int64), numbers
    first, which = firsts, numbers
    while mask < 2 * <uint64_t>n:
        mask = 2 * mask + 1
    table = <int64_t*>calloc(mask + 1, sizeof(int64_t))   # 0 is empty, else a number and one
    if table == NULL:
        raise MemoryError
    for i in range(n):
        row = &rows[i, 0]
        h = 0
        for c in range(k):
            h = (h ^ <uint64_t>row[c]) * 0x9E3779B97F4A7C15u
            h ^= h >> 32
        slot = h & mask
        while True:
            number = table[slot] - 1
            if number < 0:
                table[slot] = found + 1
                first[found] = i
                which[i] = found
                found += 1
                break
            if memcmp(row, &rows[first[number], 0], k * sizeof(int64_t)) == 0:
                which[i] = number
                break
            slot = (slot + 1) & mask
    free(table)
    return firsts[:found], numbers


cdef struct Key:
    uint64_t word   # of the text, from the depth that is being sorted; see `word_at`
    int64_t term


cdef struct Part:
    int64_t start
    int64_t stop
    int64_t depth


cdef inline uint64_t word_at(const Store* s, int64_t term, int64_t depth) noexcept nogil:
    """Seven bytes of a text from ``depth``, in order, then how many there are, 8 if there are more.

    Zeros stand behind the end; the count tells them from zeros of the text.
    """
    cdef int64_t i, n
    cdef const uint8_t* at = text_of(s, term, &n) + depth
    cdef uint64_t word = 0
    n -= depth
    if n >= 8:
        return r4_big_word(at) & ~<uint64_t>0xFF | 8
    for i in range(n):
        word |= <uint64_t>at[i] << (56 - 8 * i)
    return word | <uint64_t>n


cdef inline int order(const Store* s, int64_t a, int64_t b, int64_t depth) noexcept nogil:
    """Order of two texts that agree in their first ``depth`` bytes: below 0, 0, above 0."""
    cdef int64_t m, n, least
    cdef const uint8_t* x = text_of(s, a, &m)
    cdef const uint8_t* y = text_of(s, b, &n)
    cdef int found = 0
    least = m if m < n else n
    if least > depth:
        found = memcmp(x + depth, y + depth, least - depth)
    return found if found else (m > n) - (m < n)


def rank(store, const int64_t[:] ids):
    """Dense ranks of ``ids`` by the bytes of their texts: code point order. O(n log n)."""
    cdef Store s
    cdef Py_ssize_t n = ids.shape[0], distinct = 0, i
    cdef Key* keys
    cdef int64_t* seen
    cdef int64_t[::1] ranks
    result = np.empty(n, np.int64)
    ranks = result
    open_store(store, &s)
    check(&s, ids)
    keys = <Key*>malloc((n + 1) * sizeof(Key))
    seen = <int64_t*>calloc(s.capacity, sizeof(int64_t))   # pages never touched cost nothing
    try:
        if keys == NULL or seen == NULL:
            raise MemoryError
        for i in range(n):
            if seen[ids[i]] == 0:
                seen[ids[i]] = 1
                keys[distinct].term = ids[i]
                distinct += 1
        if not sort(&s, keys, distinct):
            raise MemoryError
        for i in range(distinct):
            seen[keys[i].term] = i
        for i in range(n):
            ranks[i] = seen[ids[i]]
    finally:
        free(keys)
        free(seen)
    return result


cdef bint sort(const Store* s, Key* keys, int64_t n) noexcept nogil:
    """Quicksort by a word at a time: what has a word in common is sorted by the next one.

    Texts share long beginnings (``<http://...``), which are so looked at once a part, not once a
    comparison. The parts wait on a stack of their own: depth is bounded by input alone. The pivot
    is drawn, so that no input is a bad one.
    """
    cdef int64_t room = 64, height = 0, start, stop, depth, low, high, i, j
    cdef uint64_t pivot, draw = s.draw
    cdef Key key
    cdef Part* parts = <Part*>malloc(room * sizeof(Part))
    cdef Part* grown
    if parts == NULL:
        return False
    parts[0].start = 0
    parts[0].stop = n
    parts[0].depth = 0
    height = 1
    for i in range(n):
        keys[i].word = word_at(s, keys[i].term, 0)
    while height:
        height -= 1
        start = parts[height].start
        stop = parts[height].stop
        depth = parts[height].depth
        if stop - start <= 12:
            for i in range(start + 1, stop):
                key = keys[i]
                j = i
                while j > start and (
                    keys[j - 1].word > key.word
                    or keys[j - 1].word == key.word
                    and order(s, keys[j - 1].term, key.term, depth) > 0
                ):
                    keys[j] = keys[j - 1]
                    j -= 1
                keys[j] = key
            continue
        draw ^= draw << 13
        draw ^= draw >> 7
        draw ^= draw << 17
        pivot = keys[start + <int64_t>(draw % <uint64_t>(stop - start))].word
        low = start
        high = stop
        i = start
        while i < high:
            key = keys[i]
            if key.word < pivot:
                keys[i] = keys[low]
                keys[low] = key
                low += 1
                i += 1
            elif key.word > pivot:
                high -= 1
                keys[i] = keys[high]
                keys[high] = key
            else:
                i += 1
        if height + 3 > room:
            room *= 2
            grown = <Part*>realloc(parts, room * sizeof(Part))
            if grown == NULL:
                free(parts)
                return False
            parts = grown
        if low - start > 1:
            parts[height].start = start
            parts[height].stop = low
            parts[height].depth = depth
            height += 1
        if stop - high > 1:
            parts[height].start = high
            parts[height].stop = stop
            parts[height].depth = depth
            height += 1
        if high - low > 1 and pivot & 0xFF == 8:   # else they ended: they are one text
            for i in range(low, high):
                keys[i].word = word_at(s, keys[i].term, depth + 7)
            parts[height].start = low
            parts[height].stop = high
            parts[height].depth = depth + 7
            height += 1
    free(parts)
    return True


cdef const char* MEMBERSHIP = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#_"
cdef int64_t MEMBERSHIP_SIZE = 45

cdef enum:  # as in rete.arrays.lexical_classes
    UNCLASSED = 1
    PLAIN_IRI = 2
    MEMBERSHIP_PROPERTY = 3
    NODE = 4
    TAGGED = 5
    FLOATS = 8
    FRACTION = 10
    STRINGS = 64
    IN_NORMALIZED = 1
    IN_TOKEN = 2
    IN_NMTOKEN = 4
    IN_NAME = 8
    IN_NCNAME = 16
    IN_LANGUAGE = 32

cdef enum:  # as in rete.arrays.term_columns
    EXACT = 1
    SINGLE = 3

cdef enum:
    EDGES = 14

cdef double[EDGES] EDGE


cdef void fill_edges():
    cdef int i
    assert len(lexical_classes.EDGES) == EDGES
    for i in range(EDGES):
        EDGE[i] = lexical_classes.EDGES[i]


fill_edges()

cdef enum:  # characters of names and of language tags
    LETTER = 1
    DIGIT = 2
    COLON = 4
    UNDERSCORE = 8
    HYPHEN = 16
    DOT = 32
    ANOTHER = 64

cdef uint8_t[128] CHARACTER


cdef void fill_characters():
    cdef int i
    for i in range(128):
        CHARACTER[i] = ANOTHER
    for i in range(26):
        CHARACTER[c'a' + i] = CHARACTER[c'A' + i] = LETTER
    for i in range(10):
        CHARACTER[c'0' + i] = DIGIT
    CHARACTER[c':'] = COLON
    CHARACTER[c'_'] = UNDERSCORE
    CHARACTER[c'-'] = HYPHEN
    CHARACTER[c'.'] = DOT


fill_characters()


cdef bint is_language(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether letters, digits and hyphens are parts of 1 to 8, of which the first has letters alone."""
    cdef int64_t i, part = 0
    cdef bint first = True
    for i in range(n):
        if p[i] == c'-':
            if part == 0:
                return False
            part = 0
            first = False
        else:
            part += 1
            if part > 8 or first and CHARACTER[p[i]] != LETTER:
                return False
    return part > 0


cdef int class_of_string(const uint8_t* p, int64_t n) noexcept nogil:
    """The class of a string, given what stands between the quotes; 0: look at its characters."""
    cdef int64_t i = 0
    cdef int seen = 0, found = STRINGS
    cdef bint breaks = False, gaps = False, wide = False
    while i < n:
        if p[i] == c'\\':
            i += 1   # a backslash is never the last
            if p[i] == c'u':
                return 0
            breaks |= p[i] == c'n' or p[i] == c'r' or p[i] == c't'
            seen |= ANOTHER
        elif p[i] == c' ':
            gaps |= i == 0 or i + 1 == n or p[i + 1] == c' '
            seen |= ANOTHER
        elif p[i] < 128:
            breaks |= p[i] == c'\t'
            seen |= CHARACTER[p[i]]
        else:
            wide = True
        i += 1
    if not breaks:
        found |= IN_NORMALIZED
        if not gaps:
            found |= IN_TOKEN
    if n == 0 or seen & ANOTHER:
        return found
    if wide:
        return 0   # names have letters of all scripts
    found |= IN_NMTOKEN
    if CHARACTER[p[0]] & (LETTER | UNDERSCORE | COLON):
        found |= IN_NAME
        if not seen & COLON:
            found |= IN_NCNAME
    if not seen & (COLON | UNDERSCORE | DOT) and is_language(p, n):
        found |= IN_LANGUAGE
    return found


cdef int class_of_iri(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether the IRI, in angle brackets, is that of a container membership property."""
    cdef int64_t i
    if n < MEMBERSHIP_SIZE + 2 or memcmp(p, MEMBERSHIP, MEMBERSHIP_SIZE) != 0:
        return PLAIN_IRI
    if p[MEMBERSHIP_SIZE] == c'0':
        return PLAIN_IRI
    for i in range(MEMBERSHIP_SIZE, n - 1):
        if not c'0' <= p[i] <= c'9':
            return PLAIN_IRI
    return MEMBERSHIP_PROPERTY


cdef const char* XSD = b'"^^<http://www.w3.org/2001/XMLSchema#'
cdef int64_t XSD_SIZE = 37
cdef tuple NAMES = (
    b"integer>", b"decimal>", b"double>", b"float>",
    b"nonPositiveInteger>", b"negativeInteger>", b"nonNegativeInteger>", b"positiveInteger>",
    b"long>", b"int>", b"short>", b"byte>",
    b"unsignedLong>", b"unsignedInt>", b"unsignedShort>", b"unsignedByte>",
)

cdef enum:
    INTEGER = 0
    DECIMAL = 1
    DOUBLE = 2
    FLOAT = 3
    OTHER = 4   # and all above
    NONE = -1
    MANY_NAMES = 16
    LONGEST = 60   # of a number that is read here

cdef const char* NAME[MANY_NAMES]
cdef int64_t NAME_SIZE[MANY_NAMES]
cdef double[23] POWER
cdef uint64_t[23] FIVES

cdef enum:
    MOST_PLACES = 27   # 5 ** 27 has 63 bits

cdef long double[MOST_PLACES + 1] TENS


cdef void fill_tables():
    cdef int i
    for i in range(MANY_NAMES):
        NAME[i] = PyBytes_AS_STRING(<bytes>NAMES[i])
        NAME_SIZE[i] = len(NAMES[i])
    POWER[0] = 1
    FIVES[0] = 1
    for i in range(1, 23):
        POWER[i] = 10 * POWER[i - 1]
        FIVES[i] = 5 * FIVES[i - 1]
    TENS[0] = 1
    for i in range(1, MOST_PLACES + 1):
        TENS[i] = 10 * TENS[i - 1]


fill_tables()


cdef int datatype_of(const uint8_t* at, int64_t n, int64_t* lexical) noexcept nogil:
    """Which numeric datatype a canonical text ends with, and the length of its lexical form."""
    cdef const uint8_t* quote = at + n - 1
    cdef int i
    if n < XSD_SIZE or at[0] != c'"' or quote[0] != c'>':
        return NONE
    while quote[0] != c'#':
        if quote == at + XSD_SIZE - 1:
            return NONE
        quote -= 1
    quote -= XSD_SIZE - 1
    if memcmp(quote, XSD, XSD_SIZE) != 0:
        return NONE
    lexical[0] = quote - at - 1
    n -= quote - at + XSD_SIZE
    for i in range(MANY_NAMES):
        if n == NAME_SIZE[i] and memcmp(quote + XSD_SIZE, NAME[i], n) == 0:
            return i
    return NONE


cdef bint read_number(
    const uint8_t* p, int64_t n, int datatype, double* value, int8_t* kind
) noexcept nogil:
    """Value and class of a plain number, exactly as `rete.arrays.term_columns.classify_number` has it; False: not plain.

    Plain are up to 2^53 in all digits, and powers of ten up to 22: both are doubles then, so that
    one division or product rounds once, correctly [Clinger90].
    """
    cdef const uint8_t* end = p + n
    cdef uint64_t digits = 0, bits
    cdef int64_t scale = 0, exponent = 0
    cdef int64_t count = 0
    cdef bint negative = False, below = False
    cdef double number
    if p < end and (p[0] == c'+' or p[0] == c'-'):
        negative = p[0] == c'-'
        p += 1
    while p < end:
        if c'0' <= p[0] <= c'9':
            digits = 10 * digits + (p[0] - c'0')
            if digits > <uint64_t>1 << 53:
                return False
            count += 1
            scale -= below
        elif p[0] == c'.' and not below and datatype != INTEGER:
            below = True
        else:
            break
        p += 1
    if count == 0 or scale < -22:
        return False
    if p < end:
        if datatype < DOUBLE or p[0] != c'e' and p[0] != c'E':
            return False
        p += 1
        below = p < end and p[0] == c'-'
        if p < end and (p[0] == c'+' or p[0] == c'-'):
            p += 1
        if p == end or end - p > 3:
            return False
        while p < end:
            if not c'0' <= p[0] <= c'9':
                return False
            exponent = 10 * exponent + (p[0] - c'0')
            p += 1
        scale += -exponent if below else exponent
        if scale < -22 or scale > 22:
            return False
    number = <double>digits
    number = number / POWER[-scale] if scale < 0 else number * POWER[scale]
    if negative:
        number = -number
    if datatype == DOUBLE:
        kind[0] = 4
    elif datatype == FLOAT:
        memcpy(&bits, &number, 8)
        if bits & 0x1FFFFFFF == 0x10000000:   # in the middle of two singles, perhaps by rounding
            return False
        number = <float>number
        kind[0] = 3
    else:
        kind[0] = 1 if digits % FIVES[-scale] == 0 else 2
        number += 0.0
    value[0] = number
    return True


cdef bint near(uint64_t digits, int places, double* value) noexcept nogil:
    """The double that is nearest to ``digits / 10**places``; False: this cannot tell.

    Digits and power are numbers of 64 bits without rounding, so the quotient is rounded to these
    once. If it is not in the middle of two doubles then, it is on the right side of that.
    """
    cdef long double quotient = <long double>digits / TENS[places]
    cdef uint64_t bits
    memcpy(&bits, &quotient, 8)
    value[0] = <double>quotient
    return bits & 0x7FF != 0x400


cdef bint read_digits(const char* p, int64_t n, double* value) noexcept nogil:
    """The nearest double to a decimal of many digits: if both 19 of them and one more say the same."""
    cdef uint64_t digits = 0
    cdef int count = 0, places = 0
    cdef bint negative = p[0] == c'-', below = False, more = False
    cdef double other
    cdef int64_t i
    for i in range(p[0] == c'-' or p[0] == c'+', n):
        if p[i] == c'.':
            below = True
        elif count < 19:
            digits = 10 * digits + <uint64_t>(p[i] - c'0')
            count += digits > 0
            places += below
        elif below:
            more |= p[i] != c'0'
        else:
            return False
    if LDBL_MANT_DIG != 64 or digits == 0 or places > MOST_PLACES:
        return False
    if not near(digits, places, value):
        return False
    if more and not (near(digits + 1, places, &other) and other == value[0]):
        return False
    if negative:
        value[0] = -value[0]
    return True


cdef bint read_long(const uint8_t* p, int64_t n, int datatype, double* value, int8_t* kind):
    """The same of a decimal or a double with more digits; False: look there.

    A decimal with s digits behind the point, of which the last is not zero, is a double only if that
    has s bits behind the point.
    """
    cdef char[LONGEST + 1] text
    cdef int64_t i = 0, digits = 0, places = 0, zeros = 0
    cdef int exponent
    cdef uint64_t bits
    cdef bint below = False
    cdef double number
    if n > LONGEST or datatype != DECIMAL and datatype != DOUBLE:
        return False
    memcpy(text, p, n)
    text[n] = 0
    if i < n and (text[i] == c'+' or text[i] == c'-'):
        i += 1
    while i < n:
        if c'0' <= text[i] <= c'9':
            digits += 1
            places += below
            zeros = zeros + 1 if text[i] == c'0' else 0
        elif text[i] == c'.' and not below:
            below = True
            zeros = 0
        else:
            break
        i += 1
    if digits == 0:
        return False
    if i < n:
        if datatype != DOUBLE or text[i] != c'e' and text[i] != c'E':
            return False
        i += 1
        if i < n and (text[i] == c'+' or text[i] == c'-'):
            i += 1
        if i == n:
            return False
        while i < n:
            if not c'0' <= text[i] <= c'9':
                return False
            i += 1
    if datatype != DECIMAL or not read_digits(text, n, &number):
        number = PyOS_string_to_double(text, NULL, NULL)
    if datatype == DECIMAL:
        places -= zeros
        if places <= 0 or number == 0:
            return False
        bits = <uint64_t>ldexp(frexp(fabs(number), &exponent), 53)
        exponent -= 53
        while bits % 2 == 0:
            bits //= 2
            exponent += 1
        if -exponent == places:
            return False
    value[0] = number
    kind[0] = 4 if datatype == DOUBLE else 2
    return True


cdef int measure_one(const Store* s, int64_t term, double* value, int8_t* kind) except -1:
    """The value and class of a term."""
    cdef int64_t n, lexical
    cdef const uint8_t* at = text_of(s, term, &n)
    cdef int datatype = datatype_of(at, n, &lexical)
    if datatype == NONE:
        value[0] = 0.0
        kind[0] = 0
    elif datatype >= OTHER or not read_number(
        at + 1, lexical, datatype, value, kind
    ) and not read_long(at + 1, lexical, datatype, value, kind):
        value[0], kind[0] = classify_number(PyUnicode_DecodeUTF8(<const char*>at, n, NULL))
    return 0


def measure(store, const int64_t[:] ids):
    """Fill the ``values`` and ``classes`` of ``ids`` that have none yet; see `TermColumns`."""
    cdef Store s
    cdef double[::1] values = store.values
    cdef int8_t[::1] classes = store.classes
    cdef Py_ssize_t i
    open_store(store, &s)
    check(&s, ids)
    for i in range(ids.shape[0]):
        if classes[ids[i]] < 0:
            measure_one(&s, ids[i], &values[ids[i]], &classes[ids[i]])


cdef int class_of_number(double value, int8_t kind) noexcept nogil:
    """As `lexical_classes.class_of_number`."""
    cdef int i = 0
    if kind >= SINGLE:
        return FLOATS + kind - SINGLE
    if kind != EXACT:
        return UNCLASSED
    if value != floor(value):
        return FRACTION
    while i < EDGES and EDGE[i] <= value:
        i += 1
    return FRACTION + 1 + i


def classify(store, const int64_t[:] ids):
    """Fill the lexical classes of ``ids`` that have none yet; see `rete.arrays.lexical_classes`."""
    cdef Store s
    cdef double[::1] values = store.values
    cdef int8_t[::1] classes = store.classes
    cdef uint8_t[::1] lexical = store.lexical
    cdef Py_ssize_t i
    cdef int64_t term, n
    cdef int kind, found
    cdef const uint8_t* at
    open_store(store, &s)
    check(&s, ids)
    for i in range(ids.shape[0]):
        term = ids[i]
        if lexical[term]:
            continue
        kind = s.entries[2 * term + 1] >> KIND_SHIFT & KIND_MASK
        at = text_of(&s, term, &n)
        if kind == KIND_IRI:
            found = class_of_iri(at, n)
        elif kind == KIND_BLANK:
            found = NODE
        elif kind != KIND_LITERAL:
            found = UNCLASSED
        elif at[n - 1] == c'"':
            found = class_of_string(at + 1, n - 2)
        elif at[n - 1] != c'>':
            found = TAGGED
        else:
            if classes[term] < 0:
                measure_one(&s, term, &values[term], &classes[term])
            found = class_of_number(values[term], classes[term])
        if found == 0:
            found = lexical_class(PyUnicode_DecodeUTF8(<const char*>at, n, NULL))
        lexical[term] = found
