"""Every reader reads or refuses what mutation makes of its samples; `make fuzz` tries more."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

if sys.platform != "linux":
    pytest.skip("limits of memory are those of Linux", allow_module_level=True)

from tests.hostile_input.fuzzing import campaign
from tests.hostile_input.fuzzing.campaign import CORPUS, Finding, fault_of, input_of, run
from tests.hostile_input.fuzzing.readers import READERS, Outcome, Reader

FOUND = sorted(path for path in CORPUS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("name", READERS)
def test_samples_are_of_use(name: str, tmp_path: Path) -> None:
    """At least half of the samples are read: from what is refused at once nothing is learned."""
    reader = READERS[name]
    read = [reader.read(sample, tmp_path) is Outcome.READ for sample in reader.samples]
    assert 2 * sum(read) >= len(read)


@pytest.mark.parametrize("path", FOUND, ids=[f"{each.parent.name}/{each.name}" for each in FOUND])
def test_what_once_broke_a_reader_is_read_or_refused(path: Path, tmp_path: Path) -> None:
    what, _, _ = fault_of(path.parent.name, path.read_bytes(), tmp_path)
    assert not what


@pytest.mark.parametrize("count", [pytest.param(400, marks=pytest.mark.soak), 8])
def test_mutated_inputs_break_no_reader(count: int) -> None:
    jobs = [(name, seed) for seed in range(count) for name in READERS]
    tallies, findings = run(jobs, os.cpu_count() or 1)
    assert findings == []
    assert sum(each.read + each.refused for each in tallies.values()) == len(jobs)


@pytest.mark.soak
@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_texts_of_words_break_no_reader(
    name: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Words of the language in orders of chance, and bytes between them."""
    words = st.one_of(st.sampled_from(READERS[name].tokens or [b""]), st.binary(max_size=3))
    parts = data.draw(st.lists(words, max_size=40))
    between = data.draw(st.sampled_from([b"", b" ", b"\n"]))
    what, _, _ = fault_of(name, between.join(parts), tmp_path_factory.getbasetemp())
    assert not what


def test_an_input_follows_from_its_seed() -> None:
    made = {input_of("turtle", seed) for seed in range(50)}
    assert len(made) > 45
    assert made == {input_of("turtle", seed) for seed in range(50)}


def broken(data: bytes, _: Path) -> Outcome:
    match data[0]:
        case 0:
            raise KeyError(data)
        case 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        case 2:
            begin = time.process_time()
            while time.process_time() - begin < 60:
                pass
        case 3:
            bytearray(2 * campaign.MEGABYTES << 20)
        case 4:
            return Outcome.NO_MEMORY
        case 5:
            os._exit(3)
    return Outcome.READ


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Finding]]:
    """Runs a reader that breaks in a way of its own on each of seven inputs."""
    readers = {"planted": Reader(broken, [b"x"])}
    monkeypatch.setattr(campaign, "READERS", readers)
    monkeypatch.setattr(campaign, "input_of", lambda _, seed: bytes([seed]))
    monkeypatch.setattr(campaign, "_SLACK", 0.5)
    return lambda: run([("planted", seed) for seed in range(7)], 1)[1]


def test_each_way_to_break_is_found_and_the_rest_is_tried(
    planted: Callable[[], list[Finding]],
) -> None:
    findings = {finding.seed: finding.what for finding in planted()}
    assert sorted(findings) == [0, 1, 2, 3, 4, 5]
    assert "KeyError: b'\\x00'" in findings[0]
    assert findings[1] == "SIGSEGV"
    assert findings[2] == "SIGPROF"
    assert "MemoryError" in findings[3]
    assert "500 MB are not enough" in findings[4]
    assert findings[5] == "exit 3"
