# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bags of groups, compiled: as `rete.kernels.bags.pure_values`; counts, sums and means.

Sums are exact. Decimals of up to 18 digits are whole numbers of a power of ten in 64 bits, doubles
whole numbers of 2^-1074 in as many limbs as they need. All other members are in a bag of
`rete.aggregates.bags`, to which the rest is added where there are any.
"""

import numpy as np

cimport cython
cimport numpy as cnp
from libc.math cimport frexp, isfinite, isnan, ldexp
from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memmove, memset

from rete.kernels.bags._numbers cimport decimal_text, double_text, integer_text, power, quotient_text
from rete.kernels.rows._matrix cimport Matrix, matrix, row_at

VERSION = 30

cnp.import_array()

cdef enum:
    GROUP = 1
    WIDTH = 5
    FEWEST = 64
    AHEAD = 8      # so many changes before it memory is fetched
    INTEGER = 0
    DECIMAL = 1
    FLOAT = 2
    DOUBLE = 3
    # Digits of a decimal that is a whole number of 64 bits, at most so many behind the point.
    MOST_DIGITS = 18
    # Bits of a limb, and how far 2^-1074 is below 1.
    BITS = 32
    UNIT = 1074
    # After so many additions limbs have to carry.
    MOST_ADDED = 1 << 28

cdef int64_t MOST_EXACT = <int64_t>1 << 61
cdef int64_t MOST_DIVISOR = <int64_t>1 << 31
cdef int64_t MASK = 0xFFFFFFFF
cdef const char* XSD = b'"^^<http://www.w3.org/2001/XMLSchema#'
cdef int64_t XSD_SIZE = 37
cdef int64_t NAME_SIZE = 8   # of "integer>" and "decimal>"


cdef class Bags:
    """The bags of all groups; a subclass says what is in one."""

    def __init__(self, members, terms):
        self.members, self.terms = members, terms

    def apply(self, given):
        """Let members come and go; see the pure twin."""
        cdef Matrix rows = matrix(given)
        cdef const int64_t* row
        cdef const int64_t* following
        cdef Py_ssize_t i, n = 0, none = 0
        cdef int64_t last = 0
        cdef list texts = []
        if rows.w != WIDTH:
            raise ValueError("a change has five columns")
        all_groups, all_cells, all_values, without = np.empty((4, rows.n), np.int64)
        cdef int64_t[::1] groups = all_groups, cells = all_cells, values = all_values
        cdef int64_t[::1] outside = without
        self.open_terms()
        try:
            self.look_at(rows)
            for i in range(rows.n):
                # Memory is fetched while others change: first that of groups, then of their members.
                if i + 2 * AHEAD < rows.n:
                    row = row_at(rows, i + 2 * AHEAD)
                    if row[GROUP] != row_at(rows, i + 2 * AHEAD - 1)[GROUP]:
                        self.fetch(row[GROUP])
                if i + AHEAD < rows.n:
                    row = row_at(rows, i + AHEAD)
                    self.fetch_member(row[GROUP], row[2], row[3])
                row = row_at(rows, i)
                self.change(row[GROUP], row[2], row[3], row[4])
                if row[4] > 0:
                    last = row[2]
                if i + 1 < rows.n:
                    following = row_at(rows, i + 1)
                    if following[0] == row[0] and following[GROUP] == row[GROUP]:
                        continue
                groups[n], cells[n] = row[GROUP], row[0]
                values[n] = self.value(row[GROUP], texts)
                if values[n] == 0 and self.is_outside(row[GROUP]):
                    outside[none] = last
                    none += 1
                last = 0
                n += 1
        finally:
            self.close_terms()
        return all_groups[:n], all_cells[:n], all_values[:n], texts, without[:none]

    cdef int open_terms(self) except -1:
        """Read terms, until they are closed; between, none may be encoded."""
        store = self.terms.texts
        store.measurable()
        self.numbers, self.classes = store.values, store.classes
        self.arena, self.entries = store.arena, store.entries
        return 0

    cdef int close_terms(self) except -1:
        self.numbers = self.classes = self.arena = self.entries = None
        return 0

    cdef int look_at(self, Matrix rows) except -1:
        """Let the dictionary see what the terms are as numbers, where it has not."""
        cdef Py_ssize_t i
        cdef const int64_t* row
        cdef list new = []
        for i in range(rows.n):
            row = row_at(rows, i)
            if not (0 < row[2] < self.classes.shape[0] and 0 <= row[3] < self.classes.shape[0]
                    and row[GROUP] >= 0):
                raise IndexError(f"{row[GROUP]}, {row[2]}, {row[3]} are no ids")
            if self.classes[row[2]] < 0:
                new.append(row[2])
            if self.classes[row[3]] < 0:
                new.append(row[3])
        if new:
            self.terms.numeric(np.array(new, np.int64))
        return 0

    cdef int read(self, Bags other) except -1:
        """Read the terms that another has open."""
        self.numbers, self.classes = other.numbers, other.classes
        self.arena, self.entries = other.arena, other.entries
        return 0

    cdef int change(self, Py_ssize_t group, int64_t value, int64_t order, int64_t sign) except -1:
        """Let a member come, or go."""
        raise NotImplementedError

    cdef void fetch(self, Py_ssize_t group) noexcept:
        """Let the memory of a group be fetched, which is about to change."""

    cdef void fetch_member(self, Py_ssize_t group, int64_t value, int64_t order) noexcept:
        """Let that be fetched where a member is about to come, or to go."""

    cdef int64_t value(self, Py_ssize_t group, list texts) except -2:
        """The id of the value of a group, `TEXT` with its text behind the others, 0: none."""
        raise NotImplementedError

    cdef bint is_outside(self, Py_ssize_t group) except -1:
        """Whether a group without value has members of which one is outside the domain."""
        return self.size(group) > 0

    cpdef clear(self, Py_ssize_t group):
        """The group has no members any more."""
        raise NotImplementedError

    cpdef int64_t size(self, Py_ssize_t group):
        """How many members the group has."""
        raise NotImplementedError


@cython.final
cdef class Others(Bags):
    """The bag of each group, as one of `rete.aggregates.bags`."""
    cdef object make
    cdef dict bags, sizes

    def __init__(self, members, terms, make):
        Bags.__init__(self, members, terms)
        self.make, self.bags, self.sizes = make, {}, {}

    cdef int change(self, Py_ssize_t group, int64_t value, int64_t order, int64_t sign) except -1:
        cdef int64_t n = self.sizes.get(group, 0) + sign
        if n == 0:
            self.clear(group)
            return 0
        bag = self.bags.get(group)
        if bag is None:
            bag = self.bags[group] = self.make()
        entry = self.members[value], self.members[order] if order else None
        if sign > 0:
            bag.add(entry)
        else:
            bag.remove(entry)
        self.sizes[group] = n
        return 0

    cdef int64_t value(self, Py_ssize_t group, list texts) except -2:
        bag = self.bags.get(group)
        text = None if bag is None else bag.value()
        if text is None:
            return 0
        texts.append(text)
        return TEXT

    cdef bint is_outside(self, Py_ssize_t group) except -1:
        bag = self.bags.get(group)
        return bag is not None and bag.is_outside

    cpdef clear(self, Py_ssize_t group):
        self.bags.pop(group, None)
        self.sizes.pop(group, None)

    cpdef int64_t size(self, Py_ssize_t group):
        return self.sizes.get(group, 0)


cdef struct Sum:
    int64_t n             # members in all
    int64_t rest          # of them in the rest
    int64_t[4] numeric    # of the others, by kind of number
    int64_t[3] special    # of the doubles: NaN, INF, -INF
    int64_t exact         # integers and decimals, in units of 10^-places
    int64_t places
    bint spilled          # whether more of the same is in `Sums.spilled`
    int64_t* limbs        # doubles: signed, the first is in units of 2^(32 first - 1074)
    int64_t first, count, added


@cython.final
cdef class Sums(Bags):
    """``count``, ``sum`` and ``avg``."""
    cdef bint counts, mean
    cdef Sum* sums
    cdef Py_ssize_t room
    cdef dict rests, spilled
    cdef uint32_t* digits   # room for limbs
    cdef int64_t digits_room

    def __init__(self, members, terms, str function):
        Bags.__init__(self, members, terms)
        self.counts, self.mean = function == "count", function == "avg"
        self.rests, self.spilled = {}, {}

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.room):
            free(self.sums[i].limbs)
        free(self.sums)
        free(self.digits)

    cdef Sum* of(self, Py_ssize_t group) except NULL:
        cdef Py_ssize_t room
        cdef Sum* grown
        if group >= self.room:
            room = max(2 * self.room, group + 1, FEWEST)
            grown = <Sum*>realloc(self.sums, room * sizeof(Sum))
            if grown == NULL:
                raise MemoryError
            memset(&grown[self.room], 0, (room - self.room) * sizeof(Sum))
            self.sums, self.room = grown, room
        return &self.sums[group]

    cpdef clear(self, Py_ssize_t group):
        cdef Sum* s = self.of(group)
        free(s.limbs)
        memset(s, 0, sizeof(Sum))
        self.rests.pop(group, None)
        self.spilled.pop(group, None)

    cpdef int64_t size(self, Py_ssize_t group):
        return self.of(group).n

    cdef int change(self, Py_ssize_t group, int64_t value, int64_t order, int64_t sign) except -1:
        cdef Sum* s = self.of(group)
        cdef int64_t whole, places
        cdef int kind
        s.n += sign
        if self.counts:
            return 0
        if s.n == 0:
            self.clear(group)
            return 0
        kind = self.classes[value]
        if kind == 3 or kind == 4:
            s.numeric[FLOAT if kind == 3 else DOUBLE] += sign
            return self.add_double(s, self.numbers[value], sign)
        if kind > 0:
            kind = self.read_exact(value, &whole, &places)
            if kind >= 0:
                s.numeric[kind] += sign
                return self.add_exact(s, group, whole, places, sign)
        s.rest += sign
        bag = self.rests.get(group)
        if bag is None:
            from rete.aggregates.bags import Sum as Rest
            bag = self.rests[group] = Rest(mean=self.mean)
        entry = self.members[value], None
        if sign > 0:
            bag.add(entry)
        else:
            bag.remove(entry)
        return 0

    cdef int read_exact(self, int64_t term, int64_t* whole, int64_t* places) except -2:
        """Read an integer or decimal that is a whole number of 64 bits; which it is, or -1."""
        cdef int64_t n = self.entries[term, 1] >> 8, scale = 0, number = 0, digits = 0
        cdef const uint8_t* at = &self.arena[self.entries[term, 0]]
        cdef const uint8_t* name = at + n - NAME_SIZE
        cdef const uint8_t* end = name - XSD_SIZE
        cdef bint negative = False, below = False
        cdef int kind
        if n < NAME_SIZE + XSD_SIZE or memcmp(end, XSD, XSD_SIZE) != 0:
            kind = -1
        elif memcmp(name, b"decimal>", NAME_SIZE) == 0:
            kind = DECIMAL
        elif memcmp(name, b"integer>", NAME_SIZE) == 0:
            kind = INTEGER
        else:
            kind = -1
        if kind < 0:
            member = self.members[term]
            if member.numeric != "integer" or not -MOST_EXACT < member.value < MOST_EXACT:
                return -1
            whole[0], places[0] = member.value, 0
            return INTEGER
        at += 1
        if at < end and (at[0] == c"+" or at[0] == c"-"):
            negative = at[0] == c"-"
            at += 1
        while at < end:
            if at[0] == c".":
                below = True
            else:
                if digits == MOST_DIGITS or below and scale == MOST_DIGITS:
                    return -1
                number = 10 * number + (at[0] - c"0")
                digits += number > 0
                scale += below
            at += 1
        whole[0] = -number if negative else number
        places[0] = scale
        return kind

    cdef int add_exact(
        self, Sum* s, Py_ssize_t group, int64_t whole, int64_t places, int64_t sign
    ) except -1:
        cdef int64_t more
        if places > s.places:
            more = power(places - s.places)
            if -(MOST_EXACT // more) < s.exact < MOST_EXACT // more:
                s.exact *= more
            else:
                self.spill(s, group, 0)
            if s.spilled:
                self.spilled[group] *= 10 ** <object>(places - s.places)
            s.places = places
        more = power(s.places - places)
        if -(MOST_EXACT // more) < whole < MOST_EXACT // more:
            s.exact += sign * more * whole
            if not -MOST_EXACT < s.exact < MOST_EXACT:
                self.spill(s, group, 0)
        else:
            self.spill(s, group, <object>sign * whole * 10 ** <object>(s.places - places))
        return 0

    cdef int spill(self, Sum* s, Py_ssize_t group, more) except -1:
        """Keep the exact sum, and ``more``, as an integer of Python."""
        self.spilled[group] = self.spilled.get(group, 0) + s.exact + more
        s.exact = 0
        s.spilled = True
        return 0

    cdef int unspill(self, Sum* s, Py_ssize_t group) except -1:
        """Keep what was spilled as a number of 64 bits, if it is one."""
        more = self.spilled[group]
        if -MOST_EXACT < more < MOST_EXACT:
            s.exact, s.spilled = more, False
            del self.spilled[group]
        return 0

    cdef int add_units(self, Sum* s, more) except -1:
        """Add so many 2^-1074, an integer of Python."""
        cdef int64_t i = 0, sign = -1 if more < 0 else 1
        more = abs(more)
        if s.added >= MOST_ADDED:
            self.carry(s)
        s.added += 1
        while more:
            if more & MASK:
                self.reach(s, i, i + 1)
                s.limbs[i - s.first] += sign * <int64_t>(more & MASK)
            more >>= BITS
            i += 1
        return 0

    cdef int add_double(self, Sum* s, double number, int64_t sign) except -1:
        cdef int exponent
        cdef int64_t shift, first, i
        cdef uint64_t bits, rest
        if not isfinite(number):
            s.special[0 if isnan(number) else 1 if number > 0 else 2] += sign
            return 0
        if number == 0:
            return 0
        if number < 0:
            number, sign = -number, -sign
        number = frexp(number, &exponent)
        bits = <uint64_t>ldexp(number, 53)
        shift = exponent - 53 + UNIT
        if shift < 0:   # below the least normal double, whose last bits are zeros here
            bits >>= -shift
            shift = 0
        first = shift // BITS
        shift %= BITS
        if s.added >= MOST_ADDED:
            self.carry(s)
        self.reach(s, first, first + 3)
        s.added += 1
        i = first - s.first
        rest = bits >> (BITS - shift) if shift else bits >> BITS
        s.limbs[i] += sign * <int64_t>((bits << shift) & <uint64_t>MASK)
        s.limbs[i + 1] += sign * <int64_t>(rest & <uint64_t>MASK)
        s.limbs[i + 2] += sign * <int64_t>(rest >> BITS)
        return 0

    cdef int reach(self, Sum* s, int64_t first, int64_t end) except -1:
        """Let the limbs be those from ``first`` on, up to ``end``, and all that were there."""
        cdef int64_t* limbs
        cdef int64_t begin = first, count
        if s.count:
            if s.first <= first and end <= s.first + s.count:
                return 0
            begin = min(first, s.first)
            end = max(end, s.first + s.count)
        count = end - begin
        limbs = <int64_t*>realloc(s.limbs, count * sizeof(int64_t))
        if limbs == NULL:
            raise MemoryError
        s.limbs = limbs
        if s.count:
            memmove(limbs + s.first - begin, limbs, s.count * sizeof(int64_t))
            memset(limbs, 0, (s.first - begin) * sizeof(int64_t))
            memset(limbs + s.first - begin + s.count, 0,
                   (end - s.first - s.count) * sizeof(int64_t))
        else:
            memset(limbs, 0, count * sizeof(int64_t))
        s.first, s.count = begin, count
        return 0

    cdef int carry(self, Sum* s) except -1:
        """Let each limb but the last be below 2^32, and none negative; that may be, by 2^31."""
        cdef int64_t i, over = 0
        s.added = 0
        if s.count == 0:
            return 0
        for i in range(s.count - 1):
            over += s.limbs[i]
            s.limbs[i] = over & MASK
            over >>= BITS
        over += s.limbs[s.count - 1]
        while not -(MASK >> 1) <= over <= MASK >> 1:
            self.reach(s, s.first, s.first + s.count + 1)
            s.limbs[s.count - 2] = over & MASK
            over >>= BITS
        s.limbs[s.count - 1] = over
        return 0

    cdef bint nearest(self, Sum* s, int64_t divisor, double* found) except -1:
        """The double nearest to the sum of doubles over a divisor below 2^31; False: not a normal one."""
        cdef int64_t i, top, exponent
        cdef uint64_t over = 1, rest = 0, high = 0, low = 0
        cdef uint32_t* digits
        cdef bint negative, sticky
        cdef int j = 0, shift = 0
        self.carry(s)
        if s.count > self.digits_room:
            digits = <uint32_t*>realloc(self.digits, s.count * sizeof(uint32_t))
            if digits == NULL:
                raise MemoryError
            self.digits, self.digits_room = digits, s.count
        digits = self.digits
        negative = s.count > 0 and s.limbs[s.count - 1] < 0
        top = -1
        for i in range(s.count):
            if negative:
                over += <uint64_t>(~s.limbs[i] & MASK)
                digits[i] = <uint32_t>(over & <uint64_t>MASK)
                over >>= BITS
            else:
                digits[i] = <uint32_t>s.limbs[i]
            if digits[i]:
                top = i
        if top < 0:
            found[0] = 0.0
            return True
        # Three limbs of the quotient, from the first that is not zero.
        i = top
        while True:
            rest = rest << BITS | (digits[i] if i >= 0 else 0)
            over = rest // <uint64_t>divisor
            rest %= <uint64_t>divisor
            if j == 0 and over:
                j = 1
                exponent = i
            if j == 1 or j == 2:
                high = high << BITS | over
                j += 1
            elif j == 3:
                low = over
                break
            i -= 1
        sticky = rest != 0
        while i > 0 and not sticky:
            i -= 1
            sticky = digits[i] != 0
        while not high >> 63:
            high = high << 1 | (low >> 31 & 1)
            low = low << 1 & <uint64_t>MASK
            shift += 1
        if sticky or low:
            high |= 1
        exponent = BITS * (s.first + exponent - 1) - UNIT - shift
        if exponent + 63 < -1021:
            return False
        found[0] = ldexp(<double>high, <int>min(exponent, 2000))
        if negative:
            found[0] = -found[0]
        return True

    cdef int64_t value(self, Py_ssize_t group, list texts) except -2:
        cdef Sum* s = self.of(group)
        cdef double number
        cdef int64_t exact
        text = None
        if s.n == 0:
            return 0
        if self.counts:
            texts.append(integer_text(s.n))
            return TEXT
        exact = s.numeric[INTEGER] + s.numeric[DECIMAL]
        if exact == s.n and not s.spilled:
            if self.mean:
                text = quotient_text(s.exact, s.places, s.n)
            elif s.numeric[DECIMAL]:
                text = decimal_text(s.exact, s.places)
            else:
                text = integer_text(s.exact // power(s.places))
        elif s.numeric[DOUBLE] == s.n and s.n < MOST_DIVISOR:
            if s.special[0] or s.special[1] and s.special[2]:
                text = double_text(float("nan"))
            elif s.special[1] or s.special[2]:
                text = double_text(float("inf") if s.special[1] else float("-inf"))
            elif self.nearest(s, s.n if self.mean else 1, &number):
                text = double_text(number)
        if text is None:
            text = self.together(s, group).value()
        if text is None:
            return 0
        texts.append(text)
        return TEXT

    def totals(self, Py_ssize_t group):
        """What the members add up to; see the pure twin."""
        cdef Sum* s = self.of(group)
        return (s.n,) if self.counts else self.together(s, group).totals

    def unite(self, Py_ssize_t group, tuple totals not None):
        """Let members come that add up to this; see the pure twin."""
        from rete.aggregates.bags import Sum as Rest, number_of_members
        cdef Sum* s = self.of(group)
        cdef int64_t n = number_of_members(totals)
        cdef Py_ssize_t i
        s.n += n
        if self.counts:
            return
        # As `Sum.totals` has them: nine kinds, of which numbers are the first, four of these, the
        # decimal sum, its places, that of doubles, three that are not finite.
        if totals[0] == n and totals[14] <= MOST_DIGITS:
            for i in range(4):
                s.numeric[i] += totals[9 + i]
            self.add_exact(s, group, 0, totals[14], 1)
            self.spill(s, group, totals[13] * 10 ** (s.places - <object>totals[14]))
            self.unspill(s, group)
            self.add_units(s, totals[15])
            for i in range(3):
                s.special[i] += totals[16 + i]
            return
        s.rest += n
        bag = self.rests.get(group)
        if bag is None:
            bag = self.rests[group] = Rest(mean=self.mean)
        bag.unite(totals)

    cdef object together(self, Sum* s, Py_ssize_t group):
        """All members, as a bag of `rete.aggregates.bags`."""
        from rete.aggregates.bags import Sum as Rest
        cdef int64_t i
        binary = 0
        for i in range(s.count):
            binary += <object>s.limbs[i] << <object>(BITS * (s.first + i))
        exact = s.exact + self.spilled.get(group, 0)
        bag = Rest(mean=self.mean)
        bag.add_totals(s.numeric, exact, s.places, binary, s.special)
        if group in self.rests:
            bag.unite(self.rests[group].totals)
        return bag
