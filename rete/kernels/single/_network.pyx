# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A network for single rows, driven by an agenda of bits.

It shares all that nodes remember with `rete.inference.agenda`, and computes the same: a row that a
node gains goes along its edges at once, where the agenda collects deltas. What it has not done when
it stops is pending, and is given to the agenda.
"""

cimport numpy as cnp
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from rete.kernels.rows._coverage cimport Rest, uncover
from rete.kernels.rows._intervals cimport Met, find_touching, unite
from rete.kernels.rows._matrix cimport (
    NEG_INF, POS_INF, Matrix, Out, Time, key_hash, matrix, mix, new_rows, row_at, time_of,
)
from rete.kernels.rows._metric cimport operated
from rete.kernels.rows._probes cimport Operator, meet
from rete.kernels.rows._store cimport UNKNOWN_LEVEL, FactStore, Keyed, slot_of
from rete.kernels.single._answers cimport AnswerQueue
from rete.kernels.single._elements cimport ASSERTED, AssertedQueue, ElementReader
from rete.kernels.single._emission cimport RowEmission
from rete.kernels.single._nodes cimport (
    CLOSE, COMPARE, DERIVE, PASS, PROBE, SHIFT, Edge, Gate, Group, Kept, Node, Pattern, Routes,
)
from rete.kernels.text._columns cimport Store as Texts
from rete.kernels.text._columns cimport measure_one
from rete.kernels.text._terms cimport TermView

cnp.import_array()

VERSION = 30

cdef enum:  # as in rete.arrays.term_columns
    NEAREST = 2
    FLOAT = 3

cdef enum:
    ROUND_BITS = 20  # as in rete.arrays.delta
    # After so many turns columns go on.
    MOST_TURNS = 1 << 14
    WORD = 64


cdef inline Time as_stored(Time own, Time stored, const Operator* how) noexcept nogil:
    return stored


cdef object taken(Out out):
    """The rows of ``out``, which is empty then."""
    rows = new_rows(out.n, out.w)
    memcpy(matrix(rows).cells, out.cells, out.n * out.w * sizeof(int64_t))
    out.n = 0
    return rows


cdef class RowNetwork(RowEmission):
    """Nodes that are driven row by row.

    Attributes:
        derived: facts that tables gained since it was set.
        asserted: facts that were asserted since.
        stage: as of the agenda: turns of tables so far.
    """

    cdef Py_ssize_t words
    cdef uint64_t* bits
    cdef Py_ssize_t low
    cdef int64_t* touched
    cdef Py_ssize_t n_touched
    cdef Met met
    cdef AssertedQueue asserted_facts
    cdef public int64_t derived, asserted, stage
    cdef int64_t most
    cdef bint has_losses
    cdef Rest rest
    cdef object values, classes
    cdef double* value_of
    cdef int8_t* class_of

    def __cinit__(self, nodes, routes, TermView terms not None, AnswerQueue answers not None,
                  AssertedQueue asserted, int64_t most):
        """With more than ``most`` rows that are pending at a node columns go on."""
        self.most = most
        self.asserted_facts = asserted
        self.words = (self.n_nodes + WORD - 1) // WORD
        self.bits = <uint64_t*>self.room(self.words * sizeof(uint64_t))
        self.low = self.words
        self.touched = <int64_t*>self.room(self.n_nodes * sizeof(int64_t))

    def __dealloc__(self):
        free(self.met.rows)
        free(self.rest.cells)

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
                    found.append((i, taken(out)))
        return found

    def pending(self):
        """Take out what is pending: (node, rows), where a row of a table goes on with its rule."""
        cdef Py_ssize_t i
        cdef Out out
        found = []
        for i in range(self.n_nodes):
            out = <Out>self.nodes[i].pending
            if out.n:
                found.append((i, taken(out)))
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
