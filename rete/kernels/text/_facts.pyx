# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernels between lines of facts and columns, compiled: the same as `rete.kernels.text.pure_facts`."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy

VERSION = 30

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    static inline uint64_t r4_mixed(const uint8_t *at, int64_t n) {
        uint64_t h = 0x9e3779b97f4a7c15ULL ^ (uint64_t)n, word;
        for (; n >= 8; at += 8, n -= 8) {
            memcpy(&word, at, 8);
            h = (h ^ word) * 0xff51afd7ed558ccdULL;
            h ^= h >> 32;
        }
        if (n) {
            word = 0;
            memcpy(&word, at, (size_t)n);
            h = (h ^ word) * 0xff51afd7ed558ccdULL;
            h ^= h >> 32;
        }
        return h * 0xc4ceb9fe1a85ec53ULL >> 20;
    }
    """
    uint64_t r4_mixed(const uint8_t* at, int64_t n) noexcept nogil

cdef enum:  # as in rete.kernels.text.pure_facts
    LINE = 0
    NAME = 1
    FIRST = 2
    ARITY = 3
    LEFT = 4
    LEFT_UNDER = 5
    RIGHT = 6
    RIGHT_UNDER = 7
    FLAGS = 8

cdef enum:
    LEFT_CLOSED = 1
    RIGHT_CLOSED = 2
    LEFT_INFINITE = 4
    RIGHT_INFINITE = 8

cdef enum:
    ROWS = 0
    ARGS = 1
    TOKENS = 2
    ODD = 3
    LINES = 4

cdef int MOST_DIGITS = 17
cdef int MOST_ARGS = 60


cdef struct Number:
    int64_t over
    int64_t under
    int infinite


cdef inline bint _is_digit(uint8_t c) noexcept nogil:
    return 48 <= c <= 57


cdef inline bint _is_letter(uint8_t c) noexcept nogil:
    return 97 <= (c | 32) <= 122 or c == 95


cdef inline bint _is_bare(uint8_t c) noexcept nogil:
    """Visible, or of a character beyond ASCII, and none of , ( ) [ ] " ' # and backslash."""
    if c <= 32 or c == 127:
        return False
    return not (c == 44 or c == 40 or c == 41 or c == 91 or c == 93 or c == 34 or c == 39
                or c == 35 or c == 92)


cdef inline int64_t _blanks(const uint8_t* text, int64_t at, int64_t end) noexcept nogil:
    while at < end and (text[at] == 32 or text[at] == 9):
        at += 1
    return at


cdef int64_t _number(const uint8_t* text, int64_t at, int64_t end, Number* found) noexcept nogil:
    """Read a number; the position behind it, or -1 if it needs care."""
    cdef int64_t sign = 1, value = 0, under = 1, power
    cdef int digits = 0, zeros = 0, part = 0
    cdef uint8_t c
    found.infinite = 0
    if at < end and (text[at] == 45 or text[at] == 43):
        if text[at] == 45:
            sign = -1
        at += 1
    if end - at >= 3 and text[at] == 105 and text[at + 1] == 110 and text[at + 2] == 102:
        found.infinite = <int>sign
        found.over = 0
        found.under = 1
        return at + 3
    while at < end and _is_digit(text[at]):
        value = value * 10 + (text[at] - 48)
        digits += 1
        at += 1
        if digits > MOST_DIGITS:
            return -1
    if at < end and text[at] == 46:
        at += 1
        part = 0
        while at < end and _is_digit(text[at]):
            c = text[at]
            part += 1
            at += 1
            if c == 48:
                zeros += 1
                continue
            if digits + zeros + 1 > MOST_DIGITS:
                return -1
            power = 10
            while zeros:
                value *= 10
                under *= 10
                digits += 1
                zeros -= 1
            value = value * 10 + (c - 48)
            under *= 10
            digits += 1
        if not part:
            return -1
    elif at < end and text[at] == 47:
        if not digits:
            return -1
        at += 1
        under = 0
        while at < end and _is_digit(text[at]):
            under = under * 10 + (text[at] - 48)
            part += 1
            at += 1
            if part > MOST_DIGITS:
                return -1
        if not under:
            return -1
    elif not digits:
        return -1
    found.over = sign * value
    found.under = under
    return at


cdef inline int64_t _token(
    const uint8_t* text, int64_t begin, int64_t end,
    int64_t[:, ::1] tokens, int64_t[::1] table, int64_t* count,
) noexcept nogil:
    """The number of the token, a new one if it is met first."""
    cdef int64_t size = end - begin, mask = table.shape[0] - 1, slot, known, start
    slot = <int64_t>(r4_mixed(text + begin, size) & <uint64_t>mask)
    while table[slot]:
        known = table[slot] - 1
        start = tokens[known, 0]
        if tokens[known, 1] - start == size and memcmp(text + start, text + begin, size) == 0:
            return known
        slot = (slot + 1) & mask
    known = count[0]
    count[0] = known + 1
    table[slot] = known + 1
    tokens[known, 0] = begin
    tokens[known, 1] = end
    return known


