# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernels that read N-Quads, compiled: as `rete.kernels.text.pure_nquads`, on the same columns."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

from rete.kernels.text._terms cimport (
    BY_VALUE, IS_CHECKED, Store, has_room, hash_of, insert, open_store, probe, target_of,
)

from rete.arrays import term_columns as layout

VERSION = 30

cdef enum:
    LONGEST_LABEL = 256   # of a blank node with its prefix; a longer one is odd

# What a byte can be, one bit each.
cdef enum:
    PATH = 1
    SCHEME = 2
    ALPHA = 4
    HOST = 8
    PLAIN = 16
    HEX = 32
    DIGIT = 64
    LABEL = 128

cdef uint8_t CLASS[256]


cdef void mark(const uint8_t[:] chars, uint8_t bit):
    cdef Py_ssize_t i
    for i in range(chars.shape[0]):
        CLASS[chars[i]] |= bit


cdef void fill_classes():
    lower = b"abcdefghijklmnopqrstuvwxyz"
    alpha = lower + lower.upper()
    digits = b"0123456789"
    mark(alpha + digits + b"-._~!$&'()*+,;=:@/", PATH)
    mark(alpha + digits + b"+.-", SCHEME)
    mark(alpha, ALPHA)
    mark(alpha + digits + b"-._~", HOST)
    mark(bytes(set(range(0x20, 0x7F)) - set(b'"\\')), PLAIN)
    mark(digits + b"abcdefABCDEF", HEX)
    mark(digits, DIGIT)
    mark(alpha + digits + b"_-", LABEL)


fill_classes()



if (
    (layout.DONE, layout.SHORT, layout.FULL, layout.ODD) != (DONE, SHORT, FULL, ODD)
    or layout.VALUED != VALUED
    or (layout.POSITION, layout.END, layout.ROWS, layout.LINES, layout.LINE_END, layout.TOKENS)
    != (POSITION, END, ROWS, LINES, LINE_END, TOKENS)
    or layout.SPANS != SPANS
):
    raise ImportError("rete.arrays.term_columns has changed: build the kernels anew")


cdef struct Token:
    const uint8_t* at   # as spelled
    int64_t n
    const uint8_t* text   # as looked up: a blank node with its prefix
    int64_t size
    int64_t term
    uint64_t hash
    uint64_t slot
    bint fresh   # found certain just now


cdef inline const uint8_t* skip_blanks(const uint8_t* at, const uint8_t* end) noexcept nogil:
    while at < end and (at[0] == c' ' or at[0] == c'\t'):
        at += 1
    return at


cdef inline const uint8_t* token_end(
    const uint8_t* at, const uint8_t* end, bint literals
) noexcept nogil:
    """Where the token that begins at ``at`` ends, NULL if it does not or is of no known shape."""
    cdef const uint8_t* p = at + 1
    cdef const uint8_t* q
    if at == end:
        return NULL
    if at[0] == c'<':
        p = <const uint8_t*>memchr(p, c'>', end - p)
        return p + 1 if p != NULL else NULL
    if at[0] == c'_':
        if end - at < 4 or p[0] != c':' or not CLASS[p[1]] & LABEL or p[1] == c'-':
            return NULL
        p += 2
        while p < end and CLASS[p[0]] & LABEL:
            p += 1
        return p if p < end and (p[0] == c' ' or p[0] == c'\t') else NULL
    if at[0] != c'"' or not literals:
        return NULL
    while True:
        p = <const uint8_t*>memchr(p, c'"', end - p)
        if p == NULL:
            return NULL
        q = p
        while (q - 1)[0] == c'\\':
            q -= 1
        p += 1
        if not (p - q) & 1:   # an odd number of backslashes before the quote
            continue
        break
    if p == end:
        return p
    if p[0] == c'@':
        p += 1
        while p < end and (p[0] == c'-' or CLASS[p[0]] & (ALPHA | DIGIT)):
            p += 1
        return p
    if p[0] == c'^' and end - p > 2 and p[1] == c'^' and p[2] == c'<':
        p = <const uint8_t*>memchr(p, c'>', end - p)
        return p + 1 if p != NULL else NULL
    return p


cdef inline int64_t wide(const uint8_t* at, const uint8_t* end, bint iri) noexcept nogil:
    """Bytes of the character beyond ASCII at ``at``, 0 if it is malformed (or not for an IRI)."""
    cdef uint8_t a = at[0]
    cdef int64_t n = 2 if a < 0xE0 else 3 if a < 0xF0 else 4
    cdef int64_t i
    if a < 0xC2 or a > 0xF4 or end - at < n:
        return 0
    for i in range(1, n):
        if at[i] & 0xC0 != 0x80:
            return 0
    if a == 0xE0 and at[1] < 0xA0 or a == 0xED and at[1] > 0x9F:
        return 0
    if a == 0xF0 and at[1] < 0x90 or a == 0xF4 and at[1] > 0x8F:
        return 0
    if iri and (a > 0xED or a == 0xC2 and at[1] < 0xA0):
        return 0
    return n


