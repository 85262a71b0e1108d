"""The file of a snapshot: whole or not at all, and nothing of it on trust."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import pytest
from rdflib import Graph, Namespace

from r4 import Engine
from r4.checkpoint import SnapshotError, archive, errors, read, write
from r4.engine.core import Core
from rete.arrays.delta import NEG_INF, POS_INF

if TYPE_CHECKING:
    from collections.abc import Callable

    from r4 import Change
    from rete.arrays.state_codec import SavedValue

EX = Namespace("http://example.org/")
RULES = """
Document( Prefix(ex <http://example.org/>) Window(5)
  Group( Forall ?x ?y ?z ( ?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z]) )
         Forall ?x ?y ( ex:from(?x) :- ?x[ex:t -> ?y] ) ) )
"""
SOME: dict[str, SavedValue] = {
    "numbers": np.arange(6).reshape(3, 2),
    "none": np.empty((0, 4), np.int64),
    "text": "é",
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot: matrices of two rows and more are written by column."""
    path = tmp_path_factory.mktemp("snapshot") / "engine.r4"
    engine = Engine.from_text(RULES, keep=True, order="arrival", delay=2, journal=10)
    graph = Graph()
    graph.add((EX.n9, EX.t, EX.n0))
    engine.attach(graph, clock=lambda: 0)
    for at in range(4):
        engine.add([(EX[f"n{at}"], EX.t, EX[f"n{at + 1}"])], at=at, name=f"urn:{at}")
    engine.retract(name="urn:2", at=4)
    with patch.object(archive, "_MANY", 2):
        engine.save(path)
    return path


def rest(engine: Engine) -> list[Change]:
    engine.add([(EX.n2, EX.t, EX.n3)], at=5)
    engine.finish(None)
    return list(engine.changes())


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "file", SOME)
    given = read(tmp_path / "file")
    assert given.array("numbers", np.int64, None, 2).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert given.array("none", np.int64, None, 4).shape == (0, 4)
    assert given.text("text") == "é"


def test_arrays_are_what_numpy_reads_without_pickle(tmp_path: Path) -> None:
    write(tmp_path / "file", SOME)
    with np.load(tmp_path / "file", allow_pickle=False) as arrays:
        assert arrays["0"].tolist() == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("span", [0, 1, 253, 254, 65_533, 65_534, (1 << 32) - 3, (1 << 32) - 2])
@pytest.mark.parametrize("base", [0, -7, 1 << 61, NEG_INF + 1])
def test_columns_are_read_as_they_were_in_as_few_bytes(
    tmp_path: Path, span: int, base: int
) -> None:
    rows = np.array([[base, NEG_INF, 1], [base + span, POS_INF, 1]] * 512, np.int64)
    write(tmp_path / "file", {"rows": rows})
    assert read(tmp_path / "file").array("rows", np.int64, None, 3).tolist() == rows.tolist()
    with np.load(tmp_path / "file", allow_pickle=False) as arrays:
        sizes = [arrays[name].itemsize for name in "012"]
    bits = next((bits for bits in (8, 16, 32) if span + 2 < 1 << bits), 64)
    assert sizes == [bits // 8, 1, 1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"member": 1}', '"member": 0}'),
        ('"base": 5', '"base": null'),
        ('"base": 5', '"base": 1e400'),
        ('"|u1", "base": 5', '"|u2", "base": 5'),
        ('"|u1", "base": 5', '"<u2", "base": 5'),
        ('"shape": [1024, 2]', '"shape": [1024, 3]'),
        ('"shape": [1024, 2]', '"shape": [2048, 2]'),
        ('"shape": [1024, 2]', '"shape": [1024]'),
        ('"columns": [', '"columns": [7, '),
    ],
)
def test_columns_that_there_are_not_are_refused(tmp_path: Path, old: str, new: str) -> None:
    """One column is not two: else a small file would stand for a large matrix."""
    path = tmp_path / "file"
    write(path, {"rows": np.array([[5, 6]] * 1024, np.int64)})

    def change(state: dict[str, object]) -> dict[str, object]:
        text = json.dumps(state)
        assert old in text
        return dict(json.loads(text.replace(old, new)))

    with pytest.raises(SnapshotError, match=r"R440[34] "):
        read(_altered(path, tmp_path, change, "state.json"))