cdef int64_t _interval(
    const uint8_t* text, int64_t at, int64_t end, int64_t[:, ::1] rows, int64_t row
) noexcept nogil:
    """Read when a fact holds; the position behind it, or -1 if it needs care."""
    cdef Number left, right
    cdef int64_t flags = 0
    if at >= end:
        return -1
    if text[at] != 91 and text[at] != 40:  # [ (
        at = _number(text, at, end, &left)
        if at < 0 or left.infinite:
            return -1
        right = left
        flags = LEFT_CLOSED | RIGHT_CLOSED
    else:
        if text[at] == 91:
            flags |= LEFT_CLOSED
        at = _number(text, _blanks(text, at + 1, end), end, &left)
        if at < 0:
            return -1
        at = _blanks(text, at, end)
        if at >= end or text[at] != 44:
            return -1
        at = _number(text, _blanks(text, at + 1, end), end, &right)
        if at < 0:
            return -1
        at = _blanks(text, at, end)
        if at >= end or (text[at] != 93 and text[at] != 41):
            return -1
        if text[at] == 93:
            flags |= RIGHT_CLOSED
        at += 1
    return at if _ends(left, right, flags, rows, row) else -1


cdef bint _ends(
    Number left, Number right, int64_t flags, int64_t[:, ::1] rows, int64_t row
) noexcept nogil:
    """Enter both ends; not if nothing is between them that an interval may be."""
    if left.infinite > 0 or right.infinite < 0:
        return False
    if left.infinite:
        flags = (flags | LEFT_INFINITE) & ~LEFT_CLOSED
    if right.infinite:
        flags = (flags | RIGHT_INFINITE) & ~RIGHT_CLOSED
    rows[row, LEFT] = left.over
    rows[row, LEFT_UNDER] = left.under
    rows[row, RIGHT] = right.over
    rows[row, RIGHT_UNDER] = right.under
    rows[row, FLAGS] = flags
    return True


cdef int64_t _fact(
    const uint8_t* text, int64_t at, int64_t end, int64_t[:, ::1] rows, int64_t[::1] args,
    int64_t[:, ::1] tokens, int64_t[::1] table, int64_t* counts,
) noexcept nogil:
    """Read a fact from a line; 0 if it needs care."""
    cdef int64_t begin = at, row = counts[ROWS], given = counts[ARGS], name_end, arity = 0
    if not _is_letter(text[at]):
        return 0
    while at < end and (_is_letter(text[at]) or _is_digit(text[at]) or 45 <= text[at] <= 46
                        or text[at] == 58):
        at += 1
    name_end = at
    rows[row, NAME] = _token(text, begin, name_end, tokens, table, &counts[TOKENS])
    rows[row, FIRST] = given
    if at < end and text[at] == 40:
        at = _blanks(text, at + 1, end)
        if at < end and text[at] == 41:
            return 0
        while True:
            begin = at
            while at < end and _is_bare(text[at]):
                at += 1
            if at == begin or arity == MOST_ARGS:
                return 0
            args[given + arity] = _token(text, begin, at, tokens, table, &counts[TOKENS])
            arity += 1
            at = _blanks(text, at, end)
            if at >= end:
                return 0
            if text[at] == 41:
                at += 1
                break
            if text[at] != 44:
                return 0
            at = _blanks(text, at + 1, end)
    at = _blanks(text, at, end)
    if at >= end or text[at] != 64:  # @
        return 0
    at = _interval(text, _blanks(text, at + 1, end), end, rows, row)
    if at < 0 or _blanks(text, at, end) != end:
        return 0
    rows[row, ARITY] = arity
    counts[ARGS] = given + arity
    return 1


cdef int64_t _record(
    const uint8_t* text, int64_t at, int64_t end, int64_t[:, ::1] rows, int64_t[::1] args,
    int64_t[:, ::1] tokens, int64_t[::1] table, int64_t* counts,
) noexcept nogil:
    """Read a row of a table; 0 if it needs care."""
    cdef int64_t row = counts[ROWS], given = counts[ARGS], arity = 0, begin, stop, commas = 0, i
    cdef Number left, right
    for i in range(at, end):
        if text[i] == 44:
            commas += 1
        elif text[i] == 34:
            return 0
    if commas < 1 or commas - 1 > MOST_ARGS:
        return 0
    while arity < commas - 1:
        at = _blanks(text, at, end)
        begin = at
        while at < end and text[at] != 44:
            if (text[at] < 32 and text[at] != 9) or text[at] == 127 or text[at] == 92:
                return 0
            at += 1
        stop = at
        while stop > begin and (text[stop - 1] == 32 or text[stop - 1] == 9):
            stop -= 1
        for i in range(begin, stop):
            if text[i] == 9:
                return 0
        args[given + arity] = _token(text, begin, stop, tokens, table, &counts[TOKENS])
        arity += 1
        at += 1
    at = _number(text, _blanks(text, at, end), end, &left)
    if at < 0:
        return 0
    at = _blanks(text, at, end)
    if at >= end or text[at] != 44:
        return 0
    at = _number(text, _blanks(text, at + 1, end), end, &right)
    if at < 0 or _blanks(text, at, end) != end:
        return 0
    if not _ends(left, right, LEFT_CLOSED | RIGHT_CLOSED, rows, row):
        return 0
    rows[row, NAME] = 0
    rows[row, FIRST] = given
    rows[row, ARITY] = arity
    counts[ARGS] = given + arity
    return 1


