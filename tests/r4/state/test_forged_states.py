"""States whose checksums are right and whose content is of somebody else: no more than answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.r4.state.state_run import run, run_halfway
from tests.simulation.command import call

READERS = (
    ["run", "r.rif", "s.nq", "--state", "state", "--output", "out"],
    ["replay", "state"],
    ["state", "show", "state"],
    ["state", "verify", "state"],
)
WRONG: Mapping[str, object] = {
    "state": 7,
    "program": None,
    "rules": "\N{SNOWMAN}",
    "functions": ["a"],
    "command": [],
    "command.arguments": 5,
    "command.options": {"window": ["5"]},
    "command.streams": [[], {}],
    "command.numbered": "yes",
}


def forge(place: str, value: object) -> None:
    """Put a value into the manifest, and the checksum of what it is then."""
    path = Path("state/manifest.json")
    found = json.loads(path.read_bytes())
    parts = place.split(".")
    within: dict[str, Any] = found if len(parts) == 1 else found[parts[0]]
    within[parts[-1]] = value
    content = {k: v for k, v in found.items() if k not in {"format", "version", "sha256"}}
    found["sha256"] = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    path.write_text(json.dumps(found))


@pytest.mark.parametrize("place", WRONG)
def test_a_manifest_of_other_kinds_of_values_is_damaged(at: Path, place: str) -> None:
    del at
    run_halfway()
    forge(place, WRONG[place])
    for args in READERS:
        found = call(args)
        assert found.code == 3, found.err
        assert "R4415 state/manifest.json is damaged" in found.err


@pytest.mark.parametrize("last", ["--only", "--late", "--status", "--output", "--state"])
@pytest.mark.parametrize("option", ["--late", "--status", "--metrics", "--output"])
def test_a_replay_writes_nothing_that_its_command_does_not_name(
    at: Path, option: str, last: str
) -> None:
    """An option at the end takes the next word, such as that with the state, for its value."""
    assert run("--output", "out", "--keep-journal").code == 0
    (at / "victim").write_text("theirs")
    before = {path.name for path in at.iterdir()}
    forge("command.arguments", ["r.rif", "s.nq", option, "victim", last])
    found = call(["replay", "state"])
    assert found.code in {2, 3}, found.err
    assert (at / "victim").read_text() == "theirs"
    assert {path.name for path in at.iterdir()} == before


@pytest.mark.parametrize("text", ["[1]", "1", "null", "{", "[" * 100_000, "\udcff"])
def test_a_status_that_is_none_is_refused(at: Path, text: str) -> None:
    run_halfway()
    (at / "state" / "status.json").write_text(text, "utf-8", "surrogateescape")
    found = call(["status", "state"])
    assert (found.code, found.err) == (6, "state/status.json is no status of a run\n")
