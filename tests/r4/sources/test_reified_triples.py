"""Times of single triples, as annotations of RDF 1.2."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.stream.source import StreamOptions
from tests.r4.sources.test_stamp_paths import Held, held, options_of
from tests.simulation.command import small_batches

AT = options_of(("at",), ("to",))
BEHIND = options_of(("by", "at"), ("by", "to"))
DATE = '"2026-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
ALWAYS = (None, None)
SUFFIXES = (".ttl", ".nt")


def read(
    folder: Path, text: str, options: StreamOptions = AT, suffix: str = ".ttl"
) -> tuple[Held, dict[str, int]]:
    path = folder / f"a{suffix}"
    text = f"@prefix : <urn:> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . {text}"
    if suffix == ".nt":
        triples = [quad.triple for quad in ox.parse(text, format=ox.RdfFormat.TURTLE)]
        text = (ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES) or b"").decode()
    path.write_text(text)
    found, intake = held(path, options)
    return found, dict(intake.counters.bad)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":s :v 5 {| :at 3 |} .", {"5": (3, None)}),
        (":s :v 5 {| :at 3 ; :to 9 |} .", {"5": (3, 9)}),
        (":s :v 5 {| :to 9 ; :by :x ; :at 3 |} .", {"5": (3, 9)}),
        (":s :v 5 ~ :r {| :at 3 |} .", {"5": (3, None)}),
        (":s :v 5 ~ :r . :r :at 3 .", {"5": (3, None)}),
        (":r :at 3 . :s :v 5 ~ :r .", {"5": (3, None)}),
        (":s :v 5 ~ _:r . _:r :at 3 ; :to 4 .", {"5": (3, 4)}),
        (":s :v 5 . << :s :v 5 >> :at 3 .", {"5": (3, None)}),
        ("<< :s :v 5 >> :at 3 . :s :v 5 .", {"5": (3, None)}),
        (":s :v 5 . << :s :v 5 ~ :r >> :at 3 .", {"5": (3, None)}),
        (":s :v 5 . :r rdf:reifies <<( :s :v 5 )>> ; :at 3 .", {"5": (3, None)}),
        (":s :v 5 {| :at 3 |} , 6 {| :at 4 |} .", {"5": (3, None), "6": (4, None)}),
        (":s :v 5 {| :at 3 |} ; :w 6 {| :at 4 |} .", {"5": (3, None)}),
        (":s :w 1 {| :at 3 |} ; :v 6 .", {"6": ALWAYS}),
        ("_:s :v 5 {| :at 3 |} .", {"5": (3, None)}),
        (":s :p [ :v 5 {| :at 3 |} ] .", {"5": (3, None)}),
        (":s :v 5 {| :at 3 |} . :o :at 4 ; :v 6 .", {"5": (3, None), "6": (4, None)}),
        (":s :v 5 {| :by [ :at 3 ; :to 4 ] |} .", {}),
        (':s :v "a >> b" {| :at 3 |} .', {"a >> b": (3, None)}),
        (':s :v "a <<( b" {| :at 3 |} .', {"a <<( b": (3, None)}),
        (':s :v "é" {| :at 3 |} .', {"é": (3, None)}),
        (f":s :v 5 {{| :at {DATE} |}} .", {"5": (1767225600000, None)}),
        (":a :v 5 ~ :r . :b :v 6 ~ :r . :r :at 3 .", {"5": (3, None), "6": (3, None)}),
    ],
)
def test_a_triple_holds_when_its_reifier_does(
    text: str, expected: Held, suffix: str, tmp_path: Path
) -> None:
    if not expected:
        found, bad = read(tmp_path, text, BEHIND, suffix)
        assert found == {"5": (3, 4)}
    else:
        found, bad = read(tmp_path, text, suffix=suffix)
        assert found == expected
    assert not bad


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_a_subject_without_a_time_reifies_is_counted_and_the_triple_holds_always(
    suffix: str, tmp_path: Path
) -> None:
    text = ":s :v 5 {| :source :x |} . :s :v 6 {| :at 3 |} ."
    assert read(tmp_path, text, suffix=suffix) == ({"5": ALWAYS, "6": (3, None)}, {"DAT102": 1})


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_reified_and_not_asserted_holds_at_no_time(suffix: str, tmp_path: Path) -> None:
    text = "<< :s :v 5 >> :at 3 . :s :v 6 {| :at 4 |} ."
    assert read(tmp_path, text, suffix=suffix) == ({"6": (4, None)}, {"DAT102": 1})


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nested_triple_terms_are_counted(suffix: str, tmp_path: Path) -> None:
    text = ":r rdf:reifies <<( :s :p <<( :a :b :c )>> )>> ; :at 3 . :s :v 6 {| :at 4 |} ."
    assert read(tmp_path, text, suffix=suffix) == ({"6": (4, None)}, {"DAT102": 1})


def test_a_triple_with_several_times_is_one_assertion_of_each(tmp_path: Path) -> None:
    path = tmp_path / "a.ttl"
    path.write_text("@prefix : <urn:> . :s :v 5 {| :at 3 |} {| :at 7 |} .")
    _, intake = held(path, AT)
    assert intake.counters.elements == 2


def test_a_triple_of_an_element_stays_with_it_when_it_has_a_time_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.ttl"
    path.write_text("@prefix : <urn:> . :o :at 4 ; :v 5 {| :at 7 |} .")
    found, intake = held(path, AT)
    assert intake.counters.elements == 2
    assert found == {"5": (7, None)}  # the later of both, as `held` keeps one


@given(
    times=st.lists(st.integers(0, 9), max_size=6), plain=st.lists(st.integers(10, 19), max_size=3)
)
def test_annotated_triples_come_in_the_order_of_their_times(
    times: list[int], plain: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = [f":s :v {number + 100} {{| :at {time} |}} ." for number, time in enumerate(times)]
    lines += [f":s :v {value} ." for value in plain]
    lines += [":s :w 0 {| :at 0 |} ."]
    found, bad = read(tmp_path_factory.mktemp("annotated"), "\n".join(lines))
    expected: Held = {str(number + 100): (time, None) for number, time in enumerate(times)}
    assert found == expected | {str(value): ALWAYS for value in plain}
    assert not bad


LINES = """<urn:s> <urn:v> "5" .
_:r<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies><<(<urn:s><urn:v>"5")>>.# with <<( a comment
  _:r <urn:at> "3"^^<http://www.w3.org/2001/XMLSchema#integer> .
