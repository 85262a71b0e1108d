"""Record what R4 prints, and compare two records: so code is moved and no byte changes.

    python -m tools.outputs record before.json                    # all parts, of this checkout
    python -m tools.outputs record before.json --tree ../other    # of another checkout
    python -m tools.outputs record one.json --part run --only 17 --full
    python -m tools.outputs compare before.json after.json        # exit 1: they differ

A record has, for each command or random case, its exit code, standard output, standard error and
the files that it wrote. `PARTS` says what is run. Each part runs in a process of its own, by the
interpreter that runs this file, with the code and the test helpers (`tests.generators`,
`tests.simulation`) of the tree that is recorded. A random case is kept as two hashes, of its input
and of its output; ``--full`` keeps the texts, which `compare` then shows as a diff.

What differs from run to run by nature is replaced, by `VARIES` and by nothing else.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, Final, Protocol, TypeAlias

HERE: Final = Path(__file__).resolve().parents[1]
COUNT: Final = 300
"""How many random cases of a part there are: the seeds 0 to 299."""
FEWER: Final = {"explain": 80, "spark": 40}
"""Of parts whose cases take a second or more."""
LONG: Final = 10
"""Of 20 runs, the one that is long."""
LONGEST: Final = 20_000
"""The longest text in characters that is kept; of a longer one, the hash."""
ENVIRONMENT: Final = {
    "COLUMNS": "80",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "TZ": "UTC",
    "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0"),
}
VARIES: Final = (
    (re.compile(r"(Traceback \(most recent call last\):\n)(?:[ ].*\n)+"), r"\1"),  # lines of code
    (re.compile(r"(?m)^\S+\.py:\d+: (\w+Warning: .*)\n  .*\n"), r"\1\n"),
    (re.compile(r"(?<=answers after )[\d.,]+ s$", re.MULTILINE), "N s"),  # of the demo
    (re.compile(re.escape(str(Path(gettempdir(), "tmp"))) + r"\w{8}(?=/)"), "FOLDER"),
)
"""Patterns of what varies from run to run, and their replacements. The paths of the tree and of
the temporary folder become TREE and FOLDER before."""

Entry: TypeAlias = dict[str, Any]
"""``case`` is the input or its hash; then ``code``, ``out``, ``err``, ``files``; or ``hash``."""
Output: TypeAlias = tuple[int, str, str]
"""Exit code, standard output, standard error."""


class Printed(Protocol):
    """What a command has printed, as `tests.simulation.command` has it."""

    code: int
    out: str
    err: str


class Named(Protocol):
    """A test of pytest."""

    nodeid: str


class Recorder:
    """Runs the commands of one part in a temporary folder, and keeps what they give."""

    def __init__(self, tree: Path, folder: Path, options: argparse.Namespace) -> None:
        self.tree, self.folder, self.options = tree, folder, options
        self.entries: dict[str, Entry] = {}

    def normal(self, text: str) -> str:
        """The text without what varies from run to run."""
        for path, name in ((self.folder, "FOLDER"), (self.tree, "TREE")):
            text = text.replace(str(path), name)
        for pattern, replacement in VARIES:
            text = pattern.sub(replacement, text)
        return text

    def command(self, line: str, *, about: str = "", piped: bytes = b"") -> Output:
        """Run ``r4 …`` or ``python …`` in the folder, ``> FILE`` included, and keep its output."""
        args, target = shlex.split(line), ""
        if args[-2:-1] == [">"]:
            args, target = args[:-2], args[-1]
        program = [sys.executable, *(["-m", "r4"] if args[0] == "r4" else [])]
        before = self._files()
        done = subprocess.run(
            [*program, *args[1:]], input=piped, capture_output=True, check=False, cwd=self.folder
        )
        output = done.returncode, done.stdout.decode(), done.stderr.decode()
        if target:
            (self.folder / target).write_bytes(done.stdout)
        after = self._files()
        written = {name: self._text(name) for name in after if before.get(name) != after[name]}
        self.keep(f"{about}$ {line}", "", [output], written)
        return output

    def keep(
        self,
        name: str,
        case: str,
        outputs: Sequence[Output],
        files: Mapping[str, str] | None = None,
    ) -> None:
        """Keep the outputs of a case; with a text of the ``case``, as hashes."""
        found = [(code, self.normal(out), self.normal(err)) for code, out, err in outputs]
        entry: Entry = {}
        if case and not self.options.full:
            entry = {"case": digest(case), "hash": digest(json.dumps(found))}
        else:
            entry["case"] = case
            for number, (code, out, err) in enumerate(found):
                end = f" {number}" if number else ""
                entry |= {f"code{end}": code, f"out{end}": kept(out), f"err{end}": kept(err)}
            entry["files"] = dict(files or {})
        while name in self.entries:
            name += "+"
        self.entries[name] = entry

    def _files(self) -> dict[str, tuple[int, int]]:
        """The files in the folder, with their times and sizes."""
        paths = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        return {
            str(path.relative_to(self.folder)): (path.stat().st_mtime_ns, path.stat().st_size)
            for path in paths
            if "__pycache__" not in path.parts
        }

    def _text(self, name: str) -> str:
        text = (self.folder / name).read_bytes().decode("utf-8", "surrogateescape")
        return kept(self.normal(text) if len(text) <= LONGEST * 50 else text)


def digest(text: str) -> str:
    """A short hash."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def kept(text: str) -> str:
    """The text, or the hash of a long or binary one."""
    binary = re.search("[\0\udc80-\udcff]", text)
    if len(text) <= LONGEST and not binary:
        return text
    return f"{len(text)} characters, hash {digest(text)}"


