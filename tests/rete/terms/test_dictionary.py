"""The dictionary: ids and terms one to one, forgetting, side columns; on both back ends."""

from __future__ import annotations

import math
import random
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from rete.arrays.delta import NEG_INF, POS_INF
from rete.arrays.term_columns import SEED, classify_number
from rete.kernels import Backend, load
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads
from rif.syntax.terms import IRI, XSD, BlankNode, GroundList, Literal
from tests.rete.terms.dictionary_bases import base_of
from tests.simulation.dictionary_check import check_dictionary

BACKENDS: list[Backend] = ["pure", "compiled"]


def ids(*terms: int) -> np.ndarray:
    return np.array(terms, np.int64)


TERMS = st.one_of(
    st.integers(0, 40).map(lambda n: f"<http://example.org/{n}>"),
    st.text(max_size=5).map(lambda text: str(Literal(text))),
    st.integers(-3, 40).map(lambda n: f'"{n}"^^<{XSD}integer>'),
    st.integers(0, 9).map(lambda n: f"_:d1_b{n}"),
    st.just("List(<a:b> List())"),
).filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))


class Forgetting(RuleBasedStateMachine):
    """A dictionary against a plain model: id -> (text, last, pinned); some stand on a base."""

    @initialize(
        backend=st.sampled_from(BACKENDS),
        words=st.lists(TERMS, max_size=12),
        room=st.sampled_from([0, 1023, 5000]),
        text_room=st.sampled_from([0, 60, 1 << 16]),
    )
    def start(self, backend: Backend, words: list[str], room: int, text_room: int) -> None:
        self.terms = Dictionary(backend)
        self.model: dict[int, str] = {}
        self.last: dict[int, int] = {}
        if words:
            self.terms.stand_on(base_of(words, room, text_room))
            self.model = dict(
                enumerate(self.terms.decode_many(np.arange(1, len(set(words)) + 1)), 1)
            )
            assert set(self.model.values()) == set(words)
            self.last = dict.fromkeys(self.model, NEG_INF)
        self.pinned = set(self.model)

    def enter(self, term: int, text: str) -> None:
        assert self.model.get(term, text) == text
        self.model[term] = text
        self.last.setdefault(term, NEG_INF)

    def some(self, choice: list[int]) -> np.ndarray:
        alive = sorted(self.model)
        return ids(*(alive[n % len(alive)] for n in choice)) if alive else ids()

    @rule(text=TERMS)
    def encode(self, text: str) -> None:
        known = self.terms.lookup(text)
        term = self.terms.encode(text)
        assert known in {0, term}
        self.enter(term, text)

    @rule(texts=st.lists(TERMS, max_size=30))
    def encode_many(self, texts: list[str]) -> None:
        for term, text in zip(self.terms.encode_many(texts).tolist(), texts, strict=True):
            self.enter(term, text)

    @rule(numbers=st.lists(st.integers(0, 40), max_size=9), odd=st.booleans())
    def read(self, numbers: list[int], odd: bool) -> None:
        spelled = "http://\\u0065xample.org/" if odd else "http://example.org/"
        text = "".join(f"<{spelled}{n}> <a:b> _:b{n % 3} .\n" for n in numbers)
        rows = read_nquads(self.terms, text.encode(), 1).rows
        for n, (s, p, o, g) in zip(numbers, rows.tolist(), strict=True):
            self.enter(s, f"<http://example.org/{n}>")
            self.enter(p, "<a:b>")
            self.enter(o, f"_:d1_b{n % 3}")
            assert g == 0

    @rule(choice=st.lists(st.integers(0, 99), max_size=3))
    def pin(self, choice: list[int]) -> None:
        terms = self.some(choice)
        self.terms.pin(terms)
        self.pinned |= set(terms.tolist())

    @rule(choice=st.lists(st.integers(0, 99), max_size=9), hi=st.integers(-5, 20))
    def touch(self, choice: list[int], hi: int) -> None:
        terms = self.some(choice)
        self.terms.touch(terms.reshape(len(terms), 1), np.full(len(terms), hi))
        for term in terms.tolist():
            self.last[term] = max(self.last[term], hi)

    @rule(bound=st.integers(-6, 21), choice=st.lists(st.integers(0, 99), max_size=3))
    def sweep(self, bound: int, choice: list[int]) -> None:
        keep = self.some(choice)
        forgotten = {
            term
            for term in self.model
            if self.last[term] < bound and term not in self.pinned and term not in keep
        }
        matrix = np.append(keep, [0, -1]).reshape(-1, 1)
        assert self.terms.sweep(bound, [matrix]) == len(forgotten)
        for term in forgotten:
            assert self.terms.lookup(self.model.pop(term)) == 0
            del self.last[term]
            with pytest.raises(KeyError):
                self.terms.decode(term)

    @invariant()
    def every_term_has_its_id(self) -> None:
        if not hasattr(self, "terms"):
            return
        alive = ids(*self.model)
        assert len(self.terms) == len(self.model)
        assert self.terms.decode_many(alive) == list(self.model.values())
        assert all(self.terms.lookup(text) == term for term, text in self.model.items())
        values, classes = self.terms.numeric(alive)
        expected = [classify_number(text) for text in self.model.values()]
        assert list(zip(values.tolist(), classes.tolist(), strict=True)) == expected
        check_dictionary(self.terms)


