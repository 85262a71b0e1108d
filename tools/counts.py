"""Count what tells how easily R4 is changed: lines, wirings, fan-out, places to name a thing.

    python -m tools.counts                        # this checkout, as a Markdown table
    python -m tools.counts --against 9ae04933     # before and after, side by side
    python -m tools.counts --rooms --all          # lines by room, and what was counted

The product is the packages r4, rete, rif and temporal; a room is a folder below one of them.

- *lines*: of the files .py, .pyx and .pxd, blank ones and comments too; *modules*: the files .py
  but `__init__.py`. *Rooms that stood before* are those of the revision that is compared with.
- *wirings*: calls of `Agenda(` outside of the rooms in `CORE`, which hold the one place that should
  put agenda, layers and networks together; *parts*: such calls of `Layers(` and `Network(`.
- *fan-out*: the modules of the product that a module imports, in functions and under TYPE_CHECKING
  too. `from a import b` is `a.b` if that is a module, else `a`.
- *registrations*: modules that, when imported, change a table of another module: they call
  `register(…)` of it at module level, or update or set an item of an upper-case name of it.
- *spellings*: of an option of `r4 run`, for those in its help: modules in r4 without r4/bench where
  its name is a string (`--quiet-for`, `quiet-for`, `quiet_for`), a field of a class, a parameter.
- *names twice*: file names but `__init__.py` and `__main__.py` that stand in more than one room.
- *openings*: docstrings, of attributes too, whose first words are "That of", "Those of" or "As of";
  and those that begin with "What".
- *callbacks*: Python calls that go from a module to one in a higher layer, by the layers that
  pyproject.toml gives import-linter, while a running `r4 run` takes in one graph of two triples
  from a pipe and answers. A call through the standard library counts as one of the module behind
  it, and a generator that is resumed as a call. *With what they call*: calls of a module that is
  higher than any on the stack. Both are medians over graphs, each written when the run waits.
"""

from __future__ import annotations

import argparse
import ast
import io
import math
import os
import re
import select
import shutil
import statistics
import subprocess
import sys
import tarfile
import threading
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Final, NamedTuple

HERE: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = ("r4", "rete", "rif", "temporal")
CORE: Final = ("rete/inference/",)
GRAPHS: Final = 20
QUIET: Final = 0.15
"""For how many seconds a run that waits for input calls nothing."""
OPENING: Final = re.compile(r"(That|Those|As) of\b")
_RULES: Final = (
    "Document( Prefix(e <urn:e:>) Window(9) Group( "
    "Forall ?x ( ?x[e:is -> e:bad] :- And( ?x[e:a -> e:m] ?x[e:b -> e:m] ) ) ) )"
)
_GRAPH: Final = (
    '<urn:g{0}> <http://www.w3.org/ns/prov#generatedAtTime> "{0}"^^'
    "<http://www.w3.org/2001/XMLSchema#integer> .\n"
    "<urn:e:x{0}> <urn:e:a> <urn:e:m> <urn:g{0}> .\n"
    "<urn:e:x{0}> <urn:e:b> <urn:e:m> <urn:g{0}> .\n"
)


class Module(NamedTuple):
    """A module of the product: its dotted name, its place below the tree, its text, parsed."""

    name: str
    place: str
    text: str
    tree: ast.Module


class Row(NamedTuple):
    """A row of the table, and what was counted."""

    name: str
    value: str
    listed: Sequence[str] = ()


def modules(root: Path) -> list[Module]:
    """All modules of the product."""
    found = []
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            place = path.relative_to(root)
            parts = place.with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            text = path.read_text("utf-8")
            found.append(Module(name, str(place), text, ast.parse(text)))
    return found


def room_lines(root: Path) -> dict[str, tuple[int, int]]:
    """How many lines and modules each room has."""
    found: dict[str, tuple[int, int]] = {}
    for package in PACKAGES:
        for path in (root / package).rglob("*"):
            if path.suffix in {".py", ".pyx", ".pxd"}:
                parts = path.relative_to(root).parts
                room = "/".join(parts[:2]) if parts[2:] else package + "/*"
                total, files = found.get(room, (0, 0))
                is_module = path.suffix == ".py" and path.stem != "__init__"
                found[room] = total + len(path.read_bytes().splitlines()), files + is_module
    return found


def lines(root: Path, *, rooms: bool, stood: Collection[str] | None = None) -> Iterator[Row]:
    """Lines and modules of the packages, of the rooms ``stood``, and of each room."""
    found = room_lines(root)
    parts = {"all": list(found)}
    if stood is not None:
        parts["rooms that stood before"] = [room for room in found if room in stood]
    for package in PACKAGES:
        parts[package] = [room for room in found if room.startswith(package + "/")]
    if rooms:
        parts |= {room: [room] for room in sorted(found)}
    for name, some in parts.items():
        total, files = (sum(found[room][place] for room in some) for place in (0, 1))
        yield Row(f"lines (modules), {name}", f"{total:,} ({files})")