def help_texts(to: Recorder) -> None:
    """Usage and options of every command, and the version."""
    call = import_module("tests.simulation.command").call
    waiting: list[list[str]] = [[]]
    for words in waiting:
        done = call([*words, "--help"])
        to.keep(" ".join(["r4", *words, "--help"]), "", [(done.code, done.out, done.err)])
        _, _, listed = done.out.partition("\nCommands:\n")
        waiting += [[*words, name] for name in re.findall(r"(?m)^  ([\w-]+)", listed)]


def shown(to: Recorder) -> None:
    """The commands of README.md and docs/*.md, on the files that these show."""
    read_document = import_module("tests.simulation.shown_commands").read_document
    texts = to.options.texts or to.tree
    # The examples of docs/errors.md are files of their own each; a test executes them.
    pages = {*(texts / "docs").glob("*.md")} - {texts / "docs" / "errors.md"}
    for page in [texts / "README.md", *sorted(pages)]:
        text, about = page.read_text("utf-8"), f"{page.name} "
        document = read_document(text)
        document.write_files(to.folder)
        runs = [each for each in document.commands if each.args is not None]
        if any("storms/" in word for each in runs for word in each.args):
            shutil.copytree(texts / "examples", to.folder / "examples")
            shutil.copy(texts / "examples" / "monitors.rif", to.folder)
            to.command("python examples/monitors.py > monitors.nq", about=about)
            to.command("r4 demo --picture demo.svg --save storms", about=about)
        for each in runs:
            given = (to.folder / each.piped).read_bytes() if each.piped else b""
            to.command(f"r4 {shlex.join(each.args)}", about=about, piped=given)
        for name in (name for name in document.files if name.endswith(".py")):
            to.command(f"python {name}", about=about)


def demo(to: Recorder) -> None:
    """The demo, and a run on what it saves."""
    _, out, _ = to.command("r4 demo --picture network.svg --save saved")
    to.command(f"{out.splitlines()[-1].strip()} --drain" if out else "r4 demo")
    to.command("r4 plan saved/storms.rif --as json")


EXAMPLES: Final = (
    "python examples/transformer.py > transformer.nq",
    "r4 run examples/transformer.rif transformer.nq",
    "r4 run examples/oil.rif transformer.nq",
    "python examples/hazards.py > weather.nq",
    "r4 run examples/hazards.rif weather.nq --static examples/hazards.ttl --entailment rdfs",
    "python examples/monitors.py > monitors.nq",
    "r4 run examples/monitors.rif monitors.nq --drain",
    "python examples/network.py network.svg",
    "python examples/aarhus.py DATA/streams/citybench-aarhus",
    "python examples/parking.py DATA/streams/citybench-aarhus/AarhusParkingData.stream parking.svg",
)
"""The examples that need arguments, or are run by `r4`; DATA is the folder R4_TEST_DATA."""


def examples(to: Recorder) -> None:
    """Every script in examples/, and the rules there on the streams that scripts make."""
    source = (to.options.texts or to.tree) / "examples"
    shutil.copytree(source, to.folder / "examples")
    data = os.environ.get("R4_TEST_DATA", "")
    (to.folder / "DATA").symlink_to(data or to.folder / "none")
    lines = [line for line in EXAMPLES if data or "DATA" not in line]
    others = [f"python examples/{path.name}" for path in sorted(source.glob("*.py"))]
    for line in [*lines, *(one for one in others if not any(one in known for known in EXAMPLES))]:
        to.command(line)
    for path in sorted(source.glob("*.rif")):
        to.command(f"r4 check examples/{path.name}")
        to.command(f"r4 plan examples/{path.name}")


