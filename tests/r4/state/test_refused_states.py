"""States that `r4 run --state` refuses: of another command, other rules or files, or damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.path_lock import FolderLock
from tests.r4.state.state_run import RULES, contents, plain_output, run, run_halfway, stream
from tests.simulation.command import call


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (["--output", "out", "--window", "4"], 3, "R4414 the state is of a run with --window"),
        (["--output", "other"], 3, "R4414 the state is of a run with --output out"),
        (["--output", "out", "--semantics", "instances"], 3, "R4414"),
        (["--output", "out", "--delay", "2"], 3, "a run with --delay (not given)"),
        ([], 3, "R4414"),
        (["--output", "/dev/null"], 3, "R4414"),
        (["--output", "out", "--hypotheses"], 2, "possible answers cannot be saved"),
        (["--output", "out", "--as", "parquet"], 2, "parquet"),
        (["--as", "trig"], 2, "name --output FILE"),
    ],
)
def test_another_command_is_refused(at: Path, change: list[str], code: int, message: str) -> None:
    del at
    run("--output", "out")
    before = contents()
    refused = run(*change)
    assert (refused.code, refused.out) == (code, "")
    assert message in refused.err
    assert contents() == before


def test_options_of_a_state_are_shown_as_they_are_given(at: Path) -> None:
    del at
    run("--output", "out", "--delay", "2", "--delay", "urn:x=3")
    assert "R4414 the state is of a run with --delay 2 --delay urn:x=3\n" in run().err


def test_other_rules_are_refused(at: Path) -> None:
    run_halfway()
    (at / "r.rif").write_text(RULES.replace("ex:q", "ex:t"))
    before = contents()
    refused = run("--output", "out")
    assert refused.code == 3
    assert "R4414 the state is of other rules" in refused.err
    assert contents() == before


def test_rules_that_are_written_otherwise_are_the_same(at: Path) -> None:
    wanted = plain_output()
    run_halfway()
    (at / "r.rif").write_text(RULES.replace("?y", "?other"))
    assert run("--output", "out").code == 0
    assert Path("out").read_bytes() == wanted


def test_another_input_is_refused(at: Path) -> None:
    run_halfway()
    (at / "s.nq").write_text(stream().replace("org/s", "org/z"))
    refused = run("--output", "out")
    assert refused.code == 3
    assert "R4416 s.nq: it is not what was read of it before" in refused.err


def test_an_output_that_lacks_what_was_committed_is_refused(at: Path) -> None:
    run_halfway()
    (at / "out").write_bytes(b"")
    refused = run("--output", "out")
    assert refused.code == 3
    assert "R4417 out has 0 bytes, but" in refused.err


def test_a_refused_state_makes_no_output(at: Path) -> None:
    wanted = plain_output()
    run_halfway("--late", "late")
    (at / "out").rename("kept")
    (at / "late").unlink()
    before = contents()
    lost = run("--output", "out", "--late", "late")
    (at / "r.rif").write_text(RULES.replace("ex:q", "ex:t"))
    other = run("--output", "out", "--late", "late")
    assert (lost.code, other.code) == (3, 3)
    assert "R4417 out does not exist, but" in lost.err
    assert "R4414" in other.err
    (at / "r.rif").write_text(RULES)
    assert contents() == before
    (at / "kept").rename("out")
    assert run("--output", "out", "--late", "late").code == 0
    assert (at / "out").read_bytes() == wanted
    assert (at / "late").read_bytes() == b""


@pytest.mark.parametrize("name", ["out", "late"])
def test_a_run_that_has_ended_without_its_output_is_refused(at: Path, name: str) -> None:
    files = ("--output", "out", "--late", "late")
    (at / "s.nq").write_text(stream() + stream(20))
    assert run(*files).code == 0
    whole = (at / name).read_bytes()
    (at / name).write_bytes(whole[:-1])
    short = run(*files)
    (at / name).unlink()
    gone = run(*files)
    assert (short.code, gone.code) == (3, 3)
    assert f"R4417 {name} has {len(whole) - 1} bytes, but {len(whole)} were co" in short.err
    assert f"R4417 {name} does not exist, but {len(whole)} bytes were committed" in gone.err
    assert "all of its output" not in short.err + gone.err
    assert not (at / name).exists()
    (at / name).write_bytes(whole)
    assert run(*files).code == 0
    assert call(["replay", "state"]).code == 0


def test_a_folder_that_is_used_or_is_something_else_is_refused(at: Path) -> None:
    (at / "state").mkdir()
    with FolderLock(at / "state"):
        used = run("--output", "out")
    (at / "state" / "photo.jpg").write_bytes(b"")
    other = run("--output", "out")
    assert (used.code, other.code) == (3, 3)
    assert "R4411 another process or engine uses state" in used.err
    assert "R4412 state holds photo.jpg" in other.err
    assert call(["state", "show", "nowhere"]).code == 3
    assert call(["status", "nowhere"]).code == 3
    assert call(["replay", "nowhere"]).code == 3


def test_without_its_last_checkpoint_a_run_goes_on_from_the_one_before(at: Path) -> None:
    wanted = plain_output()
    run_halfway()
    *_, last = sorted((at / "state").glob("checkpoint-*"))
    whole = bytearray(last.read_bytes())
    whole[len(whole) // 2] ^= 1
    last.write_bytes(whole)
    before = contents()
    refused = run("--output", "out")
    assert refused.code == 3
    assert f"R4415 state/{last.name} is damaged" in refused.err
    assert f"remove {last.name} to go on from the checkpoint before it" in refused.err
    assert "R4415" in call(["state", "verify", "state"]).err
    assert "R4415" in call(["state", "prune", "state"]).err
    assert contents() == before
    last.unlink()
    assert run("--output", "out").code == 0
    assert Path("out").read_bytes() == wanted


def test_a_file_is_no_state(at: Path) -> None:
    (at / "file").write_text("")
    for state in ("file", "file/folder"):
        found = call(["run", "r.rif", "s.nq", "--state", state])
        assert (found.code, found.out) == (6, "")
        assert "R4418" in found.err
        assert "hint: a state is a folder: give one that is" in found.err
