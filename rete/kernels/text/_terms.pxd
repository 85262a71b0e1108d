# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The index of a dictionary as the compiled kernels see it: texts to ids, over those of its base.

The code that is inline here is compiled into each kernel that cimports it.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy

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

    #define R4_NEVER (-((int64_t)1 << 62))
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
    const int64_t NEVER "R4_NEVER"   # as in rete.arrays.term_columns


cdef enum:  # as in rete.arrays.term_columns
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


cdef struct Store:
    uint8_t* arena
    int64_t* entries
    int64_t* last
    int64_t* idle
    int64_t* state
    uint64_t* table
    const uint64_t* hashes   # of the terms of the base, in order
    int64_t base
    uint64_t mask
    int64_t arena_size
    int64_t capacity
    int64_t most


cdef int open_store(object store, Store* s) except -1


cdef class TermView:
    """The columns of a dictionary, held open: for who asks for few terms at a time."""

    cdef Store s
    cdef object columns, arena, entries, last, idle, state, table

    cdef int renew(self) except -1

    cdef inline int look(self) except -1:
        """Follow the dictionary where it has replaced a column."""
        columns = self.columns
        if (columns.arena is not self.arena or columns.entries is not self.entries
                or columns.last is not self.last or columns.table is not self.table
                or columns.free is not self.idle or columns.state is not self.state):
            self.renew()
        return 0

    cdef inline int touch(self, int64_t term, int64_t hi) except -1:
        """A term is needed until a cell, exclusive."""
        if term >= self.s.capacity:
            raise IndexError(f"{term} is not the id of a term")
        if term > 0 and self.s.last[term] < hi:
            self.s.last[term] = hi
        return 0


cdef int64_t add_term(Store* s, const uint8_t* at, int64_t n) noexcept


cdef inline bint has_room(Store* s, int64_t terms, int64_t size) noexcept nogil:
    return (
        s.state[USED] + size <= s.arena_size
        and terms <= s.state[FREE] + s.capacity - s.state[TOP]
        and s.state[LIVE] + terms <= s.most
    )


cdef inline int64_t search(Store* s, const uint8_t* at, int64_t n, uint64_t h) noexcept nogil:
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
    """The term that an entry stands for: itself, unless it is an alias."""
    return s.last[entry] if s.entries[2 * entry + 1] & IS_ALIAS else entry


cdef inline uint64_t hash_of(Store* s, const uint8_t* at, int64_t n) noexcept nogil:
    return r4_hash(at, n, <uint64_t>s.state[SEED])


cdef inline int64_t insert(
    Store* s, const uint8_t* at, int64_t n, uint64_t h, uint64_t slot, int64_t flags, int64_t target
) noexcept nogil:
    """A new entry, for which there is room; an alias stands for ``target``."""
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
    s.last[entry] = target if flags & IS_ALIAS else NEVER
    s.table[slot] = (h >> 32 << 32) | <uint64_t>entry
    memcpy(s.arena + s.state[USED], at, n)
    s.state[USED] += n
    s.state[LIVE] += 1
    if flags & IS_ALIAS:
        s.state[ALIASES] += 1
    return entry
