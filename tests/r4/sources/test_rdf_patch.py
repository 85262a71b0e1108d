"""RDF Patch as a stream: whole transactions, whatever they are made of, or nothing of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.errors import Counters, InputError
from r4.rdf.documents import RdfDocument, read_static
from r4.sources.formats import RdfSource
from r4.sources.rdf_patch import PatchReader
from r4.stream.elements.segmentation import StampVocabulary
from r4.stream.intake import Intake
from r4.stream.source import StreamOptions
from rete.terms.dictionary import Dictionary
from tests.oracles.streams import intake as oracle
from tests.oracles.streams.intake import BEGIN, COMMIT, DELETED, END, RETRACTS, START, Statement
from tests.r4.stream.sources import (
    P,
    Pieces,
    TextSource,
    batches_of,
    facts_of,
    in_normal_form,
    integer,
    moment,
    ops_of,
    renamed,
)

NAMES = ["<urn:g1>", "<urn:g2>", "_:b"]
Row = tuple[str, ...]
"""``A`` or ``D`` and a statement, or a line of a patch that is neither."""


class PatchSource(TextSource):
    """A patch as a source."""

    def chunks(self, dictionary: Dictionary, vocabulary: StampVocabulary):
        reader = PatchReader(dictionary, self._number, vocabulary)
        return reader.chunks(Pieces(self._text, self._cuts))


def text_of(rows: Sequence[Row]) -> bytes:
    return "".join(f"{' '.join(row).rstrip()} .\n" for row in rows).encode()


def statements_of(rows: Sequence[Row]) -> tuple[list[Statement], int]:
    """What a patch means, one transaction after the other, and how many fail as they are read."""
    stream: list[Statement] = []
    failed = 0
    for whole, transaction in transactions(rows):
        deletes_other = any(
            row[0] == "D" and not row[4] and row[2] != START for row in transaction if len(row) == 5
        )
        if not whole or deletes_other or any(row[0] in {"X", "TC"} for row in transaction):
            failed += bool(transaction) or not whole
            continue
        stream += [BEGIN, *net(transaction), COMMIT]
    return stream, failed


def transactions(rows: Sequence[Row]) -> list[tuple[bool, list[Row]]]:
    """Rows by transaction, and whether it has its end."""
    found: list[tuple[bool, list[Row]]] = [(True, [])]
    explicit = False
    for row in rows:
        if row == ("TX",):
            if explicit:
                found[-1] = (False, found[-1][1])
            found.append((True, []))
            explicit = True
        elif row == ("TC",) and explicit:
            found.append((True, []))
            explicit = False
        elif row == ("TA",) and explicit:
            found[-1] = (True, [])
            explicit = False
        elif row[0] not in {"PA", "PD", "H", "#"}:
            found[-1][1].append(("TC",) if row == ("TA",) else row)
    return [*found[:-1], (not explicit, found[-1][1])]


def net(transaction: Sequence[Row]) -> list[Statement]:
    """Its statements, without what it adds and then deletes."""
    found: list[Statement] = []
    for code, *statement in transaction:
        last = [row[0] for row in transaction if list(row[1:]) == statement][-1]
        s, p, o, g = statement
        if code == "A" and last == "A":
            found.append((s, p, o, g))
        elif code == "D" and g:
            found.append((s, p, o, g, DELETED))
        elif code == "D":
            found.append((s, RETRACTS, s, ""))
    return found


@st.composite
def patches(draw: st.DrawFn) -> list[Row]:
    rows: list[Row] = [("H", "id", "<uuid:1>")] * draw(st.integers(0, 1))
    now = 0
    for _ in range(draw(st.integers(0, 5))):
        rows += [("TX",)] * draw(st.sampled_from([1, 1, 1, 1, 0, 2]))
        for _ in range(draw(st.integers(0, 3))):
            name = draw(st.sampled_from(NAMES))
            now += draw(st.sampled_from([0, 1, 2, 2, -1]))
            stamp = draw(st.sampled_from([integer(now)] * 9 + [moment("01Z"), '"x"']))
            about = [("A", name, START, stamp, "")] * draw(st.sampled_from([1, 1, 1, 0]))
            if draw(st.integers(0, 5)) == 0:
                about.append(("D", name, START, integer(now - 1), ""))
            if draw(st.integers(0, 9)) == 0:
                about.append(("A", name, RETRACTS, draw(st.sampled_from(NAMES)), ""))
            said = st.tuples(
                st.sampled_from("AAD"),
                st.sampled_from(["<urn:s>", "_:s"]),
                st.just(P),
                st.sampled_from(["<urn:o>", '"D <_:x> ."']),
                st.just(name),
            )
            about += draw(st.lists(said, max_size=3))
            rows += draw(st.permutations(about))
        odd = [("X",), ("D", "<urn:s>", P, "<urn:o>", ""), ("D", "<urn:g1>", END, integer(1), "")]
        rows += [draw(st.sampled_from(odd))] * (draw(st.integers(0, 7)) == 0)
        single = ("A", "<urn:s>", P, '"plain"', "")
        rows += [single] * (draw(st.integers(0, 4)) == 0)
        rows += [("PA", '"x"', "<urn:x#>"), ("PD", '"x"'), ("#", "A")] * draw(st.integers(0, 1))
        rows += [draw(st.sampled_from([("TC",)] * 8 + [("TA",)]))] * draw(
            st.sampled_from([1, 1, 0])
        )
    return rows


@given(
    rows=patches(), cuts=st.lists(st.integers(0, 900), max_size=5), delay=st.sampled_from([0, 2])
)
def test_a_patch_means_its_whole_transactions_however_it_arrives(rows, cuts, delay) -> None:
    stream, failed = statements_of(rows)
    expected = oracle.read([renamed_all(stream)], delay=delay)
    intake, dictionary, batches = batches_of([PatchSource(text_of(rows), 1, cuts)], delay=delay)
    assert in_normal_form(ops_of(batches, dictionary)) == in_normal_form(expected.ops)
    assert intake.counters.late == len(expected.late)
    assert intake.counters.elements == expected.elements
    assert bool(failed) <= bool(intake.counters.bad)
    judged = {"DAT201", "DAT202", "DAT203", "DAT205", "DAT206", "DAT207"}
    found = {code: n for code, n in intake.counters.bad.items() if code in judged}
    stamps = {"DAT203": expected.flaws["stamp"]} if expected.flaws["stamp"] else {}
    said = {code: n for code, n in expected.flaws.items() if code in judged}
    assert found == said | stamps


def renamed_all(stream: Sequence[Statement]) -> list[Statement]:
    """Blank nodes get their document, within literals nothing does."""
    return [
        tuple(
            t if t.startswith('"') else renamed([(t,)], 1)[0][0].replace("_:s", "_:d1_s") for t in s
        )
        for s in stream
    ]


def patch(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def ops(text: bytes) -> tuple[list[tuple], Intake]:
    intake, dictionary, batches = batches_of([PatchSource(text)])
    return ops_of(batches, dictionary), intake


def samples(intake: Intake) -> dict[str, list[str]]:
    return {
        code: [sample.place for sample in found] for code, found in intake.counters.samples.items()
    }


G = f"A <urn:g> {START} {integer(1)} ."
H = f"A <urn:h> {START} {integer(2)} ."
A, D = f"A <urn:s> {P} <urn:o> <urn:g> .", f"D <urn:s> {P} <urn:o> <urn:g> ."
FACT = (("<urn:s>", P, "<urn:o>"), 1, None, "<urn:g>")
TAKEN = ("<urn:s>", P, "<urn:o>", "<urn:g>")


def test_a_deleted_quad_is_taken_back_from_the_frontier_after_its_stamp() -> None:
    found, intake = ops(patch("TX .", G, A, "TC .", "TX .", H, D, "TC ."))
    # The deleting element is another one than that of the stamp, and has the largest so far.
    assert found == [FACT, ("back", 2, [TAKEN])]
    assert intake.counters.bad == {}


def test_deleting_a_stamp_takes_all_of_that_name_back() -> None:
    found, _ = ops(patch("TX .", G, A, "TC .", "TX .", "D" + G[1:], "TC ."))
    assert found == [FACT, ("back", 1, [("<urn:g>",)])]


def test_what_a_transaction_adds_and_then_deletes_is_not_there() -> None:
    assert ops(patch("TX .", G, A, D, "TC ."))[0] == [("back", 1, [TAKEN])]
    assert ops(patch("TX .", G, D, A, "TC ."))[0] == [("back", 1, [TAKEN]), FACT]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("A <urn:s> nonsense .", "DAT101"),
        ("A .", "DAT101"),
        ("nonsense", "DAT101"),
        ("PA x", "DAT101"),
        (f"D <urn:s> {P} <urn:o> .", "DAT209"),
        (f"D <urn:g> {END} {integer(1)} .", "DAT209"),
        (f'A <urn:s> {P} "x"@en--ltr <urn:g> .', "DAT102"),
    ],
)
def test_a_bad_row_leaves_its_transaction_out_and_no_other(bad, code) -> None:
    found, intake = ops(patch("TX .", H, A, bad, "TC .", "TX .", G, A, "TC ."))
    assert found == [FACT]
    assert intake.counters.bad == {code: 1, "DAT208": 1}
    assert samples(intake) == {code: ["s1:4"], "DAT208": ["s1:1"]}
    assert intake.last == 1


def test_a_bad_element_leaves_its_transaction_out() -> None:
    without_stamp = f"A <urn:s> {P} <urn:o> <urn:h> ."
    plain = f"A <urn:s> {P} <urn:o> ."
    found, intake = ops(
        patch(
            "TX .", G.replace('"1"', '"9"'), A, plain, without_stamp, "TC .", "TX .", G, A, "TC ."
        )
    )
    assert found == [FACT]
    assert intake.counters.bad == {"DAT201": 1, "DAT208": 2}
    assert intake.last == 1


def test_nothing_inherits_the_stamp_of_a_transaction_that_is_left_out() -> None:
    delete = f"D <urn:s> {P} <urn:o> <urn:k> ."
    ends_too_early = f"A <urn:k> {END} {integer(5)} ."
    left_out = ["TX .", H.replace('"2"', '"9"'), delete, ends_too_early, "TC ."]
    found, intake = ops(patch("TX .", G, A, "TC .", *left_out, "TX .", D, "TC ."))
    assert found == [FACT, ("back", 1, [TAKEN])]
    assert intake.counters.bad == {"DAT206": 1, "DAT208": 1}


@pytest.mark.parametrize("end", [(), ("TX .", "TC .")])
def test_a_transaction_without_its_end_has_no_effect(end) -> None:
    found, intake = ops(patch("TX .", G, A, *end))
    assert found == []
    assert intake.counters.bad == {"DAT208": 1}


def test_an_aborted_transaction_has_no_effect_and_is_no_fault() -> None:
    found, intake = ops(patch("TX .", H, A, "nonsense", "TA .", "TX .", G, A, "TC ."))
    assert found == [FACT]
    assert intake.counters.bad == {}


def test_rows_outside_of_transactions_are_one() -> None:
    assert ops(patch("H id <urn:x> .", 'PA "ex" "urn:x#" .', G, A, 'PD "ex" .'))[0] == [FACT]
    found, intake = ops(patch(G, A, "nonsense"))
    assert found == []
    assert intake.counters.bad == {"DAT101": 1, "DAT208": 1}


def test_the_end_of_a_transaction_that_did_not_begin_is_a_bad_row() -> None:
    found, intake = ops(patch("TC .", "TX .", G, A, "TC .", "TA ."))
    assert found == [FACT]
    assert intake.counters.bad == {"DAT101": 2}


def test_labels_may_stand_in_angle_brackets() -> None:
    found, _ = ops(patch(f"A <_:b> {START} {integer(1)} .", f'A _:a {P} "<_:c>" <_:b> .'))
    assert found == [(("_:d1_a", P, '"<_:c>"'), 1, None, "_:d1_b")]


def test_a_transaction_is_handed_over_when_it_is_complete() -> None:
    text = patch("TX .", G, A, "TC .", "TX .", H)
    first = patch("TX .", G, A, "TC .")
    stream = iter(Intake([PatchSource(text, 1, [len(first)])], Dictionary(), StreamOptions()))
    assert len(next(stream).rows) == 1


def test_line_breaks_of_any_kind_may_be_cut_anywhere() -> None:
    text = b"\r\n".join(patch("TX .", G, "# x", A, "TC .").split(b"\n")) + b"nonsense\r"
    for cut in range(len(text)):
        intake, dictionary, batches = batches_of([PatchSource(text, 1, [cut])])
        assert ops_of(batches, dictionary) == [FACT]
        assert samples(intake) == {"DAT101": ["s1:6"]}


def test_a_file_is_known_by_its_suffix_and_is_no_static_data(tmp_path: Path) -> None:
    path = tmp_path / "a.rdfp"
    path.write_bytes(patch("TX .", G, A, "TC ."))
    document = RdfDocument.of(str(path), 1)
    dictionary = Dictionary()
    batches = list(Intake([RdfSource(document)], dictionary, StreamOptions()))
    assert facts_of(batches, dictionary) == [FACT[:3]]
    with pytest.raises(InputError, match="RDF Patch is a stream"):
        list(read_static(document, dictionary, Counters()))
