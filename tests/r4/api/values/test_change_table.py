"""Changes as tables: HTML, Arrow, pandas; and back into a run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rdflib import Literal, Namespace, URIRef

from r4 import extras, markup
from r4.api import Change, ChangeTable, Engine
from r4.api.values import change_table
from tests.simulation.command import call

EX = Namespace("urn:ex:")
RULES = """Document( Prefix(ex <urn:ex:>) Prefix(rif <http://www.w3.org/2007/rif#>)
  Prefix(func <http://www.w3.org/2007/rif-builtin-function#>) Window({})
  Group( (* ex:r *) Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])
         Forall ?x (ex:atom(?x) :- ?x[ex:p -> "atom"])
         Forall ?x (ex:list(External(func:make-list(?x))) :- ?x[ex:p -> "list"])
         Forall ?x (rif:error() :- ?x[ex:p -> "error"]) ) )"""
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOSTILE = [
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    "'\"><svg onload=alert(1)>&lt;b&gt;",
    "]]><!-- \N{RIGHT-TO-LEFT OVERRIDE}\x1b[2J\n</pre>",
]
TAGS = {"table", "thead", "tbody", "tr", "th", "td", "p", "img", "details", "summary", "pre"}


class Tags(HTMLParser):
    """The elements and attributes of markup, and its text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def changes(values: Sequence[str], times: Sequence[datetime | int], window: str) -> ChangeTable:
    engine = Engine.from_text(RULES.format(window))
    elements = [((EX.a, EX.p, Literal(text)), at) for text, at in zip(values, times, strict=True)]
    return ChangeTable(engine.run(elements, drain=None))


EVERYTHING = ["one", "atom", "list", "error"]
TICKS = [1, 2, 3, 4]
DATES = [NOON + timedelta(minutes=n) for n in range(4)]


def shown(html: str) -> Tags:
    found = Tags(html)
    assert {tag for tag, _ in found.tags} <= TAGS
    assert {name for _, names in found.tags for name in names} <= {"alt", "src"}
    assert all(char.isprintable() or char == "\n" for char in html)
    return found


def test_nothing_of_data_is_markup() -> None:
    table = changes(HOSTILE, TICKS, "9")
    assert len(table) == 8
    plain = shown(changes(["a"] * 4, TICKS, "9")._repr_html_())
    found = shown(table._repr_html_())
    assert [tag for tag, _ in found.tags if tag != "tr"].count("td") == 8 * 6
    assert {tag for tag, _ in found.tags} == {tag for tag, _ in plain.tags}
    for text in HOSTILE[:2]:
        assert text in found.text
    engine = Engine.from_text(RULES.format(5))
    for text in HOSTILE:
        triple = (EX.a, EX.p, Literal(text))
        engine.add(triple, at=1)
        why = engine.explain((EX.a, EX.q, Literal(text)), at=1)
        assert why.holds
        tags = shown(why._repr_html_())
        assert [tag for tag, _ in tags.tags] == ["img", "details", "summary", "pre"]
    assert [tag for tag, _ in shown(engine._repr_html_()).tags].count("img") == 1
    odd = URIRef("urn:<script>")
    one = Change("+", 1, (odd, odd, odd), None, False, 1, None, "<b>")
    assert [tag for tag, _ in shown(one._repr_html_()).tags].count("td") == 6


def test_a_long_table_says_how_much_is_left_out() -> None:
    table = changes([str(n) for n in range(80)], list(range(80)), "100")
    found = Tags(table._repr_html_())
    assert [tag for tag, _ in found.tags].count("tr") == change_table.SHOWN + 1
    assert found.text.endswith("and 60 more")


def test_a_picture_is_an_image_of_its_own() -> None:
    found = markup.picture('<svg onload="alert(1)"/>', '"><b>')
    assert [tag for tag, _ in Tags(found).tags] == ["img"]


def test_a_table_is_a_sequence_of_its_changes() -> None:
    table = changes(EVERYTHING, TICKS, "9")
    assert [*table[1:3]] == [table[1], table[2]]
    assert isinstance(table[1:3], ChangeTable)
    assert {each.op for each in table} == {"+", "-"}


