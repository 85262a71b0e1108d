# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A network for single rows: its nodes and edges as flat arrays, driven by an agenda of bits.

It shares all that nodes remember with `rete.inference.agenda`, and computes the same: a row that a
node gains goes along its edges at once, where the agenda collects deltas. What it has not done when
it stops is pending, and is given to the agenda.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy

from rete.kernels.rows._intervals cimport (
    BEGINS_AT, COVERS, ENDS_AT, Met, find_touching, sought, unite,
)
from rete.kernels.rows._matrix cimport (
    NEG_INF, POS_INF, Matrix, Out, Time, key_hash, matrix, mix, new_out, new_rows, row_at, time_of,
)
from rete.kernels.rows._probes cimport Operator, meet
from rete.kernels.rows._store cimport FactStore, Index, Keyed, slot_of, time_at
from rete.kernels.single._answers cimport AnswerQueue, Pending
from rete.kernels.single._elements cimport ASSERTED, AssertedQueue, ElementReader
from rete.kernels.text._terms cimport LENGTH_SHIFT, Store as Terms
from rete.kernels.text._terms cimport TermView

cnp.import_array()

VERSION = 30

cdef enum:
    # What a node does with a gain: it probes a side of a join, calls a linear node, derives a fact.
    PROBE = 0
    CALL = 1
    DERIVE = 2

cdef enum:
    # With so many pending rows at a node, or after so many turns, columns go on.
    MOST_PENDING = 1 << 11
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


cdef struct Node:
    bint is_table, answers, triples
    Py_ssize_t w
    PyObject* pending  # an `Out`: rows, in a table with their rule
    PyObject* gains
    PyObject* given  # what a rule gains of a table
    PyObject* one  # a matrix of one row, for calls
    Kept kept
    Kept* by_rule
    int64_t rules, first_rule, relation
    Edge* edges
    int64_t n_edges, received