def read(
    const uint8_t[::1] text, bint is_table, int64_t[:, ::1] rows, int64_t[::1] args,
    int64_t[:, ::1] tokens, int64_t[::1] table, int64_t[:, ::1] odd,
):
    """Read whole lines; see `rete.kernels.text.pure_facts.read`."""
    cdef int64_t counts[5]
    cdef int64_t at = 0, size = text.shape[0], end, begin, good
    cdef const uint8_t* raw = &text[0] if size else NULL
    for begin in range(5):
        counts[begin] = 0
    with nogil:
        while at < size:
            end = at
            while end < size and raw[end] != 10 and raw[end] != 13:
                end += 1
            begin = _blanks(raw, at, end)
            if begin < end and (is_table or raw[begin] != 35):
                if is_table:
                    good = _record(raw, begin, end, rows, args, tokens, table, counts)
                else:
                    good = _fact(raw, begin, end, rows, args, tokens, table, counts)
                if good:
                    rows[counts[ROWS], LINE] = counts[LINES]
                    counts[ROWS] += 1
                else:
                    odd[counts[ODD], 0] = counts[LINES]
                    odd[counts[ODD], 1] = at
                    odd[counts[ODD], 2] = end
                    counts[ODD] += 1
            counts[LINES] += 1
            if end + 1 < size and raw[end] == 13 and raw[end + 1] == 10:
                end += 1
            at = end + 1
    return counts[ROWS], counts[ARGS], counts[TOKENS], counts[ODD], counts[LINES]


cdef int64_t NEG_INF = -(<int64_t>1 << 62)
cdef int64_t POS_INF = <int64_t>1 << 62


cdef inline int64_t _digits(uint64_t value, uint8_t* out) noexcept nogil:
    """Write a number; how many bytes that takes."""
    cdef uint8_t reversed[20]
    cdef int64_t size = 0, i
    while True:
        reversed[size] = <uint8_t>(48 + value % 10)
        value //= 10
        size += 1
        if not value:
            break
    for i in range(size):
        out[i] = reversed[size - 1 - i]
    return size


cdef inline int64_t _end(int64_t tick, int64_t scale, uint8_t* out) noexcept nogil:
    """Write ``tick / scale``, reduced."""
    cdef int64_t size = 0
    cdef uint64_t over, under = <uint64_t>scale, a, b
    if tick < 0:
        out[0] = 45
        size = 1
        over = <uint64_t>(-tick)
    else:
        over = <uint64_t>tick
    if scale > 1:
        a, b = under, over
        while b:
            a, b = b, a % b
        over //= a
        under //= a
    size += _digits(over, out + size)
    if under > 1:
        out[size] = 47
        size += 1 + _digits(under, out + size + 1)
    return size


def lines(
    bytes name, const uint8_t[::1] texts, const int64_t[::1] starts, const int64_t[:, ::1] args,
    const int64_t[:, ::1] times, int64_t scale,
):
    """Facts as text; see `rete.kernels.text.pure_facts.lines`."""
    cdef int64_t n = times.shape[0], width = args.shape[1], i, j, at = 0, begin, size, most
    cdef int64_t name_size = len(name)
    cdef const uint8_t* raw_name = name
    cdef uint8_t* out
    most = n * (name_size + width + 96)
    for i in range(n):
        for j in range(width):
            most += starts[args[i, j] + 1] - starts[args[i, j]]
    found = bytearray(most)
    out = found
    with nogil:
        for i in range(n):
            memcpy(out + at, raw_name, name_size)
            at += name_size
            for j in range(width):
                out[at] = 44 if j else 40
                at += 1
                begin = starts[args[i, j]]
                size = starts[args[i, j] + 1] - begin
                if size:
                    memcpy(out + at, &texts[begin], size)
                at += size
            if width:
                out[at] = 41
                at += 1
            out[at] = 64
            at += 1
            if times[i, 0] <= NEG_INF:
                memcpy(out + at, <const char*>b"(-inf", 5)
                at += 5
            else:
                out[at] = 40 if times[i, 0] & 1 else 91
                at += 1
                at += _end(times[i, 0] >> 1, scale, out + at)
            out[at] = 44
            at += 1
            if times[i, 1] >= POS_INF:
                memcpy(out + at, <const char*>b"inf)", 4)
                at += 4
            else:
                at += _end(times[i, 1] >> 1, scale, out + at)
                out[at] = 93 if times[i, 1] & 1 else 41
                at += 1
            out[at] = 10
            at += 1
    del found[at:]
    return found
