# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Row matrices, compiled: empty ones, those that grow, and which arrays are taken as one."""

import os

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

VERSION = 30

cdef enum:
    # So many cells are copied sooner than a view of an array is made.
    FEW = 1024
    # Empty matrices of so many columns are made anew.
    WIDE = 16

cnp.import_array()

SEED = <uint64_t>int.from_bytes(os.urandom(8), "little")

cdef list EMPTY = [None] * WIDE
"""Matrices without rows, by their width: many results are one, and nothing can be written to it."""


cdef object new_rows(Py_ssize_t n, Py_ssize_t width):
    """A row matrix without content."""
    cdef cnp.npy_intp[2] shape
    if n == 0 and width < WIDE:
        if EMPTY[width] is None:
            EMPTY[width] = np.empty((0, width), np.int64)
        return EMPTY[width]
    shape[0], shape[1] = n, width
    return cnp.PyArray_SimpleNew(2, shape, cnp.NPY_INT64)


cdef object new_column(Py_ssize_t n):
    """A column without content."""
    cdef cnp.npy_intp[1] shape
    shape[0] = n
    return cnp.PyArray_SimpleNew(1, shape, cnp.NPY_INT64)


cdef int refuse(object array) except -1:
    """Kernels take arrays as they are."""
    kind = type(array).__name__
    if cnp.PyArray_Check(array):
        kind = f"{array.ndim} dimensions of {array.dtype}, {array.flags}"
    raise ValueError(f"a kernel takes C-contiguous int64 that it may write to, not {kind}")


cdef class Out:
    """A row matrix that grows: in memory of its own while it has few cells, then in an array."""

    def __dealloc__(self):
        if self.owns:
            free(self.cells)

    cdef int grow(self) except -1:
        grown = new_rows(2 * self.cap, self.w)
        cdef int64_t* cells = matrix(grown).cells
        memcpy(cells, self.cells, self.n * self.w * sizeof(int64_t))
        if self.owns:
            free(self.cells)
        self.owns = False
        self.cap *= 2
        self.array = grown
        self.cells = cells
        return 0

    cdef object done(self):
        if self.n == self.cap and self.array is not None:
            return self.array
        # Whoever keeps a few rows must not keep the room of many.
        if self.array is not None and 2 * self.n + 64 >= self.cap:
            return self.array[: self.n]
        rows = new_rows(self.n, self.w)
        memcpy(matrix(rows).cells, self.cells, self.n * self.w * sizeof(int64_t))
        return rows


cdef Out new_out(Py_ssize_t cap, Py_ssize_t w):
    """Room for so many rows; no constructor, whose arguments would be Python's."""
    cdef Out out = Out.__new__(Out)
    out.n = 0
    out.cap = cap
    out.w = w
    if cap * w > FEW:
        out.array = new_rows(cap, w)
        out.cells = matrix(out.array).cells
        return out
    out.cells = <int64_t*>malloc(cap * w * sizeof(int64_t))
    if out.cells == NULL:
        raise MemoryError
    out.owns = True
    return out
