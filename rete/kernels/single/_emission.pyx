# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The answers of a network for single rows: those that are final, in their order."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t
from libc.string cimport memcmp, memcpy

from rete.kernels.rows._intervals cimport BEGINS_AT, COVERS, ENDS_AT, sought
from rete.kernels.rows._matrix cimport NEG_INF, Time, key_hash
from rete.kernels.rows._store cimport FactStore, Keyed, slot_of, time_at
from rete.kernels.single._answers cimport AnswerQueue, Pending
from rete.kernels.text._terms cimport LENGTH_SHIFT
from rete.kernels.text._terms cimport Store as Terms

VERSION = 30

cdef enum:
    # So many answers of one step are put in order here.
    MOST_ANSWERS = 64


cdef inline int64_t tick_of(int64_t cell) noexcept nogil:
    return NEG_INF if cell == NEG_INF else (cell + 1) >> 1


cdef class RowEmission(RowNodes):
    """Nodes whose answers are taken out."""

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
        if not (queue.is_due(False, limit) or queue.is_due(True, limit)):
            return ()
        if self.is_too_much(limit):
            return None
        self.terms.look()
        for ends in range(2):
            while queue.is_due(ends, limit):
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
