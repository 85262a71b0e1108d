"""What a process frees goes back to the system."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from rete.memory_limit import resident_bytes
from tests.paths import measures_malloc

FREED = """
import numpy as np
from rete.memory_limit import resident_bytes, return_freed_memory

return_freed_memory()
# While each is larger than the one before, glibc begins to keep what is freed.
for size in range(2, 30):
    np.ones(size << 17)
before = resident_bytes()
many = [np.ones(1 << 18) for _ in range(100)]
last = np.ones(100)
del many
print(resident_bytes() - before)
"""


@measures_malloc
@pytest.mark.skipif(resident_bytes() is None, reason="the system does not say what is resident")
def test_what_is_freed_goes_back() -> None:
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MALLOC_", "GLIBC_TUNABLES"))
    }
    kept = []
    for more in (
        {},
        {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "1000000000"},
    ):
        command = [sys.executable, "-c", FREED]
        done = subprocess.run(command, env=clean | more, capture_output=True, check=True)
        kept.append(int(done.stdout))
    # The second time, the environment asks for the contrary, and is obeyed.
    assert kept[0] < 20 << 20, kept
    assert kept[1] > 100 << 20, kept
