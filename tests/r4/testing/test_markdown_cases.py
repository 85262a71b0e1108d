"""Cases in Markdown: headings, blocks, and expected lines that are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.testing.case import BadCase, Case
from r4.testing.markdown_cases import read_cases


def cases(folder: Path, text: str) -> list[Case]:
    path = folder / "cases.md"
    path.write_bytes(text.encode())
    return read_cases(path)


def block(kind: str, text: str = "", fence: str = "```") -> str:
    return f"{fence}{kind}\n{text}{fence}\n"


def test_a_section_has_the_blocks_of_those_around_it_and_its_own_in_their_place(
    tmp_path: Path,
) -> None:
    found = cases(
        tmp_path,
        "# All ##\n" + block("rif", "R\n") + block("nquads", "0\n") + block("options", "--drain\n")
        + "## one\n" + block("nquads", "1\n") + block("expected", "{}\n")
        + "## two #2\n" + block("turtle static", "T\n") + block("expected")
        + "# Others\n" + block("rif", "S\n") + block("expected"),
    )  # fmt: skip
    assert [(case.title, dict(case.texts), case.options) for case in found] == [
        ("one", {"rules.rif": "R\n", "stream.nq": "1\n"}, ["--drain"]),
        ("two #2", {"rules.rif": "R\n", "stream.nq": "0\n", "static.ttl": "T\n"}, ["--drain"]),
        ("Others", {"rules.rif": "S\n"}, []),
    ]
    assert [case.expected.read() for case in found] == ["{}\n", "", ""]
    assert found[0].name == f"{tmp_path.as_posix()}/cases.md: one"
    assert list(found[0].files) == ["rules.rif", "stream.nq"]


def test_blocks_that_are_named_have_the_suffix_of_their_kind(tmp_path: Path) -> None:
    (case,) = cases(
        tmp_path,
        block("csv gusts") + block("toml gusts.toml") + block("nquads") + block("expected"),
    )
    assert list(case.files) == ["gusts.csv", "gusts.toml", "stream.nq"]
    assert case.title == "without a heading"


def test_a_file_without_expected_lines_has_no_case(tmp_path: Path) -> None:
    assert cases(tmp_path, "# A\n" + block("rif", "R\n")) == []


def test_a_section_that_has_blocks_and_no_expected_lines_is_told(tmp_path: Path) -> None:
    found = cases(
        tmp_path,
        "# A\n" + block("rif") + "## b\n" + block("expected") + "## c\n" + block("nquads")
        + "## d\nText.\n" + block("python", "1\n"),
    )  # fmt: skip
    assert [case.title for case in found] == ["b", "c"]
    with pytest.raises(BadCase, match="there is no block ```expected"):
        found[1].expected.read()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (block("nquads") + block("nquads"), "stream.nq is there twice"),
        (block("nquads ../a"), "'../a' names no file"),
        (block("nquads -a"), "'-a' names no file"),
        (block("nquads a b"), "'a b' names no file"),
        (block("options x"), "'x' names no file"),
        (block("options", "--a '\n"), "options: No closing quotation"),
    ],
)
def test_what_is_wrong_with_blocks_is_the_fault_of_the_case(
    tmp_path: Path, text: str, why: str
) -> None:
    (case,) = cases(tmp_path, text + block("expected"))
    assert why in case.fault


def test_a_block_without_an_end_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(BadCase, match="the block that begins in line 3 has no end"):
        cases(tmp_path, "# A\n\n```rif\n# B\n``\n")


def test_fences_may_be_tildes_and_longer_and_indented(tmp_path: Path) -> None:
    (case,) = cases(
        tmp_path,
        "~~~~ rif\n# no heading\n~~~\n```\n~~~~~\n" + "  ```expected\n  a\n b\n\n  ```\n"
        + "```inline` is no block\n",
    )  # fmt: skip
    assert dict(case.texts) == {"rules.rif": "# no heading\n~~~\n```\n"}
    assert case.expected.read() == "a\nb\n\n"


lines = st.lists(
    st.sampled_from(["{}", '{"o":"\u2028"}', "```", "````x", "~~~", "# A", " ```", ""]), max_size=5
)


@given(
    st.lists(lines, min_size=1, max_size=3),
    lines,
    st.integers(0, 2),
    st.sampled_from(["\n", "\r\n"]),
)
def test_lines_that_are_written_are_read_again_and_nothing_else_changes(
    tmp_path_factory: pytest.TempPathFactory,
    expected: list[list[str]],
    written: list[str],
    place: int,
    end: str,
) -> None:
    folder = tmp_path_factory.mktemp("cases")
    text = "".join(
        f"# Case {number}\n" + block("expected", "".join(f"{each}\n" for each in some), "`````")
        for number, some in enumerate(expected)
    )
    found = cases(folder, ("\ufeff" + text + "The end.").replace("\n", end))
    place %= len(expected)
    found[place].expected.write("".join(f"{each}\n" for each in written), ".jsonl")
    expected[place] = written
    again = read_cases(folder / "cases.md")
    shown = [case.expected.read().split("\n")[:-1] for case in again]
    assert shown == expected
    assert [case.title for case in again] == [case.title for case in found]
    data = (folder / "cases.md").read_bytes().decode()
    assert data.startswith("\ufeff#")
    assert data.endswith("The end.")
    assert data.count("\n") == data.count(end)
