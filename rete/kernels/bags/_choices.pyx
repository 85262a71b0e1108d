# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bags of which members are chosen by their order, compiled: as `rete.kernels.bags.pure_choices`.

The members of a group are in blocks (`_blocks.pxd`): each costs the logarithm of their number.
Most terms are told apart by a number each; where that is the same, `rete.aggregates.members` has
their order.
"""

from fractions import Fraction
from math import inf

import numpy as np

cimport cython
from libc.stdint cimport int8_t, int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from rete.kernels.bags._blocks cimport (
    FEW,
    KIND,
    LEAST_ROOM,
    MOST,
    Block,
    Branch,
    Entry,
    at_place,
    branches,
    entries,
    fetch_lower,
    fetch_upper,
    free_all,
    insert_at,
    remove_at,
    size_of,
    unite,
    with_room,
)

from rete.kernels.bags._values cimport TEXT, Bags
from rete.kernels.bags._values import Others, Sums

VERSION = 30

cdef enum:
    FEWEST = 64
    DEEPEST = 32
    KINDS = 9        # as in rete.aggregates.members
    OTHER = 8
    DAY_TIME_DURATION = 4
    YEAR_MONTH_DURATION = 5
    LEAST = 0        # what is chosen: the least, the greatest, of a share, in the middle, some
    GREATEST = 1
    SHARE = 2
    MIDDLE = 3
    SOME = 4
    BY_NUMBER = 0    # how members are compared: by that alone, also by what orders them, also by text
    BY_FIRST = 1
    BY_TEXT = 2


cdef int64_t ID = (<int64_t>1 << KIND) - 1


cdef struct Group:
    int64_t n
    int64_t nans
    int64_t[KINDS] kinds
    Block* root


cdef class Choices(Bags):
    """``min``, ``max``, ``median``, ``quantile``, ``first``, ``last``, ``list``; others of a part."""
    cdef int choice
    cdef bint from_end, all, is_one, by_text
    cdef int64_t most
    cdef object over, under    # of the share
    cdef Bags part             # the aggregate of the chosen ones; None: they are the value
    cdef Group* groups
    cdef Py_ssize_t room, chosen_room
    cdef Entry* chosen         # room for some members

    def __init__(self, members, terms, str function, str share, str part, size):
        Bags.__init__(self, members, terms)
        if part or function in ("first", "last", "list"):
            self.choice, self.by_text = SOME, True
            self.from_end = (part or function) == "last"
            self.all, self.is_one = function == "list", not part and size is None
            self.is_one = self.is_one and not self.all
            self.most = size or 1
            if part:
                self.part = bags_of(function, share, "", None, members, terms)
        elif function == "quantile":
            of = Fraction(share)
            self.choice, self.over, self.under = SHARE, of.numerator, of.denominator
        elif function == "median":
            self.choice = MIDDLE
            self.part = bags_of("avg", "", "", None, members, terms)
        else:
            self.choice = GREATEST if function == "max" else LEAST

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.room):
            free_all(self.groups[i].root)
        free(self.groups)
        free(self.chosen)

    # order

    cdef int place(self, int64_t term, Entry* entry) except -1:
        """Set by what a term is ordered: its kind, and a number that agrees with its value."""
        cdef int64_t band = 0
        cdef double number
        if self.classes[term] > 0:
            number = self.numbers[term]
            if number != number:
                number, band = 0.0, 1
        else:
            member = self.members[term]
            band = 2 * member.kind
            number = number_of(member.value)
        entry.first, entry.number = band << KIND | term, number
        return 0

    cdef inline int compare(self, const Entry* a, const Entry* b, int by) except -2:
        """The order of two members: -1, 0, 1."""
        cdef int64_t band = a.first >> KIND, other = b.first >> KIND
        if band != other:
            return -1 if band < other else 1
        if a.number != b.number:
            return -1 if a.number < b.number else 1
        return 0 if by == BY_NUMBER else self.compare_terms(a, b, by)

    cdef int compare_terms(self, const Entry* a, const Entry* b, int by) except -2:
        """That of two of the same number."""
        if a.first != b.first:
            one, other = self.members[a.first & ID].key, self.members[b.first & ID].key
            if one != other:
                return -1 if one < other else 1
        if by == BY_FIRST or a.value == b.value:
            return 0
        one, other = self.members[a.value].text, self.members[b.value].text
        return (one > other) - (one < other)

    cdef bint equal(self, const Entry* a, const Entry* b) except -1:
        """Whether what orders two members is of equal value."""
        cdef int8_t one, other
        if self.compare(a, b, BY_NUMBER):
            return False
        if a.first == b.first:
            return True
        one, other = self.classes[a.first & ID], self.classes[b.first & ID]
        if one > 0 and other > 0 and one != 2 and other != 2:   # these are their doubles
            return True
        return self.members[a.first & ID].key[:3] == self.members[b.first & ID].key[:3]

    cdef Py_ssize_t find(self, const Block* x, const Entry* entry, int by, bint behind) except -1:
        """The place in a block of the first member that is not before another, or is behind it."""
        cdef Py_ssize_t low = 0, high = x.n, middle
        cdef int side
        while low < high:
            middle = (low + high) // 2
            side = self.compare(entry, &entries(x)[middle], by)
            if side > 0 or side == 0 and behind:
                low = middle + 1
            else:
                high = middle
        return low

    cdef int64_t before(self, const Group* g, const Entry* entry, int by, bint behind) except -1:
        """How many members of the group are before another, or before and beside it."""
        cdef const Block* x = g.root
        cdef Py_ssize_t i, j
        cdef int64_t found = 0
        while True:
            i = self.find(x, entry, by, behind)
            if x.level == 0:
                return found + i
            for j in range(i):
                found += branches(x)[j].size
            if i == x.n:
                return found
            x = branches(x)[i].block

    # members

    cdef Group* of(self, Py_ssize_t group) except NULL:
        cdef Py_ssize_t room
        cdef Group* grown
        if group >= self.room:
            room = max(2 * self.room, group + 1, FEWEST)
            grown = <Group*>realloc(self.groups, room * sizeof(Group))
            if grown == NULL:
                raise MemoryError
            memset(&grown[self.room], 0, (room - self.room) * sizeof(Group))
            self.groups, self.room = grown, room
        return &self.groups[group]

    cpdef clear(self, Py_ssize_t group):
        cdef Group* g = self.of(group)
        free_all(g.root)
        memset(g, 0, sizeof(Group))

    cpdef int64_t size(self, Py_ssize_t group):
        return self.of(group).n

    cdef void fetch(self, Py_ssize_t group) noexcept:
        if group < self.room:
            fetch_upper(self.groups[group].root)

    cdef void fetch_member(self, Py_ssize_t group, int64_t value, int64_t order) noexcept:
        cdef int64_t term = order if order and self.by_text else value
        if group < self.room and self.classes[term] > 0:
            fetch_lower(self.groups[group].root, self.numbers[term])

    cdef int change(self, Py_ssize_t group, int64_t value, int64_t order, int64_t sign) except -1:
        cdef Group* g = self.of(group)
        cdef Entry given
        cdef Block* x = g.root
        cdef Block* more = NULL
        cdef Block* path[DEEPEST]
        cdef Py_ssize_t[DEEPEST] places
        cdef Py_ssize_t depth = 0, i = 0
        self.place(order if order and self.by_text else value, &given)
        given.value = value
        while x != NULL:
            i = self.find(x, &given, BY_TEXT, False)
            if x.level == 0:
                break
            if depth == DEEPEST:
                raise RecursionError("blocks are too deep")
            i = min(i, x.n - 1)
            path[depth], places[depth] = x, i
            depth += 1
            x = branches(x)[i].block
        if sign > 0:
            if x == NULL:
                x = with_room(NULL, LEAST_ROOM, 0)
            more = insert_at(&x, i, &given, NULL)
        elif x == NULL or i == x.n or self.compare(&given, &entries(x)[i], BY_TEXT):
            raise KeyError(f"member {value} is not in group {group}")
        else:
            remove_at(x, i)
        g.n += sign
        g.nans += sign * ((given.first >> KIND) & 1)
        g.kinds[given.first >> (KIND + 1)] += sign
        while depth:
            depth -= 1
            more = self.pass_on(path[depth], places[depth], sign, x, more)
            x = path[depth]
        if more != NULL:
            g.root = with_room(NULL, MOST, x.level + 1)
            self.attach(&g.root, 0, x)
            self.attach(&g.root, 1, more)
            return 0
        while x.n == 0 or x.level and x.n == 1:
            more = NULL if x.n == 0 else branches(x)[0].block
            free(x)
            x = more
            if x == NULL:
                break
        g.root = x
        return 0

    cdef Block* pass_on(
        self, Block* x, Py_ssize_t i, int64_t sign, Block* below, Block* more
    ) except? NULL:
        """Let a block know what became of the one below it at a place; see `insert_at`."""
        cdef Branch* branch = &branches(x)[i]
        branch.block = below
        branch.size += sign
        if below.n:
            entries(x)[i] = entries(below)[below.n - 1]
        if more != NULL:
            branch.size -= size_of(more)
            return self.attach(&x, i + 1, more)
        if below.n == 0:
            free(below)
            remove_at(x, i)
        elif below.n < FEW and sign < 0:
            unite(x, i)
        return NULL

    cdef Block* attach(self, Block** at, Py_ssize_t i, Block* below) except? NULL:
        cdef Branch branch
        branch.block, branch.size = below, size_of(below)
        return insert_at(at, i, &entries(below)[below.n - 1], &branch)

    # values

    cdef Entry* first_alike(self, const Group* g, int64_t place) except NULL:
        """Of the members of the same value as that of a place the first by text."""
        cdef Entry* entry = at_place(g.root, g.n, place)
        cdef Entry* found = entry
        cdef int64_t low, middle
        if place == 0 or self.compare(at_place(g.root, g.n, place - 1), entry, BY_NUMBER):
            return entry
        low = self.before(g, entry, BY_NUMBER, False)
        # Those of the same number up to it are looked through by halves.
        while low < place:
            middle = (low + place) // 2
            entry = at_place(g.root, g.n, middle)
            if self.equal(entry, found):
                place, found = middle, entry
            else:
                low = middle + 1
        return found

    cdef bint is_of(self, const Group* g, bint measured) noexcept:
        """Whether all members are of one kind that has an order, or a mean."""
        cdef int kind
        for kind in range(OTHER):
            if g.kinds[kind] == g.n:
                return not measured or kind in (0, DAY_TIME_DURATION, YEAR_MONTH_DURATION)
        return False

    cdef int64_t choose(self, const Group* g) except -1:
        """Choose the first members, or the last; of those of one order the first by text."""
        cdef int64_t begin = 0, rest, i, size = g.n if self.all else min(self.most, g.n)
        cdef const Entry* least
        self.make_room(size)
        if self.from_end and size < g.n:
            least = at_place(g.root, g.n, g.n - size)
            rest = g.n - self.before(g, least, BY_FIRST, True)
            begin = self.before(g, least, BY_FIRST, False)
            for i in range(size - rest, size):
                self.chosen[i] = at_place(g.root, g.n, g.n - size + i)[0]
            size -= rest
        else:
            rest = 0
        for i in range(size):
            self.chosen[i] = at_place(g.root, g.n, begin + i)[0]
        return size + rest

    cdef int make_room(self, int64_t size) except -1:
        cdef Entry* chosen
        if size > self.chosen_room:
            chosen = <Entry*>realloc(self.chosen, size * sizeof(Entry))
            if chosen == NULL:
                raise MemoryError
            self.chosen, self.chosen_room = chosen, size
        return 0

    cdef int64_t of_part(self, int64_t count, list texts, bint* is_outside) except -2:
        """The value of the aggregate of the chosen ones."""
        cdef int64_t i, value
        self.part.read(self)
        for i in range(count):
            self.part.change(0, self.chosen[i].value, 0, 1)
        value = self.part.value(0, texts)
        is_outside[0] = value == 0 and self.part.is_outside(0)
        self.part.clear(0)
        return value

    cdef int64_t value(self, Py_ssize_t group, list texts) except -2:
        cdef Group* g = self.of(group)
        cdef int64_t n = g.n, place
        cdef bint outside
        if n == 0:
            return 0
        if self.choice == SOME:
            n = self.choose(g)
            if self.part is not None:
                return self.of_part(n, texts, &outside)
            if self.is_one:
                return self.chosen[0].value
            texts.append(self.list_text(n))
            return TEXT
        if not self.is_of(g, self.choice == MIDDLE):
            return 0
        if self.choice == MIDDLE:
            place = n // 2
            if n % 2 == 0:
                self.make_room(2)
                self.chosen[0] = at_place(g.root, g.n, place - 1)[0]
                self.chosen[1] = at_place(g.root, g.n, place)[0]
                return self.of_part(2, texts, &outside)
        else:
            if n > g.nans:
                n -= g.nans
            if self.choice == LEAST:   # no other is before it
                return at_place(g.root, g.n, 0).value
            elif self.choice == GREATEST:
                place = n - 1
            else:
                place = max(0, -(-self.over * <object>n // self.under) - 1)
        return self.first_alike(g, place).value

    def lasting(self):
        """The members on which later values may depend, if none ever goes; see the pure twin."""
        cdef Py_ssize_t group
        cdef int64_t i, count
        cdef list found = []
        self.open_terms()
        try:
            for group in range(self.room):
                if self.groups[group].n == 0:
                    continue
                count = self.choose_lasting(&self.groups[group])
                for i in range(count):
                    found.append((group, self.chosen[i].value,
                                  self.chosen[i].first & ID if self.by_text else 0))
        finally:
            self.close_terms()
        return np.array(sorted(found), np.int64).reshape(len(found), 3)

    cdef int64_t choose_lasting(self, const Group* g) except -1:
        """Choose these of a group: the least or greatest one, and those at both ends."""
        cdef int64_t place = 0, last = g.n - 1, count = 1
        cdef const Entry* found
        if self.choice == SOME:
            return self.choose(g)
        self.make_room(3)
        self.chosen[0] = at_place(g.root, g.n, 0)[0]
        if self.choice == GREATEST and self.is_of(g, False):
            found = self.first_alike(g, (g.n - g.nans if g.n > g.nans else g.n) - 1)
            place = self.before(g, found, BY_TEXT, False)
            if 0 < place < last:
                self.chosen[count] = found[0]
                count += 1
        if last > 0:
            self.chosen[count] = at_place(g.root, g.n, last)[0]
            count += 1
        return count

    cdef bint is_outside(self, Py_ssize_t group) except -1:
        cdef Group* g = self.of(group)
        cdef bint outside = g.n > 0
        if outside and self.choice == SOME:
            if self.part is None:
                return False
            self.of_part(self.choose(g), [], &outside)
        return outside

    cdef object list_text(self, int64_t count):
        from rete.aggregates.bags import list_of, order_of_list
        cdef int64_t i
        cdef list found = []
        members = self.members
        for i in range(count):
            found.append((members[self.chosen[i].value], members[self.chosen[i].first & ID]))
        found.sort(key=order_of_list)
        return list_of(found)


cdef double number_of(value) except? -1:
    """A number in the order of values of one kind; the same of those that it does not tell apart."""
    if isinstance(value, str):
        return 0.0
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def bags_of(str function not None, str share not None, str part not None, size, members, terms):
    """Bags of an aggregate; see the pure twin."""
    if not part and function in ("count", "sum", "avg"):
        return Sums(members, terms, function)
    if not part and function == "stddev":
        from rete.aggregates.bags import bag_maker
        return Others(members, terms, bag_maker(function, share, part, size))
    return Choices(members, terms, function, share, part, size)
