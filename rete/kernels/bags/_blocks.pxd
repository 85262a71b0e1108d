# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Members in order, in blocks: a B+ tree that counts [Comer79], so that a place is found, too.

A block has members, or the blocks below it, each with the last member that is in it and with how
many are. One that few are left in is united with a neighbour. The code is compiled into each kernel
that cimports it.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove

from rete.kernels.rows._matrix cimport prefetch

cdef enum:
    MOST = 64     # members, or blocks below, of a block
    FEW = 16      # of one with fewer it is asked whether it goes together with a neighbour
    LEAST_ROOM = 4
    LINE = 64     # bytes that are fetched at once
    FETCHED = 6   # such lines of the uppermost block
    KIND = 56     # so many bits below its kind a member has the id of what orders it


cdef struct Entry:
    double number      # of what orders it, within its kind
    int64_t first      # the id of that, and above `KIND` its kind, twice, and 1 of NaN
    int64_t value      # the id of the member


cdef struct Block:
    int32_t n, room
    int32_t level      # how many blocks are below each other there: of those with members 0
    int32_t unused


cdef struct Branch:
    Block* block
    int64_t size       # members in it


cdef inline Entry* entries(const Block* x) noexcept nogil:
    """The members, or the last one of each block below."""
    return <Entry*>(x + 1)


cdef inline Branch* branches(const Block* x) noexcept nogil:
    """The blocks below."""
    return <Branch*>(entries(x) + MOST)


cdef inline Block* with_room(Block* old, Py_ssize_t room, int32_t level) except NULL:
    """A new block, or an old one of another size."""
    cdef size_t size = sizeof(Block) + room * sizeof(Entry)
    cdef Block* x = <Block*>realloc(old, size + room * sizeof(Branch) if level else size)
    if x == NULL:
        raise MemoryError
    if old == NULL:
        x.n, x.level = 0, level
    x.room = <int32_t>room
    return x


cdef inline void shift(Block* source, Py_ssize_t begin, Block* to, Py_ssize_t at) noexcept nogil:
    """Let all from a place on stand at another one, of the same block or another."""
    cdef Py_ssize_t n = source.n - begin
    memmove(entries(to) + at, entries(source) + begin, n * sizeof(Entry))
    if source.level:
        memmove(branches(to) + at, branches(source) + begin, n * sizeof(Branch))


cdef inline void remove_at(Block* x, Py_ssize_t i) noexcept nogil:
    shift(x, i + 1, x, i)
    x.n -= 1


cdef inline Block* insert_at(
    Block** at, Py_ssize_t i, const Entry* entry, const Branch* branch
) except? NULL:
    """Insert a member, or a block below; what did not find room is in the block that is given.

    The first block may be at another address afterwards.
    """
    cdef Block* x = at[0]
    cdef Block* more = NULL
    cdef Py_ssize_t kept
    if x.n == x.room and x.room < MOST:
        x = at[0] = with_room(x, 2 * x.room, x.level)
    elif x.n == x.room:
        more = with_room(NULL, MOST, x.level)
        kept = x.n if i == x.n else x.n // 2   # what comes in its order fills blocks
        shift(x, kept, more, 0)
        more.n = <int32_t>(x.n - kept)
        x.n = <int32_t>kept
        if i > kept or kept == MOST:
            x = more
            i -= kept
    shift(x, i, x, i + 1)
    entries(x)[i] = entry[0]
    if branch != NULL:
        branches(x)[i] = branch[0]
    x.n += 1
    return more


cdef inline int64_t size_of(const Block* x) noexcept nogil:
    """How many members are in it."""
    cdef int64_t size = 0
    cdef Py_ssize_t i
    if x.level == 0:
        return x.n
    for i in range(x.n):
        size += branches(x)[i].size
    return size


cdef inline void unite(Block* parent, Py_ssize_t i) noexcept nogil:
    """Let the block at a place go together with a neighbour if it fills no more than a half."""
    cdef Block* x
    cdef Block* other
    if i + 1 == parent.n:
        i -= 1
    if i < 0:
        return
    x, other = branches(parent)[i].block, branches(parent)[i + 1].block
    if 2 * (x.n + other.n) > MOST:
        return
    shift(other, 0, x, x.n)
    x.n += other.n
    branches(parent)[i].size += branches(parent)[i + 1].size
    entries(parent)[i] = entries(parent)[i + 1]
    free(other)
    remove_at(parent, i + 1)


cdef inline Entry* at_place(const Block* x, int64_t size, int64_t place) noexcept nogil:
    """The member of a place, of which there are as many as members: ``size``."""
    cdef const Branch* branch
    while x.level:
        if 2 * place < size:
            branch = branches(x)
            while place >= branch.size:
                place -= branch.size
                branch += 1
        else:   # from behind
            branch = branches(x) + x.n - 1
            place -= size - branch.size
            while place < 0:
                branch -= 1
                place += branch.size
        x, size = branch.block, branch.size
    return &entries(x)[place]


cdef inline void fetch_upper(const Block* x) noexcept nogil:
    """Let the memory of the upper end of blocks be fetched, before it is looked at."""
    cdef Py_ssize_t i
    if x != NULL:
        for i in range(FETCHED):
            prefetch(<const char*>x + i * LINE)
            prefetch(<const char*>branches(x) + i * LINE)


cdef inline void fetch_lower(const Block* x, double number) noexcept nogil:
    """That of the block at the lower end that has a number, where it is looked through by halves."""
    cdef Py_ssize_t low, high, middle
    cdef const Branch* branch
    while x != NULL and x.level:
        low, high = 0, x.n - 1
        while low < high:
            middle = (low + high) // 2
            if entries(x)[middle].number < number:
                low = middle + 1
            else:
                high = middle
        branch = &branches(x)[low]
        if x.level == 1:
            for low in range(1 + branch.size * <Py_ssize_t>sizeof(Entry) // LINE):
                prefetch(<const char*>branch.block + low * LINE)
        x = branch.block if x.level > 1 else NULL


cdef inline void free_all(Block* x) noexcept:
    cdef Py_ssize_t i
    if x == NULL:
        return
    if x.level:
        for i in range(x.n):
            free_all(branches(x)[i].block)
    free(x)