TestForgetting = Forgetting.TestCase
TestForgetting.settings = settings(stateful_step_count=20)


def test_a_term_is_its_value(backend: Backend) -> None:
    terms = Dictionary(backend)
    values = [
        IRI("http://example.org/é"),
        BlankNode("d1_x"),
        Literal('a "b"\\\n\x01', language="en", datatype=Literal("", language="en").datatype),
        GroundList((IRI("a:b"), GroundList())),
    ]
    found = terms.encode_many([str(value) for value in values])
    assert [str(terms.term(int(term))) for term in found] == [str(value) for value in values]
    assert terms.kinds(found).tolist() == [1, 2, 3, 4]
    assert terms.decode_many(found[::-2]) == [str(values[3]), str(values[1])]


def test_no_term_has_id_0(backend: Backend) -> None:
    terms = Dictionary(backend)
    assert terms.lookup("<a:b>") == 0
    assert terms.encode("<a:b>") == 1
    assert terms.numeric(ids(0))[1].tolist() == [0]
    assert terms.kinds(ids(0)).tolist() == [0]
    for bad in (0, -1, 2, 10**9):
        with pytest.raises(KeyError):
            terms.decode(bad)


@pytest.mark.parametrize("bad", [0, -1, 10**9])
def test_what_is_no_id_is_refused(backend: Backend, bad: int) -> None:
    terms = Dictionary(backend)
    with pytest.raises(IndexError):
        terms.decode_many(ids(bad))
    with pytest.raises(IndexError):
        terms.rank(ids(bad))
    if bad > 0:
        with pytest.raises(IndexError):
            terms.touch(ids(bad).reshape(1, 1), ids(1))


def test_a_lone_surrogate_is_no_text(backend: Backend) -> None:
    with pytest.raises(UnicodeEncodeError):
        Dictionary(backend).encode('"\ud800"')


def test_a_sweep_takes_what_was_never_touched_but_not_what_is_kept(backend: Backend) -> None:
    terms = Dictionary(backend)
    fresh, kept, pinned, early, late = terms.encode_many([f"<a:{n}>" for n in range(5)]).tolist()
    terms.pin(ids(pinned))
    terms.touch(ids(early, late, late).reshape(3, 1), ids(9, 10, 3))
    assert terms.sweep(10, [ids(kept, 0, -1)]) == 2
    assert [terms.lookup(f"<a:{n}>") for n in range(5)] == [0, kept, pinned, 0, late]
    assert terms.sweep(POS_INF) == 2
    assert len(terms) == 1
    assert terms.encode_many(["<b:1>", "<b:2>"]).tolist() == [fresh, kept]  # ids come back
    check_dictionary(terms)


def test_a_term_that_comes_back_starts_afresh(backend: Backend) -> None:
    terms = Dictionary(backend)
    old = terms.encode(f'"7"^^<{XSD}integer>')
    terms.touch(ids(old).reshape(1, 1), ids(100))
    assert terms.numeric(ids(old))[0].tolist() == [7.0]
    terms.sweep(101)
    new = terms.encode(f'"8"^^<{XSD}integer>')
    assert new == old
    assert terms.numeric(ids(new))[0].tolist() == [8.0]
    assert terms.sweep(50) == 1


@given(texts=st.lists(TERMS | st.text(alphabet='<>"aé€😀\x00', max_size=30), min_size=1))
def test_ranks_are_those_of_code_points(texts: list[str]) -> None:
    order = {text: rank for rank, text in enumerate(sorted(set(texts)))}
    for backend in BACKENDS:
        try:
            terms = Dictionary(backend)
        except ImportError:
            continue
        found = terms.encode_many(texts)
        assert terms.rank(found).tolist() == [order[text] for text in texts]
        assert terms.rank(found[::-1]).tolist() == [order[text] for text in texts[::-1]]