def test_a_file_that_cannot_be_written_whole_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(path, SOME)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write(path, {**SOME, "bad": {1, 2}.__iter__})  # type: ignore[dict-item]
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_bytes_that_are_no_snapshot_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for raw in (b"", b"P", b"<a> <b> <c> .\n"):
        path.write_bytes(raw)
        with pytest.raises(errors.NotASnapshot, match="file is no snapshot"):
            read(path)
    with ZipFile(path, "w") as other:
        other.writestr("a.txt", "a")
    with pytest.raises(errors.NotASnapshot, match=r"it has no manifest\.json"):
        read(path)
    _with_manifest(path, {"format": "another"})
    with pytest.raises(errors.NotASnapshot, match="of something else"):
        read(path)


def test_another_version_is_refused(saved: Path, tmp_path: Path) -> None:
    path = _altered(saved, tmp_path, lambda manifest: {**manifest, "version": 1})
    with pytest.raises(
        errors.OtherVersion, match="version 1 of the format; this R4 reads version 7"
    ):
        read(path)


def test_more_than_the_file_holds_is_never_made(saved: Path, tmp_path: Path) -> None:
    def claim(manifest: dict[str, object]) -> dict[str, object]:
        text = json.dumps(manifest).replace(
            '"dtype": "<i8", "shape": [', '"dtype": "<i8", "shape": [1'
        )
        return dict(json.loads(text))

    with pytest.raises(errors.WrongSize, match="which it has not"):
        read(_altered(saved, tmp_path, claim, "state.json"))
    path = tmp_path / "zipped"
    with ZipFile(path, "w", ZIP_DEFLATED) as bomb:
        bomb.writestr("manifest.json", b" " * 10**7)
    with pytest.raises(errors.WrongSize, match="claims to hold more than it is long"):
        read(path)


def test_arrays_that_are_missing_or_of_another_kind_are_refused(
    saved: Path, tmp_path: Path
) -> None:
    for old, new in (("<i8", "|O"), ("<i8", "|u1"), ('"member": 1}', '"member": 99}')):

        def change(
            manifest: dict[str, object], old: str = old, new: str = new
        ) -> dict[str, object]:
            return dict(json.loads(json.dumps(manifest).replace(old, new)))

        path = _altered(saved, tmp_path, change, "state.json")
        with pytest.raises(SnapshotError, match=r"R440[34] "):
            read(path)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_file_is_refused_or_tells_the_same(
    seed: int, saved: Path, tmp_path: Path
) -> None:
    choose = random.Random(seed)  # noqa: S311
    raw = bytearray(saved.read_bytes())
    place = choose.randrange(len(raw))
    match seed % 3:
        case 0:
            raw[place] ^= 1 << choose.randrange(8)
        case 1:
            del raw[place:]
        case _:
            raw[place : place + 3] = raw[:2]
    path = tmp_path / "damaged"
    path.write_bytes(raw)
    try:
        loaded = Engine.load(path, RULES)
    except SnapshotError as error:
        assert str(error).startswith("R440")  # noqa: PT017 - one of two ends
    else:
        assert rest(loaded) == rest(Engine.load(saved, RULES))


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.soak), 149])
def test_each_byte_changed_is_refused_or_tells_the_same(
    step: int, saved: Path, tmp_path: Path
) -> None:
    """The engine is asked only where the file is read as if nothing had changed."""
    raw, whole, path = saved.read_bytes(), dict(read(saved)._state), tmp_path / "changed"
    kept = 0
    for place in range(0, len(raw), step):
        for bits in (0xFF, 1):
            path.write_bytes(raw[:place] + bytes([raw[place] ^ bits]) + raw[place + 1 :])
            try:
                found = dict(read(path)._state)
            except SnapshotError:
                continue
            np.testing.assert_equal(found, whole)
            kept += 1
    assert kept < len(raw) // step  # names of members, their dates and rights


def test_bytes_that_were_changed_with_those_of_the_zip_are_refused(
    saved: Path, tmp_path: Path
) -> None:
    """The checksums of the manifest cover the state, whatever those of the zip say."""
    path = tmp_path / "altered"
    with ZipFile(saved) as source, ZipFile(path, "w", ZIP_STORED) as copy:
        for name in source.namelist():
            raw = source.read(name)
            copy.writestr(name, raw.replace(b'"tick":"ms"', b'"tick":"us"'))
    with pytest.raises(errors.DamagedSnapshot, match=r"state\.json is not what was written"):
        read(path)


