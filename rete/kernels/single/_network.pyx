# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A network for single rows: its nodes and edges as flat arrays, driven by an agenda of bits.

It shares all that nodes remember with `rete.inference.agenda`, and computes the same: a row that a
node gains goes along its edges at once, where the agenda collects deltas. What it has not done when
it stops is pending, and is given to the agenda.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy

from rete.kernels.rows._coverage cimport Rest, uncover
from rete.kernels.rows._intervals cimport (
    BEGINS_AT, COVERS, ENDS_AT, Met, find_touching, sought, unite,
)
from rete.kernels.rows._matrix cimport (
    NEG_INF, POS_INF, Matrix, Out, Time, key_hash, matrix, mix, new_out, new_rows, row_at, time_of,
)
from rete.kernels.rows._metric cimport operated
from rete.kernels.rows._probes cimport Operator, meet
from rete.kernels.rows._store cimport UNKNOWN_LEVEL, FactStore, Index, Keyed, slot_of, time_at
from rete.kernels.single._answers cimport AnswerQueue, Pending
from rete.kernels.single._elements cimport ASSERTED, AssertedQueue, ElementReader
from rete.kernels.text._columns cimport Store as Texts
from rete.kernels.text._columns cimport measure_one
from rete.kernels.text._terms cimport LENGTH_SHIFT, Store as Terms
from rete.kernels.text._terms cimport TermView

cnp.import_array()

VERSION = 30

cdef enum:
    # What a node does with a gain: it probes a side of a join, calls a linear node, derives a fact; it
    # lets it wait before a negation, or looks for what a negation lets pass no longer; it moves it in
    # time, or compares two numbers.
    PROBE = 0
    CALL = 1
    DERIVE = 2
    PASS = 3
    CLOSE = 4
    SHIFT = 5
    COMPARE = 6

cdef enum:  # as in rete.arrays.term_columns
    NEAREST = 2
    FLOAT = 3

cdef enum:
    ROUND_BITS = 20  # as in rete.arrays.delta
    # After so many turns columns go on.
    MOST_TURNS = 1 << 14
    # So many answers of one step are put in order here.
    MOST_ANSWERS = 64
    WORD = 64


# Rows that are remembered, and how many cells after the bound that is given.
cdef struct Kept:
    PyObject* store
    Keyed* keyed
    int64_t retention
    PyObject* keep_ended
    int64_t rule


cdef struct Edge:
    int kind
    bint before  # whether a row meets only those that were there before it
    int64_t to, rule
    PyObject* store
    Keyed* keyed
    PyObject* apply
    int64_t* key
    int64_t* keep
    int64_t* terms
    Py_ssize_t width
    Operator how
    # Of a comparison: bits for less, equal, greater; columns, or ~ of what is in ``terms``.
    int64_t sign, left, right
    bint passes


# A negation: left rows pass as far as no right row agrees with them.
cdef struct Gate:
    Kept left
    PyObject* right
    Keyed* keyed
    int64_t* all  # the columns of a left row
    int64_t* stored  # the same, as columns of what is probed
    int64_t* key
    int64_t* keep
    Py_ssize_t w


cdef struct Node:
    bint is_table, is_gate, is_leveled, at_ticks, answers, triples
    Py_ssize_t w
    PyObject* pending  # an `Out`: rows, before a gate left rows, in a table with their rule
    PyObject* gains
    PyObject* given  # what a rule gains of a table, and what of left rows is still there
    PyObject* ticks_gained
    PyObject* losses  # what a gate lets pass no longer
    PyObject* one  # a matrix of one row, for calls
    Kept kept
    Kept* by_rule
    # What answers are read from, if that is at ticks; final up to a lag, and before a cell.
    Kept ticks
    Kept* ticks_by_rule
    int64_t lag, final
    Gate gate
    int64_t rules, first_rule, relation
    Edge* edges
    int64_t n_edges, received


# What is left to be seen of a fact once it has the constants of a pattern; none begins before a cell.
cdef struct Pattern:
    int64_t to, since
    int64_t* equal
    Py_ssize_t pairs
    int64_t* keep
    Py_ssize_t width


# The patterns with the same terms at two places, 0 for any: those without other constants, and the
# routes of the rest.
cdef struct Group:
    bint used
    int64_t first, second
    Pattern* patterns
    Routes* rest
    int64_t n, n_rest


cdef struct Routes:
    int64_t first, second, masks
    Group* groups
    uint64_t mask


# An answer: 1 that begins, 0 that ends.
cdef struct Answer:
    int64_t op, at, start, end, rule
    int64_t[3] terms


cdef inline Time as_stored(Time own, Time stored, const Operator* how) noexcept nogil:
    return stored


cdef inline int64_t tick_of(int64_t cell) noexcept nogil:
    return NEG_INF if cell == NEG_INF else (cell + 1) >> 1