@pytest.mark.parametrize("common", [0, 3, 8, 40, 5000])
def test_ranks_of_texts_that_begin_alike(backend: Backend, common: int) -> None:
    rng = random.Random(common)  # noqa: S311 - no secret
    tails = ["".join(rng.choices(["a", "\0"], k=rng.randrange(20))) for _ in range(500)]
    texts = ["x" * common + tail for tail in tails]
    order = {text: rank for rank, text in enumerate(sorted(set(texts)))}
    terms = Dictionary(backend)
    assert terms.rank(terms.encode_many(texts)).tolist() == [order[text] for text in texts]


def test_order_of_nothing(backend: Backend) -> None:
    assert Dictionary(backend).rank(ids()).tolist() == []


def middle(single: int) -> Decimal:
    """Half way between two singles."""
    return Decimal(2 * single + 1) / 16


DIGITS = st.text("0123456789", max_size=22)
EXPONENT = st.builds(
    str.__add__, st.sampled_from(["e", "E", "e+"]), st.integers(-330, 330).map(str)
)
LEXICAL = st.one_of(
    st.tuples(
        st.sampled_from(["", "-", "+"]),
        DIGITS,
        st.sampled_from(["", "."]),
        DIGITS | st.just("000"),
        st.just("") | EXPONENT,
    ).map("".join),
    st.sampled_from(["INF", "-INF", "NaN", "+INF", "", ".", "1_0", " 1", "1e", "٣", "16777217"]),
    st.floats().map(repr),
    st.builds(
        lambda single, tail: f"{middle(single):f}{tail}",
        st.integers(1 << 23, 1 << 24),
        st.sampled_from(["", "0", "00000000000000000001"]),
    ),
)
NUMERIC = ["integer", "decimal", "double", "float", "byte", "unsignedLong", "date"]


@given(literals=st.lists(st.tuples(LEXICAL, st.sampled_from(NUMERIC)), min_size=1))
def test_numbers_of_both_back_ends_are_those_of_the_datatypes(literals) -> None:
    texts = sorted({str(Literal(lexical, XSD + name)) for lexical, name in literals})
    expected = [classify_number(text) for text in texts]
    for backend in BACKENDS:
        try:
            terms = Dictionary(backend)
        except ImportError:
            continue
        values, classes = terms.numeric(terms.encode_many(texts))
        assert classes.tolist() == [cls for _, cls in expected]
        assert [value.hex() for value in values.tolist()] == [value.hex() for value, _ in expected]


@pytest.mark.parametrize(
    ("lexical", "datatype", "value", "cls"),
    [
        ("12", "integer", 12.0, 1),
        ("-0", "integer", 0.0, 1),
        ("-0.0", "decimal", 0.0, 1),
        ("0.5", "decimal", 0.5, 1),
        ("0.1", "decimal", 0.1, 2),
        ("9007199254740993", "integer", 9007199254740992.0, 2),
        ("1" + "0" * 400, "integer", math.inf, 2),
        ("300", "byte", 0.0, 0),
        ("-1", "unsignedLong", 0.0, 0),
        ("1.0", "integer", 0.0, 0),
        ("0.1", "float", float(np.float32(0.1)), 3),
        ("16777217", "float", 16777216.0, 3),
        ("1e3", "double", 1000.0, 4),
        ("-0", "double", -0.0, 4),
        ("INF", "double", math.inf, 4),
        ("1", "string", 0.0, 0),
        ("1", "boolean", 0.0, 0),
    ],
)
def test_numbers(backend: Backend, lexical: str, datatype: str, value: float, cls: int) -> None:
    terms = Dictionary(backend)
    values, classes = terms.numeric(ids(terms.encode(str(Literal(lexical, XSD + datatype)))))
    assert classes.tolist() == [cls]
    assert values[0].hex() == value.hex()


def endless(terms: Dictionary, windows: int, size: int) -> list[int]:
    """New terms, window after window, each forgotten after the next; bytes held after each."""
    held = []
    for window in range(windows):
        lines = [
            f'<http://example.org/offers/{window}/{n}> <a:price> "{window}.{n}" '
            f"<http://example.org/graphs/{window}/{n}> .\n"
            for n in range(size)
        ]
        rows = read_nquads(terms, "".join(lines).encode(), 1).rows
        terms.touch(rows[:, :3], np.full(size, window))
        if terms.due:
            terms.sweep(window)
            held.append(terms.texts.nbytes)
    return held


