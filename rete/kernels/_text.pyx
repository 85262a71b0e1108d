# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Text kernels, compiled: the same functions as `rete.kernels.pure_text`, on the same columns."""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

from rete import texts as layout

VERSION = 6

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* Both halves of a 128 bit product, folded: the mixer of wyhash. */
    static inline uint64_t r4_fold(uint64_t a, uint64_t b) {
    #if defined(__SIZEOF_INT128__)
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    #else
        uint64_t low = (a & 0xffffffffu) * (b & 0xffffffffu), high = (a >> 32) * (b >> 32);
        uint64_t m = (a >> 32) * (b & 0xffffffffu), n = (a & 0xffffffffu) * (b >> 32);
        uint64_t carry = ((low >> 32) + (m & 0xffffffffu) + (n & 0xffffffffu)) >> 32;
        return (low + (m << 32) + (n << 32)) ^ (high + (m >> 32) + (n >> 32) + carry);
    #endif
    }

    static inline uint64_t r4_word(const uint8_t *at) {
        uint64_t word;
        memcpy(&word, at, 8);
        return word;
    }

    #define R4_A 0xa0761d6478bd642fULL
    #define R4_B 0xe7037ed1a0b428dbULL

    static inline uint64_t r4_hash(const uint8_t *at, int64_t n, uint64_t seed) {
        uint64_t h = seed ^ r4_fold(seed ^ R4_A, (uint64_t)n ^ R4_B), a = 0, b = 0;
        const uint8_t *end = at + n;
        if (n > 16) {
            for (; end - at > 16; at += 16)
                h = r4_fold(r4_word(at) ^ R4_A, r4_word(at + 8) ^ h);
            a = r4_word(end - 16);
            b = r4_word(end - 8);
        } else if (n >= 8) {
            a = r4_word(at);
            b = r4_word(end - 8);
        } else {
            memcpy(&a, at, (size_t)n);
        }
        return r4_fold(R4_B ^ (uint64_t)n, r4_fold(a ^ R4_A, b ^ h));
    }
    """
    uint64_t r4_hash(const uint8_t* at, int64_t n, uint64_t seed) noexcept nogil


cdef enum:  # as in rete.texts
    USED = 0
    TOP = 1
    FREE = 2
    LIVE = 3
    ALIASES = 4
    SEED = 5
    BY_VALUE = 6
    BASE = 7
    BASE_SIZE = 8

cdef enum:
    IS_LIVE = 1
    IS_PINNED = 2
    IS_CHECKED = 4
    IS_ALIAS = 8
    KIND_SHIFT = 4
    LENGTH_SHIFT = 8

cdef enum:
    DONE = 0
    SHORT = 1
    FULL = 2
    ODD = 3
    VALUED = 4

cdef enum:
    POSITION = 0
    END = 1
    ROWS = 2
    LINES = 3
    LINE_END = 4
    TOKENS = 5
    SPANS = 6

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
    (layout.USED, layout.TOP, layout.FREE, layout.LIVE, layout.ALIASES, layout.SEED)
    != (USED, TOP, FREE, LIVE, ALIASES, SEED)
    or (layout.BY_VALUE, layout.BASE, layout.BASE_SIZE) != (BY_VALUE, BASE, BASE_SIZE)
    or (layout.IS_LIVE, layout.IS_PINNED, layout.IS_CHECKED, layout.IS_ALIAS)
    != (IS_LIVE, IS_PINNED, IS_CHECKED, IS_ALIAS)
    or (layout.KIND_SHIFT, layout.LENGTH_SHIFT) != (KIND_SHIFT, LENGTH_SHIFT)
    or (layout.DONE, layout.SHORT, layout.FULL, layout.ODD) != (DONE, SHORT, FULL, ODD)
    or layout.VALUED != VALUED
    or (layout.POSITION, layout.END, layout.ROWS, layout.LINES, layout.LINE_END, layout.TOKENS)
    != (POSITION, END, ROWS, LINES, LINE_END, TOKENS)
    or layout.SPANS != SPANS
):
    raise ImportError("rete.texts has changed: build the kernels anew")


cdef double MOST_LOAD = layout.MOST_LOAD


cdef struct Store:
    uint8_t* arena
    int64_t* entries
    int64_t* target
    int64_t* idle
    int64_t* state
    uint64_t* table
    const uint64_t* hashes   # of the terms of the base, in order
    int64_t base
    uint64_t mask
    int64_t arena_size
    int64_t capacity
    int64_t most


cdef int open_store(object store, Store* s) except -1:
    """Pointers into the columns; they hold as long as no column is replaced."""
    cdef uint8_t[::1] arena = store.arena
    cdef int64_t[:, ::1] entries = store.entries
    cdef int64_t[::1] target = store.target
    cdef int64_t[::1] idle = store.free
    cdef int64_t[::1] state = store.state
    cdef uint64_t[::1] table = store.table
    cdef const uint64_t[::1] hashes = store.hashes
    s.arena = &arena[0]
    s.entries = &entries[0, 0]
    s.target = &target[0]
    s.idle = &idle[0]
    s.state = &state[0]
    s.table = &table[0]
    s.hashes = &hashes[0]
    s.base = state[BASE]
    s.mask = <uint64_t>table.shape[0] - 1
    s.arena_size = arena.shape[0]
    s.capacity = entries.shape[0]
    s.most = <int64_t>(<double>table.shape[0] * MOST_LOAD)
    return 0


cdef inline bint has_room(Store* s, int64_t terms, int64_t size) noexcept nogil:
    return (
        s.state[USED] + size <= s.arena_size
        and terms <= s.state[FREE] + s.capacity - s.state[TOP]
        and s.state[LIVE] + terms <= s.most
    )


cdef int64_t search(Store* s, const uint8_t* at, int64_t n, uint64_t h) noexcept nogil:
    """The term of the base with this text, else 0. Its hashes are in the order of its ids.

    Hashes are spread evenly, so the search begins where this one should stand, and doubles its step
    until it has it in between: some pages of the mapped file, and at worst O(log n).
    """
    cdef int64_t* entry
    cdef int64_t low, high, middle, step = 1
    middle = <int64_t>(<double>h / 18446744073709551616.0 * <double>s.base)
    if middle >= s.base:
        middle = s.base - 1
    low = high = middle
    while low > 0 and s.hashes[low] >= h:
        low = low - step if low > step else 0
        step *= 2
    step = 1
    while high < s.base and s.hashes[high] < h:
        high = high + step if s.base - high > step else s.base
        step *= 2
    while low < high:
        middle = low + (high - low) // 2
        if s.hashes[middle] < h:
            low = middle + 1
        else:
            high = middle
    while low < s.base and s.hashes[low] == h:
        low += 1   # a place is one less than its id
        entry = s.entries + 2 * low
        if entry[1] >> LENGTH_SHIFT == n and memcmp(s.arena + entry[0], at, n) == 0:
            return low
    return 0


cdef inline int64_t probe(
    Store* s, const uint8_t* at, int64_t n, uint64_t h, uint64_t* free_slot
) noexcept nogil:
    """The entry with this text, else 0 and the slot where it would go."""
    cdef uint64_t slot, i = h & s.mask
    cdef int64_t* entry
    while True:
        slot = s.table[i]
        if slot == 0:
            free_slot[0] = i
            return search(s, at, n, h) if s.base else 0
        if (slot ^ h) >> 32 == 0:
            entry = s.entries + 2 * (slot & 0xFFFFFFFFu)
            if entry[1] >> LENGTH_SHIFT == n and memcmp(s.arena + entry[0], at, n) == 0:
                return <int64_t>(slot & 0xFFFFFFFFu)
        i = (i + 1) & s.mask


cdef inline int64_t target_of(const Store* s, int64_t entry) noexcept nogil:
    """The term that an entry stands for; one of the base stands for itself."""
    return entry if entry <= s.base else s.target[entry]


cdef inline uint64_t hash_of(Store* s, const uint8_t* at, int64_t n) noexcept nogil:
    return r4_hash(at, n, <uint64_t>s.state[SEED])


cdef int64_t insert(
    Store* s, const uint8_t* at, int64_t n, uint64_t h, uint64_t slot, int64_t flags, int64_t target
) noexcept nogil:
    """A new entry, for which there is room; ``target`` 0 is itself."""
    cdef int64_t entry, kind
    if s.state[FREE]:
        s.state[FREE] -= 1
        entry = s.idle[s.state[FREE]]
    else:
        entry = s.state[TOP]
        s.state[TOP] += 1
    kind = 0
    if n:
        if at[0] == c'<':
            kind = 1
        elif at[0] == c'_':
            kind = 2
        elif at[0] == c'"':
            kind = 3
        elif at[0] == c'L':
            kind = 4
    s.entries[2 * entry] = s.state[USED]
    s.entries[2 * entry + 1] = n << LENGTH_SHIFT | kind << KIND_SHIFT | flags | IS_LIVE
    s.target[entry] = target if target else entry
    s.table[slot] = (h >> 32 << 32) | <uint64_t>entry
    memcpy(s.arena + s.state[USED], at, n)
    s.state[USED] += n
    s.state[LIVE] += 1
    if flags & IS_ALIAS:
        s.state[ALIASES] += 1
    return entry


cdef int64_t find_term(Store* s, bytes text) noexcept:
    cdef const uint8_t* at = <const uint8_t*>PyBytes_AS_STRING(text)
    cdef int64_t n = PyBytes_GET_SIZE(text)
    cdef uint64_t slot
    return target_of(s, probe(s, at, n, hash_of(s, at, n), &slot))


cdef int64_t add_term(Store* s, bytes text) noexcept:
    cdef const uint8_t* at = <const uint8_t*>PyBytes_AS_STRING(text)
    cdef int64_t n = PyBytes_GET_SIZE(text)
    cdef uint64_t slot, h = hash_of(s, at, n)
    cdef int64_t entry = probe(s, at, n, h, &slot)
    if entry:
        return target_of(s, entry)
    if not has_room(s, 1, n):
        return -1
    return insert(s, at, n, h, slot, 0, 0)


def find(store, bytes text not None):
    """The id of a canonical text or of an alias, 0 if there is none. Constant time."""
    cdef Store s
    open_store(store, &s)
    return find_term(&s, text)


def add(store, bytes text not None):
    """The id of a canonical text or of an alias, added if new; -1: no room. Constant time."""
    cdef Store s
    open_store(store, &s)
    return add_term(&s, text)


def add_many(store, list texts not None, Py_ssize_t start, int64_t[::1] out):
    """`add` for ``texts[start:]`` into ``out``; where it stopped for want of room, else the end."""
    cdef Store s
    cdef Py_ssize_t i
    cdef int64_t term
    if out.shape[0] < len(texts):
        raise ValueError("an id for each text needs its place")
    open_store(store, &s)
    for i in range(start, len(texts)):
        term = add_term(&s, <bytes?>texts[i])
        if term < 0:
            return i
        out[i] = term
    return len(texts)


def accept(store, bytes token not None, int64_t target):
    """Let ``token`` of N-Quads stand for the term ``target`` from now on; False: no room."""
    cdef Store s
    cdef uint64_t slot, h
    cdef const uint8_t* at = <const uint8_t*>PyBytes_AS_STRING(token)
    cdef int64_t entry, n = PyBytes_GET_SIZE(token)
    open_store(store, &s)
    h = hash_of(&s, at, n)
    entry = probe(&s, at, n, h, &slot)
    if entry:
        if target_of(&s, entry) == target:
            s.entries[2 * entry + 1] |= IS_CHECKED
        return True
    if not has_room(&s, 1, n):
        return False
    insert(&s, at, n, h, slot, IS_ALIAS | IS_CHECKED, target)
    return True


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


def hashes(store, const int64_t[::1] ids, uint64_t[::1] out):
    """The hashes of the texts of living ``ids``, under the seed of the dictionary, into ``out``."""
    cdef Store s
    cdef Py_ssize_t i
    if out.shape[0] != ids.shape[0]:
        raise ValueError("a hash for each id needs its place")
    open_store(store, &s)
    for i in range(ids.shape[0]):
        if not 0 < ids[i] < s.capacity:
            raise IndexError(f"{ids[i]} is not the id of a term")
        out[i] = hash_of(
            &s, s.arena + s.entries[2 * ids[i]], s.entries[2 * ids[i] + 1] >> LENGTH_SHIFT
        )


def reindex(store):
    """Make the index anew from the own entries. Costs O(terms), those of the base left out."""
    cdef Store s
    cdef int64_t entry, meta
    cdef uint64_t h, i
    open_store(store, &s)
    for i in range(s.mask + 1):
        s.table[i] = 0
    for entry in range(s.base + 1, s.state[TOP]):
        meta = s.entries[2 * entry + 1]
        if meta & IS_LIVE:
            h = hash_of(&s, s.arena + s.entries[2 * entry], meta >> LENGTH_SHIFT)
            i = h & s.mask
            while s.table[i]:
                i = (i + 1) & s.mask
            s.table[i] = (h >> 32 << 32) | <uint64_t>entry


def compact(store, uint8_t[::1] texts):
    """Move the texts of all own entries into ``texts``, which is large enough; see the pure twin."""
    cdef Store s
    cdef int64_t entry, n, used = 0
    open_store(store, &s)
    for entry in range(s.base + 1, s.state[TOP]):
        if s.entries[2 * entry + 1] & IS_LIVE:
            n = s.entries[2 * entry + 1] >> LENGTH_SHIFT
            memcpy(&texts[used], s.arena + s.entries[2 * entry], n)
            s.entries[2 * entry] = s.state[BASE_SIZE] + used
            used += n
    s.state[USED] = s.state[BASE_SIZE] + used
