# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rows as they are, in other forms, compiled: as `rete.kernels.rows.pure_projection`."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from rete.kernels.rows._matrix cimport Columns, Matrix, columns, matrix, new_rows, row_at

VERSION = 30

cnp.import_array()


def project(given, places, constants):
    """The columns ``places`` of rows, and constants, with their time; the rows, if it is all."""
    cdef Matrix rows = matrix(given)
    cdef Columns which = columns(places), fixed = columns(constants)
    cdef Py_ssize_t k = rows.w - 2, n = which.n, i, c
    cdef const int64_t* row
    cdef int64_t* made
    cdef bint same = n == k
    for c in range(n):
        if which.at[c] >= k or ~which.at[c] >= fixed.n:
            raise IndexError(which.at[c])
        same = same and which.at[c] == c
    if same:
        return given
    array = new_rows(rows.n, n + 2)
    cdef Matrix out = matrix(array)
    for i in range(rows.n):
        row, made = row_at(rows, i), row_at(out, i)
        for c in range(n):
            made[c] = row[which.at[c]] if which.at[c] >= 0 else fixed.at[~which.at[c]]
        made[n] = row[k]
        made[n + 1] = row[k + 1]
    return array


def concatenate(list parts not None):
    """All rows of ``parts``; if only one has any, that itself."""
    cdef Py_ssize_t n = 0, w = matrix(parts[0]).w, some = 0
    cdef Matrix rows
    only = parts[0]
    for part in parts:
        rows = matrix(part)
        if rows.w != w:
            raise ValueError(f"rows of {rows.w} columns and of {w}")
        if rows.n:
            only = part
            some += 1
            n += rows.n
    if some < 2:
        return only
    array = new_rows(n, w)
    cdef int64_t* made = matrix(array).cells
    for part in parts:
        rows = matrix(part)
        memcpy(made, rows.cells, rows.n * w * sizeof(int64_t))
        made += rows.n * w
    return array


def reaches_beyond(given, int64_t lo, int64_t hi):
    """Whether any row begins before ``lo`` or ends after ``hi``."""
    cdef Matrix rows = matrix(given)
    cdef Py_ssize_t k = rows.w - 2, i
    for i in range(rows.n):
        if row_at(rows, i)[k] < lo or row_at(rows, i)[k + 1] > hi:
            return True
    return False


def clip(given, int64_t lo, int64_t hi):
    """The pieces of rows between ``lo`` and ``hi``; the rows themselves if that is all of them."""
    cdef Matrix rows = matrix(given)
    cdef Py_ssize_t k = rows.w - 2, i, n = 0
    cdef const int64_t* row
    cdef int64_t* made
    if not reaches_beyond(given, lo, hi):
        return given
    array = new_rows(rows.n, rows.w)
    cdef Matrix out = matrix(array)
    for i in range(rows.n):
        row, made = row_at(rows, i), row_at(out, n)
        if row[k + 1] > lo and row[k] < hi:
            memcpy(made, row, k * sizeof(int64_t))
            made[k] = max(row[k], lo)
            made[k + 1] = min(row[k + 1], hi)
            n += 1
    return array if n == rows.n else array[:n].copy()
