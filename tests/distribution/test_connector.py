"""The package of examples/connector, built and installed as any other: it runs, and resumes."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.seeds import soak
from tests.simulation.state.killed_process import run_killed

CONNECTOR = ROOT / "examples" / "connector"
RULES, MAPPING = str(CONNECTOR / "alarms.rif"), str(CONNECTOR / "readings.toml")
FILES, READINGS = 12, 3

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package is installed; its folder stays as it is, and nothing is fetched."""
    folder = tmp_path_factory.mktemp("connector")
    shutil.copytree(CONNECTOR, folder / "source")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    target = ["--target", str(folder / "library"), str(folder / "source")]
    subprocess.run([*pip, *offline, *target], check=True)
    return folder / "library"


@pytest.fixture
def at(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    paths = [str(ROOT), str(library), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    return tmp_path


def reading(number: int) -> str:
    minutes, seconds = divmod(20 * number, 60)
    when = f"2026-01-01T12:{minutes:02}:{seconds:02}Z"
    return json.dumps({"sensor": f"s{number % 2}", "time": when, "celsius": 25 + number % 11})


def fill(spool: Path, numbers: Sequence[int]) -> None:
    """Send files, as a sender should: each gets its name once it is complete."""
    spool.mkdir(exist_ok=True)
    for number in numbers:
        lines = [reading(number * READINGS + each) for each in range(READINGS)]
        hidden = spool / f".{number:03}"
        hidden.write_text("\n".join(lines))
        hidden.rename(spool / f"{number:03}")


def end(spool: Path) -> None:
    (spool / "~end").touch()


def arguments(folder: Path, output: str, *more: str) -> list[str]:
    spool = f"spool://{folder / 'spool'}"
    return ["run", RULES, spool, "--mapping", MAPPING, "--output", str(folder / output), *more]


def run(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "r4", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def plain_output(folder: Path, form: str) -> bytes:
    """The answers of a run that nothing interrupts; the spool is full again afterwards."""
    fill(folder / "spool", range(FILES))
    end(folder / "spool")
    done = run(*arguments(folder, "plain", "--as", form))
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (folder / "spool").iterdir()] == ["~end"]
    fill(folder / "spool", range(FILES))
    return (folder / "plain").read_bytes()


@pytest.mark.parametrize(("form", "kills"), [("jsonl", (12, 31)), *soak(("holding", (14, 20)))])
def test_a_run_that_is_killed_twice_loses_nothing(
    at: Path, form: str, kills: tuple[int, ...]
) -> None:
    wanted = plain_output(at, form)
    assert wanted.count(b"\n") >= FILES
    args = arguments(at, "out", "--as", form, "--state", str(at / "state"))
    args += ["--checkpoint-every", "0"]
    codes = [run_killed(operation, 1 << 20, args).returncode for operation in kills]
    assert codes[0] == -signal.SIGKILL
    assert set(codes) <= {0, -signal.SIGKILL}  # what waits together is read together
    last = run_killed(10**9, 1 << 20, args)
    assert last.returncode == 0, last.stderr
    assert (at / "out").read_bytes() == wanted
    assert [path.name for path in (at / "spool").iterdir()] == ["~end"]


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_what_is_told_is_acknowledged_before_r4_waits_and_outlives_a_signal(
    at: Path, by: signal.Signals
) -> None:
    wanted = plain_output(at, "holding")
    spool = at / "spool"
    shutil.rmtree(spool)
    fill(spool, range(FILES // 2))
    args = arguments(at, "out", "--as", "holding", "--state", str(at / "state"))
    with subprocess.Popen([sys.executable, "-m", "r4", *args]) as process:
        wait_until(lambda: not list(spool.iterdir()))
        process.send_signal(by)
    assert process.returncode == (-by if by is signal.SIGKILL else 128 + by)
    assert wanted.startswith((at / "out").read_bytes())
    fill(spool, range(FILES // 2, FILES))
    end(spool)
    done = run(*args)
    assert done.returncode == 0
    line = FILES // 2 * READINGS + 1
    assert f"resumed at line {line} of spool://{spool}, nothing lost, nothing twice" in done.stderr
    assert (at / "out").read_bytes() == wanted


def test_a_replay_needs_the_folder_no_more(at: Path) -> None:
    wanted = plain_output(at, "jsonl")
    keep = ["--state", str(at / "state"), "--keep-journal", "--checkpoint-every", "0"]
    assert run(*arguments(at, "out", *keep)).returncode == 0
    shutil.rmtree(at / "spool")
    again = run("replay", str(at / "state"))
    assert again.stdout.encode() == wanted


def test_a_form_of_instants_says_what_holds(at: Path) -> None:
    held: dict[str, list[str]] = {"": []}
    for line in plain_output(at, "jsonl").decode().splitlines():
        found = json.loads(line)
        before = list(held.values())[-1]
        text = f"{found['s']} {found['p']} {found['o']}"
        now = [each for each in held.get(found["at"], before) if each != text]
        held[found["at"]] = sorted([*now, text]) if found["op"] == "+" else now
    assert run(*arguments(at, "out", "--as", "holding")).returncode == 0
    lines = (at / "out").read_text().splitlines()
    del held[""]
    assert {each["at"]: each["holds"] for each in map(json.loads, lines)} == held


def test_the_page_about_it_shows_its_code_and_what_it_prints(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "connectors.md").read_text("utf-8")
    code = "".join(path.read_text("utf-8") for path in sorted(CONNECTOR.rglob("*.[pt][yo]*")))
    shown = re.findall(r"^```(?:python|toml)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    of_package = [block for block in shown if "mqtt" not in block]
    assert len(of_package) == len(shown) - 1 > 3
    assert [block for block in of_package if bare(block) not in bare(code)] == []
    monkeypatch.chdir(at)
    (at / "examples").symlink_to(ROOT / "examples")
    (at / "spool").mkdir()
    for line, name in re.findall(r"^echo '(.*)' >(spool/.*)$", page, re.MULTILINE):
        Path(name).write_text(line)
    end(at / "spool")
    ((command, printed),) = re.findall(r"^\$ r4 (.*)\n((?:(?!```).*\n)*)", page, re.MULTILINE)
    assert run(*shlex.split(command)).stdout == printed


def bare(text: str) -> str:
    """The lines without indentation and blank ones, as the formatter of documents changes these."""
    return "".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip())


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_rules_call_its_function(at: Path) -> None:
    (at / "r.rif").write_text(
        """Document(Prefix(ex <urn:ex:>) Window(5) Group(
        Forall ?s ?c (?s[ex:warm -> External(<urn:example:spool#fahrenheit>(?c))]
            :- ?s[ex:reads -> ?c])))"""
    )
    (at / "s.nq").write_text(
        '<urn:ex:s> <urn:ex:reads> "20"^^<http://www.w3.org/2001/XMLSchema#decimal> <urn:g> .\n'
        "<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "
        '"1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    )
    found = run("run", str(at / "r.rif"), str(at / "s.nq"), "--quiet")
    assert json.loads(found.stdout)["o"] == '"68"^^<http://www.w3.org/2001/XMLSchema#decimal>'