def listen(heard: Callable[[Sequence[str], Printed], object]) -> None:
    """Let what `r4` prints in this process be heard, for all modules that are imported from now."""
    command: Any = import_module("tests.simulation.command")
    right = command.call

    def call(args: Sequence[str], *stops: type[BaseException]) -> object:
        done = right(args, *stops)
        heard(args, done)
        return done

    command.call = call


def scenarios(to: Recorder) -> None:
    """What the tests in tests/scenarios, or in ``--tests``, call `r4` for, by name of test."""
    now = [""]

    def heard(args: Sequence[str], done: Printed) -> None:
        words = re.sub(r"(TREE|FOLDER)/\S*/", "", to.normal(shlex.join(map(str, args))))
        to.keep(f"{now[0]} $ {words}", words, [(done.code, done.out, done.err)])

    class Names:
        def pytest_runtest_protocol(self, item: Named) -> None:
            now[0] = item.nodeid.rpartition("/")[2]

    listen(heard)
    places = [str(to.tree / each) for each in to.options.tests or ["tests/scenarios"]]
    wanted = ["-q", f"--rootdir={to.tree}", f"--basetemp={to.folder / 'tests'}", "-p", "no:xdist"]
    pytest = import_module("pytest")
    pytest.main([*wanted, "-p", "no:cacheprovider", *places], plugins=[Names()])


def _write(name: str, text: str) -> str:
    Path(name).write_text(text, "utf-8", newline="")
    return name


def _run(seed: int, tests: Tests) -> tuple[object, object]:
    make, command = tests("generators.streams.runs").random_case, tests("simulation.command")
    case = make(seed, negation=seed % 2 == 1, long=seed % 20 == LONG)
    command.run(case, Path())
    for words in (["check"], ["plan"], ["convert", "--to", "xml"]):
        command.call([*words, "rules.rif", *(["-"] if words[1:] else [])])
    return case, ""


def _metric(seed: int, tests: Tests) -> tuple[object, object]:
    case = tests("generators.streams.metric_runs").random_metric_case(seed, negation=seed % 2 == 1)
    command = tests("simulation.command")
    command.run(case, Path())
    command.call(["plan", "rules.rif"])
    return case, ""


def _timed(seed: int, tests: Tests) -> tuple[object, object]:
    case = tests("generators.streams.timed_runs").timed_case(seed)
    return case, tests("simulation.timed_comparison").told_by(case, Path())[1]


def _state(seed: int, tests: Tests) -> tuple[object, object]:
    case, command = tests("generators.streams.runs").random_case(seed), tests("simulation.command")
    command.run(case, Path(), "--state", "kept", "--keep-journal")
    for words in (["replay"], ["state", "show"], ["state", "verify"]):
        command.call([*words, "kept"])
    return case, ""


def _meetings(seed: int, tests: Tests) -> tuple[object, object]:
    case = tests("generators.meetings.histories").random_meeting(seed)
    text = tests("generators.meetings.text").meeting_text(case)
    if case.way == "library":
        lines = tests("simulation.meetings.engine_run").library_lines(case, Path())
        return text, "\n".join(map(str, lines))
    done = tests("simulation.meetings.command_run").command_output(case, Path())
    return text, "\n".join(sorted(done.lines())) if case.way == "shards" else ""


def _explain(seed: int, tests: Tests) -> tuple[object, object]:
    for kind in ("meeting_comparison", "regime_comparison"):
        tests(f"simulation.explanation.{kind}").check(seed, Path())
    return [(path.name, path.read_text("utf-8")) for path in sorted(Path().iterdir())], ""


def _possible(seed: int, tests: Tests) -> tuple[object, object]:
    world = tests("generators.hypothetical.worlds").of_seed(seed)
    tests("simulation.possible.comparison").run(world, Path())
    return world, ""


def _hypothesise(seed: int, tests: Tests) -> tuple[object, object]:
    case = tests("simulation.hypothetical.seeds").case_of(seed)
    options, *lines = str(case).splitlines(keepends=True)
    rules = _write("rules.txt", "".join(line for line in lines if line[0] != "@"))
    facts = _write("facts.txt", "".join(line for line in lines if line[0] == "@"))
    tests("simulation.command").call(["hypothesise", rules, *shlex.split(options), facts])
    return case, ""


