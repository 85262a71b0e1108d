# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The fact store, compiled: as `rete.kernels.rows.pure_store`, with chains."""

import numpy as np

cimport cython
cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from rete.kernels.rows._block cimport Block, bytes_of, clear, leave, make_room
from rete.kernels.rows._known cimport (
    BITS_OF_A_ROW, FEWEST_ROWS, MOST_BITS, WIDEST, Known, forget_known, place_of, set_bit,
)
from rete.kernels.rows._matrix cimport (
    AHEAD, NEG_INF, POS_INF, VACANT, Columns, Matrix, Out, Time, columns, matrix, new_column,
    new_out, new_rows, prefetch, row_at,
)

VERSION = 30

cdef enum:
    # Positions have 32 bits; they are given anew when there is so little room for more.
    MOST = 0x7FFFFFFF
    SPARE = 1 << 22
    # Of a sweep: so many rows are looked at for each that comes, so many of the oldest are moved,
    # and so many at least.
    PACE = 4
    MOVES = 8
    STEP = 64
    # Rows are moved when one in so many has ended, or is vacant.
    FEW_ENDED = 2
    # One in so many may stay vacant where the others stay in place.
    FEW_VACANT = 32
    # So many of the oldest are passed at least, where they have ended.
    PASSED = 1024
    # So many rows of a chain are gone through to let it know how far one reaches.
    NEAR = 16
    # An index has at least so many heads, and makes so many at once where many rows come.
    SMALLEST = 16
    EXPECTED = 1024
    # So many for each row, where they are made anew as one row in so many is new: more will come.
    WIDE = 4
    MANY = 64

cnp.import_array()


cdef int64_t base_for(Time time) noexcept:
    """From where times like it are counted."""
    if time.lo != NEG_INF:
        return time.lo
    return 0 if time.hi == POS_INF or time.hi == VACANT else time.hi


cdef int32_t size_of(Time time) noexcept:
    """How many cells a time needs in a store of which it is the first."""
    cdef int32_t[BROAD] cells
    if encode(0, 0, time, cells):
        return 0
    return NARROW if encode(base_for(time), NARROW, time, cells) else BROAD


cdef void extend_over(Time* span, Time time) noexcept:
    """Let a span have the ends of a time that are no infinite ones."""
    if time.lo > NEG_INF:
        span.lo, span.hi = min(span.lo, time.lo), max(span.hi, time.lo)
    if NEG_INF <= time.hi < POS_INF:
        span.lo, span.hi = min(span.lo, time.hi), max(span.hi, time.hi)


