"""Reads behind the end of an array: a sanitizer must notice that (`make sanitize`)."""

from __future__ import annotations

import numpy as np

from rete import kernels

if __name__ == "__main__":
    rows = np.zeros((40, 5), np.int64)
    pattern = kernels.Selection(np.empty((0, 2), np.int64), np.array([0], np.int64))
    kernels.select(rows, np.array([len(rows)], np.int64), 0, 1, pattern)