def _mtl(seed: int, tests: Tests) -> tuple[object, object]:
    story, call = (
        tests("generators.metric.updates").story_of(seed),
        tests("simulation.command").call,
    )
    rules, _, facts = str(story.case).partition("---\n")
    write, step = tests("generators.metric.fact_text").write_facts, story.steps[0]
    files = [_write("rules.txt", rules), _write("facts.txt", facts)]
    gone, come = _write("gone.txt", write(step.delete)), _write("come.txt", write(step.insert))
    found = call(["mtl", "materialise", *files, "--periods"]).lines()
    call(["mtl", "check", *files[:1]])
    call(["mtl", "update", *files, "--delete", gone, "--insert", come, "--changes"])
    for fact in [line for line in found if "@" in line][seed % 5 :: 5][:2]:
        call(["mtl", "explain", *files, fact])
    return story, ""


def _mtl_stream(seed: int, tests: Tests) -> tuple[object, object]:
    case = tests("generators.metric.fact_streams").case_of(seed)
    files = [_write("rules.txt", str(case).partition("---")[0]), _write("facts.txt", case.text)]
    args = ["--query", case.query, "--delay", str(case.delay), "--memory", case.memory]
    args += ["--retractions"] if case.retracts else []
    args += [] if case.points.every is None else ["--every", str(case.points.every)]
    if case.points.at is not None:
        args += ["--at", _write("times.txt", "".join(f"{at}\n" for at in case.points.at))]
    tests("simulation.command").call(["mtl", "stream", *files, *args])
    return case, ""


def _shards(seed: int, tests: Tests) -> tuple[object, object]:
    seeds, player = tests("simulation.shards.seeds"), tests("simulation.shards.story_run")
    case, shards = seeds.case_of(seed), seeds.SHARDS[seed // 12 % 4]
    if hasattr(case, "rules"):
        done = tests("simulation.shards.command").run_sharded(
            case, Path(), lambda program, value: seeds.partition(program, shards, by_value=value)
        )
        return case, "\n".join(sorted(done.lines))
    program, instances = seeds.compiled(case.document, case), case.semantics == "instances"
    network = player.ShardedNetwork(seeds.partition(program, shards), instances=instances)
    player.run_story(case, network)
    return seeds.story_text(case), "\n".join(sorted(network.lines))


def _spark(seed: int, tests: Tests) -> tuple[object, object]:
    hosts = tests("simulation.spark.thread_hosts")
    return hosts.case_of(seed), hosts.disagreement(seed, set())


Tests: TypeAlias = Callable[[str], Any]
"""A module of the tests of the tree, by name: these change with the tree, so no type is known."""
CASES: Final[dict[str, Callable[[int, Tests], tuple[object, object]]]] = {
    "run": _run,
    "metric": _metric,
    "timed": _timed,
    "state": _state,
    "meetings": _meetings,
    "explain": _explain,
    "mtl": _mtl,
    "mtl-stream": _mtl_stream,
    "hypothesise": _hypothesise,
    "possible": _possible,
    "shards": _shards,
    "spark": _spark,
}
"""Parts of random cases: of a seed the case, and what it gives beside what `r4` prints."""
PARTS: Final[dict[str, Callable[[Recorder], None] | None]] = {
    "help": help_texts,
    "shown": shown,
    "demo": demo,
    "examples": examples,
    "scenarios": scenarios,
    **dict.fromkeys(CASES),
}


def random_cases(part: str, to: Recorder) -> None:
    """The cases of a part, each in an empty folder that is the current one."""
    only, printed = to.options.only, list[Output]()
    listen(lambda _, done: printed.append((done.code, done.out, done.err)))
    for seed in [only] if only is not None else range(to.options.count or FEWER.get(part, COUNT)):
        place = to.folder / "case"
        place.mkdir()
        os.chdir(place)
        printed.clear()
        try:
            case, more = CASES[part](seed, lambda name: import_module(f"tests.{name}"))
        except Exception as error:  # noqa: BLE001 - what a case raises is its output
            case, more = "raises", f"{type(error).__name__}: {error}"
            if to.options.full:
                traceback.print_exc()
        to.keep(str(seed), str(case), [*printed, (0, str(more), "")])
        os.chdir(to.folder)
        shutil.rmtree(place)


def record_part(part: str, target: Path, options: argparse.Namespace) -> None:
    """Record one part of the tree whose code this process has."""
    tree = Path(options.tree).resolve()
    found = Path(import_module("r4").__file__ or "").resolve()
    assert found.is_relative_to(tree), f"{found} is not in {tree}"
    with TemporaryDirectory(prefix="r4-outputs-") as folder:
        to = Recorder(tree, Path(folder).resolve(), options)
        os.chdir(to.folder)
        run = PARTS[part]
        random_cases(part, to) if run is None else run(to)
        os.chdir(tree)
    target.write_text(json.dumps(to.entries), "utf-8")


def record(target: Path, options: argparse.Namespace, given: Sequence[str]) -> int:
    """Record the parts, each in a process of its own; 1 if one could not be run.

    With ``--part``, the other parts of a record that is there stay.
    """
    tree = Path(options.tree).resolve()
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(tree)}
    kept_parts = options.part and target.exists()
    parts: dict[str, Any] = json.loads(target.read_text("utf-8")) if kept_parts else {}
    failed = []
    for part in options.part or PARTS:
        with TemporaryDirectory(prefix="r4-outputs-") as folder:
            one = Path(folder, "part.json")
            command = [sys.executable, "-P", __file__, "record", str(one), *given]
            done = subprocess.run(
                [*command, "--inside", part], check=False, cwd=tree, env=environment,
                stdout=subprocess.DEVNULL,
            )  # fmt: skip
            if done.returncode or not one.exists():
                failed.append(part)
                continue
            parts[part] = json.loads(one.read_text("utf-8"))
        print(f"{part}: {len(parts[part])}", flush=True)
    target.write_text(json.dumps(parts, indent=0, sort_keys=True), "utf-8")
    for part in failed:
        print(f"{part}: could not be run in {tree}", file=sys.stderr)
    return 1 if failed else 0


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """The entries that differ, of the parts that both records have."""
    for part in (name for name in before if name in after):
        one, other = before[part], after[part]
        for name in sorted({*one, *other}, key=lambda each: (len(each), each)):
            if name not in other or name not in one:
                yield f"{part} {name}: only {'after' if name in other else 'before'}"
            elif one[name].get("case") != other[name].get("case"):
                yield f"{part} {name}: another case, or it raises"
            elif one[name] != other[name]:
                yield f"{part} {name}: {_difference(one[name], other[name])}"