# <urn:r> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <urn:s> <urn:v> "6" )>> .
<urn:s> <urn:v> "a <<( b )>> ." .
<urn:q> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <urn:s> <urn:v> "6"@ar--rtl )>> .

<urn:q>\t<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>\t<<(\t<urn:s>\t<urn:v>\t"7\\n"@en\t)>>\t.
<urn:q> <urn:at> "4"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:s> <urn:v> "7\\n"@en <urn:g> .
<urn:s> <urn:v> "7\\n"@en .
<urn:o> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <urn:s> <urn:v> "8" )>> .
<urn:s> <urn:says> <<( <urn:s> <urn:v> "9" )>> ."""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 7, 50, 1 << 20])
def test_lines_of_n_triples_are_written_in_many_ways(
    size: int, newline: str, tmp_path: Path
) -> None:
    """What is said of lines names their places, also where they are read in small parts."""
    path = tmp_path / "a.nt"
    path.write_bytes(LINES.replace("\n", newline).encode())
    with small_batches(size):
        found, intake = held(path, AT)
    assert found == {"5": (3, None), "7\\n": (4, None), "a <<( b )>> .": ALWAYS}
    assert dict(intake.counters.bad) == {"DAT101": 1, "DAT102": 3}
    samples = [each for code in ("DAT101", "DAT102") for each in intake.counters.samples[code]]
    assert sorted(int(each.place.rpartition(":")[2]) for each in samples) == [6, 10, 12, 13]
