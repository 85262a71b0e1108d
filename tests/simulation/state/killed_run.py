"""`r4 run --state` in this process, stopped in some operation of the file system, again and again.

The outside world is a script of input events, as in `timed_comparison`; see `scripted_world`.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from r4.state.files import SystemFiles
from r4.state.folder import StateFolder
from r4.state.manifest import OTHER_PROGRAM
from r4.stream.input_events import ChangeReferences
from tests.simulation.command import CRASHED, STOPPED, CommandOutput, call
from tests.simulation.other_version import other_version
from tests.simulation.state.crashing_files import Crash, CrashingFiles
from tests.simulation.state.killed_case import KilledCase, killed_case, reference_changes
from tests.simulation.state.scripted_world import World, in_world

MOST_KILLS = 5
_EVENT = re.compile(r"\b(?:At|From|Ended) \?")


def difference(
    case: KilledCase,
    folder: Path,
    fault: Callable[[], AbstractContextManager[object]] = nullcontext,
    *,
    migrates: bool = False,
    versions: bool = False,
) -> tuple[str | None, set[str]]:
    """How the killed run differs from the one that was not, and what the case has.

    ``fault`` is planted in the killed run alone. With ``migrates`` that run stops where rules
    change, and its state is migrated; the other one reads them again. With ``versions`` processes
    of two versions of R4 take turns, as they migrate the state.
    """
    files, names = _write(case, folder)
    changes = reference_changes(case, folder)
    case = replace(case, replays=case.replays and not versions)
    if migrates:
        rules = [(place, each.rules) for place, each in changes if each.rules is not None]
        changes = [(place, ChangeReferences(rules=text)) for place, text in rules]
    plain, late = folder / "plain", folder / "plain.late"
    options = [*case.timed.run.options(), *case.timed.options(), "--as", case.form, *case.report]
    world = World(case, names, changes, migrates=migrates)
    whole = World(case, names, changes)
    whole._stops.clear()
    for name, data in zip(names, whole.data, strict=True):
        Path(name).write_bytes(data)
    with in_world(whole, case, SystemFiles()):
        first = call(["run", *files, *options, "--output", str(plain), "--late", str(late)])
    if first.code != 0:
        return None, {"the run fails"}
    # The files do not follow what the script says of them, so they are not compared.
    options += ["--watch", "--state", str(folder / "state"), "--late", str(folder / "late")]
    options += ["--output", str(folder / "output")] if case.to_file else []
    options += ["--keep-journal"] if case.replays else []
    with fault():
        wrong, printed, has = _killed(case, world, ["run", *files, *options], versions=versions)
    if wrong is None:
        found = (folder / "output").read_bytes() if case.to_file else _joined(printed)
        if isinstance(found, str):
            wrong = found
        elif found != plain.read_bytes():
            wrong = f"told:\n{found.decode()}\ninstead of\n{plain.read_text()}"
        elif case.replays and (again := _again(case, world, folder)) != plain.read_bytes():
            wrong = f"replayed:\n{again!r}\ninstead of\n{plain.read_text()}"
        elif (folder / "late").read_bytes() != late.read_bytes():
            wrong = f"late:\n{(folder / 'late').read_text()}\ninstead of\n{late.read_text()}"
    if wrong is not None:
        return f"{case.timed}\n{case}\n{wrong}", set()
    text = plain.read_text()
    has |= {
        name
        for name, said in {
            "answers": text,
            "answers end": '"op":"-"' in text,
            "late": late.stat().st_size,
            "several sources": len(names) > 1,
            "pipes": any(case.is_pipe),
            "moves of the clock": case.timed.wall,
            "metric": case.timed.is_metric,
            "aggregates": text and "{" in case.timed.run.rules,
            "event times": text and _EVENT.search(case.timed.run.rules),
            "power fails": case.power,
            "standard output": not case.to_file,
            "happens again": case.replays,
            "reports": case.report and text,
            "reference data change": any(each.documents for _, each in changes),
            "rules change": any(each.rules for _, each in changes),
        }.items()
        if said
    }
    return None, has


def _killed(
    case: KilledCase, world: World, args: Sequence[str], *, versions: bool
) -> tuple[str | None, list[CommandOutput], set[str]]:
    """What is wrong, what each process printed, and what the case has."""
    printed: list[CommandOutput] = []
    has: set[str] = set()
    kills = case.draw.integer(1, MOST_KILLS)
    while True:
        at = None
        if kills:
            at = case.draw.weighted(
                (15, case.draw.integer(0, 8)),
                (25, case.draw.integer(0, 40)),
                (20, case.draw.integer(0, 150)),
                (40, case.draw.integer(100, 300)),  # behind the first checkpoint
            )
        files = CrashingFiles(case.draw, at, power=case.power)
        world.go_on()
        version = other_version() if versions and case.draw.chance(50) else nullcontext()
        with in_world(world, case, files), version:
            found = call(args, Crash)
            if OTHER_PROGRAM in found.err:
                found = _taken_over(Path(args[1]).parent)
                has.add("taken over" if found.code == 0 else "killed")
                assert "R4421" not in found.err
        printed.append(found)
        if world.is_waiting and found.code == 0:
            has.add("stopped")
            found = _migrated(case, world, Path(args[1]).parent)
            printed.append(found)
            has.add({0: "migrated", 3: "rules are refused"}.get(found.code, "killed"))
            found = replace(found, code=0 if found.code == 3 else found.code)
        if world.lost is not None:
            return world.lost, printed, has
        if "resumed" in found.err:
            has.add("resumed")
        if found.code == STOPPED:
            kills = max(kills - 1, 0)
            has.add("killed")
        elif found.code != 0 or found.code == CRASHED:
            return f"exit {found.code}\n{found.err}", printed, has
        elif "the state is saved" in found.err or "stays as it was" in found.err:
            has.add("stopped")
        else:
            return None, printed, has


def _taken_over(folder: Path) -> CommandOutput:
    """What the migration to another version prints, with the rules that run."""
    for rules in reversed(_known_rules(StateFolder(folder / "state"))):
        (folder / "other.rif").write_bytes(rules)
        args = ["state", "migrate", str(folder / "state"), "--rules", str(folder / "other.rif")]
        found = call(args, Crash)
        if "stays as it was" not in found.err:  # else they were refused before, too
            break
    return found


def _known_rules(folder: StateFolder) -> list[bytes]:
    """What the rules said, by all that is recorded."""
    manifest, number = folder.manifest(), max(folder.checkpoints)
    given = folder.read_checkpoint(number)
    assert manifest is not None
    assert given is not None
    texts = [part.text("text") for part in given.part("references").parts("rules")]
    events = [entry.event for entry in folder.entries_behind(number, manifest).entries()]
    changes = [each.rules for each in events if isinstance(each, ChangeReferences)]
    known = [text.encode("latin-1") for text in (manifest.rules, *texts)]
    return known + [each for each in changes if each is not None]


def _migrated(case: KilledCase, world: World, folder: Path) -> CommandOutput:
    """What the migration of a state prints, which may be killed; not all rules can take over."""
    assert world.wanted is not None
    rules = folder / "other.rif"
    rules.write_bytes(world.wanted)
    at = case.draw.integer(0, 150) if case.draw.chance(30) else None
    with in_world(world, case, CrashingFiles(case.draw, at, power=case.power)):
        found = call(["state", "migrate", str(folder / "state"), "--rules", str(rules)], Crash)
    if world.is_waiting and found.code in {0, 3}:
        world.leave_out()
    return found


def _again(case: KilledCase, world: World, folder: Path) -> bytes | str:
    """What the run tells when it happens again; or what is wrong with that."""
    with in_world(world, case, SystemFiles()):
        found = call(["replay", str(folder / "state")])
    if found.code != 0:
        return f"exit {found.code}\n{found.err}"
    return found.out.encode() if case.to_file else _joined([found])


def _joined(printed: Sequence[CommandOutput]) -> bytes | str:
    """Lines of all processes, each once and without its number; or what is wrong with them."""
    lines: dict[int, str] = {}
    for each in printed:
        for line in each.lines():
            if not line.endswith("}"):
                continue
            body, _, number = line.rpartition(',"seq":')
            known = lines.setdefault(int(number[:-1]), body + "}")
            if known != body + "}":
                return f"line {number[:-1]} was told as {known} and as {body}}}"
    if sorted(lines) != list(range(1, len(lines) + 1)):
        return f"lines are missing: {sorted(lines)}"
    return "".join(lines[number] + "\n" for number in sorted(lines)).encode()


def _write(case: KilledCase, folder: Path) -> tuple[list[str], list[str]]:
    """The arguments that name files, and the names of the streams."""
    run = case.timed.run
    rules = folder / "rules.rif"
    rules.write_text(run.rules, encoding="utf-8", newline="")
    static: list[str] = []
    for number, text in enumerate(run.statics):
        path = folder / f"static{number}.nt"
        path.write_text(text, encoding="utf-8", newline="")
        static += ["--static", str(path)]
    names = [str(folder / f"stream{number}.nq") for number in range(len(run.sources))]
    files = [*names, *static] if run.scenario.streams_first else [*static, *names]
    return [str(rules), *files], names


def compare(
    count: int, first: int = 0, *, migrates: bool = False, versions: bool = False
) -> tuple[Counter[str], dict[int, str]]:
    """Features and disagreements of ``count`` cases by seed; the rest as of `difference`."""
    found: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            fault, features = difference(
                killed_case(seed), Path(folder), migrates=migrates, versions=versions
            )
        found.update(features)
        if fault:
            faults[seed] = fault
    return found, faults