@pytest.mark.parametrize("windows", [10, pytest.param(40, marks=pytest.mark.soak)])
def test_memory_stays_flat_over_an_endless_stream(backend: Backend, windows: int) -> None:
    terms = Dictionary(backend)
    held = endless(terms, windows, 10_000)
    assert len(held) >= windows // 3
    assert max(held) <= 1.1 * held[0]
    assert len(terms) < 150_000
    check_dictionary(terms)


@pytest.mark.slow
def test_nothing_leaks_beside_the_columns() -> None:
    tracemalloc.start()
    try:
        terms = Dictionary("compiled")
        beside = []
        for _ in range(2):
            endless(terms, 8, 10_000)
            beside.append(tracemalloc.get_traced_memory()[0] - terms.texts.nbytes)
    except ImportError:
        pytest.skip("no compiled kernels on this machine")
    finally:
        tracemalloc.stop()
    assert beside[1] <= beside[0] + 100_000


def test_memory_comes_back_after_a_burst(backend: Backend) -> None:
    terms = Dictionary(backend)
    few = terms.encode_many([f"<a:{n}>" for n in range(100)])
    terms.pin(few)
    small = terms.texts.nbytes
    terms.encode_many([f"<a:{n}>" for n in range(200_000)])
    large = terms.texts.nbytes
    terms.sweep(0)
    assert terms.texts.nbytes < large / 20
    assert terms.texts.nbytes < 3 * small
    check_dictionary(terms)


def test_terms_of_a_base_are_found_among_many(backend: Backend) -> None:
    words = [f"<http://e.x/{n}>" for n in range(3000)]
    terms = Dictionary(backend)
    terms.stand_on(base_of(words, 2000, 1 << 16))
    found = terms.encode_many(words)
    assert sorted(found.tolist()) == list(range(1, 3001))
    assert terms.decode_many(found) == words
    assert terms.encode("<http://e.x/3000>") == 3001
    assert [terms.lookup(f"<http://e.x/{n}>") for n in (-1, 3001)] == [0, 0]
    check_dictionary(terms)


def test_a_term_of_a_base_is_found_behind_another_of_its_hash(backend: Backend) -> None:
    base = base_of([f"<http://e.x/{n}>" for n in range(9)], 2000, 1 << 16)
    terms = Dictionary(backend)
    terms.stand_on(base)
    for place in range(8):
        kept = base.hashes[place]
        base.hashes[place] = base.hashes[place + 1]
        assert terms.lookup(terms.decode(place + 2)) == place + 2
        base.hashes[place] = kept


def test_hashes_are_those_of_the_other_back_end() -> None:
    try:
        load("compiled")
    except ImportError:
        pytest.skip("no compiled kernels on this machine")
    words = [f"<{'x' * n}:é>" for n in range(60)]
    found = []
    for backend in BACKENDS:
        terms = Dictionary(backend)
        terms.texts.state[SEED] = 0x1234_5678_9ABC_DEF0
        hashes = np.empty(len(words), np.uint64)
        terms.kernel.hashes(terms.texts, terms.encode_many(words), hashes)
        found.append(hashes.tolist())
    assert found[0] == found[1]
    assert len(set(found[0])) == len(words)


def test_no_two_dictionaries_hash_alike(backend: Backend) -> None:
    """Else terms of one hash could be chosen."""
    words, found = [f"<{n}>" for n in range(9)], []
    for _ in range(2):
        terms = Dictionary(backend)
        hashes = np.empty(len(words), np.uint64)
        terms.kernel.hashes(terms.texts, terms.encode_many(words), hashes)
        found.append(hashes.tolist())
    assert not set(found[0]) & set(found[1])


@given(
    digits=st.integers(10**15, 10**26),
    places=st.integers(1, 27),
    sign=st.sampled_from(["", "-", "+"]),
    middle=st.booleans(),
)
def test_decimals_of_many_digits_are_the_nearest_doubles(
    digits: int, places: int, sign: str, middle: bool
) -> None:
    text = str(digits).rjust(places + 1, "0")
    if middle:  # of two doubles, or a little beside that
        value = float(digits) / 10**places
        text = f"{(Decimal(value) + Decimal(math.nextafter(value, math.inf))) / 2:.{places}f}"
    else:
        text = f"{text[:-places]}.{text[-places:]}"
    term = f'"{sign}{text}"^^<{XSD}decimal>'
    terms = Dictionary("compiled")
    values, classes = terms.numeric(ids(terms.encode(term)))
    assert (values[0], classes[0]) == classify_number(term)
    assert values[0] == float(sign + text)
