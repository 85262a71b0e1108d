"""Streams over shards, without Spark."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.workloads import gales
from r4.errors import InputError
from r4.path_lock import FolderLock
from r4.spark.jobs.session import NoJava
from r4.spark.shards.messages import AssertedFacts, FactMessage
from r4.spark.shards.worker import StepInputs
from r4.spark.streaming.exchange import (
    read_inputs,
    read_messages,
    write_inputs,
    write_messages,
)
from r4.spark.streaming.file_pieces import WHOLE, FilePiece, StreamInput, next_pieces
from r4.spark.streaming.host import assign_shards
from rete.terms.relations import Part, Relation
from tests.generators.draw import Draw, from_seed
from tests.seeds import parts
from tests.simulation.command import call
from tests.simulation.spark.process_kills import RULES, stream
from tests.simulation.spark.thread_hosts import ThreadHosts, compare, lines_in, without_spark

PART = 8
GALES = str(Path(gales.__file__).with_name("rules") / "gales.rif")


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=8))
def test_what_stops_and_goes_on_tells_what_one_network_does(first: int) -> None:
    _, faults = compare(PART, first)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))


@pytest.mark.parametrize("first", parts(2 * PART, check=0, test=1, soak=8))
def test_so_are_reports_at_marks_of_time(first: int) -> None:
    found, faults = compare(2 * PART, first, reports=True)
    assert not faults, f"seeds {sorted(faults)}\n" + next(iter(faults.values()))
    assert 2 * found["answers"] > found["case"]
    assert found["empty marks"]


@pytest.mark.soak
def test_in_random_cases_drivers_stop_and_batches_are_taken_again() -> None:
    found, _ = compare(40, 5000)
    assert found["case"] > 35
    assert 2 * found["answers"] > found["case"]
    assert 2 * found["several batches"] > found["case"]
    for what in ("new driver", "batch taken again", "end that was none"):
        assert 4 * found[what] > found["case"], what


def test_what_steps_are_given_is_read_as_it_was_written(tmp_path: Path) -> None:
    ends = np.array([5, 2**62 - 1])
    texts = ["<a>", '"é\n"@en', "<b>", "_:d1_x", "<a>", '"\\t"']
    asserted = AssertedFacts(Part("", 3, 2), texts, np.array([-3, 4]), ends, ["<g>", ""])
    atom = AssertedFacts(Relation("<p>", 0), [], np.array([7]), np.array([8]), ())
    given = [
        StepInputs(ends=True, until=4, closes=None),
        StepInputs(
            retracted_names=["<g>"],
            retracted_rows=[("<a>", "<b>", "<c>", "<g>")],
            asserted=[asserted, atom],
        ),
        StepInputs(begins=True, closes=-(2**62)),
    ]
    write_inputs(tmp_path / "orders", given)
    found = read_inputs(tmp_path / "orders")
    assert [_plain(each) for each in found] == [_plain(each) for each in given]


def _plain(given: StepInputs) -> list[object]:
    asserted = [
        [some.relation, list(some.texts), list(some.start), list(some.end), list(some.names)]
        for some in given.asserted
    ]
    flags = [given.ends, given.begins, given.until, given.closes]
    return [*flags, list(given.retracted_names), list(given.retracted_rows), asserted]


def test_what_crosses_is_read_as_it_was_written(tmp_path: Path) -> None:
    numbers = np.array([1, 3]), np.array([2, 2**62]), np.array([True, False])
    sent = FactMessage(2, Relation("<p>", 2), ["<a>", "<b>", "<c>", "<d>"], *numbers)
    write_messages(tmp_path / "parcels", [(3, sent)], 7)
    [(to, found)], count = read_messages(tmp_path / "parcels")
    assert (to, count, found.sender, found.relation) == (3, 7, 2, sent.relation)
    assert list(found.texts) == list(sent.texts)
    for column in ("lo", "hi", "holds"):
        assert getattr(found, column).tolist() == getattr(sent, column).tolist()


def test_shards_stay_where_they_are_and_others_go_where_there_are_fewest() -> None:
    assert assign_shards([[], []], 4) == [[0, 2], [1, 3]]
    assert assign_shards([[1, 2], [0, 3]], 4) == [[1, 2], [0, 3]]
    assert assign_shards([[0, 1, 2, 3], []], 4) == [[0, 1], [2, 3]]
    assert assign_shards([[0], [0]], 1) == [[0], []]


def test_pieces_cover_files_once_in_order_of_names(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, size in (("b.nq", 25), ("a.nq.gz", 90), (".c.nq", 9), ("d.txt", 9)):
        (folder / name).write_bytes(b"x" * size)
    (tmp_path / "s.nq").write_bytes(b"")
    inputs = [
        StreamInput(str(folder), 1, 10, folder=True),
        StreamInput(str(tmp_path / "s.nq"), 2, 10, False),
    ]
    pieces, seen = next_pieces(inputs, {}, 20)
    first, second = str(folder / "a.nq.gz"), str(folder / "b.nq")
    empty = FilePiece(1, str(tmp_path / "s.nq"), 2, 0, 0, last=True)
    assert pieces == [FilePiece(0, first, 1, 0, WHOLE, last=True), empty]
    pieces, seen = next_pieces(inputs, seen, 20)
    assert pieces == [FilePiece(0, second, 11, 0, 10, last=False)]
    (folder / "c.nq").write_bytes(b"x")
    pieces, seen = next_pieces(inputs, seen, 100)
    assert pieces == [
        FilePiece(0, second, 11, 10, 25, last=True),
        FilePiece(0, str(folder / "c.nq"), 21, 0, 1, last=True),
    ]
    assert next_pieces(inputs, seen, 100) == ([], seen)
    (tmp_path / "s.nq").write_bytes(b"more")
    with pytest.raises(InputError, match="was 0 bytes long"):
        next_pieces(inputs, seen, 100)


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    """A run of a few batches in two shards, without Spark."""
    (tmp_path / "rules.rif").write_text(RULES)
    (tmp_path / "s.nq").write_text(stream(from_seed(1), 40))
    return [
        *("spark", str(tmp_path / "rules.rif"), "--input", str(tmp_path / "s.nq")),
        *("--output", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "check")),
        *("--shards", "2", "--batch", "1500"),
    ]


def test_parquet_has_the_lines_as_columns(given: list[str], tmp_path: Path) -> None:
    import pyarrow.parquet as pq  # noqa: PLC0415 - an extra

    with without_spark(ThreadHosts(from_seed(3))):
        assert call([*given, "--as", "parquet"]).code == 0
    rows = [row for path in (tmp_path / "out").iterdir() for row in pq.read_table(path).to_pylist()]
    due = call(["run", given[1], given[3]]).lines()
    assert len(rows) == len(due) > 0


DAYS = """Document( Prefix(ex <urn:ex:>) Window(30 h) Group(
  Forall ?s ?v (?s[ex:last -> ?v] :- ?s[ex:reads -> ?v])
  Forall ?s ?v (?s[ex:twice -> ?v] :- And(?s[ex:reads -> ?v] ?s[ex:tells -> ?v])) ))"""
PROV = "http://www.w3.org/ns/prov#generatedAtTime"


@pytest.mark.parametrize("form", ["state", "state+empty", "changes"])
def test_reports_of_days_of_a_zone_are_those_of_one_network(form: str, tmp_path: Path) -> None:
    """Through the day of March on which Berlin has 23 hours; also as columns, and of one kind."""
    (tmp_path / "rules.rif").write_text(DAYS)
    lines = []
    for number, (day, hour) in enumerate([(29, 1), (29, 9), (30, 23), (31, 21)]):
        graph = f"<urn:g:{number}>"
        stamp = f'"2024-03-{day}T{hour:02}:30:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
        lines += [f"{graph} <{PROV}> {stamp} ."]
        for subject in "abc"[: number + 1 if number < 3 else 0]:
            for what in ("reads", "tells")[: 1 + number % 2]:
                lines.append(f'<urn:ex:{subject}> <urn:ex:{what}> "{number}" {graph} .')
    (tmp_path / "s.nq").write_text("\n".join(lines) + "\n")
    files = str(tmp_path / "rules.rif"), str(tmp_path / "s.nq")
    every = ["--every=1d", "--offset=150m", "--zone=Europe/Berlin", f"--report={form}", "--drain"]
    printed = call(["run", *files, *every, "--quiet"])
    assert printed.code == 0, printed.err
    assert "2024-03-31T01:00:00Z" in printed.out  # half past two is skipped
    output, check = tmp_path / "out", tmp_path / "check"
    args = ["spark", files[0], "--input", files[1], "--shards", "3", "--batch", "400", *every]
    with without_spark(ThreadHosts(from_seed(3))):
        told = call([*args, "--output", str(output), "--checkpoint", str(check)])
    assert told.code == 0, told.err
    assert lines_in(output) == sorted(printed.lines())
    assert len(list(output.glob("part-*-marks.jsonl"))) == (form == "state+empty")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "changes"], "--report is of reports: it needs --every"),
        (["--every", "3", "--ops", "+"], "it needs --report changes"),
        (["--every", "3", "--semantics", "instances"], "goes without --semantics instances"),
        (["--every", "1 second"], "--every: "),
        (["--every", "1d", "--zone", "Mars"], "--zone: 'Mars' is no time zone"),
    ],
)
def test_reports_that_cannot_be_are_refused(given, options: list[str], message: str) -> None:
    with without_spark(ThreadHosts(from_seed(3))):
        refused = call([*given, *options])
    assert refused.code == 2
    assert message in " ".join(refused.err.split())


@pytest.mark.parametrize(
    "changed",
    [
        *(["--shards", "3"], ["--window", "5"], ["--delay", "1"], ["--as", "parquet"]),
        *(["--every", "3"], ["--ops", "+"], ["--window", "<http://e/p>=5"]),
    ],
)
def test_a_checkpoint_is_gone_on_from_by_the_same_run_only(given, changed: list[str]) -> None:
    with without_spark(ThreadHosts(from_seed(3))):
        assert call(given).code == 0
        refused = call([*given, *changed])
    assert refused.code == 2
    assert "R4407" in refused.err
    assert "--checkpoint" in refused.err


def test_answers_of_another_run_are_not_mixed_with(given: list[str], tmp_path: Path) -> None:
    with without_spark(ThreadHosts(from_seed(3))):
        assert call(given).code == 0
        before = lines_in(tmp_path / "out")
        refused = call([*given, "--checkpoint", str(tmp_path / "other")])
    assert refused.code == 2
    assert "R4407" in refused.err
    assert lines_in(tmp_path / "out") == before


def test_a_second_run_from_a_checkpoint_in_use_is_refused(given: list[str], tmp_path: Path) -> None:
    (tmp_path / "check").mkdir()
    with without_spark(ThreadHosts(from_seed(3))):
        with FolderLock(tmp_path / "check"):
            refused = call(given)
        assert call(given).code == 0
    assert refused.code == 2
    assert "R4408" in refused.err


def test_a_damaged_state_is_refused(given: list[str], tmp_path: Path) -> None:
    class Damaging(ThreadHosts):
        def _batch_runner(self):
            for path in (tmp_path / "check" / "states").glob("*/shard-00001.r4"):
                data = bytearray(path.read_bytes())
                data[len(data) // 2] ^= 255
                path.write_bytes(data)
            return super()._batch_runner()

    with without_spark(Damaging(from_seed(3))):
        refused = call(given)
    assert refused.code == 2
    assert "R4403" in refused.err


def test_a_state_is_as_large_as_what_still_holds(tmp_path: Path) -> None:
    """But for the room of ids; where what ended stays, it is seven times the smaller one."""
    sizes = []
    for count in (300, 3000):
        folder = tmp_path / str(count)
        folder.mkdir()
        (folder / "s.nq").write_text("".join(gales.stream(count)))
        args = ["spark", GALES, "--window", "1s", "--input", str(folder / "s.nq"), "--once"]
        where = ["--output", str(folder / "out"), "--checkpoint", str(folder / "check")]
        with without_spark(steady()):
            assert call([*args, *where, "--shards", "2"]).code == 0
        states = list((folder / "check" / "states" / "0").glob("shard-*.r4"))
        sizes.append(sum(path.stat().st_size for path in states))
    assert 4 * sizes[0] > sizes[1] > 100_000


def test_more_facts_than_the_limit_end_the_run(given: list[str]) -> None:
    with without_spark(ThreadHosts(from_seed(3))):
        ended = call([*given, "--limit", "3"])
    assert ended.code == 5
    assert "--limit" in ended.err


def test_strict_ends_before_the_batch_with_bad_data(given: list[str], tmp_path: Path) -> None:
    with (tmp_path / "s.nq").open("a") as file:
        file.write("oops\n")
    with without_spark(ThreadHosts(from_seed(3))):
        ended = call([*given, "--strict"])
    assert ended.code == 4
    assert "DAT101" in ended.err
    assert len(list((tmp_path / "check" / "states").iterdir())) > 0


def test_bad_and_late_data_are_told_with_their_lines(given: list[str], tmp_path: Path) -> None:
    with (tmp_path / "s.nq").open("a") as file:
        file.write("oops\n")
    printed = call(["run", "--quiet", given[1], given[3]])
    with without_spark(steady()):
        sharded = call(given)
    assert sorted(sharded.err.splitlines()) == sorted(
        line for line in printed.err.splitlines() if not line.startswith("without effect")
    )
    assert "DAT101" in sharded.err
    assert "DAT301" in sharded.err


def steady() -> ThreadHosts:
    """Nothing happens by chance, and there are two hosts."""
    return ThreadHosts(Draw(lambda low, high: (low + high) // 2))


def test_a_shard_is_built_once_while_nothing_fails(given: list[str], tmp_path: Path) -> None:
    player = steady()
    with without_spark(player):
        assert call(given).code == 0
    assert "several batches" in player.features
    assert [live.built for live in player.host_runner.live] == [1, 1]
    assert lines_in(tmp_path / "out") == sorted(call(["run", given[1], given[3]]).lines())


def test_standard_input_and_missing_files_are_refused(given: list[str]) -> None:
    for path in ("-", "/nowhere.nq"):
        with without_spark(ThreadHosts(from_seed(3))):
            refused = call([*given, "--input", path])
        assert refused.code == 2
        assert path in refused.err


def test_a_missing_java_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def none() -> None:
        message = "Java is not installed: install it"
        raise NoJava(message)

    monkeypatch.setattr("r4.cli.streams.spark.require", none)
    where = ["--output", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "check")]
    printed = call(["spark", "rules.rif", "--shards", "2", *where])
    assert (printed.code, printed.err) == (2, "Java is not installed: install it\n")