# What is left to be seen of a fact once it has the constants of a pattern.
cdef struct Pattern:
    int64_t to
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
        derived: facts that tables gained since it was last asked.
        asserted: facts that were asserted since.
    """

    cdef Node* nodes
    cdef Routes* routes
    cdef Py_ssize_t n_nodes, n_routes, words
    cdef uint64_t* bits
    cdef Py_ssize_t low
    cdef void** blocks
    cdef Py_ssize_t n_blocks
    cdef list objects
    cdef Met met
    cdef TermView terms
    cdef AnswerQueue answers
    cdef AssertedQueue asserted_facts
    cdef public int64_t derived, asserted

    def __cinit__(self, nodes, routes, TermView terms not None, AnswerQueue answers not None,
                  AssertedQueue asserted):
        """Build it of its nodes, and of the patterns of each relation."""
        cdef Py_ssize_t i
        self.objects = []
        self.terms, self.answers, self.asserted_facts = terms, answers, asserted
        self.n_nodes, self.n_routes = len(nodes), len(routes)
        self.nodes = <Node*>self.room(self.n_nodes * sizeof(Node))
        self.routes = <Routes*>self.room(self.n_routes * sizeof(Routes))
        self.words = (self.n_nodes + WORD - 1) // WORD
        self.bits = <uint64_t*>self.room(self.words * sizeof(uint64_t))
        self.low = self.words
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
        node.w = given.width
        node.is_table, node.answers, node.triples = given.is_table, given.answers, given.triples
        node.pending = self.hold(new_out(8, node.w + 2 + node.is_table))
        node.gains = self.hold(new_out(8, node.w + 2))
        node.given = self.hold(new_out(8, node.w + 2))
        node.one = self.hold(new_rows(1, node.w + 2))
        if given.kept is not None:
            node.kept = self.keep(given.kept)
        node.rules = len(given.by_rule)
        node.by_rule = <Kept*>self.room(node.rules * sizeof(Kept))
        for i in range(node.rules):
            node.by_rule[i] = self.keep(given.by_rule[i])
        node.first_rule, node.relation = given.first_rule, given.relation
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
            if not 0 <= edge.to < self.n_nodes:
                raise IndexError(edge.to)
            if one.other is not None:
                edge.kind = PROBE
                index = one.other
                edge.store, edge.keyed = self.hold(index.store), index.keyed
                self.hold(index)
                if len(one.key) != index.keyed.nk:
                    raise ValueError(f"a key of {len(one.key)} columns, not of {index.keyed.nk}")
            elif one.apply is not None:
                edge.kind = CALL
                edge.apply = self.hold(one.apply)
            else:
                edge.kind = DERIVE
            edge.key, edge.keep = self.numbers(one.key), self.numbers(one.keep)
            edge.terms, edge.width = self.numbers(one.terms), len(one.keep)
            if edge.kind != CALL and edge.width != self.nodes[edge.to].w:
                raise ValueError(f"rows of {edge.width} terms, not of {self.nodes[edge.to].w}")
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
                pattern.to, pattern.pairs = one.to, len(one.equal)
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
        row = self.row_for(pattern.to)
        for i in range(pattern.width):
            row[i] = fact[pattern.keep[i]]
        row[pattern.width], row[pattern.width + 1] = fact[w], fact[w + 1]
        return 0

    # The agenda

    cdef inline int64_t* row_for(self, int64_t to) except NULL:
        """Room for one more pending row of a node."""
        cdef Node* node = &self.nodes[to]
        node.received += 1
        self.bits[to // WORD] |= <uint64_t>1 << (to % WORD)
        if to // WORD < self.low:
            self.low = to // WORD
        return (<Out>node.pending).push()

    def run(self, int64_t bound):
        """Work until nothing is pending; False: there is so much that columns are to go on.

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
            if turns > MOST_TURNS or (<Out>node.pending).n > MOST_PENDING:
                return False
            self.bits[self.low] &= self.bits[self.low] - 1
            if node.is_table:
                self.take_facts(node, number, bound)
            else:
                self.take_rows(node, bound)
        return True

    cdef int gain(self, Kept* kept, const int64_t* row, int64_t bound, Out gains) except -1:
        """Unite a row with what is remembered; ``gains`` get what that gains."""
        cdef FactStore store = <FactStore>kept.store
        cdef Keyed* keyed = kept.keyed
        cdef uint64_t h
        store.sweep(1, max(bound - kept.retention, NEG_INF), <object>kept.keep_ended)
        store.catch_up(keyed)
        h = key_hash(row, keyed.key, keyed.nk)
        find_touching(store, keyed, row, h, &self.met)
        if self.met.n:
            unite(store, keyed, row, &self.met, gains)
        else:
            store.push(row)
            store.chain_new(keyed, h)
            memcpy(gains.push(), row, gains.w * sizeof(int64_t))
        store.look_again(keyed, 1)
        return 0

    cdef int take_rows(self, Node* node, int64_t bound) except -1:
        """The turn of a stream."""
        cdef Out pending = <Out>node.pending, gains = <Out>node.gains
        cdef FactStore store
        cdef Py_ssize_t i, j
        cdef int64_t before
        for i in range(pending.n):
            if node.kept.store == NULL:
                self.pass_on(node, pending.row(i), 0)
                continue
            gains.n = 0
            store = <FactStore>node.kept.store
            self.gain(&node.kept, pending.row(i), bound, gains)
            before = store.s.n - (1 if self.met.n == 0 else 0)
            for j in range(gains.n):
                self.pass_on(node, gains.row(j), before)
        pending.n = 0
        return 0

    cdef int pass_on(self, Node* node, const int64_t* row, int64_t before) except -1:
        """What a node does with a gain; the SteM had other rows ``before`` a position."""
        cdef int64_t i
        cdef Py_ssize_t c
        cdef Edge* edge
        cdef int64_t* made
        for i in range(node.n_edges):
            edge = &node.edges[i]
            if edge.kind == PROBE:
                self.probe(node, edge, row, before)
            elif edge.kind == CALL:
                self.call(node, edge, row)
            else:
                made = self.row_for(edge.to)
                for c in range(edge.width):
                    made[c] = row[edge.keep[c]] if edge.keep[c] >= 0 else edge.terms[~edge.keep[c]]
                memcpy(made + edge.width, row + node.w, 2 * sizeof(int64_t))
                made[edge.width + 2] = edge.rule
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
            self.nodes[edge.to].received += out.n - count
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
        cdef int64_t rule, r
        for i in range(pending.n):
            given.n = gains.n = 0
            if node.rules:
                rule = pending.row(i)[node.w + 2]
                for r in range(node.rules):
                    if node.by_rule[r].rule == rule:
                        self.gain(&node.by_rule[r], pending.row(i), bound - 1, given)
                        break
                for j in range(given.n):
                    self.gain(&node.kept, given.row(j), bound - 1, gains)
            else:
                self.gain(&node.kept, pending.row(i), bound - 1, gains)
            self.derived += gains.n
            for j in range(gains.n):
                if node.answers:
                    self.note_answer(node, number, gains.row(j))
                if node.relation >= 0:
                    self.route(&self.routes[node.relation], gains.row(j), node.w)
        pending.n = 0
        return 0

    cdef int note_answer(self, Node* node, int64_t number, const int64_t* row) except -1:
        cdef Time time = time_of(row + node.w)
        self.answers.push(False, time.lo, number, row, node.w + 2)
        if time.hi != POS_INF:
            self.answers.push(True, time.hi, number, row, node.w + 2)
        return 0

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
        """Per node how many rows came since it was last asked."""
        cdef Py_ssize_t i
        found = []
        for i in range(self.n_nodes):
            found.append(self.nodes[i].received)
            self.nodes[i].received = 0
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
        cdef FactStore store = <FactStore>node.kept.store
        cdef int64_t r
        cdef Time time
        memcpy(query, row, 3 * sizeof(int64_t))
        query[3] = row[4] if ends else row[3]
        r = self.find(&node.kept, query, ENDS_AT if ends else BEGINS_AT)
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
                if self.find(&node.by_rule[r], query, COVERS) >= 0:
                    made.rule = node.by_rule[r].rule
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
                order = self.compare(a.terms[i], b.terms[i])
                if order:
                    return order < 0
        return a.start < b.start

    cdef int compare(self, int64_t a, int64_t b) noexcept:
        cdef const Terms* s = &self.terms.s
        cdef int64_t n = s.entries[2 * a + 1] >> LENGTH_SHIFT, m = s.entries[2 * b + 1] >> LENGTH_SHIFT
        cdef int order = memcmp(s.arena + s.entries[2 * a], s.arena + s.entries[2 * b], min(n, m))
        return order if order else (n > m) - (n < m)

    cdef object text(self, int64_t term):
        cdef const Terms* s = &self.terms.s
        return PyUnicode_DecodeUTF8(<const char*>(s.arena + s.entries[2 * term]),
                                    s.entries[2 * term + 1] >> LENGTH_SHIFT, NULL)