@pytest.mark.parametrize("package", ["pyarrow", "pandas"])
def test_a_missing_extra_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_table, "version_of", lambda name: None if name == package else "1")
    convert = {"pyarrow": ChangeTable.to_arrow, "pandas": ChangeTable.to_pandas}[package]
    with pytest.raises(extras.MissingExtra, match=rf"{package} is not installed: .*\[frames\]"):
        convert(ChangeTable([]))


def test_the_library_loads_no_extra() -> None:
    code = (
        "import sys\nfrom r4.api import ChangeTable\nChangeTable([])._repr_html_()\n"
        "print({'pyarrow', 'pandas'} & {*sys.modules})"
    )
    ran = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


@pytest.mark.parametrize(("times", "window"), [(TICKS, "9"), (DATES, "5 m")])
def test_columns_are_those_of_parquet_and_can_be_read_again(
    tmp_path: Path, times: Sequence[datetime | int], window: str
) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = changes(EVERYTHING, times, window)
    stream, rules = tmp_path / "s.nq", tmp_path / "r.rif"
    rules.write_text(RULES.format(window))
    xsd, at = "http://www.w3.org/2001/XMLSchema#", "http://www.w3.org/ns/prov#generatedAtTime"
    kind = "integer" if times is TICKS else "dateTime"
    lines = [
        f'<urn:g{n}> <{at}> "{str(when).replace(" ", "T")}"^^<{xsd}{kind}> .\n'
        f'<urn:ex:a> <urn:ex:p> "{text}" <urn:g{n}> .\n'
        for n, (text, when) in enumerate(zip(EVERYTHING, times, strict=True))
    ]
    stream.write_text("".join(lines))
    written, own = tmp_path / "out.parquet", tmp_path / "own.parquet"
    run = ["run", str(rules), str(stream), "--drain", "--as=parquet", f"--output={written}"]
    assert call(run).code == 0
    arrow = table.to_arrow()
    wanted = pq.read_table(written)
    assert arrow.column_names == wanted.column_names
    times_of = {"at", "from", "until"}
    for name in wanted.column_names:
        if times is TICKS or name not in times_of:
            assert arrow.schema.field(name).type == wanted.schema.field(name).type
            assert arrow[name].to_pylist() == wanted[name].to_pylist()
        else:
            assert arrow.schema.field(name).type == pa.timestamp("us", "UTC")
            texts = wanted[name].to_pylist()
            dates = [None if text is None else datetime.fromisoformat(text) for text in texts]
            assert arrow[name].to_pylist() == dates
    pq.write_table(arrow, own)
    more = tmp_path / "more.rif"
    more.write_text(
        "Document(Prefix(ex <urn:ex:>) Window(1 d)"
        " Group(Forall ?x ?y (?x[ex:again -> ?y] :- ?x[ex:q -> ?y])))"
    )
    again, direct = (call(["run", str(more), str(file), "--drain"]) for file in (own, written))
    assert again.out == direct.out
    assert again.out.count("again") == 2 * 4


def test_times_that_no_datetime_can_say_make_texts() -> None:
    pytest.importorskip("pyarrow")
    far = Change("+", "12026-01-01T00:00:00Z", None, "<urn:a>()", False, NOON, None, 1)
    row = ChangeTable([far]).to_arrow().to_pylist()[0]
    assert (row["at"], row["from"]) == ("12026-01-01T00:00:00Z", "2026-06-01T12:00:00Z")
    near = Change("+", 1, None, "<urn:a>()", False, 1, None, 1)
    with pytest.raises(ValueError, match="of several runs"):
        ChangeTable([far, near]).to_arrow()


def test_an_empty_table_has_the_columns() -> None:
    pytest.importorskip("pyarrow")
    assert ChangeTable([]).to_arrow().column_names[:3] == ["op", "at", "s"]


def test_frames_have_dates() -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = changes(EVERYTHING, DATES, "5 m").to_pandas()
    assert isinstance(frame["at"].dtype, pd.DatetimeTZDtype)
    assert frame["at"].min() == pd.Timestamp(NOON)