cdef bint certain_iri(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether ``<...>`` is an absolute IRI for sure; ``>`` stands nowhere but at its end."""
    cdef int stage = 0
    cdef int64_t n
    p += 1
    end -= 1
    if not CLASS[p[0]] & ALPHA:
        return False
    while CLASS[p[0]] & SCHEME:
        p += 1
    if p[0] != c':':
        return False
    p += 1
    if p[0] == c'/' and p[1] == c'/':
        p += 2
        while CLASS[p[0]] & HOST:
            p += 1
        if p[0] == c':':
            p += 1
            while CLASS[p[0]] & DIGIT:
                p += 1
        if not (p[0] == c'/' or p[0] == c'?' or p[0] == c'#' or p == end):
            return False
    while True:
        while CLASS[p[0]] & PATH:
            p += 1
        if p == end:
            return True
        if p[0] == c'%':
            if not (CLASS[p[1]] & HEX and CLASS[p[2]] & HEX):
                return False
            p += 3
        elif p[0] == c'?':
            if stage == 0:
                stage = 1
            p += 1
        elif p[0] == c'#':
            if stage == 2:
                return False
            stage = 2
            p += 1
        else:
            n = wide(p, end, True)
            if n == 0:
                return False
            p += n


cdef bint certain_tag(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether ``@...`` is a well-formed tag for sure: language, script, region, in lower case."""
    cdef int part = 0
    cdef int64_t n, letters
    while p < end:
        p += 1   # @ or -
        n = 0
        letters = 0
        while p + n < end and p[n] != c'-':
            if c'a' <= p[n] <= c'z':
                letters += 1
            elif not CLASS[p[n]] & DIGIT:
                return False
            n += 1
        p += n
        if part == 0:
            if letters != n or n < 2 or n > 3:
                return False
            part = 1
        elif part == 1 and n == 4 and letters == 4:
            part = 2
        elif part <= 2 and (n == 2 and letters == 2 or n == 3 and letters == 0):
            part = 3
        else:
            return False
    return part > 0


cdef bint certain_literal(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether the literal is valid and its own canonical text for sure."""
    cdef int64_t n
    p += 1
    while True:
        while CLASS[p[0]] & PLAIN:
            p += 1
        if p[0] == c'"':
            break
        if p[0] == c'\\':
            if memchr(b'tbnrf"\\', p[1], 7) == NULL:
                return False
            p += 2
        else:
            n = wide(p, end, False)
            if n == 0:
                return False
            p += n
    p += 1
    if p == end:
        return True
    if p[0] == c'@':
        return certain_tag(p, end)
    p += 2
    n = end - p
    if n == STRING_SIZE and memcmp(p, STRING, n) == 0:
        return False
    if n == LANG_STRING_SIZE and memcmp(p, LANG_STRING, n) == 0:
        return False
    if n == DIR_LANG_STRING_SIZE and memcmp(p, DIR_LANG_STRING, n) == 0:
        return False
    return certain_iri(p, end)


cdef const char* STRING = b"<http://www.w3.org/2001/XMLSchema#string>"
cdef const char* LANG_STRING = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"
cdef const char* DIR_LANG_STRING = b"<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>"
cdef int64_t STRING_SIZE = 41
cdef int64_t LANG_STRING_SIZE = 55
cdef int64_t DIR_LANG_STRING_SIZE = 58


cdef inline bint is_break(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Whether the line ends here, perhaps with CR or after a plain comment."""
    if at == end:
        return True
    if at[0] == c'#':
        at += 1
        while at < end and (0x20 <= at[0] < 0x7F or at[0] == c'\t'):
            at += 1
    if at < end and at[0] == c'\r':
        at += 1
    return at == end


cdef inline bint look_up(
    Store* s, Token* t, uint8_t* scratch, const uint8_t* prefix, int64_t before
) noexcept nogil:
    """Find the term of a token, 0 if it is new; False if the token is odd."""
    cdef int64_t entry
    t.fresh = False
    if t.at[0] == c'_':
        t.size = before + t.n - 2
        if t.size > LONGEST_LABEL:
            return False
        memcpy(scratch, prefix, before)
        memcpy(scratch + before, t.at + 2, t.n - 2)
        t.text = scratch
        t.hash = hash_of(s, t.text, t.size)
        t.term = probe(s, t.text, t.size, t.hash, &t.slot)
        t.fresh = t.term == 0
        return True
    t.text = t.at
    t.size = t.n
    t.hash = hash_of(s, t.text, t.size)
    entry = probe(s, t.text, t.size, t.hash, &t.slot)
    t.term = target_of(s, entry)
    if entry and s.entries[2 * entry + 1] & IS_CHECKED:
        return True
    t.fresh = (
        certain_iri(t.at, t.at + t.n) if t.at[0] == c'<' else certain_literal(t.at, t.at + t.n)
    )
    return t.fresh


cdef inline bint same_again(const Token* t, const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Whether the IRI that stood here in the line before stands here again."""
    return t.n and t.n <= end - at and at[0] == c'<' and memcmp(at, t.at, t.n) == 0


cdef void learn(Store* s, Token* t) noexcept nogil:
    """Enter a token that was found certain; it may stand twice in its line."""
    cdef int64_t flags = 0 if t.at[0] == c'_' else IS_CHECKED
    t.term = probe(s, t.text, t.size, t.hash, &t.slot)
    if t.term:
        s.entries[2 * t.term + 1] |= flags
    else:
        t.term = insert(s, t.text, t.size, t.hash, t.slot, flags, 0)


def read(
    store, bytes text not None, int64_t[:, ::1] rows, int64_t[::1] cursor, bytes prefix not None,
    bint triples
):
    """Encode lines of N-Quads from ``cursor[POSITION]`` to ``cursor[END]``; see the pure twin."""
    cdef Store s
    if (
        rows.shape[1] != 4
        or cursor.shape[0] < SPANS + 8
        or not 0 <= cursor[POSITION] <= cursor[END] <= len(text)
        or not 0 <= cursor[ROWS] <= rows.shape[0]
    ):
        raise ValueError("the cursor stands outside of the text or the rows")
    open_store(store, &s)
    return read_lines(
        &s, <const uint8_t*>PyBytes_AS_STRING(text), &rows[0, 0], rows.shape[0], &cursor[0],
        <const uint8_t*>PyBytes_AS_STRING(prefix), PyBytes_GET_SIZE(prefix), triples,
    )


cdef int read_lines(
    Store* s, const uint8_t* text, int64_t* rows, int64_t room, int64_t* cursor,
    const uint8_t* prefix, int64_t before, bint triples,
) noexcept nogil:
    """One loop: a line is split, its tokens are looked up, then what is new is added."""
    cdef const uint8_t* line = text + cursor[POSITION]
    cdef const uint8_t* stop = text + cursor[END]
    cdef const uint8_t* end
    cdef const uint8_t* next_line
    cdef const uint8_t* p
    cdef const uint8_t* q
    cdef int64_t* row = rows + 4 * cursor[ROWS]
    cdef int64_t* last_row = rows + 4 * room
    cdef int64_t lines = 0, size
    cdef int i, count, status = DONE
    cdef bint split, odd, new, valued
    cdef Token[4] tokens
    cdef Token[4] known   # of the line before
    cdef Token* t
    cdef uint8_t[4 * LONGEST_LABEL] scratch
    for i in range(4):
        known[i].n = 0
    while line < stop:
        if row == last_row:
            status = FULL
            break
        end = <const uint8_t*>memchr(line, c'\n', stop - line)
        if end == NULL:
            end = next_line = stop
        else:
            next_line = end + 1
        p = skip_blanks(line, end)
        if is_break(p, end):
            if p == end or p[0] != c'#':
                row[0] = row[1] = row[2] = row[3] = -1
                row += 4
            line = next_line
            lines += 1
            continue
        count = 0
        odd = False
        new = False
        while True:
            t = &tokens[count]
            if (count == 0 or count == 3) and same_again(&known[count], p, end):
                t.at = p
                t.n = known[count].n
                t.term = known[count].term
                t.fresh = False
                q = p + t.n
            else:
                q = token_end(p, end, count == 2)
                if q == NULL or (count == 1 and p[0] != c'<'):
                    count = 0
                    break
                t.at = p
                t.n = q - p
                t.term = 0
            count += 1
            p = skip_blanks(q, end)
            if p < end and p[0] == c'.' and count >= 3:
                if not is_break(skip_blanks(p + 1, end), end):
                    count = 0
                break
            if count == 4:
                count = 0
                break
        odd = count == 0 or (triples and count == 4)
        valued = False
        if not odd:
            for i in range(count):
                if tokens[i].term:
                    continue
                if not look_up(s, &tokens[i], scratch + i * LONGEST_LABEL, prefix, before):
                    odd = True
                    break
                if tokens[i].fresh:
                    new = True
            if new and s.state[BY_VALUE]:
                t = &tokens[2]
                valued = t.fresh and t.at[0] == c'"' and t.at[t.n - 1] == c'>'
        if odd or valued:
            status = ODD if odd else VALUED
            cursor[TOKENS] = count
            for i in range(count):
                cursor[SPANS + 2 * i] = tokens[i].at - text
                cursor[SPANS + 2 * i + 1] = tokens[i].at - text + tokens[i].n
            break
        if new:
            size = 0
            for i in range(count):
                if tokens[i].fresh:
                    size += tokens[i].size
            if not has_room(s, count, size):
                status = SHORT
                break
            for i in range(count):
                t = &tokens[i]
                if t.fresh:
                    learn(s, t)
        row[0] = tokens[0].term
        row[1] = tokens[1].term
        row[2] = tokens[2].term
        row[3] = 0
        known[0] = tokens[0]
        if count == 4:
            row[3] = tokens[3].term
            known[3] = tokens[3]
        row += 4
        line = next_line
        lines += 1
    if status == ODD or status == VALUED or status == SHORT:
        cursor[LINE_END] = next_line - text
    cursor[POSITION] = line - text
    cursor[ROWS] = (row - rows) // 4
    cursor[LINES] += lines
    return status
