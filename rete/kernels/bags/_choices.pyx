# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Bags of which members are chosen by their order, compiled: as `rete.kernels.bags.pure_choices`.

The members of a group are a treap that counts [Seidel96]: each costs the logarithm of their number.
Most terms are told apart by a number each; where that is the same, `rete.aggregates.members` has
their order.
"""

from fractions import Fraction
from math import inf

cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from rete.kernels.bags._values cimport TEXT, Bags
from rete.kernels.bags._values import Others, Sums

VERSION = 25

cdef enum:
    FEWEST = 64
    DEEPEST = 512
    KINDS = 9        # as in rete.aggregates.members
    OTHER = 8
    DAY_TIME_DURATION = 4
    YEAR_MONTH_DURATION = 5
    LEAST = 0        # what is chosen: the least, the greatest, of a share, in the middle, some
    GREATEST = 1
    SHARE = 2
    MIDDLE = 3
    SOME = 4


# A member, as often as it is there. Node 0 is none.
cdef struct Node:
    double number      # of what orders it, within its band
    int64_t first      # the id of that
    int64_t value      # the id of the member
    int64_t times
    int64_t size       # of members here and below
    uint32_t priority
    int32_t left
    int32_t right
    int32_t band       # the kind of what orders it, twice, and 1 of NaN


cdef struct Group:
    int64_t n
    int64_t nans
    int64_t[KINDS] kinds
    int32_t root


cdef class Choices(Bags):
    """``min``, ``max``, ``median``, ``quantile``, ``first``, ``last``, ``list``; others of a part."""
    cdef int choice
    cdef bint from_end, all, is_one, by_text
    cdef int64_t most
    cdef object over, under    # of the share
    cdef Bags part             # the aggregate of the chosen ones; None: they are the value
    cdef Node* nodes
    cdef Py_ssize_t top, room, groups_room
    cdef int32_t unused
    cdef uint64_t draw
    cdef Group* groups
    cdef int32_t[DEEPEST] path

    def __init__(self, members, terms, str function, str share, str part, size):
        Bags.__init__(self, members, terms)
        self.top, self.draw = 1, 0x9E3779B97F4A7C15
        self.grow()
        memset(&self.nodes[0], 0, sizeof(Node))
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
        free(self.nodes)
        free(self.groups)

    # nodes

    cdef int grow(self) except -1:
        cdef Py_ssize_t room = max(2 * self.room, FEWEST)
        cdef Node* nodes
        if room > 0x7FFFFFFF:
            raise MemoryError("too many members")
        nodes = <Node*>realloc(self.nodes, room * sizeof(Node))
        if nodes == NULL:
            raise MemoryError
        self.nodes, self.room = nodes, room
        return 0

    cdef int32_t new_node(self) except -1:
        cdef int32_t found = self.unused
        if found:
            self.unused = self.nodes[found].left
        else:
            if self.top == self.room:
                self.grow()
            found = <int32_t>self.top
            self.top += 1
        memset(&self.nodes[found], 0, sizeof(Node))
        self.draw ^= self.draw << 13
        self.draw ^= self.draw >> 7
        self.draw ^= self.draw << 17
        self.nodes[found].priority = <uint32_t>(self.draw >> 32)
        return found

    cdef void free_node(self, int32_t x) noexcept:
        self.nodes[x].left = self.unused
        self.unused = x

    cdef inline void measure(self, int32_t x) noexcept:
        cdef Node* node = &self.nodes[x]
        node.size = node.times + self.nodes[node.left].size + self.nodes[node.right].size

    cdef int32_t merge(self, int32_t a, int32_t b) noexcept:
        """The treap of two, of which all of the first is before the second."""
        if a == 0 or b == 0:
            return a + b
        if self.nodes[a].priority > self.nodes[b].priority:
            self.nodes[a].right = self.merge(self.nodes[a].right, b)
            self.measure(a)
            return a
        self.nodes[b].left = self.merge(a, self.nodes[b].left)
        self.measure(b)
        return b

    cdef void free_all(self, int32_t x) noexcept:
        cdef int32_t right
        while x:
            self.free_all(self.nodes[x].left)
            right = self.nodes[x].right
            self.free_node(x)
            x = right

    # order

    cdef int place(self, int64_t term, Node* node) except -1:
        """Set by what a term is ordered: its kind, and a number that agrees with its value."""
        cdef int64_t band = 0
        cdef double number
        node.first = term
        if self.classes[term] > 0:
            number = self.numbers[term]
            if number != number:
                number, band = 0.0, 1
        else:
            member = self.members[term]
            band = 2 * member.kind
            number = number_of(member.value)
        node.band, node.number = <int32_t>band, number
        return 0

    cdef int compare(self, const Node* a, const Node* b) except -2:
        """The order of two members: -1, 0, 1."""
        cdef int found = self.compare_first(a, b)
        if found or not self.by_text or a.value == b.value:
            return found
        one, other = self.members[a.value].text, self.members[b.value].text
        return (one > other) - (one < other)

    cdef inline int compare_first(self, const Node* a, const Node* b) except -2:
        """The same by what orders them alone."""
        if a.band != b.band:
            return -1 if a.band < b.band else 1
        if a.number != b.number:
            return -1 if a.number < b.number else 1
        if a.first == b.first:
            return 0
        one, other = self.members[a.first].key, self.members[b.first].key
        return (one > other) - (one < other)

    cdef bint equal(self, const Node* a, const Node* b) except -1:
        """Whether what orders two members is of equal value."""
        cdef int8_t one, other
        if a.band != b.band or a.number != b.number:
            return False
        if a.first == b.first:
            return True
        one, other = self.classes[a.first], self.classes[b.first]
        if one > 0 and other > 0 and one != 2 and other != 2:   # these are their doubles
            return True
        return self.members[a.first].key[:3] == self.members[b.first].key[:3]

    # members

    cdef Group* of(self, Py_ssize_t group) except NULL:
        cdef Py_ssize_t room
        cdef Group* grown
        if group >= self.groups_room:
            room = max(2 * self.groups_room, group + 1, FEWEST)
            grown = <Group*>realloc(self.groups, room * sizeof(Group))
            if grown == NULL:
                raise MemoryError
            memset(&grown[self.groups_room], 0, (room - self.groups_room) * sizeof(Group))
            self.groups, self.groups_room = grown, room
        return &self.groups[group]

    cpdef clear(self, Py_ssize_t group):
        cdef Group* g = self.of(group)
        self.free_all(g.root)
        memset(g, 0, sizeof(Group))

    cpdef int64_t size(self, Py_ssize_t group):
        return self.of(group).n

    cdef int change(self, Py_ssize_t group, int64_t value, int64_t order, int64_t sign) except -1:
        cdef Group* g = self.of(group)
        cdef Node given
        cdef Node* node
        cdef Py_ssize_t depth = 0, i
        cdef int32_t x = g.root, parent, other
        cdef int side
        self.place(order if order and self.by_text else value, &given)
        given.value = value
        while x:
            if depth == DEEPEST:
                raise RecursionError("a treap is too deep")
            self.path[depth] = x
            depth += 1
            side = self.compare(&given, &self.nodes[x])
            if side == 0:
                break
            x = self.nodes[x].left if side < 0 else self.nodes[x].right
        if x == 0 and sign < 0:
            raise KeyError(f"member {value} is not in group {group}")
        g.n += sign
        g.nans += sign * (given.band & 1)
        g.kinds[given.band >> 1] += sign
        for i in range(depth):
            self.nodes[self.path[i]].size += sign
        if x and self.nodes[x].times + sign > 0:
            self.nodes[x].times += sign
            return 0
        if x:
            other = self.merge(self.nodes[x].left, self.nodes[x].right)
            self.link(g, self.path[depth - 2] if depth > 1 else 0, x, other)
            self.free_node(x)
            return 0
        x = self.new_node()
        node = &self.nodes[x]
        node.number, node.first, node.value, node.band = (
            given.number, given.first, value, given.band)
        node.times = node.size = 1
        if depth == 0:
            g.root = x
            return 0
        parent = self.path[depth - 1]
        if side < 0:
            self.nodes[parent].left = x
        else:
            self.nodes[parent].right = x
        while depth:
            parent = self.path[depth - 1]
            if self.nodes[x].priority <= self.nodes[parent].priority:
                break
            if self.nodes[parent].left == x:
                self.nodes[parent].left = self.nodes[x].right
                self.nodes[x].right = parent
            else:
                self.nodes[parent].right = self.nodes[x].left
                self.nodes[x].left = parent
            self.measure(parent)
            self.measure(x)
            depth -= 1
            self.link(g, self.path[depth - 1] if depth else 0, parent, x)
        return 0

    cdef void link(self, Group* g, int32_t parent, int32_t was, int32_t now) noexcept:
        """Let ``now`` stand below a node where ``was`` did."""
        if parent == 0:
            g.root = now
        elif self.nodes[parent].left == was:
            self.nodes[parent].left = now
        else:
            self.nodes[parent].right = now

    # values

    cdef int32_t at(self, const Group* g, int64_t place) noexcept:
        """The node of a place, of which there are as many as members."""
        cdef int32_t x = g.root
        cdef int64_t before
        while True:
            before = self.nodes[self.nodes[x].left].size
            if place < before:
                x = self.nodes[x].left
            elif place < before + self.nodes[x].times:
                return x
            else:
                place -= before + self.nodes[x].times
                x = self.nodes[x].right

    cdef int32_t first_alike(self, const Group* g, int32_t x) except -1:
        """Of the members of equal value the first by text."""
        cdef int32_t y = g.root, found = x
        cdef int64_t low = 0, high, middle
        cdef const Node* node = &self.nodes[x]
        cdef const Node* other
        # The places of those with the same number end at this node; they are looked through by halves.
        while y:
            other = &self.nodes[y]
            if other.band < node.band or other.band == node.band and other.number < node.number:
                low += self.nodes[other.left].size + other.times
                y = other.right
            else:
                found = y
                y = other.left
        if found == x or self.equal(&self.nodes[found], node):
            return found
        found = x
        high = self.rank(g, node)
        while low < high:
            middle = (low + high) // 2
            y = self.at(g, middle)
            if self.equal(&self.nodes[y], node):
                high = middle
                found = y
            else:
                low = middle + 1
        return found

    cdef int64_t rank(self, const Group* g, const Node* node) except -1:
        """How many members are before a node."""
        cdef int32_t y = g.root
        cdef int64_t before = 0
        cdef int side
        while y:
            side = self.compare(node, &self.nodes[y])
            if side > 0:
                before += self.nodes[self.nodes[y].left].size + self.nodes[y].times
                y = self.nodes[y].right
            elif side < 0:
                y = self.nodes[y].left
            else:
                return before + self.nodes[self.nodes[y].left].size
        return before

    cdef int64_t bound(self, const Group* g, const Node* node, bint behind) except -1:
        """How many members are before those that the same orders, or before and among them."""
        cdef int32_t y = g.root
        cdef int64_t before = 0
        cdef int side
        while y:
            side = self.compare_first(node, &self.nodes[y])
            if side > 0 or side == 0 and behind:
                before += self.nodes[self.nodes[y].left].size + self.nodes[y].times
                y = self.nodes[y].right
            else:
                y = self.nodes[y].left
        return before

    cdef bint is_of(self, const Group* g, bint measured) noexcept:
        """Whether all members are of one kind that has an order, or a mean."""
        cdef int kind
        for kind in range(OTHER):
            if g.kinds[kind] == g.n:
                return not measured or kind in (0, DAY_TIME_DURATION, YEAR_MONTH_DURATION)
        return False

    cdef list some(self, const Group* g):
        """The nodes of the first members, or the last; of those of one order the first by text."""
        cdef int64_t begin, end, i, size = g.n if self.all else min(self.most, g.n)
        cdef const Node* least
        if not self.from_end or size == g.n:
            return [self.at(g, i) for i in range(size)]
        least = &self.nodes[self.at(g, g.n - size)]
        begin, end = self.bound(g, least, False), self.bound(g, least, True)
        places = [*range(begin, begin + size - (g.n - end)), *range(end, g.n)]
        return [self.at(g, i) for i in places]

    cdef int64_t of_part(self, list found, list texts, bint* is_outside) except -2:
        """The value of the aggregate of these."""
        cdef int32_t x
        cdef int64_t value
        self.part.read(self)
        for x in found:
            self.part.change(0, self.nodes[x].value, 0, 1)
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
            found = self.some(g)
            if self.part is not None:
                return self.of_part(found, texts, &outside)
            if self.is_one:
                return self.nodes[<int32_t>found[0]].value
            texts.append(self.list_text(found))
            return TEXT
        if not self.is_of(g, self.choice == MIDDLE):
            return 0
        if self.choice == MIDDLE:
            place = n // 2
            if n % 2 == 0:
                return self.of_part([self.at(g, place - 1), self.at(g, place)], texts, &outside)
        else:
            if n > g.nans:
                n -= g.nans
            if self.choice == LEAST:   # no other is before it
                return self.nodes[self.at(g, 0)].value
            elif self.choice == GREATEST:
                place = n - 1
            else:
                place = max(0, -(-self.over * <object>n // self.under) - 1)
        return self.nodes[self.first_alike(g, self.at(g, place))].value

    cdef bint is_outside(self, Py_ssize_t group) except -1:
        cdef Group* g = self.of(group)
        cdef bint outside = g.n > 0
        if outside and self.choice == SOME:
            if self.part is None:
                return False
            self.of_part(self.some(g), [], &outside)
        return outside

    cdef object list_text(self, list found):
        from rete.aggregates.bags import list_of, order_of_list
        cdef int32_t x
        members = self.members
        entries = [(members[self.nodes[x].value], members[self.nodes[x].first]) for x in found]
        return list_of(sorted(entries, key=order_of_list))


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