def wirings(found: Sequence[Module]) -> Iterator[Row]:
    """Where a network is put together outside of the core."""
    outside = [each for each in found if not each.place.startswith(CORE)]
    for names, title in (
        ({"Agenda"}, "wirings outside the core"),
        ({"Layers", "Network"}, "parts of these"),
    ):
        places = [
            f"{each.place}:{node.lineno}"
            for each in outside
            for node in ast.walk(each.tree)
            if isinstance(node, ast.Call) and _last_name(node.func) in names
        ]
        yield Row(title, str(len(places)), places)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def imports(module: Module, names: frozenset[str]) -> set[str]:
    """The modules of the product that a module imports."""
    found: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            both = [(f"{node.module}.{alias.name}", node.module) for alias in node.names]
            found.update(whole if whole in names else above for whole, above in both)
    return (found & names) - {module.name}


def fan_out(found: Sequence[Module]) -> Row:
    """The modules that import the most modules."""
    names = frozenset(each.name for each in found)
    ranked = sorted(((len(imports(each, names)), each.place) for each in found), reverse=True)
    return Row(
        "highest fan-out",
        f"{ranked[0][0]} {ranked[0][1]}",
        [f"{n} {name}" for n, name in ranked[:10]],
    )


def registrations(found: Sequence[Module]) -> Row:
    """Modules whose import changes a table of another module."""
    names = frozenset(each.name.partition(".")[0] for each in found)
    places = []
    for module in found:
        foreign = {
            alias.asname or alias.name
            for node in module.tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in names
            for alias in node.names
        }
        if any(_registers(node, foreign) for node in module.tree.body):
            places.append(module.place)
    return Row("places to name a kind of formula, by side effect", str(len(places)), places)


def _registers(node: ast.stmt, foreign: set[str]) -> bool:
    """Whether a statement calls a foreign `register`, or changes a foreign table."""
    match node:
        case ast.Expr(ast.Call(ast.Name(name))):
            return name in foreign and name.startswith("register")
        case ast.Expr(
            ast.Call(ast.Attribute(ast.Name(name), "update" | "setdefault" | "register"))
        ):
            return name in foreign
        case ast.Assign([ast.Subscript(ast.Name(name))]) | ast.AugAssign(ast.Name(name)):
            return name in foreign and name.isupper()
    return False


def spellings(found: Sequence[Module], root: Path) -> Row:
    """How often the options of `r4 run` are spelt."""
    shown = _in_tree(root, "-m", "r4", "run", "--help")
    options = sorted({*re.findall(r"(?m)^  (?:-\w, )?--([\w-]+)", shown)} - {"help"})
    places: defaultdict[str, set[str]] = defaultdict(set)
    for module in found:
        if module.place.startswith("r4/") and not module.place.startswith("r4/bench/"):
            for name in _spelt(module.tree):
                places[name].add(module.place)
    count = {one: len(places[one.replace("-", "_")]) for one in options}
    most = max(count, key=lambda one: count[one])
    value = f"{statistics.median(count.values()):g}, at most {count[most]} (--{most})"
    return Row("places an option is spelt, median", value, [f"--{k} {v}" for k, v in count.items()])


