# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The nodes of a network for single rows: their edges and the patterns of their facts as flat arrays."""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

from rete.kernels.rows._matrix cimport mix, new_out, new_rows
from rete.kernels.rows._store cimport Index

VERSION = 30


cdef class RowNodes:
    """Nodes that are numbered by rank; see `rete.inference.row_plan` for what makes them."""

    def __cinit__(self, nodes, routes, TermView terms not None, AnswerQueue answers not None, *_):
        """Build them, and the patterns of each relation; ``_`` is for what drives them."""
        cdef Py_ssize_t i
        self.objects, self.scratches = [], {}
        self.terms, self.answers = terms, answers
        self.n_nodes, self.n_routes = len(nodes), len(routes)
        self.nodes = <Node*>self.room(self.n_nodes * sizeof(Node))
        self.routes = <Routes*>self.room(self.n_routes * sizeof(Routes))
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
