# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The nodes of a network for single rows as flat arrays, for other compiled kernels."""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from rete.kernels.rows._probes cimport Operator
from rete.kernels.rows._store cimport Keyed
from rete.kernels.single._answers cimport AnswerQueue
from rete.kernels.text._terms cimport TermView

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


cdef class RowNodes:
    cdef Node* nodes
    cdef Routes* routes
    cdef Py_ssize_t n_nodes, n_routes
    cdef void** blocks
    cdef Py_ssize_t n_blocks
    cdef list objects
    cdef dict scratches
    cdef TermView terms
    cdef AnswerQueue answers

    cdef void* room(self, Py_ssize_t size) except NULL
    cdef int64_t* numbers(self, found) except NULL
    cdef PyObject* hold(self, found)
    cdef PyObject* scratch(self, str use, Py_ssize_t width) except NULL
    cdef Kept keep(self, given) except *
    cdef int set_node(self, Node* node, given) except -1
    cdef int set_gate(self, Gate* gate, given) except -1
    cdef int set_edges(self, Node* node, given) except -1
    cdef int set_routes(self, Routes* routes, given) except -1