def _spelt(tree: ast.Module) -> Iterator[str]:
    """Names of strings, parameters and fields, with `_` for `-`."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if re.fullmatch(r"-{0,2}[a-z][a-z_-]*", text):
                yield text.lstrip("-").replace("-", "_")
            case ast.arg(name):
                yield name
            case ast.ClassDef(body=body):
                for each in body:
                    if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                        yield each.target.id


def names_twice(found: Sequence[Module]) -> Row:
    """File names that stand in more than one room."""
    count = Counter(Path(each.place).name for each in found)
    twice = [f"{name} {n}" for name, n in sorted(count.items()) if n > 1 and name[0] != "_"]
    return Row("file names that stand twice", str(len(twice)), twice)


def openings(found: Sequence[Module]) -> Iterator[Row]:
    """Docstrings that open without a noun for what they are about."""
    texts = [
        (f"{each.place}:{node.lineno}", node.value.value.strip())
        for each in found
        for node in ast.walk(each.tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    for title, pattern in ((" That of, Those of, As of", OPENING), (" What", re.compile("What ")),
                           (" What … of", re.compile(r"What [^.\n]* of\b"))):  # fmt: skip
        places = [place for place, text in texts if pattern.match(text)]
        yield Row(f"docstrings that open with{title}", str(len(places)), places)


def callbacks(root: Path) -> Iterator[Row]:
    """How many calls go up while one graph is processed."""
    direct, within, *listed = _in_tree(root, str(Path(__file__).resolve()), "--follow").splitlines()
    yield Row("upward callbacks a live graph", direct, listed)
    yield Row("upward callbacks a live graph, with what they call", within)


def _in_tree(root: Path, *args: str) -> str:
    """What Python prints with the code of a tree."""
    environment = {**os.environ, "PYTHONPATH": str(root), "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, *args], cwd=root, env=environment, capture_output=True, check=True
    )
    return done.stdout.decode()


def follow(root: Path) -> None:
    """Run `r4` in this process on a pipe, and print how many calls go up for a graph, and which."""
    layers, main = Layering(root), import_module("r4.cli").main
    direct: list[Counter[str]] = [Counter()]
    within = [0]
    last_call = [math.inf]  # until the run begins
    reader, writer = os.pipe()
    os.dup2(reader, 0)
    os.close(reader)

    def feed() -> None:
        for number in range(GRAPHS):
            os.write(writer, _GRAPH.format(number).encode())
            # The pipe is empty, and for a while nothing was called: the graph has been taken in.
            while select.select([0], [], [], 0)[0] or time.monotonic() - last_call[0] < QUIET:
                time.sleep(QUIET / 10)
            direct.append(Counter())
            within.append(0)
        os.close(writer)

    def profile(frame: FrameType, event: str, _: object) -> None:
        last_call[0] = time.monotonic()
        called = str(frame.f_globals.get("__name__"))
        if event != "call" or not called.startswith(PACKAGES):
            return
        callers = list(_callers(frame))
        if callers and layers.goes_up(callers[0], called):
            direct[-1][f"{callers[0]} -> {called}"] += 1
        within[-1] += any(layers.goes_up(each, called) for each in callers)

    with TemporaryDirectory() as folder:
        rules = Path(folder, "rules.rif")
        rules.write_text(_RULES, "utf-8")
        feeder = threading.Thread(target=feed)
        real, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), write_through=True)
        feeder.start()
        sys.setprofile(profile)
        code = main(["run", str(rules), "-", "--quiet"])
        sys.setprofile(None)
        sys.stdout = real
        feeder.join()
    assert code == 0
    running = slice(3, -3)
    middle = sorted(direct[running], key=lambda one: one.total())[len(direct[running]) // 2]
    print(middle.total(), int(statistics.median(within[running])), sep="\n")
    print("\n".join(f"{count} {which}" for which, count in middle.most_common()))


def _callers(frame: FrameType) -> Iterator[str]:
    """The modules of the product on the stack, from the caller on."""
    back = frame.f_back
    while back:
        if (name := str(back.f_globals.get("__name__"))).startswith(PACKAGES):
            yield name
        back = back.f_back


class Layering:
    """The layers of the import contracts, from the highest down, by what contains them."""

    def __init__(self, root: Path) -> None:
        known = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
        self._ranks: dict[str, dict[str, int]] = {}
        for contract in known["contracts"]:
            if contract["type"] == "layers":
                for container in contract.get("containers", [""]):
                    self._ranks[container] = {
                        name.strip(): rank
                        for rank, layer in enumerate(contract["layers"])
                        for name in re.split(r"[|:]", layer)
                    }

    @cache  # noqa: B019 - one object a process
    def goes_up(self, caller: str, called: str) -> bool:
        """Whether the second module stands in a higher layer of what contains both."""
        one, other = caller.split("."), called.split(".")
        depth = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
        if depth is None:
            return False
        ranks = self._ranks.get(".".join(one[:depth]), {})
        low, high = ranks.get(one[depth]), ranks.get(other[depth])
        return low is not None and high is not None and high < low


def counts(root: Path, *, rooms: bool = False, stood: Collection[str] | None = None) -> list[Row]:
    """All rows for a tree."""
    found = modules(root)
    return [
        *lines(root, rooms=rooms, stood=stood), *wirings(found), fan_out(found),
        registrations(found), spellings(found, root), names_twice(found),
        *callbacks(root), *openings(found),
    ]  # fmt: skip


def extract(revision: str, folder: Path) -> None:
    """The files of a revision, in a folder."""
    packed = subprocess.run(
        [str(shutil.which("git")), "archive", revision], cwd=HERE, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def table(columns: Mapping[str, Sequence[Row]]) -> str:
    """Columns of rows side by side; a row that a column has not is empty there."""
    names = list(dict.fromkeys(row.name for rows in columns.values() for row in rows))
    values = [{row.name: row.value for row in rows} for rows in columns.values()]
    written = [["count", *columns], ["---"] * (len(columns) + 1)]
    written += [[name, *(column.get(name, "") for column in values)] for name in names]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in written)


def main(given: Sequence[str]) -> int:
    """Do what the command line says, and give the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.counts")
    parser.add_argument("--against", metavar="REV", help="count this revision, too")
    parser.add_argument("--rooms", action="store_true", help="lines by room")
    parser.add_argument("--all", action="store_true", help="list what was counted")
    parser.add_argument("--follow", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(given)
    if options.follow:
        follow(Path.cwd())
        return 0
    columns: dict[str, Sequence[Row]] = {}
    stood: Collection[str] | None = None
    if options.against:
        with TemporaryDirectory(prefix="r4-counts-") as folder:
            extract(options.against, Path(folder))
            stood = room_lines(Path(folder)).keys()
            columns[options.against] = counts(Path(folder), rooms=options.rooms, stood=stood)
    columns["now"] = counts(HERE, rooms=options.rooms, stood=stood)
    print(table(columns))
    for row in columns["now"] if options.all else ():
        if row.listed:
            print("\n".join(["", f"{row.name}:", *(f"  {each}" for each in row.listed)]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