def test_each_array_that_was_changed_with_the_checksum_of_the_zip_is_refused(
    saved: Path, tmp_path: Path
) -> None:
    """Those of terms and of the ledger of statements, too."""
    with ZipFile(saved) as source:
        members = {name: source.read(name) for name in source.namelist()}
    arrays = [name for name in members if name.endswith(".npy")]
    assert len(arrays) > 10
    for name in arrays:
        raw = members[name]
        changed = members | {name: raw[:-1] + bytes([raw[-1] ^ 1])}
        with ZipFile(tmp_path / "altered", "w", ZIP_STORED) as copy:
            for member, content in changed.items():
                copy.writestr(member, content)
        with pytest.raises(errors.DamagedSnapshot, match="is not what was written"):
            Engine.load(tmp_path / "altered", RULES)


@pytest.mark.parametrize(
    ("place", "number", "value"),
    [
        (("terms", "entries"), 2, 8),
        (("core", "agenda", "stage"), None, 2**62),
        (("terms", "entries"), 3, 2**8 * 50 + 23),
    ],
)
def test_numbers_that_no_state_has_are_refused(
    place: tuple[object, ...], number: int | None, value: int, saved: Path, tmp_path: Path
) -> None:
    state = deepcopy(dict(read(saved)._state))
    *way, last = place
    inside: Any = state
    for name in way:
        inside = inside[name]
    if number is None:
        inside[last] = value
    else:
        inside[last].flat[number] = value
    write(tmp_path / "forged", state)
    with pytest.raises(errors.NotAState):
        Engine.load(tmp_path / "forged", RULES)


@pytest.mark.parametrize("restore", [Core.restore, Core.take_over])
@pytest.mark.parametrize("seed", range(60))
def test_a_state_that_no_engine_has_is_refused_or_loaded_but_never_breaks(
    seed: int, restore: Callable[..., object], saved: Path, tmp_path: Path
) -> None:
    choose = random.Random(seed)  # noqa: S311
    state = deepcopy(dict(read(saved)._state))
    *way, last = choose.choice([place for place in _places(state) if place])
    inside: Any = state
    for name in way:
        inside = inside[name]
    value = inside[last]
    if isinstance(value, np.ndarray) and value.size:
        least, most = (0, 255) if value.dtype == np.uint8 else (-(2**63), 2**63 - 1)
        value.flat[choose.randrange(value.size)] = choose.choice([least, most, 0, 1, 200])
    else:
        options: list[SavedValue] = [None, True, -1, 2**70, "x", [], {}, np.zeros((2, 3), np.int64)]
        inside[last] = choose.choice(options)
    path = tmp_path / "forged"
    write(path, state)
    try:
        with patch.object(Core, "restore", restore):
            Engine.load(path, RULES)
    except SnapshotError as error:
        assert error.code in {"R4405", "R4406"}  # noqa: PT017


def _places(value: object, way: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Where the parts of a state are."""
    match value:
        case dict():
            inside = list(value.items())
        case list():
            inside = list(enumerate(value))
        case _:
            inside = []
    return [way, *(place for name, each in inside for place in _places(each, (*way, name)))]


def _altered(
    saved: Path,
    folder: Path,
    change: Callable[[dict[str, object]], dict[str, object]],
    member: str = "manifest.json",
) -> Path:
    """A copy with another manifest or state, under checksums that fit; the rest as it is."""
    path = folder / "altered"
    digest = None
    with ZipFile(saved) as source, ZipFile(path, "w", ZIP_STORED) as copy:
        for name in source.namelist():
            raw = source.read(name)
            if name == member:
                raw = json.dumps(change(json.loads(raw))).encode()
                digest = sha256(raw).hexdigest()
            elif name == "manifest.json" and digest is not None:
                manifest = json.loads(raw)
                manifest["sha256"]["state"] = digest
                raw = json.dumps(manifest).encode()
            copy.writestr(name, raw)
    return path


def _with_manifest(path: Path, manifest: object) -> None:
    with ZipFile(path, "w") as file:
        file.writestr("manifest.json", json.dumps(manifest))
