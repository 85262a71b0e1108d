"""Which back end is used, and when it is not."""

from __future__ import annotations

import numpy as np
import pytest

from rete import kernels


def compiled_or_skip() -> None:
    try:
        kernels.load("compiled")
    except ImportError:
        pytest.skip("no compiled kernels on this machine")


def test_a_stale_binary_is_not_used_and_said_so(monkeypatch) -> None:
    compiled_or_skip()
    monkeypatch.delenv("R4_KERNELS", raising=False)
    monkeypatch.setattr(kernels, "VERSION", -1)
    with pytest.warns(UserWarning, match="build them anew"):
        backend, modules = kernels._choose()
    assert backend == "pure"
    assert modules == kernels.load("pure")


def test_a_stale_binary_that_was_asked_for_is_an_error(monkeypatch) -> None:
    compiled_or_skip()
    monkeypatch.setenv("R4_KERNELS", "compiled")
    monkeypatch.setattr(kernels, "VERSION", -1)
    with pytest.raises(ImportError, match="build them anew"):
        kernels._choose()


def test_without_binaries_the_pure_kernels_do_it_silently(monkeypatch) -> None:
    monkeypatch.delenv("R4_KERNELS", raising=False)
    monkeypatch.setattr(kernels, "_EXTENSIONS", {"text._absent": "text.pure_terms"})
    backend, modules = kernels._choose()
    assert backend == "pure"
    assert modules["text._absent"].__name__ == "rete.kernels.text.pure_terms"


def test_absent_binaries_that_were_asked_for_are_an_error(monkeypatch) -> None:
    monkeypatch.setenv("R4_KERNELS", "compiled")
    monkeypatch.setattr(kernels, "_EXTENSIONS", {"text._absent": "text.pure_terms"})
    with pytest.raises(ImportError, match="_absent"):
        kernels._choose()


def test_a_back_end_has_one_of_two_names(monkeypatch) -> None:
    monkeypatch.setenv("R4_KERNELS", "fast")
    with pytest.raises(ImportError, match="'pure' or 'compiled'"):
        kernels._choose()


def test_an_index_has_no_more_rows_than_positions_tell_apart() -> None:
    compiled_or_skip()
    modules = kernels.load("compiled")
    row = np.zeros((1, 3), np.int64)
    index = modules["rows._index"].Index(np.array([0]))
    for enter in (
        lambda: index.extend(row, 2**31),
        lambda: index.rebuild(row, 2**31),
        lambda: modules["rows._intervals"].absorb(row, 2**31 - 1, index, row),
    ):
        with pytest.raises(MemoryError, match="at most 2,147,483,647 rows"):
            enter()