@cython.final
cdef class FactStore:
    """Rows in the order in which they came, some of which are gone; see the twin."""

    def __cinit__(self, Py_ssize_t width, int64_t first=0):
        self.s.w = width
        self.s.first = self.s.n = first
        self.s.time = self.s.stride = width
        self.row_block.size = max(width, 1) * sizeof(int32_t)
        self.level_block.size = sizeof(int64_t)
        self.page_block.size = sizeof(int32_t)
        self.forgotten = NEG_INF
        self.scratch = <int64_t*>malloc((width + 2) * sizeof(int64_t))
        if self.scratch == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef int64_t i
        cdef Keyed* k
        for i in range(self.s.count):
            k = self.s.keyed[i]
            free(k.key)
            clear(&k.heads)
            clear(&k.reaches)
            free(k)
        free(self.s.keyed)
        clear(&self.row_block)
        clear(&self.level_block)
        clear(&self.page_block)
        free(self.scratch)
        free(self.cuts)
        forget_known(&self.known)

    @property
    def width(self):
        """How many terms a row has."""
        return self.s.w

    @property
    def end(self):
        """The position behind the last row."""
        return self.s.n

    @property
    def first(self):
        """The position of the first row that is not gone."""
        return self.s.first

    @property
    def count(self):
        """How many rows there are, vacant ones included."""
        return self.s.n - self.s.first

    @property
    def nbytes(self):
        """Bytes of the rows and the indexes."""
        cdef const Store* s = &self.s
        cdef const Keyed* k
        cdef int64_t i
        cdef Py_ssize_t total = sizeof(int64_t) * (s.w + 2 + self.cuts_room)
        total += bytes_of(&self.row_block, s.first, s.n) + bytes_of(&self.level_block, s.first, s.n)
        total += bytes_of(&self.page_block, s.first >> PAGE, (s.n >> PAGE) + 1)
        if self.known.bits != NULL:
            total += self.known.count // 8
        for i in range(s.count):
            k = s.keyed[i]
            total += sizeof(Keyed) + sizeof(int64_t) * k.nk + bytes_of(&k.heads, 0, k.size)
            total += bytes_of(&k.reaches, s.first, s.n)
        return total

    # Rows

    cdef int refuse_term(self, int64_t term) except -1:
        raise OverflowError(f"a term is stored in 32 bits, which {term} exceeds")

    cdef int extend(self, int64_t end) except -1:
        """Room for the rows before ``end``, and as many more."""
        cdef Store* s = &self.s
        if end > MOST:
            raise MemoryError(f"a store has at most {MOST:,} rows")
        if end > self.row_block.room:
            make_room(&self.row_block, s.first, s.n, 2 * end - s.first)
            s.cells = <int32_t*>self.row_block.zero
        if s.levels != NULL and end > self.level_block.room:
            make_room(&self.level_block, s.first, s.n, self.row_block.room)
            s.levels = <int64_t*>self.level_block.zero
        return self.note_room()

    cdef int note_room(self) except -1:
        """Which rows there is room for, with that for their pages."""
        cdef Store* s = &self.s
        cdef int64_t page = self.page_block.room if self.page_block.begin != NULL else s.first >> PAGE
        if self.row_block.room >> PAGE >= self.page_block.room:
            make_room(&self.page_block, s.first >> PAGE, page, (self.row_block.room >> PAGE) + 1)
            self.ended = <int32_t*>self.page_block.zero
            while page < self.page_block.room:
                self.ended[page] = 0
                page += 1
        self.room = min(self.row_block.room, MOST)
        if s.levels != NULL:
            self.room = min(self.room, self.level_block.room)
        return 0

    cdef void go_on_to(self, int64_t first) noexcept:
        """The rows before ``first`` are gone."""
        cdef Store* s = &self.s
        cdef int64_t page, i
        for page in range(s.first >> PAGE, first >> PAGE):
            s.ended -= self.ended[page]
        s.first = first
        leave(&self.row_block, first)
        leave(&self.level_block, first)
        leave(&self.page_block, first >> PAGE)
        for i in range(s.count):
            leave(&s.keyed[i].reaches, first)

    cdef void count_ended(self, int64_t r, int64_t more) noexcept:
        """So many more rows of a page have ended, or are vacant; or fewer, as they are gone."""
        more = max(more, -self.ended[r >> PAGE])
        self.ended[r >> PAGE] += <int32_t>more
        self.s.ended += more

    cdef int widen_times(self, Time time) except -1:
        """Let there be room for the times that there are, and for ``time``."""
        cdef Store* s = &self.s
        cdef Time span = Time(POS_INF, NEG_INF), one
        cdef int64_t r, base
        if not s.size:
            return self.lay_out(s.links, NULL, size_of(time), base_for(time))
        extend_over(&span, time)
        for r in range(s.first, s.n):
            one = time_at(s, r)
            if one.lo < one.hi:
                extend_over(&span, one)
        # Times to come are mostly later; were there little room for them, this would be done often.
        base = span.lo + MOST_CELL - 1
        if span.lo <= span.hi < base + MOST_CELL // 2 and NEG_INF <= time.lo and time.hi <= POS_INF:
            return self.lay_out(s.links, NULL, NARROW, base)
        return self.lay_out(s.links, NULL, BROAD, 0)

    cdef int lay_out(self, int64_t links, const int64_t* places, int32_t size, int64_t base) except -1:
        """Let rows have so many links, and cells for their time, from a base on. Levels stay in place.

        At ``places`` stand those that each link had before; NULL: all are as before, but new ones.
        """
        cdef Store* s = &self.s
        cdef Block rows
        cdef int64_t stride = s.w + links + size, r, j
        cdef const int32_t* row
        cdef int32_t* to
        cdef Time time
        memset(&rows, 0, sizeof(Block))
        rows.size = max(stride, 1) * sizeof(int32_t)
        make_room(&rows, s.first, s.first, max(s.n + 1, self.row_block.room))
        to = <int32_t*>rows.zero + s.first * stride
        for r in range(s.first, s.n):
            row = row_of(s, r)
            memcpy(to, row, s.w * sizeof(int32_t))
            for j in range(links):
                if places != NULL:
                    to[s.w + j] = row[s.w + places[j]]
                else:
                    to[s.w + j] = row[s.w + j] if j < s.links else -1
            time = time_in(s, row)
            if time.lo >= time.hi:
                time.lo, time.hi = NEG_INF, VACANT
            encode(base, size, time, to + s.w + links)
            to += stride
        clear(&self.row_block)
        self.row_block = rows
        s.cells = <int32_t*>rows.zero
        s.links, s.time, s.stride, s.size, s.base = links, s.w + links, stride, size, base
        return self.note_room()

    cdef int set_level(self, int64_t r, int64_t level) except -1:
        if self.s.levels == NULL:
            if level == UNKNOWN_LEVEL:
                return 0
            self.keep_levels()
        self.s.levels[r] = level
        return 0

    # Indexes

    def index(self, cols):
        """An index on some columns; see the twin."""
        cdef Index index = Index.__new__(Index)
        index.store = self
        index.cols = cols
        index.keyed = self.add_index(cols)
        return index

    cdef Keyed* add_index(self, object cols) except NULL:
        cdef Columns key = columns(cols)
        cdef Store* s = &self.s
        cdef Keyed** keyed = <Keyed**>realloc(s.keyed, (s.count + 1) * sizeof(Keyed*))
        cdef Keyed* k
        if keyed == NULL:
            raise MemoryError
        s.keyed = keyed
        k = <Keyed*>calloc(1, sizeof(Keyed))
        if k == NULL:
            raise MemoryError
        k.key = <int64_t*>malloc(max(key.n, 1) * sizeof(int64_t))
        if k.key == NULL:
            free(k)
            raise MemoryError
        memcpy(k.key, key.at, key.n * sizeof(int64_t))
        k.nk = key.n
        k.reaches.size = sizeof(int64_t)
        k.n = s.first
        k.link = -1
        keyed[s.count] = k
        s.count += 1
        return k

    cdef int make_heads(self, Keyed* k, int64_t size) except -1:
        """So many heads, of no chain."""
        cdef Block heads
        size = max(size, SMALLEST)
        if size > k.heads.room or 4 * size < k.heads.room:
            memset(&heads, 0, sizeof(Block))
            heads.size = sizeof(int32_t)
            make_room(&heads, 0, 0, size)
            clear(&k.heads)
            k.heads = heads
            k.head = <int32_t*>heads.zero
        memset(k.head, 255, size * sizeof(int32_t))  # all -1
        k.size = size
        k.half = SMALLEST
        while 2 * k.half <= size:
            k.half *= 2
        return 0

    cdef int give_reach(self, Keyed* k) except -1:
        """Room for how far the rows that there is room for reach."""
        cdef int64_t first = self.s.first
        if k.reaches.room < first:  # of an index that nobody asked for long
            clear(&k.reaches)
        make_room(&k.reaches, first, max(min(self.s.n, k.reaches.room), first), self.row_block.room)
        k.reach = <int64_t*>k.reaches.zero
        return 0

    cdef int give_link(self, Keyed* k) except -1:
        """Let rows have a link for an index, which is about to be used."""
        cdef int64_t links = self.s.links
        self.lay_out(links + 1, NULL, self.s.size, self.s.base)
        k.link = self.s.w + links
        return 0

    cdef int enter(self, Keyed* k) except -1:
        cdef const Store* s = &self.s
        cdef int64_t[AHEAD] hashes
        cdef int64_t begin, end, r, count = s.n - s.first, older
        if k.link < 0:
            self.give_link(k)
        if k.head == NULL:
            self.make_heads(k, SMALLEST)
        k.n = max(k.n, s.first)
        if HEADS * count > k.size and MANY * (s.n - k.n) >= count:
            self.make_heads(k, (WIDE if k.n > s.first else HEADS) * count)
            k.n = s.first
        begin = k.n
        while begin < s.n:
            end = min(begin + AHEAD, s.n)
            if k.reach != NULL and end > k.reaches.room:
                self.give_reach(k)
            if k.size < HEADS * (end - s.first):
                self.split(k, HEADS * (end - s.first) - k.size)
            for r in range(begin, end):
                hashes[r - begin] = slot_of(k, stored_hash(s, k, r))
                prefetch(&k.head[hashes[r - begin]])
            if k.reach != NULL:
                for r in range(begin, end):
                    older = k.head[hashes[r - begin]]
                    if older >= s.first:
                        fetch_link(s, k, older)
            for r in range(begin, end):
                if time_at(s, r).hi != VACANT:
                    self.chain(k, r, hashes[r - begin])
            k.n = begin = end
        return 0

    cdef int make_anew(self, Keyed* k, int64_t size, bint reaches) except -1:
        """Index all rows anew, so that no chain has vacant ones."""
        if not reaches:
            self.drop_reach(k)
        elif k.reach == NULL:
            self.give_reach(k)
        k.useless = 0
        self.make_heads(k, size)
        k.n = self.s.first
        self.enter(k)
        return 0

    cdef void drop_reach(self, Keyed* k) noexcept:
        clear(&k.reaches)
        k.reach = NULL
        k.useless = 0

    cdef int split(self, Keyed* k, int64_t more) except -1:
        """Some more heads: each takes over some rows of the chain whose turn it is, in their order."""
        cdef const Store* s = &self.s
        cdef int32_t* head
        cdef int64_t r, i, n
        if k.size + more > k.heads.room:
            make_room(&k.heads, 0, k.size, 2 * k.size + more)
            k.head = <int32_t*>k.heads.zero
        while more:
            n = min(min(more, AHEAD), 2 * k.half - k.size)
            head = &k.head[k.size - k.half]
            for i in range(n):
                if head[i] >= s.first:
                    fetch_row(s, head[i])
            for i in range(n):
                if head[i] >= s.first:
                    r = older_than(s, k, head[i])
                    if r >= s.first:
                        fetch_row(s, r)
            for i in range(n):
                self.split_chain(k)
            more -= n
        return 0

    cdef void split_chain(self, Keyed* k) noexcept:
        """One more head, for which there is room; see `split`."""
        cdef const Store* s = &self.s
        cdef int32_t* link = &k.head[k.size - k.half]
        cdef int32_t* other = &k.head[k.size]
        cdef int64_t r = link[0]
        while r >= s.first:
            if stored_hash(s, k, r) & <uint64_t>k.half:
                other[0] = <int32_t>r
                other = &row_of(s, r)[k.link]
                r = other[0]
            else:
                link[0] = <int32_t>r
                link = &row_of(s, r)[k.link]
                r = link[0]
        link[0] = other[0] = -1
        k.size += 1
        if k.size == 2 * k.half:
            k.half *= 2

    cdef int expect(self, Keyed* k, int64_t new, Py_ssize_t seen, Py_ssize_t m) except -1:
        """Make heads for the rows to come at once, if as many are new as of those that were seen.

        Most of what is derived may be known already: heads for all would be mostly empty.
        """
        cdef int64_t more = max(EXPECTED, (m - seen) * new // seen if seen else 0)
        cdef int64_t there = self.s.n - self.s.first, count = there + min(m - seen, more)
        if HEADS * count > k.size and MANY * (count - there) >= there:
            self.make_anew(k, WIDE * count, k.reach != NULL)
        elif HEADS * (there + AHEAD) > k.size:
            self.split(k, HEADS * (there + AHEAD) - k.size)
        return 0

    cdef bint raise_reach(self, Keyed* k, int64_t r, int64_t hi, int64_t most) noexcept:
        """The rows of a chain before row ``r`` lead to ``hi``, too; False: it is too far back."""
        cdef const Store* s = &self.s
        cdef int64_t at = k.head[slot_of(k, stored_hash(s, k, r))], steps = 0
        while at > r and steps < most:
            at = older_than(s, k, at)
            steps += 1
        if at != r:
            return False
        at = k.head[slot_of(k, stored_hash(s, k, r))]
        while at > r:
            k.reach[at] = max(k.reach[at], hi)
            at = older_than(s, k, at)
        return True

    cdef int follow_growth(self, Keyed* identity, int64_t r, int64_t hi) except -1:
        """Row ``r`` ends at ``hi`` now, later than before."""
        cdef Keyed* k
        cdef int64_t i
        for i in range(self.s.count):
            k = self.s.keyed[i]
            if k.reach != NULL and r < k.n and not self.raise_reach(
                    k, r, hi, POS_INF if k == identity else NEAR):
                self.drop_reach(k)
        return 0

    # Repeated rows

    cdef bint knows(self) noexcept:
        """Whether all rows have bits, if they may; see `rete/kernels/rows/_known.pxd`."""
        cdef const Store* s = &self.s
        cdef Known* known = &self.known
        cdef int64_t place
        if known.bits == NULL:
            return False
        if s.size or s.first != known.first or known.n < 0:
            forget_known(known)
            return False
        while known.n < s.n:
            place = place_of(known, row_of(s, known.n), s.w)
            if place >= 0:
                set_bit(known, place)
            known.n += 1
        return True

    cdef int look_for_repeats(self) except -1:
        """Have bits, if there are few for each row; it is asked as rows repeat those that are there."""
        cdef const Store* s = &self.s
        cdef Known* known = &self.known
        cdef int64_t[WIDEST] least, most
        cdef const int32_t* row
        cdef int64_t r, count = 1, rows = s.n - s.first
        cdef Py_ssize_t c
        if s.size or s.w > WIDEST or rows < FEWEST_ROWS or rows < 2 * known.looked:
            return 0
        for c in range(s.w):
            least[c] = most[c] = row_of(s, s.first)[c]
        for r in range(s.first, s.n):
            row = row_of(s, r)
            for c in range(s.w):
                least[c], most[c] = min(least[c], row[c]), max(most[c], row[c])
        forget_known(known)
        known.looked = rows
        for c in range(s.w):
            known.least[c], known.span[c] = least[c], most[c] - least[c] + 1
            if known.span[c] > MOST_BITS // count:
                return 0
            count *= known.span[c]
        if count > BITS_OF_A_ROW * rows:
            return 0
        known.bits = <uint64_t*>calloc((count >> 6) + 1, sizeof(uint64_t))  # NULL: it does without
        known.count = count
        known.first = known.n = s.first
        return 0

    # What is kept

    cpdef int sweep(self, Py_ssize_t more, int64_t last, object keep_ended) except -1:
        """Before rows come: free what ended, move what is left of the oldest; see the twin."""
        cdef Store* s = &self.s
        if s.n > MOST - SPARE - (1 + MOVES) * more:
            self.make_up(None)
        if s.n == s.first:
            return 0
        if keep_ended is None:
            self.pass_ended(MOVES * more + PASSED, last)
        self.vacate_cuts(PACE * more + STEP, last, keep_ended)
        if last > NEG_INF:
            self.credit += PACE * more if keep_ended is None else more  # what stays comes again
            if self.credit >= 1 << PAGE or self.credit >= s.n - s.first:
                self.survey(last)
        if FEW_ENDED * s.ended > s.n - s.first + STEP:
            self.drop(min(s.first + max(STEP, MOVES * more), s.n), last, keep_ended)
        return 0

    cdef int make_room_for_cuts(self) except -1:
        """Room for one more row that was cut short."""
        cdef int64_t count = self.cuts_end - self.cuts_begin, room = max(STEP, 2 * count)
        cdef int64_t* cuts
        if self.cuts_begin > count:
            memcpy(self.cuts, self.cuts + self.cuts_begin, count * sizeof(int64_t))
        else:
            cuts = <int64_t*>malloc(room * sizeof(int64_t))
            if cuts == NULL:
                raise MemoryError
            memcpy(cuts, self.cuts + self.cuts_begin, count * sizeof(int64_t))
            free(self.cuts)
            self.cuts, self.cuts_room = cuts, room
        self.cuts_begin, self.cuts_end = 0, count
        return 0

    cdef int vacate_cuts(self, int64_t most, int64_t last, object keep_ended) except -1:
        """Make rows vacant that were cut short and have ended; so many are looked at."""
        cdef int64_t n = min(most, self.cuts_end - self.cuts_begin), i, j, r
        cdef Time time
        cdef const uint8_t[::1] kept
        if not n:
            return 0
        found = new_column(n)
        cdef int64_t* rows = <int64_t*>columns(found).at
        cdef Py_ssize_t count = 0
        for i in range(n):
            if i % AHEAD == 0:
                for j in range(self.cuts_begin, self.cuts_begin + min(AHEAD, n - i)):
                    if self.cuts[j] >= self.s.first:
                        fetch_row(&self.s, self.cuts[j])
            r = self.cuts[self.cuts_begin]
            self.cuts_begin += 1
            if r < self.s.first:
                continue
            time = time_at(&self.s, r)
            if time.hi <= last and time.hi > time.lo:
                rows[count] = r
                count += 1
                if keep_ended is None:
                    self.forgotten = max(self.forgotten, time.hi)
                    self.vacate(r)
            elif time.hi > last and time.hi < POS_INF:
                self.cut(r, time.lo, time.hi)  # later
        if not count or keep_ended is None:
            return 0
        kept = keep_ended(self.at(found[:count])).view(np.uint8)
        for i in range(count):
            if not kept[i]:
                time = time_at(&self.s, rows[i])
                self.forgotten = max(self.forgotten, time.hi)
                self.vacate(rows[i])
        return 0

    cdef void pass_ended(self, int64_t most, int64_t last) noexcept:
        """Let the oldest rows be gone that have ended, or are vacant; so many are looked at."""
        cdef const Store* s = &self.s
        cdef int64_t r = s.first, end = min(r + most, s.n), counted
        cdef Time time
        while r < end:
            time = time_at(s, r)
            if time.hi > last and time.hi > time.lo:
                break
            self.forgotten = max(self.forgotten, time.hi)
            self.count_ended(r, -1)
            r += 1
        if r > s.first:
            self.go_on_to(r)

    cdef int drop(self, int64_t stop, int64_t last, object keep_ended) except -1:
        """Of the rows before ``stop`` those that stay come again behind all others."""
        cdef Store* s = &self.s
        cdef int64_t r, i, level, begin, end, gone, other
        cdef Keyed* k
        cdef const uint8_t[::1] kept
        while s.first < stop:
            end = min(((s.first >> PAGE) + 1) << PAGE, stop)
            lasting = self.lasting(s.first, end, last, keep_ended)
            kept = lasting
            begin = gone = s.first
            try:
                for r in range(begin, end):
                    if (r - begin) % AHEAD == 0:
                        for other in range(r, min(r + AHEAD, end)):
                            self.fetch_heads(other)
                    if kept[r - begin]:
                        self.read(r, self.scratch)
                        level = level_at(s, r)
                        self.push(self.scratch)
                        gone = r + 1
                        self.set_level(s.n - 1, level)
                        for i in range(s.count):
                            k = s.keyed[i]
                            if k.head != NULL and k.n == s.n - 1:
                                self.chain_new(k, stored_hash(s, k, s.n - 1))
                    gone = r + 1
            finally:  # without memory for all of them, none is there twice
                self.count_ended(begin, -np.count_nonzero(lasting[: gone - begin] == 0))
                self.go_on_to(gone)
        for i in range(s.count):
            k = s.keyed[i]
            if k.size > 8 * HEADS * max(s.n - s.first, SMALLEST):
                if k.n == s.n:
                    self.make_anew(k, HEADS * (s.n - s.first), k.reach != NULL)
                else:
                    self.make_heads(k, SMALLEST)
                    k.n = s.first
        return 0

    cdef void fetch_heads(self, int64_t r) noexcept:
        """Fetch the heads of the chains that a row is in."""
        cdef const Keyed* k
        cdef int64_t i
        for i in range(self.s.count):
            k = self.s.keyed[i]
            if k.head != NULL and k.n == self.s.n:
                prefetch(&k.head[slot_of(k, stored_hash(&self.s, k, r))])

    cdef object lasting(self, int64_t begin, int64_t end, int64_t last, object keep_ended):
        """Which of the rows from ``begin`` to ``end`` may not be dropped; the others are next."""
        cdef const Store* s = &self.s
        cdef int64_t r, latest = self.forgotten
        cdef Time time
        kept = np.empty(max(end - begin, 0), np.uint8)
        cdef uint8_t[::1] keeps = kept
        ended = []
        for r in range(begin, end):
            time = time_at(s, r)
            keeps[r - begin] = time.hi > last and time.hi > time.lo
            if time.hi <= last and time.hi > time.lo and keep_ended is not None:
                ended.append(r)
        if ended:
            places = np.array(ended, np.int64)
            kept[places - begin] = keep_ended(self.at(places))
        for r in range(begin, end):
            if not keeps[r - begin]:
                latest = max(latest, time_at(s, r).hi)
        self.forgotten = latest
        return kept

    cdef int survey(self, int64_t last) except -1:
        """Count what has ended of the pages whose turn it is."""
        cdef Store* s = &self.s
        cdef int64_t page, r, begin, end, tail = (s.n - 1) >> PAGE
        cdef int64_t left = tail - (s.first >> PAGE) + 1, ended
        cdef Time time
        if not s.size:
            self.credit = 0
            return 0
        while left:
            page = self.scanned if s.first >> PAGE <= self.scanned <= tail else s.first >> PAGE
            begin, end = max(page << PAGE, s.first), min((page + 1) << PAGE, s.n)
            if self.credit < end - begin:
                return 0
            self.credit -= end - begin
            self.scanned = page + 1
            left -= 1
            ended = 0
            for r in range(begin, end):
                time = time_at(s, r)
                ended += time.hi <= last or time.hi <= time.lo
            self.count_ended(begin, ended - self.ended[page])
        self.credit = 0
        return 0

    cdef int make_up(self, object alive) except -1:
        """Store the living rows, those that ``alive`` marks, from position 0 on; indexes are empty."""
        cdef Store* s = &self.s
        cdef Store old = self.s
        cdef Block rows = self.row_block, levels = self.level_block, pages = self.page_block
        cdef int64_t r, i, came = self.came
        cdef const uint8_t[::1] lives
        cdef Time time
        if alive is not None:
            lives = alive
        for i in range(s.count):
            self.drop_reach(s.keyed[i])
            s.keyed[i].searches = s.keyed[i].n = 0
            clear(&s.keyed[i].heads)
            s.keyed[i].head = NULL
            s.keyed[i].size = 0
        forget_known(&self.known)
        memset(&self.page_block, 0, sizeof(Block))
        self.page_block.size = sizeof(int32_t)
        memset(&self.row_block, 0, sizeof(Block))
        memset(&self.level_block, 0, sizeof(Block))
        self.row_block.size, self.level_block.size = max(s.w + s.links, 1) * sizeof(int32_t), sizeof(int64_t)
        s.cells = NULL
        s.levels = NULL
        s.time = s.stride = s.w + s.links
        s.first = s.n = s.ended = s.size = self.room = 0
        self.credit = self.scanned = self.cuts_begin = self.cuts_end = 0
        try:
            for r in range(old.first, old.n):
                time = time_at(&old, r)
                if time.lo < time.hi and (alive is None or lives[r - old.first]):
                    for i in range(s.w):
                        self.scratch[i] = row_of(&old, r)[i]
                    self.scratch[s.w], self.scratch[s.w + 1] = time.lo, time.hi
                    self.push(self.scratch)
                    self.set_level(s.n - 1, level_at(&old, r))
        except MemoryError:  # all is as it was, but that indexes are to be made again
            rows, self.row_block = self.row_block, rows
            levels, self.level_block = self.level_block, levels
            pages, self.page_block = self.page_block, pages
            s[0] = old
            self.ended = <int32_t*>self.page_block.zero
            self.note_room()
            for i in range(s.count):
                s.keyed[i].n = s.first
            raise
        finally:
            clear(&rows)
            clear(&levels)
            clear(&pages)
            self.came = came
        return 0

    def expire(self, int64_t last, keep_ended):
        """Drop what ended and what is vacant, and give back room; see the twin.

        Where these are mostly the oldest rows, the others stay where they are.
        """
        cdef const Store* s = &self.s
        lasting = self.lasting(s.first, s.n, last, keep_ended)
        cdef int64_t left = np.count_nonzero(lasting), count = s.n - s.first, oldest
        if left == count:
            return
        oldest = lasting.argmax() if left else count
        if 2 * left < count or FEW_VACANT * (count - oldest - left) > left:
            self.make_up(lasting)
        else:
            self.let_go(oldest, lasting)

    cdef int let_go(self, int64_t oldest, object lasting) except -1:
        """So many of the oldest rows are gone; those of the others that do not last become vacant."""
        cdef const Store* s = &self.s
        cdef const uint8_t[::1] stays = lasting
        cdef int64_t begin = s.first, r
        cdef Time time
        for r in range(begin, begin + oldest):
            self.count_ended(r, -1)
        for r in range(begin + oldest, s.n):
            time = time_at(s, r)
            if not stays[r - begin] and time.lo < time.hi:
                self.vacate(r)
        self.go_on_to(begin + oldest)
        return 0

    def keep(self, alive):
        """Keep the rows that ``alive`` marks, by position from `first` on; see the twin."""
        alive = np.ascontiguousarray(alive).view(np.uint8)
        if not alive.all():
            self.make_up(alive)

    def unindex(self, Index but not None):
        """Empty all indexes but one."""
        cdef int64_t i, place = but.keyed.link - self.s.w
        cdef Keyed* k
        for i in range(self.s.count):
            k = self.s.keyed[i]
            if k != but.keyed:
                self.drop_reach(k)
                k.n = self.s.first
                k.link = -1
                clear(&k.heads)
                k.head = NULL
                k.size = 0
        self.lay_out(place >= 0, &place, self.s.size, self.s.base)
        but.keyed.link = self.s.w if place >= 0 else -1

    def fill(self, given, levels=None):
        """Put rows behind all others, as they are; see the twin."""
        cdef Matrix rows = matrix(given)
        cdef Py_ssize_t i
        cdef const int64_t* known = NULL if levels is None else columns(levels).at
        if rows.w != self.s.w + 2:
            raise ValueError(f"rows of {rows.w} columns, not of {self.s.w + 2}")
        for i in range(rows.n):
            self.push(row_at(rows, i))
            if known != NULL:
                self.set_level(self.s.n - 1, known[i])

    # What is read, and set

    def at(self, positions):
        """The rows at some positions; a row that never holds where that is -1."""
        cdef Columns places = columns(positions)
        found = new_rows(places.n, self.s.w + 2)
        cdef Matrix out = matrix(found)
        cdef Py_ssize_t i, c
        for i in range(places.n):
            if self.s.first <= places.at[i] < self.s.n:
                self.read(places.at[i], row_at(out, i))
            else:
                for c in range(self.s.w + 1):
                    row_at(out, i)[c] = 0
                row_at(out, i)[self.s.w + 1] = VACANT
        return found

    def rows(self, int64_t begin, int64_t end, int64_t step=1, *, bint living=False):
        """Rows from one position to another, one in ``step``; see the twin."""
        cdef int64_t r = max(begin, self.s.first), stop = min(end, self.s.n)
        cdef Out out = new_out(max((stop - r + step - 1) // step, 0), self.s.w + 2)
        cdef Time time
        while r < stop:
            time = time_at(&self.s, r)
            if not living or time.lo < time.hi:
                self.read(r, out.push())
            r += step
        return out.done()

    def mentioning(self, const uint8_t[::1] marks not None):
        """The positions of living rows with a term that is marked; see the twin."""
        cdef const Store* s = &self.s
        cdef Out out = new_out(STEP, 1)
        cdef const int32_t* row
        cdef int64_t r
        cdef Py_ssize_t c
        cdef Time time
        for r in range(s.first, s.n):
            row = row_of(s, r)
            for c in range(s.w):
                if 0 <= row[c] < marks.shape[0] and marks[row[c]]:
                    time = time_at(s, r)
                    if time.lo < time.hi:
                        out.push()[0] = r
                    break
        return out.done()[:, 0].copy()

    @property
    def is_empty(self):
        """Whether no row lives."""
        cdef int64_t r
        cdef Time time
        for r in range(self.s.first, self.s.n):
            time = time_at(&self.s, r)
            if time.lo < time.hi:
                return False
        return True

    def has(self, Py_ssize_t place, int64_t term):
        """Whether a row, which may have ended, has a term at a place."""
        cdef int64_t r
        for r in range(self.s.first, self.s.n):
            if row_of(&self.s, r)[place] == term:
                return True
        return False

    def set_ends(self, positions, ends):
        """Let rows end earlier."""
        cdef Columns places = columns(positions), cells = columns(ends)
        cdef Py_ssize_t i
        cdef Time time
        for i in range(places.n):
            time = time_at(&self.s, places.at[i])
            if cells.at[i] > time.lo:
                self.cut(places.at[i], time.lo, cells.at[i])
                continue
            if time.lo < time.hi:
                self.vacate(places.at[i])

    def set_levels(self, positions, int64_t level):
        """Give rows a level."""
        cdef Columns places = columns(positions)
        cdef Py_ssize_t i
        for i in range(places.n):
            self.set_level(places.at[i], level)

    def levels_at(self, positions):
        """The levels of rows."""
        cdef Columns places = columns(positions)
        found = new_column(places.n)
        cdef int64_t* out = <int64_t*>columns(found).at
        cdef Py_ssize_t i
        for i in range(places.n):
            out[i] = level_at(&self.s, places.at[i])
        return found

    def living_levels(self):
        """The levels of the living rows."""
        cdef Out out = new_out(self.s.n - self.s.first, 1)
        cdef int64_t r
        cdef Time time
        for r in range(self.s.first, self.s.n):
            time = time_at(&self.s, r)
            if time.lo < time.hi:
                out.push()[0] = level_at(&self.s, r)
        return out.done()[:, 0].copy()

    def unknown_levels(self):
        """How many rows have no level."""
        cdef int64_t r, count = 0
        for r in range(self.s.first, self.s.n):
            count += level_at(&self.s, r) == UNKNOWN_LEVEL
        return count

    cpdef int keep_levels(self) except -1:
        """Have a level for each row, which is unknown where none was set."""
        cdef Store* s = &self.s
        cdef int64_t r
        if s.levels != NULL:
            return 0
        make_room(&self.level_block, s.first, s.first, self.row_block.room)
        s.levels = <int64_t*>self.level_block.zero
        for r in range(s.first, s.n):
            s.levels[r] = UNKNOWN_LEVEL
        return self.note_room()

    def forget_levels(self):
        """All levels are unknown."""
        clear(&self.level_block)
        self.s.levels = NULL
        self.note_room()


@cython.final
cdef class Index:
    """An index of a store; see the twin."""

    def ready(self):
        """Enter the rows that it lacks."""
        self.store.catch_up(self.keyed)

    @property
    def n(self):
        """The position behind the last row that it has."""
        return self.keyed.n

    @property
    def reaches(self):
        """Whether chains are left where all that is older has ended."""
        return self.keyed.reach != NULL

    def chains(self):
        """Its chains of one row and more, as lists of positions."""
        cdef const Store* s = &self.store.s
        cdef int64_t i, r
        found = []
        for i in range(self.keyed.size):
            chain = []
            r = self.keyed.head[i]
            while r >= s.first:
                chain.append(r)
                r = older_than(s, self.keyed, r)
            if chain:
                found.append(chain)
        return found
