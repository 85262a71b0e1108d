# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Memory for numbered items: new ones come behind all others, and the oldest leave.

Item ``i`` is at ``zero + i * size``, whichever have left. Where the system can, a large block consists
of pages of its own: it grows without a copy, and pages whose items have left go back.
"""

from libc.stdint cimport int64_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    #define R4_HAS_PAGES 1
    static void* r4_map(size_t bytes) {
        void* made = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return made == MAP_FAILED ? NULL : made;
    }
    static void* r4_remap(void* old, size_t before, size_t bytes) {
        void* made = mremap(old, before, bytes, MREMAP_MAYMOVE);
        return made == MAP_FAILED ? NULL : made;
    }
    static void r4_unmap(void* old, size_t bytes) { munmap(old, bytes); }
    static void r4_empty(void* old, size_t bytes) { madvise(old, bytes, MADV_DONTNEED); }
    #else
    #define R4_HAS_PAGES 0
    static void* r4_map(size_t bytes) { return NULL; }
    static void* r4_remap(void* old, size_t before, size_t bytes) { return NULL; }
    static void r4_unmap(void* old, size_t bytes) {}
    static void r4_empty(void* old, size_t bytes) {}
    #endif
    """
    const bint HAS_PAGES "R4_HAS_PAGES"
    void* r4_map(size_t bytes) noexcept nogil
    void* r4_remap(void* old, size_t before, size_t bytes) noexcept nogil
    void r4_unmap(void* old, size_t bytes) noexcept nogil
    void r4_empty(void* old, size_t bytes) noexcept nogil


cdef enum:
    LINE = 64  # bytes of a line of the cache, with which a block begins
    FEWEST = 16  # items that a block has room for
    PAGES = 1 << 17  # a block of so many bytes consists of pages of its own
    PIECE = 1 << 16  # what goes back begins and ends at a multiple: no system has larger pages


cdef struct Block:
    char* zero  # where item 0 would be
    int64_t size  # bytes of an item
    int64_t room  # the items before this one have memory
    char* begin  # the memory; NULL: none
    int64_t bytes
    bint mapped  # whether it consists of pages
    char* kept  # what is before it went back


cdef inline int64_t round_up(int64_t bytes) noexcept nogil:
    return (bytes + PIECE - 1) & ~<int64_t>(PIECE - 1)


cdef inline char* piece_of(const Block* b, int64_t item) noexcept nogil:
    """Where the last whole piece before an item ends."""
    cdef char* at = <char*>(<uintptr_t>(b.zero + item * b.size) & ~<uintptr_t>(PIECE - 1))
    return at if at > b.begin else b.begin


cdef inline void clear(Block* b) noexcept nogil:
    """Give all memory back."""
    if b.mapped:
        r4_unmap(b.begin, b.bytes)
    else:
        free(b.begin)
    b.begin = b.zero = b.kept = NULL
    b.bytes = b.room = 0
    b.mapped = False


cdef inline int make_room(Block* b, int64_t first, int64_t n, int64_t end) except -1:
    """Room for the items before ``end``; there are those from ``first`` to ``n``."""
    cdef int64_t wanted = max(end - first, FEWEST) * b.size, bytes
    cdef bint mapped = HAS_PAGES and wanted >= PAGES
    cdef char* old = piece_of(b, first)
    cdef char* begin
    cdef char* at
    if mapped and b.mapped and old < b.begin + b.bytes:
        bytes = round_up(wanted + PIECE)
        begin = <char*>r4_remap(old, b.bytes - (old - b.begin), bytes)
        if begin == NULL:
            raise MemoryError
        if old > b.begin:
            r4_unmap(b.begin, old - b.begin)
        b.zero += begin - old
    else:
        bytes = round_up(wanted) if mapped else wanted + LINE
        begin = <char*>(r4_map(bytes) if mapped else malloc(bytes))
        if begin == NULL:
            raise MemoryError
        at = <char*>((<uintptr_t>begin + LINE - 1) & ~<uintptr_t>(LINE - 1))
        if n > first:
            memcpy(at, b.zero + first * b.size, (n - first) * b.size)
        clear(b)
        b.zero = at - first * b.size
    b.begin = b.kept = begin
    b.bytes, b.mapped = bytes, mapped
    b.room = (begin + bytes - b.zero) // b.size
    return 0


cdef inline void leave(Block* b, int64_t first) noexcept nogil:
    """The items before ``first`` have left."""
    cdef char* at
    if b.mapped:
        at = piece_of(b, first if first < b.room else b.room)
        if at - b.kept >= 4 * PIECE:
            r4_empty(b.kept, at - b.kept)
            b.kept = at


cdef inline int64_t bytes_of(const Block* b, int64_t first, int64_t n) noexcept nogil:
    """The memory that the items from ``first`` to ``n`` take."""
    return (n - first) * b.size if b.mapped else b.bytes
