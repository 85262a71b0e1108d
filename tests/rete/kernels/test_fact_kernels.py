"""Lines of facts and columns: the two back ends agree, on plain lines and on any others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rete.arrays.delta import NEG_INF, POS_INF
from rete.kernels import load
from rete.kernels.text import pure_facts

PIECES = (
    "P", "A(a,b)", "(", "[", ")", "]", "@", "1", "-1/2", "2.50", "inf", "-inf", "+3", ",", " ",
    "\t", "\n", "\r", "\r\n", "#", '"x"', "\\", "a", "é", ".5", "5.", "1/0", "(a)@", "@[1,2]",
    "@5", "X(a, b )@ ( 1 , 2.0 ]", "0.000", "00", "9" * 17, "9" * 18, "0.10200", "-0",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)


@pytest.fixture(scope="module")
def compiled():
    try:
        return load("compiled")["text._facts"]
    except ImportError:
        pytest.skip("no compiled kernels")


def what_is_read(kernel, text: str, *, is_table: bool):
    """Names, arguments and numbers of each row; the odd lines; how many lines there are."""
    raw = text.encode()
    lines = raw.count(b"\n") + raw.count(b"\r") + 1
    most = raw.count(b",") + 2 * lines
    rows, odd = np.empty((lines, pure_facts.COLUMNS), np.int64), np.empty((lines, 3), np.int64)
    args, tokens = np.empty(most, np.int64), np.zeros((most, 2), np.int64)
    table = np.zeros(1 << (2 * most).bit_length(), np.int64)
    counts = kernel.read(raw, is_table, rows, args, tokens, table, odd)
    words = [raw[begin:end] for begin, end in tokens[: counts[2]].tolist()]
    found = []
    for row in rows[: counts[0]].tolist():
        first, arity = row[pure_facts.FIRST], row[pure_facts.ARITY]
        cells = tuple(words[arg] for arg in args[first : first + arity].tolist())
        name = None if is_table else words[row[pure_facts.NAME]]
        found.append((row[pure_facts.LINE], name, cells, row[pure_facts.LEFT :]))
    return found, odd[: counts[3]].tolist(), counts[4]


@given(text=TEXTS, is_table=st.booleans())
@example(text="P@1\r\nP(a)@(1,2.50]\rQ@x", is_table=False)
@example(text=" a , b ,1, 2.0 \n\n,1,1\nx,y", is_table=True)
def test_both_back_ends_read_the_same(compiled, text, is_table) -> None:
    expected = what_is_read(pure_facts, text, is_table=is_table)
    assert what_is_read(compiled, text, is_table=is_table) == expected


@pytest.mark.parametrize("backend", ["pure", "compiled"])
def test_a_fact_is_its_name_its_arguments_and_exact_ends(backend, compiled) -> None:
    kernel = pure_facts if backend == "pure" else compiled
    text = "A(x,y z)@1\nA(x,yz)@(-1.50,7/3]\nB@[-inf,+inf] \n"
    rows, odd, lines = what_is_read(kernel, text, is_table=False)
    assert rows == [
        (1, b"A", (b"x", b"yz"), [-15, 10, 7, 3, pure_facts.RIGHT_CLOSED]),
        (2, b"B", (), [0, 1, 0, 1, pure_facts.LEFT_INFINITE | pure_facts.RIGHT_INFINITE]),
    ]
    assert odd == [[0, 0, 10]]
    assert lines == 3


ENDS = st.integers(-(2**61), 2**61) | st.integers(-12, 12) | st.sampled_from([NEG_INF, POS_INF])


@given(
    words=st.lists(st.binary(max_size=4), min_size=1, max_size=4),
    times=st.lists(st.tuples(ENDS, ENDS), max_size=4),
    width=st.integers(0, 3),
    scale=st.sampled_from([1, 2, 6, 10**9, 2**61]),
)
def test_both_back_ends_write_the_same(compiled, words, times, width, scale) -> None:
    starts = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(word) for word in words], out=starts[1:])
    texts = np.frombuffer(b"".join(words), np.uint8)
    args = np.arange(len(times) * width, dtype=np.int64).reshape(len(times), width) % len(words)
    cells = np.array(times, np.int64).reshape(len(times), 2)
    given_all = b"P", texts, starts, args, cells, scale
    assert compiled.lines(*given_all) == pure_facts.lines(*given_all)