cdef class RowNetwork:
    """A network whose nodes are numbered by rank; see `rete.inference.row_plan` for what makes it.

    Attributes:
        derived: facts that tables gained since it was set.
        asserted: facts that were asserted since.
        stage: as of the agenda: turns of tables so far.
        emitted: the cell up to which answers may have been emitted already; less than any: none.
    """

    cdef Node* nodes
    cdef Routes* routes
    cdef Py_ssize_t n_nodes, n_routes, words
    cdef uint64_t* bits
    cdef Py_ssize_t low
    cdef void** blocks
    cdef Py_ssize_t n_blocks
    cdef list objects
    cdef dict scratches
    cdef int64_t* touched
    cdef Py_ssize_t n_touched
    cdef Met met
    cdef TermView terms
    cdef AnswerQueue answers
    cdef AssertedQueue asserted_facts
    cdef public int64_t derived, asserted, stage, emitted
    cdef int64_t most
    cdef bint has_losses
    cdef Rest rest
    cdef object values, classes
    cdef double* value_of
    cdef int8_t* class_of

    def __cinit__(self, nodes, routes, TermView terms not None, AnswerQueue answers not None,
                  AssertedQueue asserted, int64_t most):
        """Build it of its nodes, and of the patterns of each relation.

        With more than ``most`` rows that are pending at a node columns go on.
        """
        self.most = most
        cdef Py_ssize_t i
        self.objects, self.scratches = [], {}
        self.emitted = NEG_INF - 1
        self.terms, self.answers, self.asserted_facts = terms, answers, asserted
        self.n_nodes, self.n_routes = len(nodes), len(routes)
        self.nodes = <Node*>self.room(self.n_nodes * sizeof(Node))
        self.routes = <Routes*>self.room(self.n_routes * sizeof(Routes))
        self.words = (self.n_nodes + WORD - 1) // WORD
        self.bits = <uint64_t*>self.room(self.words * sizeof(uint64_t))
        self.low = self.words
        self.touched = <int64_t*>self.room(self.n_nodes * sizeof(int64_t))
        for i in range(self.n_nodes):
            self.set_node(&self.nodes[i], nodes[i])
        for i in range(self.n_nodes):
            self.set_edges(&self.nodes[i], nodes[i].edges)
        for i in range(self.n_routes):
            self.set_routes(&self.routes[i], routes[i])

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.n_blocks):
            free(self.blocks[i])
        free(self.blocks)
        free(self.met.rows)
        free(self.rest.cells)

    # How it is built

    cdef void* room(self, Py_ssize_t size) except NULL:
        """Memory, zero at first, that it has as long as it lives."""
        cdef void** blocks = <void**>realloc(self.blocks, (self.n_blocks + 1) * sizeof(void*))
        if blocks == NULL:
            raise MemoryError
        self.blocks = blocks
        cdef void* made = calloc(max(size, 8), 1)
        if made == NULL:
            raise MemoryError
        blocks[self.n_blocks] = made
        self.n_blocks += 1
        return made

    cdef int64_t* numbers(self, found) except NULL:
        cdef int64_t* made = <int64_t*>self.room(len(found) * sizeof(int64_t))
        cdef Py_ssize_t i
        for i in range(len(found)):
            made[i] = found[i]
        return made

    cdef PyObject* hold(self, found):
        """The address of an object that is there as long as the network."""
        self.objects.append(found)
        return <PyObject*>found

    cdef PyObject* scratch(self, str use, Py_ssize_t width) except NULL:
        """Rows that are of use while a node has its turn: nodes whose rows are as wide share them."""
        if (use, width) not in self.scratches:
            made = new_rows(1, width) if use == "one" else new_out(8, width)
            self.scratches[use, width] = made
        return <PyObject*>self.scratches[use, width]

    cdef Kept keep(self, given) except *:
        cdef Kept kept
        cdef Index index = given.identity
        kept.store, kept.keyed = self.hold(index.store), index.keyed
        self.hold(index)
        kept.retention = given.retention
        kept.keep_ended = self.hold(given.keep_ended)
        kept.rule = given.rule
        return kept

    cdef int set_node(self, Node* node, given) except -1:
        cdef Py_ssize_t i
        cdef Py_ssize_t waiting = given.width
        node.w = given.width
        node.is_table, node.answers, node.triples = given.is_table, given.answers, given.triples
        node.is_leveled = given.is_leveled
        if given.gate is not None:
            node.is_gate = True
            self.set_gate(&node.gate, given.gate)
            waiting = node.gate.w
        node.pending = self.hold(new_out(8, waiting + 2 + node.is_table))
        node.gains = self.scratch("gains", node.w + 2)
        node.given = self.scratch("given", waiting + 2)
        node.ticks_gained = self.scratch("ticks", node.w + 2)
        node.one = self.scratch("one", node.w + 2)
        if node.is_gate:
            node.losses = self.hold(new_out(8, node.w + 2))
        if given.kept is not None:
            node.kept = self.keep(given.kept)
        node.rules = len(given.by_rule)
        node.by_rule = <Kept*>self.room(node.rules * sizeof(Kept))
        for i in range(node.rules):
            node.by_rule[i] = self.keep(given.by_rule[i])
        node.first_rule, node.relation = given.first_rule, given.relation
        if given.ticks is not None:
            node.at_ticks = True
            node.lag, node.final = given.ticks.lag, given.ticks.final
            node.ticks = self.keep(given.ticks.kept)
            node.ticks_by_rule = <Kept*>self.room(node.rules * sizeof(Kept))
            for i in range(node.rules):
                node.ticks_by_rule[i] = self.keep(given.ticks.by_rule[i])
        return 0

    cdef int set_gate(self, Gate* gate, given) except -1:
        cdef Index index = given.right
        gate.left, gate.w = self.keep(given.left), given.width
        gate.right, gate.keyed = self.hold(index.store), index.keyed
        self.hold(index)
        if len(given.key) != index.keyed.nk:
            raise ValueError(f"a key of {len(given.key)} columns, not of {index.keyed.nk}")
        gate.all = self.numbers(range(gate.w))
        gate.stored = self.numbers([~c for c in range(gate.w)])
        gate.key, gate.keep = self.numbers(given.key), self.numbers(given.keep)
        return 0

    cdef int set_edges(self, Node* node, given) except -1:
        cdef Py_ssize_t i
        cdef Edge* edge
        cdef Index index
        node.n_edges = len(given)
        node.edges = <Edge*>self.room(node.n_edges * sizeof(Edge))
        for i in range(node.n_edges):
            one = given[i]
            edge = &node.edges[i]
            edge.to, edge.rule, edge.before = one.to, one.rule, one.before
            edge.kind, edge.sign, edge.passes = one.kind, one.sign, one.passes
            edge.left, edge.right = one.left, one.right
            edge.how.r_lo, edge.how.r_hi, edge.how.future = one.range
            if not 0 <= edge.to < self.n_nodes:
                raise IndexError(edge.to)
            if one.other is not None:
                index = one.other
                edge.store, edge.keyed = self.hold(index.store), index.keyed
                self.hold(index)
                if len(one.key) != index.keyed.nk:
                    raise ValueError(f"a key of {len(one.key)} columns, not of {index.keyed.nk}")
            if one.apply is not None:
                edge.apply = self.hold(one.apply)
            edge.key, edge.keep = self.numbers(one.key), self.numbers(one.keep)
            edge.terms, edge.width = self.numbers(one.terms), len(one.keep)
            if edge.kind in (PROBE, DERIVE, CLOSE, COMPARE) and edge.width != self.nodes[edge.to].w:
                raise ValueError(f"rows of {edge.width} terms, not of {self.nodes[edge.to].w}")
            if edge.kind == SHIFT and node.w != self.nodes[edge.to].w or (
                    edge.kind == PASS and node.w != self.nodes[edge.to].gate.w):
                raise ValueError(f"rows of {node.w} terms are not those of a node")
        return 0

    cdef int set_routes(self, Routes* routes, given) except -1:
        """A table of the groups of patterns; see `rete.nodes.alpha`."""
        cdef Py_ssize_t i
        cdef uint64_t size = 8, slot
        cdef Group* group
        cdef Pattern* pattern
        routes.first, routes.second, groups = given
        while size < 2 * <uint64_t>len(groups):
            size *= 2
        routes.mask = size - 1
        routes.groups = <Group*>self.room(size * sizeof(Group))
        for (first, second), (patterns, rest) in groups.items():
            routes.masks |= 1 << ((first > 0) + 2 * (second > 0))
            slot = mix(mix(0, first), second) & routes.mask
            while routes.groups[slot].used:
                slot = (slot + 1) & routes.mask
            group = &routes.groups[slot]
            group.used, group.first, group.second = True, first, second
            group.n, group.n_rest = len(patterns), len(rest)
            group.patterns = <Pattern*>self.room(group.n * sizeof(Pattern))
            group.rest = <Routes*>self.room(group.n_rest * sizeof(Routes))
            for i in range(group.n_rest):
                self.set_routes(&group.rest[i], rest[i])
            for i in range(group.n):
                one = patterns[i]
                pattern = &group.patterns[i]
                pattern.to, pattern.since, pattern.pairs = one.to, one.since, len(one.equal)
                pattern.equal = self.numbers([place for pair in one.equal for place in pair])
                pattern.keep, pattern.width = self.numbers(one.keep), len(one.keep)
                if pattern.width != self.nodes[pattern.to].w:
                    raise ValueError("a pattern keeps other columns than its node has")
        return 0

    # What comes in

    def take(self, ElementReader element not None, int64_t lo, int64_t hi, int64_t name,
             int64_t bound):
        """Assert the triples of an element from ``lo`` to ``hi``; see `run`.

        ``name``, the id of its name, is needed as long as its terms.
        """
        cdef Py_ssize_t i, c
        cdef int64_t[5] fact
        cdef int64_t* kept
        self.terms.look()
        self.terms.touch(name, hi)
        fact[3], fact[4] = lo, hi
        for i in range(element.n):
            memcpy(fact, &element.rows[4 * i], 3 * sizeof(int64_t))
            for c in range(3):
                self.terms.touch(fact[c], hi)
            if lo >= hi:
                continue
            if self.asserted_facts is not None:
                kept = self.asserted_facts.push(bound)
                memcpy(kept, fact, 3 * sizeof(int64_t))
                kept[3], kept[4], kept[5] = name, lo, hi
            self.asserted += 1
            if self.n_routes:
                self.route(&self.routes[0], fact, 3)
        return self.run(bound)

    cdef int route(self, const Routes* routes, const int64_t* fact, Py_ssize_t w) except -1:
        """A fact comes to the nodes of the patterns that it matches."""
        cdef int64_t a, b, i
        cdef uint64_t slot
        cdef const Group* group
        cdef int c
        for c in range(4):
            if not (routes.masks >> c) & 1:
                continue
            a = fact[routes.first] if c & 1 else 0
            b = fact[routes.second] if c & 2 else 0
            slot = mix(mix(0, a), b) & routes.mask
            group = &routes.groups[slot]
            while group.used:
                if group.first == a and group.second == b:
                    for i in range(group.n):
                        self.match(&group.patterns[i], fact, w)
                    for i in range(group.n_rest):
                        self.route(&group.rest[i], fact, w)
                    break
                slot = (slot + 1) & routes.mask
                group = &routes.groups[slot]
        return 0

    cdef int match(self, const Pattern* pattern, const int64_t* fact, Py_ssize_t w) except -1:
        cdef Py_ssize_t i
        cdef int64_t* row
        for i in range(pattern.pairs):
            if fact[pattern.equal[2 * i]] != fact[pattern.equal[2 * i + 1]]:
                return 0
        if fact[w + 1] <= pattern.since:
            return 0
        row = self.row_for(pattern.to)
        for i in range(pattern.width):
            row[i] = fact[pattern.keep[i]]
        row[pattern.width], row[pattern.width + 1] = max(fact[w], pattern.since), fact[w + 1]
        return 0

    # The agenda

    cdef inline void receive(self, int64_t to, int64_t rows) noexcept:
        """So many rows come to a node."""
        if not self.nodes[to].received:
            self.touched[self.n_touched] = to
            self.n_touched += 1
        self.nodes[to].received += rows

    cdef inline int64_t* row_for(self, int64_t to) except NULL:
        """Room for one more pending row of a node."""
        cdef Node* node = &self.nodes[to]
        self.receive(to, 1)
        self.bits[to // WORD] |= <uint64_t>1 << (to % WORD)
        if to // WORD < self.low:
            self.low = to // WORD
        return (<Out>node.pending).push()

    def run(self, int64_t bound):
        """Work until nothing is pending; False: columns are to go on.

        That is so where there is much, and where a negation may let something pass no longer.

        Rows that ended before the cell ``bound`` may be dropped.
        """
        cdef int64_t number
        cdef Py_ssize_t turns = 0
        cdef uint64_t word
        cdef Node* node
        while self.low < self.words:
            word = self.bits[self.low]
            if not word:
                self.low += 1
                continue
            number = self.low * WORD
            while not word & 1:
                word >>= 1
                number += 1
            node = &self.nodes[number]
            turns += 1
            if turns > MOST_TURNS or (<Out>node.pending).n > self.most:
                return False
            self.bits[self.low] &= self.bits[self.low] - 1
            if node.is_table:
                self.take_facts(node, number, bound)
            else:
                self.take_rows(node, bound)
            if self.has_losses:
                return False
        return True

    cdef int gain(self, Kept* kept, const int64_t* row, int64_t bound, Out gains,
                  int64_t level) except -1:
        """Unite a row with what is remembered; ``gains`` get what that gains.

        A new row has the ``level``; that of one that grows is not known.
        """
        cdef FactStore store = <FactStore>kept.store
        cdef Keyed* keyed = kept.keyed
        cdef uint64_t h
        cdef Py_ssize_t i
        store.sweep(1, max(bound - kept.retention, NEG_INF), <object>kept.keep_ended)
        store.catch_up(keyed)
        h = key_hash(row, keyed.key, keyed.nk)
        find_touching(store, keyed, row, h, &self.met)
        if self.met.n:
            unite(store, keyed, row, &self.met, gains)
            if store.s.levels != NULL and gains.n:
                for i in range(self.met.n):
                    store.set_level(self.met.rows[i], UNKNOWN_LEVEL)
        else:
            store.push(row)
            store.chain_new(keyed, h)
            store.set_level(store.s.n - 1, level)
            memcpy(gains.push(), row, gains.w * sizeof(int64_t))
        store.look_again(keyed, 1)
        return 0

    cdef int take_rows(self, Node* node, int64_t bound) except -1:
        """The turn of a stream."""
        cdef Out pending = <Out>node.pending
        cdef Py_ssize_t i
        for i in range(pending.n):
            if node.is_gate:
                self.admit(node, pending.row(i), bound)
            else:
                self.take_row(node, pending.row(i), bound)
        pending.n = 0
        return 0

    cdef int take_row(self, Node* node, const int64_t* row, int64_t bound) except -1:
        cdef Out gains = <Out>node.gains
        cdef FactStore store
        cdef Py_ssize_t j
        cdef int64_t before
        if node.kept.store == NULL:
            return self.pass_on(node, row, 0)
        gains.n = 0
        store = <FactStore>node.kept.store
        self.gain(&node.kept, row, bound, gains, UNKNOWN_LEVEL)
        before = store.s.n - (1 if self.met.n == 0 else 0)
        for j in range(gains.n):
            self.pass_on(node, gains.row(j), before)
        return 0

    cdef int admit(self, Node* node, const int64_t* row, int64_t bound) except -1:
        """What passes of a left row of a negation, as far as it is still there."""
        cdef Gate* gate = &node.gate
        cdef FactStore left = <FactStore>gate.left.store, right = <FactStore>gate.right
        cdef Keyed* keyed = gate.left.keyed
        cdef Out there = <Out>node.given
        cdef Time asked = time_of(row + gate.w)
        cdef Rest* rest = &self.rest
        cdef int64_t first
        cdef Py_ssize_t i, j, n
        cdef const int64_t* piece
        left.catch_up(keyed)
        there.n = 0
        first = keyed.head[slot_of(keyed, key_hash(row, gate.all, gate.w))]
        meet(there, 0, &left.s, keyed, first, left.s.n, row, gate.all, asked, asked, as_stored,
             asked.lo, NULL, gate.stored, gate.w)
        left.look_again(keyed, 1)
        keyed = gate.keyed
        right.catch_up(keyed)
        for i in range(there.n):
            piece = there.row(i)
            rest.at, rest.hi, rest.n = piece[gate.w], piece[gate.w + 1], 0
            first = keyed.head[slot_of(keyed, key_hash(piece, gate.key, keyed.nk))]
            uncover(rest, &right.s, keyed, first, right.s.n, piece, gate.key, NULL, False)
            for j in range(rest.n):
                if rest.at >= rest.hi or rest.cells[2 * j] >= rest.hi:
                    break
                if rest.cells[2 * j] > rest.at:
                    self.let_pass(node, piece, rest.at, rest.cells[2 * j], bound)
                rest.at = max(rest.at, rest.cells[2 * j + 1])
            if rest.at < rest.hi:
                self.let_pass(node, piece, rest.at, rest.hi, bound)
        right.look_again(keyed, there.n)
        return 0

    cdef int let_pass(self, Node* node, const int64_t* left, int64_t lo, int64_t hi,
                      int64_t bound) except -1:
        cdef Out passed = <Out>node.ticks_gained
        cdef int64_t* row
        cdef Py_ssize_t c
        passed.n = 0
        row = passed.push()
        for c in range(node.w):
            row[c] = left[node.gate.keep[c]]
        row[node.w], row[node.w + 1] = lo, hi
        return self.take_row(node, row, bound)

    cdef int pass_on(self, Node* node, const int64_t* row, int64_t before) except -1:
        """What a node does with a gain; the SteM had other rows ``before`` a position."""
        cdef int64_t i
        cdef Py_ssize_t c
        cdef Edge* edge
        cdef int64_t* made
        cdef Time time
        for i in range(node.n_edges):
            edge = &node.edges[i]
            if edge.kind == PROBE:
                self.probe(node, edge, row, before)
            elif edge.kind == DERIVE:
                made = self.row_for(edge.to)
                for c in range(edge.width):
                    made[c] = row[edge.keep[c]] if edge.keep[c] >= 0 else edge.terms[~edge.keep[c]]
                memcpy(made + edge.width, row + node.w, 2 * sizeof(int64_t))
                made[edge.width + 2] = edge.rule
            elif edge.kind == COMPARE:
                self.compare(node, edge, row)
            elif edge.kind == PASS:
                memcpy(self.row_for(edge.to), row, (node.w + 2) * sizeof(int64_t))
            elif edge.kind == CLOSE:
                self.close_gate(node, edge, row)
            elif edge.kind == SHIFT:
                made = self.row_for(edge.to)
                memcpy(made, row, node.w * sizeof(int64_t))
                time = operated(time_of(row + node.w), &edge.how, False)
                made[node.w], made[node.w + 1] = time.lo, time.hi
            else:
                self.call(node, edge, row)
        return 0

    cdef int close_gate(self, Node* node, Edge* edge, const int64_t* row) except -1:
        """What a negation lets pass no longer, as its right side has ``row``."""
        cdef FactStore left = <FactStore>edge.store
        cdef Keyed* keyed = edge.keyed
        cdef Out losses = <Out>self.nodes[edge.to].losses
        cdef Time asked = time_of(row + node.w)
        cdef int64_t first
        if left.s.n == left.s.first:
            return 0
        left.catch_up(keyed)
        first = keyed.head[slot_of(keyed, key_hash(row, edge.key, keyed.nk))]
        meet(losses, 0, &left.s, keyed, first, left.s.n, row, edge.key, asked, asked, as_stored,
             asked.lo, NULL, edge.keep, edge.width)
        left.look_again(keyed, 1)
        if losses.n:
            self.has_losses = True
        return 0

    cdef int look_at_numbers(self) except -1:
        """Follow the columns of numbers, where one was replaced."""
        cdef double[::1] values
        cdef int8_t[::1] classes
        columns = self.terms.columns
        if columns.values is self.values and columns.classes is self.classes:
            return 0
        columns.measurable()
        values, classes = columns.values, columns.classes
        self.values, self.classes = columns.values, columns.classes
        self.value_of, self.class_of = &values[0], &classes[0]
        return 0

    cdef int8_t measure(self, int64_t term) except -2:
        """The class of a term as a number."""
        cdef Texts texts
        if self.class_of[term] < 0:
            texts.arena, texts.entries = self.terms.s.arena, self.terms.s.entries
            texts.capacity = self.terms.s.capacity
            measure_one(&texts, term, &self.value_of[term], &self.class_of[term])
        return self.class_of[term]

    cdef int compare(self, Node* node, Edge* edge, const int64_t* row) except -1:
        """Let a row pass of which a comparison of numbers is true; else the node says."""
        cdef int64_t a = row[edge.left] if edge.left >= 0 else edge.terms[~edge.left]
        cdef int64_t b = row[edge.right] if edge.right >= 0 else edge.terms[~edge.right]
        cdef int8_t own, other
        cdef int64_t found
        cdef double left, right
        cdef int64_t* made
        cdef Py_ssize_t c
        self.terms.look()
        self.look_at_numbers()
        own, other = self.measure(a), self.measure(b)
        left, right = self.value_of[a], self.value_of[b]
        if own <= 0 or other <= 0 or a != b and (
                left == right and (own == NEAREST or other == NEAREST)
                or own == FLOAT and other < FLOAT or other == FLOAT and own < FLOAT):
            return self.call(node, edge, row)
        found = 1 if left < right else 2 if left == right else 4 if left > right else 8
        if (edge.sign & found != 0) != edge.passes:
            return 0
        made = self.row_for(edge.to)
        for c in range(edge.width):
            made[c] = row[edge.keep[c]]
        memcpy(made + edge.width, row + node.w, 2 * sizeof(int64_t))
        return 0

    cdef int probe(self, Node* node, Edge* edge, const int64_t* row, int64_t before) except -1:
        cdef FactStore other = <FactStore>edge.store
        cdef Keyed* keyed = edge.keyed
        cdef Out out = <Out>self.nodes[edge.to].pending
        cdef Py_ssize_t count = out.n
        cdef int64_t limit = before if edge.before else other.s.n, first
        cdef Time asked = time_of(row + node.w)
        if other.s.n == other.s.first:
            return 0
        other.catch_up(keyed)
        first = keyed.head[slot_of(keyed, key_hash(row, edge.key, keyed.nk))]
        meet(out, 0, &other.s, keyed, first, limit, row, edge.key, asked, asked, as_stored,
             asked.lo, NULL, edge.keep, edge.width)
        other.look_again(keyed, 1)
        if out.n > count:
            self.receive(edge.to, out.n - count)
            self.bits[edge.to // WORD] |= <uint64_t>1 << (edge.to % WORD)
            self.low = min(self.low, edge.to // WORD)
        return 0

    cdef int call(self, Node* node, Edge* edge, const int64_t* row) except -1:
        cdef Py_ssize_t i
        one = <object>node.one
        memcpy(matrix(one).cells, row, (node.w + 2) * sizeof(int64_t))
        found = (<object>edge.apply)(one)
        cdef Matrix rows = matrix(found)
        if rows.n and rows.w != self.nodes[edge.to].w + 2:
            raise ValueError(f"rows of {rows.w} columns, not of {self.nodes[edge.to].w + 2}")
        for i in range(rows.n):
            memcpy(self.row_for(edge.to), row_at(rows, i), rows.w * sizeof(int64_t))
        return 0

    cdef int take_facts(self, Node* node, int64_t number, int64_t bound) except -1:
        """The turn of a table."""
        cdef Out pending = <Out>node.pending, given = <Out>node.given, gains = <Out>node.gains
        cdef Py_ssize_t i, j
        cdef int64_t level = UNKNOWN_LEVEL
        self.stage += 1
        if node.is_leveled:
            level = self.stage << ROUND_BITS
        for i in range(pending.n):
            gains.n = 0
            if node.rules:
                self.give(node, pending.row(i), bound)
                for j in range(given.n):
                    self.gain(&node.kept, given.row(j), bound - 1, gains, level)
            else:
                self.gain(&node.kept, pending.row(i), bound - 1, gains, level)
            self.derived += gains.n
            for j in range(gains.n):
                if node.answers:
                    self.note_gain(node, number, gains.row(j), bound)
                if node.relation >= 0:
                    self.route(&self.routes[node.relation], gains.row(j), node.w)
        pending.n = 0
        return 0

    cdef int give(self, Node* node, const int64_t* row, int64_t bound) except -1:
        """What the rule of a pending row gains."""
        cdef Out given = <Out>node.given, ticks = <Out>node.ticks_gained
        cdef int64_t r
        cdef Py_ssize_t j
        given.n = 0
        for r in range(node.rules):
            if node.by_rule[r].rule != row[node.w + 2]:
                continue
            self.gain(&node.by_rule[r], row, bound - 1, given, UNKNOWN_LEVEL)
            if node.at_ticks:
                for j in range(given.n):
                    ticks.n = 0
                    if self.is_open(node, given.row(j), bound):
                        self.gain(&node.ticks_by_rule[r], matrix(<object>node.one).cells,
                                  bound - node.lag - 1, ticks, UNKNOWN_LEVEL)
            break
        return 0

    cdef bint is_open(self, Node* node, const int64_t* row, int64_t bound) except -1:
        """Whether a fact holds at ticks about which answers are not final; then ``one`` does there."""
        cdef int64_t* made = matrix(<object>node.one).cells
        cdef int64_t lo = row[node.w], hi = row[node.w + 1]
        memcpy(made, row, node.w * sizeof(int64_t))
        made[node.w] = max(lo + (lo & 1), max(bound - node.lag, node.final))
        made[node.w + 1] = hi + (hi & 1)
        return made[node.w] < made[node.w + 1]

    cdef int note_gain(self, Node* node, int64_t number, const int64_t* row, int64_t bound) except -1:
        cdef Out ticks = <Out>node.ticks_gained
        cdef Py_ssize_t j
        if not node.at_ticks:
            return self.note_answer(node, number, row)
        if self.is_open(node, row, bound):
            ticks.n = 0
            self.gain(&node.ticks, matrix(<object>node.one).cells, bound - node.lag - 1, ticks,
                      UNKNOWN_LEVEL)
            for j in range(ticks.n):
                self.note_answer(node, number, ticks.row(j))
        return 0

    cdef int note_answer(self, Node* node, int64_t number, const int64_t* row) except -1:
        cdef Time time = time_of(row + node.w)
        if time.hi <= self.emitted:
            return 0
        if time.lo > self.emitted:
            self.answers.push(False, time.lo, number, row, node.w + 2)
        if time.hi != POS_INF:
            self.answers.push(True, time.hi, number, row, node.w + 2)
        return 0

    def losses(self):
        """Take out what negations may let pass no longer: (node, rows)."""
        cdef Py_ssize_t i
        cdef Out out
        found = []
        if self.has_losses:
            self.has_losses = False
            for i in range(self.n_nodes):
                if not self.nodes[i].is_gate:
                    continue
                out = <Out>self.nodes[i].losses
                if out.n:
                    rows = new_rows(out.n, out.w)
                    memcpy(matrix(rows).cells, out.cells, out.n * out.w * sizeof(int64_t))
                    found.append((i, rows))
                    out.n = 0
        return found

    def pending(self):
        """Take out what is pending: (node, rows), where a row of a table goes on with its rule."""
        cdef Py_ssize_t i
        cdef Out out
        found = []
        for i in range(self.n_nodes):
            out = <Out>self.nodes[i].pending
            if out.n:
                rows = new_rows(out.n, out.w)
                memcpy(matrix(rows).cells, out.cells, out.n * out.w * sizeof(int64_t))
                found.append((i, rows))
                out.n = 0
            self.bits[i // WORD] = 0
        self.low = self.words
        return found

    def received(self):
        """The nodes to which rows came since it was last asked, with how many."""
        cdef Py_ssize_t i
        cdef Node* node
        found = []
        for i in range(self.n_touched):
            node = &self.nodes[self.touched[i]]
            found.append((self.touched[i], node.received))
            node.received = 0
        self.n_touched = 0
        return found

    # What comes out

    def close(self, int64_t limit):
        """The answers up to the cell ``limit``, which are final now, in their order.

        Each is (op, at, start, end, rule, s, p, o), with ticks and texts; None: there are so many,
        or such, that columns are to give them.
        """
        cdef AnswerQueue queue = self.answers
        cdef Answer[MOST_ANSWERS] found
        cdef Py_ssize_t n = 0, i, j
        cdef Answer one
        cdef bint ends
        cdef Pending item
        if (not queue.starts.n or queue.starts.items[0].time > limit) and (
                not queue.ends.n or queue.ends.items[0].time > limit):
            return ()
        if self.is_too_much(limit):
            return None
        self.terms.look()
        for ends in range(2):
            while (queue.ends.n and queue.ends.items[0].time <= limit if ends
                   else queue.starts.n and queue.starts.items[0].time <= limit):
                item = queue.pop(ends)
                queue.release(item.place)
                if self.answer(&self.nodes[item.node], queue.row(item.place), ends, &found[n]):
                    n += 1
        for i in range(1, n):
            one = found[i]
            j = i
            while j > 0 and self.is_before(&one, &found[j - 1]):
                found[j] = found[j - 1]
                j -= 1
            found[j] = one
        answers = []
        for i in range(n):
            if i and memcmp(&found[i], &found[i - 1], sizeof(Answer)) == 0:
                continue
            answers.append((found[i].op, found[i].at, found[i].start, found[i].end, found[i].rule,
                            self.text(found[i].terms[0]), self.text(found[i].terms[1]),
                            self.text(found[i].terms[2])))
        return answers

    cdef bint is_too_much(self, int64_t limit) noexcept:
        """Whether more is due than is put in order here, or what is no triple."""
        cdef Py_ssize_t due = 0
        cdef bint ends
        for ends in range(2):
            due += self.count_due(ends, 0, limit, MOST_ANSWERS + 1 - due)
            if due > MOST_ANSWERS:
                return True
        return False

    cdef Py_ssize_t count_due(self, bint ends, int64_t i, int64_t limit, Py_ssize_t most) noexcept:
        """How many items of a heap, from item ``i`` down, are due; ``most``: as many, or no triples."""
        cdef int64_t n = self.answers.ends.n if ends else self.answers.starts.n
        cdef const Pending* items = self.answers.ends.items if ends else self.answers.starts.items
        cdef Py_ssize_t found = 1
        if i >= n or items[i].time > limit or most <= 0:
            return 0
        if not self.nodes[items[i].node].triples:
            return most
        found += self.count_due(ends, 2 * i + 1, limit, most - found)
        found += self.count_due(ends, 2 * i + 2, limit, most - found)
        return found

    cdef bint answer(self, Node* node, const int64_t* row, bint ends, Answer* made) except -1:
        """Whether a fact that was pending begins or ends there still; then the answer."""
        cdef int64_t[4] query
        cdef Kept* kept = &node.ticks if node.at_ticks else &node.kept
        cdef Kept* by_rule = node.ticks_by_rule if node.at_ticks else node.by_rule
        cdef FactStore store = <FactStore>kept.store
        cdef int64_t r
        cdef Time time
        memcpy(query, row, 3 * sizeof(int64_t))
        query[3] = row[4] if ends else row[3]
        r = self.find(kept, query, ENDS_AT if ends else BEGINS_AT)
        if r < 0:
            return False
        time = time_at(&store.s, r)
        made.op = not ends
        made.at = tick_of(time.hi if ends else time.lo)
        made.start, made.end = tick_of(time.lo), tick_of(time.hi)
        made.rule = node.first_rule
        memcpy(made.terms, row, 3 * sizeof(int64_t))
        if node.rules:
            query[3] = time.lo
            made.rule = 0
            for r in range(node.rules):
                if self.find(&by_rule[r], query, COVERS) >= 0:
                    made.rule = by_rule[r].rule
                    break
        return True

    cdef int64_t find(self, Kept* kept, const int64_t* query, Py_ssize_t mode) except -2:
        cdef FactStore store = <FactStore>kept.store
        cdef Keyed* keyed = kept.keyed
        cdef int64_t r
        store.catch_up(keyed)
        r = keyed.head[slot_of(keyed, key_hash(query, keyed.key, keyed.nk))]
        r = sought(&store.s, keyed, r, query, mode)
        store.look_again(keyed, 1)
        return r

    cdef bint is_before(self, const Answer* a, const Answer* b) noexcept:
        """The order of answers: by time, ends first, by text, by start."""
        cdef int i, order
        if a.at != b.at:
            return a.at < b.at
        if a.op != b.op:
            return a.op < b.op
        for i in range(3):
            if a.terms[i] != b.terms[i]:
                order = self.order_of(a.terms[i], b.terms[i])
                if order:
                    return order < 0
        return a.start < b.start

    cdef int order_of(self, int64_t a, int64_t b) noexcept:
        cdef const Terms* s = &self.terms.s
        cdef int64_t n = s.entries[2 * a + 1] >> LENGTH_SHIFT, m = s.entries[2 * b + 1] >> LENGTH_SHIFT
        cdef int order = memcmp(s.arena + s.entries[2 * a], s.arena + s.entries[2 * b], min(n, m))
        return order if order else (n > m) - (n < m)

    cdef object text(self, int64_t term):
        cdef const Terms* s = &self.terms.s
        return PyUnicode_DecodeUTF8(<const char*>(s.arena + s.entries[2 * term]),
                                    s.entries[2 * term + 1] >> LENGTH_SHIFT, NULL)
