# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Kernels of the terms of a dictionary, compiled: as `rete.kernels.text.pure_terms`, on the same columns."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from rete.arrays import term_columns as layout

VERSION = 30


if (
    (layout.USED, layout.TOP, layout.FREE, layout.LIVE, layout.ALIASES, layout.SEED)
    != (USED, TOP, FREE, LIVE, ALIASES, SEED)
    or (layout.BY_VALUE, layout.BASE, layout.BASE_SIZE) != (BY_VALUE, BASE, BASE_SIZE)
    or (layout.IS_LIVE, layout.IS_PINNED, layout.IS_CHECKED, layout.IS_ALIAS)
    != (IS_LIVE, IS_PINNED, IS_CHECKED, IS_ALIAS)
    or (layout.KIND_SHIFT, layout.LENGTH_SHIFT) != (KIND_SHIFT, LENGTH_SHIFT)
):
    raise ImportError("rete.arrays.term_columns has changed: build the kernels anew")


cdef double MOST_LOAD = layout.MOST_LOAD


cdef int open_store(object store, Store* s) except -1:
    """Pointers into the columns; they hold as long as no column is replaced."""
    cdef uint8_t[::1] arena = store.arena
    cdef int64_t[:, ::1] entries = store.entries
    cdef int64_t[::1] last = store.last
    cdef int64_t[::1] idle = store.free
    cdef int64_t[::1] state = store.state
    cdef uint64_t[::1] table = store.table
    cdef const uint64_t[::1] hashes = store.hashes
    s.arena = &arena[0]
    s.entries = &entries[0, 0]
    s.last = &last[0]
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


cdef class TermView:
    """Opened once, and again where a column is another array."""

    def __cinit__(self, columns):
        self.columns = columns
        self.renew()

    cdef int renew(self) except -1:
        columns = self.columns
        open_store(columns, &self.s)
        self.arena, self.entries, self.last = columns.arena, columns.entries, columns.last
        self.idle, self.state, self.table = columns.free, columns.state, columns.table
        return 0


cdef int64_t find_term(Store* s, bytes text) noexcept:
    cdef const uint8_t* at = <const uint8_t*>PyBytes_AS_STRING(text)
    cdef int64_t n = PyBytes_GET_SIZE(text)
    cdef uint64_t slot
    return target_of(s, probe(s, at, n, hash_of(s, at, n), &slot))


cdef int64_t add_term(Store* s, const uint8_t* at, int64_t n) noexcept:
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
    return add_term(&s, <const uint8_t*>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


def add_many(store, list texts not None, Py_ssize_t start, int64_t[::1] out):
    """`add` for ``texts[start:]`` into ``out``; where it stopped for want of room, else the end."""
    cdef Store s
    cdef Py_ssize_t i, size
    cdef const char* at
    cdef int64_t term
    if out.shape[0] < len(texts):
        raise ValueError("an id for each text needs its place")
    open_store(store, &s)
    for i in range(start, len(texts)):
        at = PyUnicode_AsUTF8AndSize(<str?>texts[i], &size)
        term = add_term(&s, <const uint8_t*>at, size)
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
