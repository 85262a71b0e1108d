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


def test_a_store_has_no_more_rows_than_positions_tell_apart() -> None:
    compiled_or_skip()
    modules = kernels.load("compiled")
    store = modules["rows._store"].FactStore(1, 2**31 - 2**12)
    index = store.index(np.array([0]))
    rows = np.array([(term, 0, 9) for term in range(2**13)])
    with pytest.raises(MemoryError, match="at most 2,147,483,647 rows"):
        modules["rows._intervals"].absorb(index, rows)


def test_a_term_that_32_bits_do_not_hold_is_refused() -> None:
    compiled_or_skip()
    for modules in (kernels.load("pure"), kernels.load("compiled")):
        store = modules["rows._store"].FactStore(1)
        index = store.index(np.array([0]))
        modules["rows._intervals"].absorb(index, np.array([[-(2**31), 0, 9]]))
        with pytest.raises(OverflowError, match="32 bits, which 2147483648 exceeds"):
            modules["rows._intervals"].absorb(index, np.array([[2**31, 0, 9]]))
        assert store.rows(0, store.end).tolist() == [[-(2**31), 0, 9]]