def _difference(one: Entry, other: Entry) -> str:
    """The fields that differ, with a diff where the texts are kept."""
    if "hash" in one or "hash" in other:
        return "another output: record --part … --only … --full shows it"
    lines: Iterable[str] = [json.dumps(each, indent=1, sort_keys=True) for each in (one, other)]
    before, after = ([*text.replace("\\n", "\n").splitlines()] for text in lines)
    return "\n".join(["", *list(difflib.unified_diff(before, after, lineterm="", n=0))[2:40]])


def main(given: Sequence[str]) -> int:
    """Do what the command line says, and give the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.outputs")
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="record what a tree prints")
    recording.add_argument("target", type=Path)
    recording.add_argument("--part", action="append", choices=PARTS, help="default: all")
    recording.add_argument("--tree", type=Path, default=HERE, help="the checkout; default: this")
    recording.add_argument("--texts", type=Path, help="where docs and examples are; default: tree")
    recording.add_argument("--tests", action="append", help="of scenarios: tests to run instead")
    recording.add_argument("--count", type=int, help=f"random cases of a part; default: {COUNT}")
    recording.add_argument("--only", type=int, help="the one random case with this seed")
    recording.add_argument("--full", action="store_true", help="keep texts of random cases")
    recording.add_argument("--inside", choices=PARTS, help=argparse.SUPPRESS)
    comparing = commands.add_parser("compare", help="exit 1 if two records differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    options = parser.parse_args(given)
    if options.command == "record":
        for name in ("target", "tree", "texts"):
            path = getattr(options, name)
            setattr(options, name, path and path.resolve())
        if options.inside:
            record_part(options.inside, options.target, options)
            return 0
        return record(options.target, options, _without_target(options))
    before, after = (
        json.loads(path.read_text("utf-8")) for path in (options.before, options.after)
    )
    found = list(differences(before, after))
    print("\n".join(found) or "equal")
    if apart := {*before} ^ {*after}:
        print(f"not compared, as only one record has them: {', '.join(sorted(apart))}")
    return 1 if found else 0


def _without_target(options: argparse.Namespace) -> list[str]:
    """The options for the process of a part."""
    found = ["--tree", str(options.tree)]
    found += ["--count", str(options.count)] if options.count else []
    found += ["--texts", str(options.texts)] if options.texts else []
    found += [word for each in options.tests or () for word in ("--tests", each)]
    found += ["--only", str(options.only)] if options.only is not None else []
    return [*found, *(["--full"] if options.full else [])]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
