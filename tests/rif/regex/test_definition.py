"""A search finds, and a replacement replaces, what the definition says."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from rif.regex import compile_pattern
from tests.rif.regex.expressions import cases, search, texts
from tests.rif.regex.operations import FLAGS, matches, replace


@given(data=st.data(), flags=FLAGS)
def test_a_search_finds_what_the_definition_has_match(data: st.DataObject, flags: str) -> None:
    case = data.draw(cases(flags))
    pattern = compile_pattern(case.text, flags)
    for text in data.draw(st.lists(texts(), min_size=1, max_size=8)):
        assert pattern.search(text) == search(case, text)


@given(data=st.data(), text=texts())
def test_anchors_of_lines_agree_with_the_definition_where_the_text_ends_with_a_newline(
    data: st.DataObject, text: str
) -> None:
    case = data.draw(cases("m"))
    assert matches(text + "\n", case.text, "m") == search(case, text + "\n")


@given(data=st.data(), flags=st.sampled_from(["", "m", "im"]), text=texts())
def test_replacing_a_match_by_itself_changes_nothing(
    data: st.DataObject, flags: str, text: str
) -> None:
    case = data.draw(cases(flags))
    assume(not search(case, ""))
    assert replace(text, case.text, "$0", flags) == text


@given(text=texts(), pattern=texts(3), flags=st.sampled_from(["q", "qsmx"]))
def test_flag_q_takes_every_character_as_itself(text: str, pattern: str, flags: str) -> None:
    assert matches(text, pattern, flags) == (pattern in text)
    if pattern:
        assert replace(text, pattern, r"\$1$", flags) == text.replace(pattern, r"\$1$")
